// The options of uPlot for a chart: its axes and lines, and what the mouse does.

import uPlot from "uplot";
import { colour, dash, pale, theme } from "./colours";
import { plain } from "./format";
import { dense, shapes, spread } from "./marks";
import type { Line } from "./series";
import type { Timeline } from "./timeline";

export const HEIGHT = 190;

export interface Look {
  lines: readonly Line[];
  stacked: boolean;
  /** Whether a value holds until the next one, instead of a straight line between them. */
  steps: boolean;
  /** Width in pixels. */
  width: number;
  /** The factor by which values on the axis are divided. */
  factor: number;
  /** Labels of lines that are not shown. */
  hidden: ReadonlySet<string>;
  /** Whether a line stands out. */
  marked: (line: Line) => boolean;
}

function strokeWidth(line: Line, { lines, marked }: Look): number {
  const usual = line.mark === "B" ? 1.25 : 2;
  return marked(line) ? 2 * usual : lines.some(marked) ? 0.6 * usual : usual;
}

export function plotOptions(shown: Look, time: Timeline): uPlot.Options {
  const { lines, stacked, steps, factor, hidden } = shown;
  const look = theme();
  const axis = {
    stroke: look.soft,
    grid: { stroke: look.grid, width: 1 },
    ticks: { stroke: look.grid, width: 1 },
    font: "12px system-ui, sans-serif",
  };
  const paths =
    steps || stacked
      ? (uPlot.paths.stepped as uPlot.Series.SteppedPathBuilderFactory)({ align: 1 })
      : (uPlot.paths.linear as uPlot.Series.LinearPathBuilderFactory)();
  const points = (u: uPlot, index: number): boolean =>
    lines[index - 1]?.mark === "B" || (lines.length > 1 && !stacked && dense(u, index));
  const series = lines.map((line, at): uPlot.Series => {
    const each: uPlot.Series = {
      label: line.label,
      scale: "y",
      stroke: colour(line.colour),
      width: strokeWidth(line, shown),
      dash: dash(line.dash),
      paths,
      spanGaps: false,
      show: !hidden.has(line.label),
      points: {
        size: 7,
        width: 1.5,
        fill: line.mark === "B" ? look.ground : colour(line.colour),
        paths: shapes(line.dash),
        // All points are marked if they are far apart; otherwise some are, if dashes do not tell the lines apart.
        show: (u, index, first, last) => points(u, index) || last - first <= u.bbox.width / devicePixelRatio / 24,
        filter: (u, index) => (points(u, index) ? spread(u, index) : null),
      },
    };
    if (stacked && at === 0) each.fill = pale(line.colour, 0.5);
    return each;
  });
  return {
    width: shown.width,
    height: HEIGHT,
    padding: [8, 18, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false, auto: false },
      y: { range: (_u, low, high) => [Math.min(0, low ?? 0), (high ?? 0) > 0 ? (high as number) * 1.06 : 1] },
    },
    axes: [
      { ...axis, size: 32, values: (_u, ticks) => ticks.map((tick) => `${plain(tick)} s`) },
      { ...axis, size: 48, values: (_u, ticks) => ticks.map((tick) => plain(tick / factor)) },
    ],
    series: [{}, ...series],
    bands: stacked
      ? lines
          .slice(1)
          .map((line, at) => ({ series: [at + 2, at + 1] as [number, number], fill: pale(line.colour, 0.5) }))
      : [],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false },
      bind: {
        dblclick: () => () => {
          time.reset();
          return null;
        },
      },
    },
    hooks: {
      drawClear: [
        (u) =>
          lines.forEach((line, index) => {
            (u.series[index + 1] as uPlot.Series).dash = dense(u, index + 1) ? [] : dash(line.dash);
          }),
      ],
      setSelect: [
        (u) => {
          if (u.select.width > 3)
            time.zoom(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
      ready: [
        (u) => {
          u.over.addEventListener("mousemove", (event) => time.setCursor(u.posToVal(event.offsetX, "x")));
          u.over.addEventListener(
            "wheel",
            (event) => {
              if (!event.ctrlKey && !event.shiftKey) return;
              event.preventDefault();
              time.scale((event.deltaY || event.deltaX) > 0 ? 1.25 : 0.8, u.posToVal(event.offsetX, "x"));
            },
            { passive: false },
          );
        },
      ],
    },
  };
}
