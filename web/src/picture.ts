// A chart as an SVG picture that stands alone: axes, lines, legend.

import { colour, dash, theme } from "./colours";
import { svg } from "./dom";
import { plain } from "./format";
import { type Line, stack } from "./series";

interface Subject {
  title: string;
  lines: Line[];
  stacked: boolean;
  steps: boolean;
  from: number;
  to: number;
  factor: number;
}

const WIDE = 800;
const TALL = 300;
const LEFT = 60;
const TOP = 36;
const FONT = "system-ui, sans-serif";

export function ticks(low: number, high: number, about: number): number[] {
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((each) => each * power >= raw) ?? 10);
  const values: number[] = [];
  for (let n = Math.ceil(low / step); n * step <= high + step * 1e-9 && values.length < 50; n += 1)
    values.push(n * step);
  return values;
}

export function text(
  x: number,
  y: number,
  words: string,
  more: { [name: string]: string | number } = {},
): SVGTextElement {
  return svg("text", { x, y, "font-family": FONT, "font-size": 12, fill: theme().ink, ...more }, words);
}

export function chartPicture(subject: Subject): SVGSVGElement {
  const { lines, from, to, stacked } = subject;
  const look = theme();
  const sums = stacked ? stack(lines) : null;
  let max = 0;
  for (const values of sums ? sums.y : lines.map((line) => line.y))
    for (const value of values) if (value !== null && value > max) max = value;
  max = max > 0 ? max * 1.06 : 1;
  const right = WIDE - 16;
  const bottom = TOP + TALL - 40;
  const x = (t: number): number => LEFT + ((t - from) / (to - from)) * (right - LEFT);
  const y = (value: number): number => bottom - (value / max) * (bottom - TOP);
  const rows = Math.ceil(lines.length / 3);
  const height = bottom + 40 + rows * 20;
  const root = svg(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", width: WIDE, height, viewBox: `0 0 ${WIDE} ${height}` },
    svg("rect", { width: WIDE, height, fill: look.ground }),
  );
  root.append(text(LEFT, 22, subject.title, { "font-size": 15, "font-weight": 600 }));
  for (const tick of ticks(0, max / subject.factor, 5)) {
    const at = y(tick * subject.factor);
    root.append(
      svg("line", { x1: LEFT, x2: right, y1: at, y2: at, stroke: look.grid }),
      text(LEFT - 6, at + 4, plain(tick), { "text-anchor": "end" }),
    );
  }
  for (const tick of ticks(from, to, 8))
    root.append(
      svg("line", { x1: x(tick), x2: x(tick), y1: TOP, y2: bottom, stroke: look.grid }),
      text(x(tick), bottom + 18, `${plain(tick)} s`, { "text-anchor": "middle" }),
    );
  const inside = `inside-${Math.random().toString(36).slice(2, 8)}`;
  root.append(
    svg(
      "clipPath",
      { id: inside },
      svg("rect", { x: LEFT, y: TOP - 4, width: right - LEFT, height: bottom - TOP + 6 }),
    ),
  );
  const drawn = svg("g", { "clip-path": `url(#${inside})`, fill: "none", "stroke-width": 1.8 });
  lines.forEach((line, at) => {
    const upper = points(
      sums ? sums.t : line.t,
      sums ? (sums.y[at] as number[]) : line.y,
      subject.steps || stacked,
      x,
      y,
    );
    if (sums) {
      const lower =
        at > 0
          ? points(sums.t, sums.y[at - 1] as number[], true, x, y)
              .split(" ")
              .reverse()
              .join(" ")
          : `${x(sums.t.at(-1) ?? to)},${bottom} ${x(sums.t[0] ?? from)},${bottom}`;
      drawn.append(svg("polygon", { points: `${upper} ${lower}`, fill: colour(line.colour), "fill-opacity": 0.5 }));
    }
    drawn.append(
      svg("polyline", {
        points: upper,
        stroke: colour(line.colour),
        "stroke-dasharray": dash(line.dash).join(" ") || null,
        "stroke-width": line.mark === "B" ? 1.1 : 1.8,
      }),
    );
  });
  root.append(
    drawn,
    svg("rect", { x: LEFT, y: TOP, width: right - LEFT, height: bottom - TOP, fill: "none", stroke: look.soft }),
  );
  lines.forEach((line, at) => {
    const left = LEFT + (at % 3) * ((right - LEFT) / 3);
    const top = bottom + 42 + Math.floor(at / 3) * 20;
    root.append(
      svg("line", {
        x1: left,
        x2: left + 30,
        y1: top - 4,
        y2: top - 4,
        stroke: colour(line.colour),
        "stroke-width": line.mark === "B" ? 1.1 : 2.5,
        "stroke-dasharray": dash(line.dash).join(" ") || null,
      }),
      text(left + 36, top, line.label.slice(0, 30)),
    );
  });
  return root;
}

function points(
  t: readonly number[],
  values: readonly (number | null)[],
  steps: boolean,
  x: (t: number) => number,
  y: (value: number) => number,
): string {
  const corners: string[] = [];
  let last: number | null = null;
  t.forEach((time, at) => {
    const value = values[at];
    if (value === null || value === undefined) return;
    if (steps && last !== null) corners.push(`${x(time).toFixed(1)},${y(last).toFixed(1)}`);
    corners.push(`${x(time).toFixed(1)},${y(value).toFixed(1)}`);
    last = value;
  });
  return corners.join(" ");
}
