// The card above a run of a paper. It says which number or claim the run is about, what the paper says and what this
// run gives.

import { aborted, explain, get, stream, Unreachable } from "./api";
import { announce, h, replace } from "./dom";
import type { Model } from "./model";
import { type PaperPlace, placed } from "./paper";
import type { Json, PaperMeasured, PaperRun, Scenario } from "./types";

export class About {
  readonly element = h("section", { class: "card paper-run", "aria-label": "What the paper says", hidden: true });
  private opened: PaperRun | null = null;
  private readonly values = h("p", { class: "values", role: "status" });
  private readonly state = h("div", { class: "state" });
  private request: AbortController | null = null;
  private measureRequest: AbortController | null = null;

  constructor(
    private readonly model: Model,
    private readonly back: () => void,
    private readonly onNavigate: () => void,
  ) {
    model.on((event, slot) => {
      if (!this.opened || slot !== "a") return;
      if (event === "run" && model.variants.a?.current) void this.measure();
      if (event === "controls" && model.variants.a?.current === false) this.showWaiting();
    });
  }

  /** The run that is shown, as part of the page's address. */
  get place(): PaperPlace | null {
    return this.opened;
  }

  /** Opens a run of a paper, with `scenario` instead of its own scenario if that is given. */
  async open(place: PaperPlace, scenario?: Scenario): Promise<void> {
    this.request?.abort();
    const request = new AbortController();
    this.request = request;
    const opened = await get<PaperRun>(`/api/papers/open?${placed(place).join("&")}`, request.signal);
    if (request.signal.aborted) return;
    this.opened = opened;
    this.model.marked = { flows: new Set(opened.flows), port: opened.port };
    this.draw(opened);
    const scenarioToRun = scenario ?? opened.scenario;
    const now = this.model.variants.a;
    if (
      now?.run &&
      now.current &&
      now.replication === opened.run &&
      JSON.stringify(now.scenario) === JSON.stringify(scenarioToRun)
    ) {
      this.model.emit("slots", "a");
      void this.measure();
    } else void this.model.open("a", scenarioToRun, undefined, opened.run);
  }

  clear(): void {
    this.request?.abort();
    this.measureRequest?.abort();
    if (!this.opened) return;
    this.opened = null;
    this.element.hidden = true;
    this.model.marked = { flows: new Set(), port: null };
  }

  private draw(opened: PaperRun): void {
    this.element.hidden = false;
    const [first, ...rest] = opened.said;
    replace(
      this.element,
      h(
        "div",
        { class: "bar" },
        h("h2", {}, opened.heading),
        h("button", { type: "button", onclick: () => this.back() }, "← Back to the tables"),
      ),
      h("p", { class: "first" }, first ?? ""),
      ...rest.map((line) => h("p", {}, line)),
      this.values,
      this.state,
      this.choices(opened),
    );
    this.showWaiting();
  }

  /** The other runs of the same variant. */
  private choices(opened: PaperRun): HTMLElement {
    const runs = h(
      "select",
      { id: "about-run", onchange: () => this.openRun({ ...opened, run: Number(runs.value) }) },
      ...opened.runs.map((each) =>
        h(
          "option",
          { value: each.run },
          String(each.run),
          each.run === opened.base && " (base run)",
          each.run === 0 && opened.base !== 0 && " (all start at once)",
          each.value && `: ${each.value}`,
          each.best && each.run !== opened.base && " (most of the row comes out)",
        ),
      ),
    );
    runs.value = String(opened.run);
    return h(
      "div",
      { class: "filters" },
      h("span", {}, "Variant ", h("strong", {}, opened.variant)),
      opened.runs.length > 1 && h("label", { for: "about-run" }, "Run "),
      opened.runs.length > 1 ? runs : h("span", { class: "soft" }, "One run: all sources start as the scenario says."),
    );
  }

  private openRun(place: PaperPlace): void {
    this.open(place)
      .then(() => this.onNavigate())
      .catch((error: unknown) => {
        if (!aborted(error)) replace(this.state, h("p", { class: "error" }, explain(error).message));
      });
  }

  private showWaiting(): void {
    this.measureRequest?.abort();
    replace(this.values, this.opened?.measured ? "In this run: …" : "");
    replace(this.state);
  }

  private async measure(): Promise<void> {
    const { opened } = this;
    const variant = this.model.variants.a;
    if (!opened || !variant) return;
    this.measureRequest?.abort();
    const measureRequest = new AbortController();
    this.measureRequest = measureRequest;
    try {
      const result = await stream<PaperMeasured>(
        "/api/papers/measure",
        {
          paper: opened.paper,
          item: opened.item,
          variant: opened.variant,
          run: opened.run,
          scenario: variant.scenario,
        },
        measureRequest.signal,
        () => undefined,
      );
      if (!measureRequest.signal.aborted && opened === this.opened) this.show(opened, result);
    } catch (error) {
      if (!aborted(error) && !(error instanceof Unreachable))
        replace(this.state, h("p", { class: "error" }, explain(error).message));
    }
  }

  private show(opened: PaperRun, result: PaperMeasured): void {
    if (opened.measured) {
      const own = result.values.find((each) => each.number === opened.number);
      const unit = opened.unit && opened.unit !== "order" ? ` ${opened.unit}` : "";
      const mean = opened.run === 0 ? "the base run" : `run ${opened.run}`;
      replace(
        this.values,
        "In this run: ",
        h("strong", {}, own?.value === null || own === undefined ? "nothing was measured" : `${own.text}${unit}`),
        opened.value === null
          ? ". The table has no value yet: the item was not reproduced."
          : `. The report has ${opened.value}${unit} for ${mean}.`,
      );
    }
    if (result.changed.length === 0) {
      const same = opened.digest !== null && opened.digest === result.digest;
      replace(
        this.state,
        h(
          "p",
          { class: "note" },
          opened.digest === null
            ? "The setting is the paper's."
            : same
              ? `The setting is the paper's, and the run is that of the report: digest ${result.digest}.`
              : `The setting is the paper's, but the run is not that of the report: digest ${result.digest}, ` +
                `not ${opened.digest}. Another version of headgate made the report.`,
        ),
      );
      return;
    }
    const reset = h(
      "button",
      {
        type: "button",
        class: "small",
        onclick: () => void this.model.open("a", opened.scenario, undefined, opened.run),
      },
      "Undo the changes",
    );
    replace(
      this.state,
      h(
        "div",
        { class: "warn" },
        h("strong", {}, "⚠ Changed from the paper's setting: "),
        result.changed
          .slice(0, 5)
          .map((each) => `${each.path} ${text(each.a)} → ${text(each.b)}`)
          .join("; "),
        result.changed.length > 5 && ` and ${result.changed.length - 5} more`,
        ". ",
        reset,
      ),
    );
    announce("Changed from the paper's setting.");
  }
}

function text(value: Json): string {
  const words =
    value === null || value === undefined ? "none" : typeof value === "object" ? JSON.stringify(value) : String(value);
  return words.length > 60 ? `${words.slice(0, 57)}...` : words;
}
