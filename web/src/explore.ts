// The page on which one changes values of a scenario and sees the effect.

import { Chart } from "./chart";
import { onTheme } from "./colours";
import { Compare } from "./compare";
import { Panel } from "./controls";
import { Delays, hasSparse } from "./delays";
import { announce, h, replace } from "./dom";
import { Export } from "./export";
import { plain, quantity, seconds } from "./format";
import { type Model, SLOTS, type Slot } from "./model";
import { Network } from "./network";
import { Packets } from "./packets";
import { Phases } from "./phase";
import { has } from "./place";
import { ORDER, rank, type Source, viewOf } from "./series";
import { Shares } from "./shares";
import { Transfers } from "./transfers";
import type { RunDone } from "./types";

/** The order of charts if some flows are sparse: their delay matters most. */
const OF_SPARSE = ["queueing", ...ORDER.filter((name) => name !== "queueing")];

interface Result {
  shares: Shares;
  transfers: Transfers;
  network: Network;
  /** Names the variant in the titles of its pictures. */
  mark(words: string): void;
}

export class Explore {
  readonly element: HTMLElement;
  overlay = true;
  /** Sentences on the settings that the server chose because none were given. */
  chosen: readonly string[] = [];
  private readonly panel: Panel;
  private readonly status = h("span", { class: "status" });
  private readonly bar = h("progress", { max: 1, value: 0, "aria-label": "Progress of the run", hidden: true });
  private readonly stop = h("button", { type: "button", hidden: true, onclick: () => this.model.stop() }, "Stop");
  private readonly again = h("button", { type: "button", onclick: () => void this.model.again() }, "Run again");
  private readonly problem = h("p", { class: "error problem", role: "alert", hidden: true });
  private readonly tabs = h("div", { class: "slots" });
  private readonly about = h("section", { class: "card about", hidden: true });
  private readonly delay = new Delays();
  /** The results of one variant fill two columns above the charts. With two variants only the delay stands there. */
  private readonly left = h("div", { class: "stack" });
  private readonly right = h("div", { class: "stack" });
  private readonly top = h("div", { class: "columns top" }, this.left, this.right);
  private readonly below = h("div", { class: "stack" });
  private readonly parts = h("div", { class: "columns" });
  private readonly sentences = h("section", { class: "card sentences" });
  private readonly tools = h("div", { class: "tools", role: "group", "aria-label": "Range of time" });
  private readonly range = h("span", { class: "range" });
  private readonly charts = h("div", { class: "charts" });
  private readonly folded = h("div", { class: "charts" });
  private readonly count = h("summary", {});
  private readonly fold = h("details", { class: "fold" }, this.count, this.folded);
  private readonly drawn = new Map<string, Chart>();
  private readonly results: { [S in Slot]: Result };
  private readonly compare: Compare;
  private readonly packets: Packets;
  private readonly phases: Phases;
  private rerunKey = "";
  private rerunAt = 0;

  constructor(
    private readonly model: Model,
    about: HTMLElement,
  ) {
    this.panel = new Panel(model);
    this.packets = new Packets(model);
    this.compare = new Compare(model);
    this.phases = new Phases(model, (slot, phase) => this.results[slot].shares.moved(phase));
    const exports = new Export(model);
    const result = (): Result => {
      const shares = new Shares();
      const network = new Network(model.time, (port) => this.packets.open(port));
      const transfers = new Transfers();
      return {
        shares,
        transfers,
        network,
        mark: (words) => {
          for (const each of [shares, transfers, network]) each.mark.textContent = words;
        },
      };
    };
    this.results = { a: result(), b: result() };
    const zoom = (label: string, title: string, act: () => void): HTMLElement =>
      h("button", { type: "button", class: "small", title, "aria-label": title, onclick: act }, label);
    replace(
      this.tools,
      this.range,
      zoom("−", "Zoom out", () => model.time.scale(2)),
      zoom("+", "Zoom in", () => model.time.scale(0.5)),
      zoom("←", "Move the range to earlier times", () => model.time.pan(-0.5)),
      zoom("→", "Move the range to later times", () => model.time.pan(0.5)),
      zoom("All", "Show all of the run", () => model.time.reset()),
      h("span", { class: "soft hint" }, "Drag over a chart to zoom; double-click shows all."),
    );
    this.element = h(
      "div",
      { class: "explore" },
      about,
      h("section", { class: "side", "aria-label": "Controls" }, this.tabs, this.panel.element, exports.element),
      h(
        "div",
        { class: "main" },
        h("div", { class: "runbar" }, this.status, this.bar, this.stop, this.again),
        this.problem,
        this.about,
        this.top,
        this.tools,
        this.charts,
        this.fold,
        has("compare") && this.compare.element,
        this.below,
        this.parts,
        this.packets.element,
      ),
    );
    model.on((event, slot) => this.onEvent(event, slot));
    model.time.on((change) => change === "range" && this.showRange());
    onTheme(() => {
      for (const chart of this.drawn.values()) chart.redraw();
      this.update();
      for (const slot of SLOTS) this.results[slot].network.redraw();
    });
  }

