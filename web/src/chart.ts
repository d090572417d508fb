// One chart: a view of one run, or of two runs over one another.

import uPlot from "uplot";
import { ApiError, aborted, blob, Unreachable } from "./api";
import { colour, dash, theme } from "./colours";
import { download, h, replace, svg, uid } from "./dom";
import { quantity, scaleFor, seconds } from "./format";
import { corners } from "./marks";
import { chartPicture } from "./picture";
import { has } from "./place";
import { HEIGHT, plotOptions } from "./plot";
import { fileName, saveButtons } from "./save";
import { clip, type Line, type Loaded, largest, load, type Source, stack, valueAt, viewOf } from "./series";
import type { Timeline } from "./timeline";
import type { ViewInfo } from "./types";

export class Chart {
  readonly element: HTMLElement;
  private readonly plot: HTMLElement;
  private readonly legend = h("ul", { class: "legend" });
  private readonly heading = h("h3", {});
  private readonly note = h("p", { class: "note" });
  /** Flows whose lines stand out. */
  marked: ReadonlySet<string> = new Set();
  private values: HTMLElement[] = [];
  private hidden = new Set<string>();
  private sources: Source[] = [];
  private view: ViewInfo | null = null;
  private whole: Loaded | null = null;
  private shown: Loaded | null = null;
  private u: uPlot | null = null;
  private shape = "";
  private scale = { factor: 1, unit: "" };
  private request: AbortController | null = null;
  private visible = false;
  private stale = false;
  private timer = 0;
  /** Whether the server was away at the last request: the next run requests the series again. */
  private unreachable = false;

  constructor(
    readonly name: string,
    private readonly time: Timeline,
    private readonly missing: () => void,
  ) {
    const id = uid("view");
    this.heading.id = id;
    this.plot = h("div", {
      class: "plot",
      tabindex: 0,
      role: "slider",
      "aria-labelledby": id,
      "aria-orientation": "horizontal",
      "aria-valuemin": 0,
      "aria-valuemax": 1,
      "aria-valuenow": 0,
      "data-view": name,
      "aria-description":
        "The cursor's time. Left and right move it, plus and minus zoom, page up and page down move the range, 0 shows all.",
      onkeydown: (event: KeyboardEvent) => this.key(event),
    });
    this.element = h(
      "figure",
      { class: "chart card", "aria-labelledby": id },
      h(
        "div",
        { class: "bar" },
        this.heading,
        saveButtons(
          () => this.heading.textContent ?? name,
          () => this.picture(),
          has("tables") ? () => this.table() : undefined,
        ),
      ),
      this.plot,
      this.legend,
      this.note,
    );
    new ResizeObserver(() => this.resize()).observe(this.plot);
    new IntersectionObserver(
      (entries) => {
        this.visible = entries.some((entry) => entry.isIntersecting);
        if (!this.visible) return;
        this.resize();
        this.cursor();
        if (this.stale) void this.fetchSeries();
      },
      { rootMargin: "200px" },
    ).observe(this.element);
    time.on((change) => (change === "range" ? this.onRange() : this.cursor()));
  }

  show(sources: readonly Source[]): void {
    this.sources = sources.filter((source) => viewOf(source.run, this.name));
    this.view = this.sources.map((source) => viewOf(source.run, this.name)).find(Boolean) ?? null;
    this.element.hidden = this.view === null;
    if (!this.view) return;
    if (!this.shown) this.heading.textContent = this.title;
    this.whole = null;
    this.refresh();
  }

  /** Flows are stacked in the chart of one run; those of two runs would hide one another. */
  private get stacked(): boolean {
    return this.view?.stacked === true && this.sources.length === 1;
  }

  private get title(): string {
    const [only, other] = this.sources;
    return `${only?.mark && !other ? `${only.mark}: ` : ""}${this.view?.title ?? this.name}`;
  }

  /** Draws the chart again, for example after a change of theme. */
  redraw(): void {
    this.shape = "";
    if (this.shown && this.visible) this.draw(this.shown);
    else this.stale = true;
  }

  private refresh(): void {
    this.stale = true;
    if (this.visible) void this.fetchSeries();
  }

