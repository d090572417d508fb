// A study as curves: a measure over one axis, a line for each point of the other, with intervals.

import { colour, dash, theme } from "./colours";
import { svg } from "./dom";
import { plain, scaleFor } from "./format";
import { text, ticks } from "./picture";
import type { StudyGrid } from "./types";

const [WIDE, LEFT, TOP, BOTTOM] = [760, 64, 36, 300];

export function curves(title: string, unit: string, axis: string, grid: StudyGrid): SVGSVGElement {
  const look = theme();
  let max = 0;
  grid.values.forEach((row, r) => {
    row.forEach((value, c) => {
      max = Math.max(max, (value ?? 0) + (grid.halves?.[r]?.[c] ?? 0));
    });
  });
  const scale = scaleFor(max, unit);
  max = max > 0 ? max * 1.06 : 1;
  const right = WIDE - 30;
  const x = (at: number): number =>
    LEFT + 30 + (grid.x.length > 1 ? at / (grid.x.length - 1) : 0.5) * (right - LEFT - 60);
  const y = (value: number): number => BOTTOM - (Math.min(Math.max(value, 0), max) / max) * (BOTTOM - TOP);
  const rows = grid.y.length > 1 ? Math.ceil(grid.y.length / 4) : 0;
  const height = BOTTOM + 52 + rows * 20;
  const words = grid.y
    .map(
      (name, row) =>
        `${name ? `${name}: ` : ""}${grid.x.map((point, at) => `${point} ${plain((grid.values[row]?.[at] ?? Number.NaN) / scale.factor)}`).join(", ")}`,
    )
    .join("; ");
  const root = svg(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      width: WIDE,
      height,
      viewBox: `0 0 ${WIDE} ${height}`,
      role: "img",
      "aria-label": `${title} over ${axis}. ${words}`.slice(0, 2000),
    },
    svg("rect", { width: WIDE, height, fill: look.ground }),
    text(LEFT, 20, `${title}${scale.unit ? ` (${scale.unit})` : ""}`, { "font-size": 15, "font-weight": 600 }),
  );
  for (const tick of ticks(0, max / scale.factor, 5)) {
    const at = y(tick * scale.factor);
    root.append(
      svg("line", { x1: LEFT, x2: right, y1: at, y2: at, stroke: look.grid }),
      text(LEFT - 6, at + 4, plain(tick), { "text-anchor": "end" }),
    );
  }
  root.append(...grid.x.map((name, at) => text(x(at), BOTTOM + 18, name.slice(0, 16), { "text-anchor": "middle" })));
  root.append(
    text((LEFT + right) / 2, BOTTOM + 36, axis, { "text-anchor": "middle", fill: look.soft }),
    svg("rect", { x: LEFT, y: TOP, width: right - LEFT, height: BOTTOM - TOP, fill: "none", stroke: look.soft }),
  );
  grid.values.forEach((values, row) => {
    const stroke = colour(row);
    // Lines that lie on one another stay apart by some pixels.
    const aside = (row - (grid.values.length - 1) / 2) * 3;
    const points = values.flatMap((value, at) =>
      value === null ? [] : [`${(x(at) + aside).toFixed(1)},${y(value).toFixed(1)}`],
    );
    root.append(
      svg("polyline", {
        points: points.join(" "),
        fill: "none",
        stroke,
        "stroke-width": 2,
        "stroke-dasharray": dash(row).join(" ") || null,
      }),
    );
    values.forEach((value, at) => {
      if (value === null) return;
      const half = grid.halves?.[row]?.[at] ?? null;
      if (half !== null)
        root.append(
          svg("line", {
            x1: x(at) + aside,
            x2: x(at) + aside,
            y1: y(value - half),
            y2: y(value + half),
            stroke,
            "stroke-width": 1.3,
          }),
        );
      root.append(marker(row, x(at) + aside, y(value), stroke));
    });
    if (grid.y.length < 2) return;
    const left = LEFT + (row % 4) * ((right - LEFT) / 4);
    const top = BOTTOM + 60 + Math.floor(row / 4) * 20;
    root.append(
      svg("line", {
        x1: left,
        x2: left + 30,
        y1: top - 4,
        y2: top - 4,
        stroke,
        "stroke-width": 2,
        "stroke-dasharray": dash(row).join(" ") || null,
      }),
      marker(row, left + 15, top - 4, stroke),
      text(left + 36, top, (grid.y[row] ?? "").slice(0, 18)),
    );
  });
  return root;
}

/** Shapes tell the lines apart without colour. */
function marker(row: number, x: number, y: number, stroke: string): SVGElement {
  const look = { fill: theme().ground, stroke, "stroke-width": 1.8 };
  const shapes = [
    (): SVGElement => svg("circle", { cx: x, cy: y, r: 4.5, ...look }),
    (): SVGElement => svg("rect", { x: x - 4, y: y - 4, width: 8, height: 8, ...look }),
    (): SVGElement => svg("polygon", { points: `${x},${y - 5} ${x + 5},${y + 4} ${x - 5},${y + 4}`, ...look }),
    (): SVGElement =>
      svg("polygon", { points: `${x},${y - 5.5} ${x + 5.5},${y} ${x},${y + 5.5} ${x - 5.5},${y}`, ...look }),
  ];
  return (shapes[row % shapes.length] as () => SVGElement)();
}