  /** Draws the charts of two variants over one another, or side by side. */
  setOverlay(overlay: boolean): void {
    this.overlay = overlay;
    this.update();
  }

  private onEvent(event: string, slot: Slot): void {
    if (event === "controls" || event === "slots") this.panel.update();
    if (event === "slots") this.slots();
    if (event === "progress") this.progress();
    if (event === "error" || event === "controls") this.showErrors();
    if (event === "run")
      this.results[slot].network.update(this.model.variants[slot]?.run as RunDone, this.model.marked.port);
    if (event === "run" || event === "slots") this.update();
  }

  private slots(): void {
    const { model } = this;
    const both = model.variants.b !== null;
    const tab = (slot: Slot): HTMLElement =>
      h(
        "button",
        { type: "button", "aria-pressed": String(model.active === slot), onclick: () => model.choose(slot) },
        `Variant ${slot.toUpperCase()}`,
      );
    const overlay = h("input", { type: "checkbox", id: "overlay", onchange: () => this.setOverlay(overlay.checked) });
    overlay.checked = this.overlay;
    replace(
      this.tabs,
      ...(both
        ? [
            tab("a"),
            tab("b"),
            h("button", { type: "button", onclick: () => model.dropB() }, "Remove B"),
            h("label", { class: "check" }, overlay, " in the same charts"),
          ]
        : [h("button", { type: "button", onclick: () => void model.addB() }, "Compare with a second variant")]),
    );
  }

  private progress(): void {
    const parts = SLOTS.map((slot) => this.model.variants[slot]?.progress ?? null).filter((part) => part !== null);
    const running = parts.length > 0;
    this.bar.hidden = !running;
    this.stop.hidden = !running;
    this.again.hidden = running;
    if (running) this.bar.value = Math.min(...parts);
    const run = this.model.shown?.run;
    const old = !running && this.model.shown?.current === false;
    const stopped = old ? "Stopped: the pictures are of an earlier run. " : "";
    this.status.textContent = running ? "Running" : run ? `${stopped}${summary(run)}` : "";
    this.element.classList.toggle("running", running);
  }

  private showErrors(): void {
    const placed = this.panel.errors();
    const error = this.model.shown?.error ?? null;
    this.problem.hidden = error === null || placed;
    this.problem.textContent =
      error === null || placed
        ? ""
        : `${error.path ? `${error.path}: ` : ""}${error.message}${error.line ? ` (line ${error.line})` : ""}`;
  }

  private showRange(): void {
    const { from, to, duration, whole } = this.model.time;
    this.range.textContent = whole
      ? `0 s to ${plain(duration)} s`
      : `${seconds(from, to - from)} to ${seconds(to, to - from)} of ${plain(duration)} s`;
  }

