// A live example: one chart, a sentence or two, and the values that a page of the documentation is about. The address
// holds the scenario (`s`), the paths of the values (`c`) and the chart that is shown first (`v`).

import { explain } from "./api";
import { Chart } from "./chart";
import { onTheme } from "./colours";
import { among, Panel } from "./controls";
import { h, replace, uid } from "./dom";
import { fields, pack, unpack } from "./link";
import { Model } from "./model";
import { place } from "./place";
import "./live.css";
import { ORDER, rank } from "./series";
import type { Control, RunDone, Scenario } from "./types";

/** How many sentences on the flows are shown, and how many others, which say what had no effect. */
const SENTENCES = 2;

class Live {
  readonly element: HTMLElement;
  private readonly model = new Model();
  private readonly panel: Panel;
  private readonly title = h("h1", { class: "hidden" }, "Live example");
  private readonly views = h("select", { id: uid("view"), onchange: () => this.choose(this.views.value) });
  private readonly status = h("span", { class: "soft" }, "Loading the simulator");
  private readonly bar = h("progress", { max: 1, value: 0, "aria-label": "Progress of the run", hidden: true });
  private readonly about = h("p", { class: "soft", hidden: true });
  private readonly picture = h("div", {});
  private readonly told = h("div", { class: "told", role: "status" });
  private readonly problem = h("p", { class: "error", role: "alert", hidden: true });
  private readonly none = h("p", { class: "soft", hidden: true }, "It has no parameter that can be changed here.");
  private readonly reset = h("button", { type: "button", disabled: true, onclick: () => this.again() }, "Reset");
  private readonly whole = h("a", { href: "./", target: "_blank" }, "Open the whole page with this scenario");
  private readonly drawn = new Map<string, Chart>();
  private first: { scenario: Scenario; controls: Control[] } | null = null;
  private view: string;
  private readonly paths: readonly string[];

  constructor(asked: ReadonlyMap<string, string>) {
    this.view = asked.get("v") ?? "throughput";
    this.paths = (asked.get("c") ?? "").split(",").filter(Boolean);
    this.panel = new Panel(this.model, this.paths, () => this.first);
    this.element = h(
      "main",
      { class: "live", "aria-label": "Live example" },
      this.title,
      h("h2", { class: "hidden" }, "The run"),
      this.about,
      h("div", { class: "top" }, h("label", { for: this.views.id }, "Chart ", this.views), this.status, this.bar),
      this.picture,
      this.told,
      this.problem,
      this.panel.element,
      this.none,
      h("div", { class: "end" }, this.reset, this.whole),
    );
    this.model.on((event) => this.onEvent(event));
    onTheme(() => {
      for (const chart of this.drawn.values()) chart.redraw();
    });
  }

  async open(fragment: string): Promise<void> {
    try {
      const scenario = await unpack(fragment);
      const words = `Live example: ${scenario.name ?? "a scenario"}`;
      this.title.textContent = words;
      this.element.setAttribute("aria-label", words);
      place.title(words);
      this.about.textContent = String(scenario.description ?? "");
      this.about.hidden = !scenario.description;
      await this.model.open("a", scenario);
    } catch (error) {
      this.fail(explain(error).message);
    }
  }

  private again(): void {
    if (this.first) void this.model.open("a", structuredClone(this.first.scenario), this.first.controls);
  }

  private onEvent(event: string): void {
    const variant = this.model.variants.a;
    if (!variant) return;
    if (event === "controls" || event === "slots") {
      shorten(variant.controls.filter((control) => among(this.paths, control.path)));
      if (variant.controls.length > 0) this.first ??= { scenario: variant.scenario, controls: variant.controls };
      this.panel.update();
      this.none.hidden = this.first === null || this.panel.element.childElementCount > 0;
      this.reset.disabled = JSON.stringify(variant.scenario) === JSON.stringify(this.first?.scenario);
      void this.link(variant.scenario);
    }
    if (event === "controls" || event === "error") {
      const placed = this.panel.errors();
      this.fail(placed ? "" : (variant.error?.message ?? ""));
    }
    if (event === "progress") this.progress(variant.progress, variant.run);
    if (event === "run" && variant.run) this.show(variant.run);
  }

  private progress(part: number | null, run: RunDone | null): void {
    this.bar.hidden = part === null;
    this.bar.value = part ?? 0;
    if (run || part === null) this.status.textContent = part === null ? "" : "Running";
  }

  private show(run: RunDone): void {
    const names = run.views.map((view) => view.name).sort((a, b) => rank(ORDER, a) - rank(ORDER, b));
    // The first part of a run may not have the chart yet.
    const view = names.includes(this.view) ? this.view : (names[0] ?? "");
    replace(
      this.views,
      ...names.map((name) =>
        h(
          "option",
          { value: name, selected: name === view },
          run.views.find((view) => view.name === name)?.title ?? name,
        ),
      ),
    );
    const ofFlow = (words: string): boolean => run.flows.some((flow) => words.startsWith(`${flow.name} `));
    const first = run.sentences.findIndex(ofFlow);
    const [others, flows] = [run.sentences.slice(0, Math.max(first, 0)), run.sentences.slice(Math.max(first, 0))];
    replace(
      this.told,
      ...flows.slice(0, SENTENCES).map((sentence) => h("p", {}, sentence)),
      ...others.slice(0, SENTENCES).map((sentence) => h("p", { class: "note" }, sentence)),
    );
    this.draw(view);
  }

  private choose(view: string): void {
    this.view = view;
    this.draw(view);
  }

  private draw(view: string): void {
    const run = this.model.variants.a?.run;
    if (!run) return;
    let chart = this.drawn.get(view);
    if (!chart) {
      chart = new Chart(view, this.model.time, () => void this.model.again());
      this.drawn.set(view, chart);
    }
    chart.show([{ mark: "", run }]);
    if (this.picture.firstChild !== chart.element) replace(this.picture, chart.element);
  }

  private async link(scenario: Scenario): Promise<void> {
    this.whole.href = `./#s=${await pack(scenario)}`;
  }

  private fail(words: string): void {
    this.problem.hidden = words === "";
    if (this.problem.textContent !== words) this.problem.textContent = words;
  }
}

/** Leaves out of all labels what they are a part of, such as the link, where all are a part of the same. */
function shorten(controls: readonly Control[]): void {
  const of = new Set(controls.map((control) => /^.*: /.exec(control.label)?.[0] ?? ""));
  const [only = ""] = of;
  if (of.size === 1) for (const control of controls) control.label = control.label.slice(only.length);
}

const asked = fields(place.hash());
const live = new Live(asked);
place.holder.append(live.element);
void live.open(asked.get("s") ?? "");
