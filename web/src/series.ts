// Requests the series of a view for a range of time, and makes lines of them.

import { get } from "./api";
import type { RunDone, SeriesData, ViewInfo } from "./types";

/** The order of charts: throughput and waits come first, and charts that are not named here are folded. */
export const ORDER = ["offered", "throughput", "queueing", "drops", "marks", "backlog", "ports", "rtt"];

export function rank(order: readonly string[], name: string): number {
  const at = order.indexOf(name);
  return at < 0 ? order.length : at;
}

export interface Source {
  /** "A" or "B" where both are drawn into one chart, else "". */
  mark: string;
  run: RunDone;
}

export interface Line {
  label: string;
  colour: number;
  dash: number;
  mark: string;
  flow: string | null;
  t: number[];
  y: (number | null)[];
}

export interface Loaded {
  from: number;
  to: number;
  lines: Line[];
  /** The longest interval in seconds over which a value is a mean; 0 if values are no means. */
  interval: number;
}

export function viewOf(run: RunDone, name: string): ViewInfo | undefined {
  return run.views.find((view) => view.name === name);
}

export async function load(
  sources: readonly Source[],
  name: string,
  from: number,
  to: number,
  width: number,
  signal: AbortSignal,
): Promise<Loaded> {
  const requested = sources.filter((source) => viewOf(source.run, name));
  const responses = await Promise.all(
    requested.map((source) => {
      const query = new URLSearchParams({
        view: name,
        from: String(from),
        to: String(Math.min(to, source.run.duration)),
        width: String(Math.round(width)),
      });
      return get<SeriesData>(`/api/run/${encodeURIComponent(source.run.run)}/series?${query}`, signal);
    }),
  );
  return {
    from,
    to,
    interval: Math.max(0, ...responses.map((response) => response.interval ?? 0)),
    lines: responses.flatMap((response, at) => lines(response, requested[at] as Source)),
  };
}

function lines(response: SeriesData, source: Source): Line[] {
  const view = viewOf(source.run, response.view);
  const colours = new Map(source.run.flows.map((flow) => [flow.name, flow.colour]));
  const seen = new Map<number, number>();
  return response.series.map((series, at) => {
    const flow = view?.series.find((each) => each.name === series.name)?.flow ?? null;
    const chosen = (flow === null ? undefined : colours.get(flow)) ?? at;
    // Two series of one flow share its colour and differ in their dashes.
    const again = seen.get(chosen) ?? 0;
    seen.set(chosen, again + 1);
    const label = source.mark ? `${source.mark}: ${series.name}` : series.name;
    return { label, colour: chosen, dash: chosen + again, mark: source.mark, flow, t: series.t, y: series.y };
  });
}

/** The index of the last time that is not after t, or -1. */
export function before(times: readonly number[], t: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) <= t) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export function valueAt(line: Line, t: number): number | null {
  const at = before(line.t, t);
  return at < 0 ? null : (line.y[at] ?? null);
}

/**
 * The part of a line between two times, with its values at both. A path that extends far outside the chart takes long
 * to draw.
 */
export function clip(line: Line, from: number, to: number, steps: boolean): Line {
  const first = before(line.t, from);
  const last = before(line.t, to);
  const t = line.t.slice(first + 1, last + 1);
  const y = line.y.slice(first + 1, last + 1);
  const edge = (at: number, time: number): number | null => {
    const [left, right] = [line.y[at] ?? null, line.y[at + 1] ?? null];
    if (left === null || steps) return left;
    if (right === null) return null;
    const [start, end] = [line.t[at] as number, line.t[at + 1] as number];
    return end > start ? left + ((right - left) * (time - start)) / (end - start) : right;
  };
  if (first >= 0 && (line.t[first] as number) <= from) {
    t.unshift(from);
    y.unshift(edge(first, from));
  }
  if (last >= 0 && last + 1 < line.t.length && (line.t[last] as number) < to) {
    t.push(to);
    y.push(edge(last, to));
  }
  return { ...line, t, y };
}

export function largest(all: readonly Line[]): number {
  let max = 0;
  for (const line of all)
    for (const value of line.y) if (value !== null && Math.abs(value) > max) max = Math.abs(value);
  return max;
}

/** Stacks the lines: each is a step function, and is added to those before it at the times of all lines. */
export function stack(all: readonly Line[]): { t: number[]; y: number[][] } {
  const t = [...new Set(all.flatMap((line) => line.t))].sort((a, b) => a - b);
  const sum = new Float64Array(t.length);
  const y = all.map((line) => {
    let at = -1;
    return t.map((time, index) => {
      while (at + 1 < line.t.length && (line.t[at + 1] as number) <= time) at += 1;
      sum[index] = (sum[index] as number) + (at < 0 ? 0 : (line.y[at] ?? 0));
      return sum[index] as number;
    });
  });
  return { t, y };
}