  private update(): void {
    const { model } = this;
    const ready = SLOTS.flatMap((slot) => {
      const run = model.variants[slot]?.run;
      return run ? [{ slot, run }] : [];
    });
    if (ready.length === 0) return;
    const both = ready.length > 1;
    this.showRange();
    this.delay.update(ready);
    const trace = ready.find(({ run }) => run.kind === "replay")?.run;
    this.about.hidden = !trace;
    if (trace)
      replace(this.about, h("h2", {}, "The trace"), h("p", {}, [...(trace.about ?? []), ...this.chosen].join(" ")));
    replace(
      this.sentences,
      h("h2", {}, "In words"),
      ...ready.map(({ slot, run }) =>
        h(
          "div",
          {},
          both && h("h3", {}, `Variant ${slot.toUpperCase()}`),
          h("ul", {}, ...run.sentences.map((sentence) => h("li", {}, sentence))),
          run.note && h("p", { class: "note" }, run.note),
          this.phases.element(slot),
        ),
      ),
      this.phases.control,
    );
    const shares = ready.flatMap(({ slot }) => [
      this.results[slot].shares.element,
      this.results[slot].transfers.element,
    ]);
    const networks = ready.map(({ slot }) => this.results[slot].network.element);
    this.top.classList.toggle("whole", both);
    replaceIfChanged(this.left, both ? [this.delay.element] : [this.delay.element, ...networks]);
    replaceIfChanged(this.right, both ? [] : [this.sentences, ...shares]);
    replaceIfChanged(this.below, both ? [this.sentences] : []);
    replaceIfChanged(this.parts, both ? [...shares, ...networks] : []);
    for (const each of [this.right, this.below, this.parts]) each.hidden = each.children.length === 0;
    for (const { slot, run } of ready) {
      this.results[slot].mark(both ? `${slot.toUpperCase()}: ` : "");
      this.results[slot].shares.update(run, model.marked.flows);
      this.results[slot].transfers.update(run);
    }
    this.layout(ready);
    this.progress();
  }

  private layout(ready: { slot: Slot; run: RunDone }[]): void {
    const both = ready.length > 1;
    const order = ready.some(({ run }) => hasSparse(run)) ? OF_SPARSE : ORDER;
    const names = [...new Set(ready.flatMap(({ run }) => run.views.map((view) => view.name)))].sort(
      (a, b) => rank(order, a) - rank(order, b),
    );
    const groups: { key: string; name: string; sources: Source[] }[] = names.flatMap((name) => {
      const sources = ready
        .filter(({ run }) => viewOf(run, name))
        .map(({ slot, run }): Source => ({ mark: both ? slot.toUpperCase() : "", run }));
      // Two replays of the same flows have the same offered load, so that one chart is enough.
      const first = sources[0];
      if (name === "offered" && sources.length === 2 && first && sameFlows(sources))
        return [{ key: name, name, sources: [{ ...first, mark: "" }] }];
      return both && !this.overlay
        ? sources.map((source) => ({ key: `${name} ${source.mark}`, name, sources: [source] }))
        : [{ key: name, name, sources }];
    });
    for (const each of [this.charts, this.folded]) each.classList.toggle("pairs", both && !this.overlay);
    const element = ({ key, name, sources }: { key: string; name: string; sources: Source[] }): HTMLElement => {
      let chart = this.drawn.get(key);
      if (!chart) {
        chart = new Chart(name, this.model.time, () => this.rerun());
        this.drawn.set(key, chart);
      }
      chart.marked = this.model.marked.flows;
      chart.show(sources);
      return chart.element;
    };
    const main = groups.filter(({ name }) => ORDER.includes(name));
    const rest = groups.filter((each) => !main.includes(each));
    replaceIfChanged(this.charts, main.map(element));
    replaceIfChanged(this.folded, rest.map(element));
    this.fold.hidden = rest.length === 0;
    this.count.textContent = `Windows, estimates and thresholds (${rest.length})`;
  }

  /** Repeats the runs after the server was started again and has lost them, once for each pair of runs. */
  private rerun(): void {
    const runs = SLOTS.map((slot) => this.model.variants[slot]?.run?.run ?? "").join(" ");
    if (runs === this.rerunKey || Date.now() - this.rerunAt < 2000) return;
    this.rerunKey = runs;
    this.rerunAt = Date.now();
    announce("The server was started again; the run is repeated.");
    void this.model.again();
  }
}

/** What was run, and how long that took. */
function summary(run: RunDone): string {
  const took = quantity(Number(run.seconds.toPrecision(2)), "s");
  const done = run.kind === "replay" ? "replayed" : "simulated";
  return `${plain(run.until ?? run.duration)} s ${done} in ${took}, seed ${run.seed}`;
}

/** Puts the elements into their holder, unless they are there: an element that is moved loses its focus. */
function replaceIfChanged(holder: HTMLElement, children: HTMLElement[]): void {
  if (holder.children.length !== children.length || children.some((element, at) => holder.children[at] !== element))
    replace(holder, ...children);
}

/** Whether two runs have the same lines in their first view. */
function sameFlows(sources: readonly Source[]): boolean {
  const names = sources.map(({ run }) => JSON.stringify(viewOf(run, "offered")?.series));
  return names.every((each) => each === names[0]);
}