  /** Requests series at most every 80 ms while the range moves. */
  private refreshLater(): void {
    this.stale = true;
    if (!this.visible || this.timer !== 0) return;
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      if (this.stale && this.visible && this.request === null) void this.fetchSeries();
    }, 80);
  }

  private onRange(): void {
    const { from, to } = this.time;
    this.stale = true;
    this.plot.setAttribute("aria-valuemin", String(from));
    this.plot.setAttribute("aria-valuemax", String(to));
    // A chart out of sight is drawn when it comes into sight.
    if (!this.view || !this.visible) return;
    // The chart shows the new range at once from the series that are loaded; finer ones follow.
    if (this.shown && this.whole && (from < this.shown.from || to > this.shown.to)) this.draw(this.whole);
    else if (this.shown) this.draw(this.shown);
    this.refreshLater();
  }

  private async fetchSeries(): Promise<void> {
    this.request?.abort();
    const request = new AbortController();
    this.request = request;
    this.stale = false;
    this.unreachable = false;
    const { from, to } = this.time;
    try {
      const width = Math.max(200, this.plot.clientWidth) * Math.min(2, window.devicePixelRatio || 1);
      const loaded = await load(this.sources, this.name, from, to, width, request.signal);
      if (request.signal.aborted) return;
      if (from <= 0 && to >= this.time.duration) this.whole = loaded;
      this.note.textContent = this.noteOf(loaded);
      this.draw(loaded);
    } catch (error) {
      if (aborted(error) || request.signal.aborted) return;
      if (error instanceof ApiError && error.status === 404) this.missing();
      else if (error instanceof Unreachable) this.unreachable = true;
      else this.note.textContent = error instanceof Error ? error.message : String(error);
    } finally {
      if (this.request === request) {
        this.request = null;
        if (this.stale && !this.unreachable) this.refreshLater();
      }
    }
  }

  private noteOf(loaded: Loaded): string {
    if (!loaded.lines.some((line) => line.t.length)) return "Nothing happened here in this range of time.";
    // Stacked lines reach to the end of what was recorded: the packets of a long run are not all kept.
    const last = Math.max(...loaded.lines.map((line) => line.t.at(-1) ?? 0));
    const end = Math.min(loaded.to, ...this.sources.map((source) => source.run.until ?? source.run.duration));
    const means = loaded.interval ? `Values are means of intervals of ${quantity(loaded.interval, "s")}.` : "";
    if (means) return means;
    return this.stacked && last < end - 0.01 * (loaded.to - loaded.from)
      ? `Single packets of this run are kept up to ${seconds(last, this.time.duration)}.`
      : "";
  }

  private draw(loaded: Loaded): void {
    const view = this.view;
    if (!view) return;
    this.shown = loaded;
    const stacked = this.stacked;
    const shown = loaded.lines.map((line) => clip(line, this.time.from, this.time.to, view.steps || stacked));
    const sums = stacked ? stack(shown) : null;
    const max = sums ? (sums.y.at(-1) ?? []).reduce((a, b) => Math.max(a, b), 0) : largest(loaded.lines);
    this.scale = scaleFor(max, view.unit);
    const empty = shown.length === 0;
    const data = (
      empty
        ? [[], []]
        : sums
          ? [sums.t, ...sums.y]
          : uPlot.join(shown.map((line) => [line.t, line.y] as uPlot.AlignedData))
    ) as uPlot.AlignedData;
    const shape = JSON.stringify([
      loaded.lines.map((line) => [line.label, line.colour, line.dash, this.isMarked(line)]),
      stacked,
      view.steps,
      this.scale,
      this.title,
    ]);
    if (!this.u || shape !== this.shape) {
      this.shape = shape;
      this.heading.textContent = this.scale.unit ? `${this.title} (${this.scale.unit})` : this.title;
      this.u?.destroy();
      replace(this.plot);
      this.u = new uPlot(this.options(loaded.lines, stacked, view.steps), data, this.plot);
      this.drawLegend(loaded.lines, stacked);
    } else {
      this.u.setData(data, false);
    }
    this.resize();
    this.window();
    this.cursor();
  }

  private isMarked(line: Line): boolean {
    return line.flow !== null && this.marked.has(line.flow);
  }

  private options(lines: readonly Line[], stacked: boolean, steps: boolean): uPlot.Options {
    const width = Math.max(50, this.plot.clientWidth);
    const marked = (line: Line): boolean => this.isMarked(line);
    const { hidden } = this;
    return plotOptions({ lines, stacked, steps, width, factor: this.scale.factor, hidden, marked }, this.time);
  }

  private drawLegend(lines: readonly Line[], stacked: boolean): void {
    this.values = lines.map(() => h("span", { class: "value" }));
    const items = lines.map((line, at) => {
      const swatch = svg(
        "svg",
        { width: 30, height: 12, "aria-hidden": "true" },
        svg("line", {
          x1: 0,
          y1: 6,
          x2: 30,
          y2: 6,
          stroke: colour(line.colour),
          "stroke-width": line.mark === "B" ? 1.5 : 3,
          "stroke-dasharray": dash(line.dash).join(" ") || null,
        }),
        mark(line),
      );
      const button = h(
        "button",
        {
          type: "button",
          class: this.isMarked(line) ? "entry marked" : "entry",
          "aria-pressed": String(!this.hidden.has(line.label)),
          title: "Show or hide this series",
          disabled: stacked,
          onclick: () => this.toggle(line.label, at, button),
        },
        swatch,
        h("span", { class: "name" }, this.isMarked(line) && "▸ ", line.label),
        this.values[at],
      );
      return h("li", {}, button);
    });
    replace(this.legend, ...items);
  }

  private toggle(label: string, at: number, button: HTMLElement): void {
    if (!this.hidden.delete(label)) this.hidden.add(label);
    button.setAttribute("aria-pressed", String(!this.hidden.has(label)));
    this.u?.setSeries(at + 1, { show: !this.hidden.has(label) });
  }

  private window(): void {
    this.u?.setScale("x", { min: this.time.from, max: this.time.to });
  }

  private cursor(): void {
    const u = this.u;
    const lines = this.shown?.lines ?? [];
    if (!u || !this.visible) return;
    const at = this.time.cursor;
    if (at === null) u.setCursor({ left: -10, top: -10 }, false);
    else u.setCursor({ left: u.valToPos(at, "x"), top: 1 }, false);
    const unit = this.view?.unit ?? "";
    const texts = lines.map((line) => (at === null ? "" : quantity(valueAt(line, at), unit)));
    texts.forEach((text, index) => {
      const span = this.values[index];
      if (span && span.textContent !== text) span.textContent = text;
    });
    const now = at ?? this.time.from;
    const words = lines.slice(0, 8).map((line) => `${line.label} ${quantity(valueAt(line, now), unit)}`);
    this.plot.setAttribute("aria-valuemin", String(this.time.from));
    this.plot.setAttribute("aria-valuemax", String(this.time.to));
    this.plot.setAttribute("aria-valuenow", String(now));
    this.plot.setAttribute("aria-valuetext", `${seconds(now, this.time.span)}: ${words.join(", ")}`);
  }

  private key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { time } = this;
    const step = (time.span / 100) * (event.shiftKey ? 10 : 1);
    const now = time.cursor ?? (time.from + time.to) / 2;
    const actions: { [key: string]: () => void } = {
      ArrowLeft: () => time.setCursor(now - step),
      ArrowRight: () => time.setCursor(now + step),
      Home: () => time.setCursor(time.from),
      End: () => time.setCursor(time.to),
      "+": () => time.scale(0.5),
      "=": () => time.scale(0.5),
      "-": () => time.scale(2),
      PageUp: () => time.pan(-0.25),
      PageDown: () => time.pan(0.25),
      "0": () => time.reset(),
      Escape: () => time.reset(),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private resize(): void {
    const width = this.plot.clientWidth;
    if (this.u && width > 50 && width !== this.u.width) {
      this.u.setSize({ width, height: HEIGHT });
      this.cursor();
    }
  }

  private async table(): Promise<void> {
    for (const { mark, run } of this.sources) {
      const data = await blob(
        `/api/run/${encodeURIComponent(run.run)}/export?form=csv&view=${encodeURIComponent(this.name)}`,
      );
      download(fileName(`${this.name} ${mark}`, "csv"), data);
    }
  }

  private picture(): SVGSVGElement {
    const view = this.view as ViewInfo;
    const lines = (this.shown?.lines ?? []).filter((line) => !this.hidden.has(line.label));
    const stacked = this.stacked;
    return chartPicture({
      title: this.heading.textContent ?? view.title,
      lines,
      stacked,
      steps: view.steps,
      from: this.time.from,
      to: this.time.to,
      factor: this.scale.factor,
    });
  }
}

/** The shape that marks the line where dashes cannot tell it from others. */
function mark(line: Line): SVGElement {
  const look = {
    fill: line.mark === "B" ? theme().ground : colour(line.colour),
    stroke: colour(line.colour),
    "stroke-width": 1.5,
  };
  const around = corners(line.dash, 15, 6, 3.6);
  return around.length
    ? svg("polygon", { points: around.map((corner) => corner.join()).join(" "), ...look })
    : svg("circle", { cx: 15, cy: 6, r: 3.6, ...look });
}
