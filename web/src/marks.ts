// Marks along lines. A line with more points than pixels is drawn without dashes: they could not be seen, and drawing
// them takes much longer than drawing the line. Marks of different shapes tell such lines apart, and the lines of the
// second variant.

import type uPlot from "uplot";

/** Corners of the shapes, in radii; the circle has none. */
const SHAPES: readonly (readonly [number, number][])[] = [
  [],
  [
    [-0.9, -0.9],
    [0.9, -0.9],
    [0.9, 0.9],
    [-0.9, 0.9],
  ],
  [
    [0, -1.15],
    [1.1, 0.85],
    [-1.1, 0.85],
  ],
  [
    [0, -1.25],
    [1.25, 0],
    [0, 1.25],
    [-1.25, 0],
  ],
  [
    [0, 1.15],
    [1.1, -0.85],
    [-1.1, -0.85],
  ],
];

export function corners(index: number, x: number, y: number, radius: number): [number, number][] {
  return (SHAPES[index % SHAPES.length] ?? []).map(([dx, dy]) => [x + dx * radius, y + dy * radius]);
}

/** Whether a series has more points than every other pixel in the range that is shown. */
export function dense(u: uPlot, at: number): boolean {
  const values = u.data[at] ?? [];
  const [first, last] = u.series[0]?.idxs ?? [0, 0];
  const max = u.bbox.width / devicePixelRatio / 2;
  if (last - first <= max) return false;
  let count = 0;
  for (let index = first; index <= last; index += 1)
    if (values[index] !== undefined && values[index] !== null) count += 1;
  return count > max;
}

/**
 * The points to mark, at least 48 pixels apart. Each series starts at another offset, so that marks do not cover each
 * other.
 */
export function spread(u: uPlot, at: number): number[] {
  const [times, values] = [u.data[0], u.data[at] ?? []];
  const [first, last] = u.series[0]?.idxs ?? [0, times.length - 1];
  const chosen: number[] = [];
  let next = u.valToPos(times[first] ?? 0, "x") + ((at * 17) % 48);
  for (let index = first; index <= last; index += 1) {
    if (values[index] === null || values[index] === undefined) continue;
    const left = u.valToPos(times[index] as number, "x");
    if (left < next) continue;
    chosen.push(index);
    next = left + 48;
  }
  return chosen;
}

/** Draws the marks of a series in the shape of its index. */
export function shapes(index: number): uPlot.Series.Points.PathBuilder {
  return (u, at, first, last, chosen) => {
    const path = new Path2D();
    const radius = 3.6 * devicePixelRatio;
    const draw = (point: number): void => {
      const value = u.data[at]?.[point];
      if (value === null || value === undefined) return;
      const x = u.valToPos(u.data[0][point] as number, "x", true);
      const y = u.valToPos(value, "y", true);
      const around = corners(index, x, y, radius);
      if (around.length === 0) {
        path.moveTo(x + radius, y);
        path.arc(x, y, radius, 0, 2 * Math.PI);
        return;
      }
      around.forEach(([px, py], corner) => {
        if (corner === 0) path.moveTo(px, py);
        else path.lineTo(px, py);
      });
      path.closePath();
    };
    if (chosen) chosen.forEach(draw);
    else for (let point = first; point <= last; point += 1) draw(point);
    return { stroke: path, fill: path, flags: 3 };
  };
}
