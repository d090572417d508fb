// Whether shares depend on the phase of arrivals: the run is repeated with other host noise, unasked, after its pictures are drawn.

import { aborted, explain, Gone, stream } from "./api";
import { h, replace, say, uid } from "./dom";
import { percent, plain, quantity } from "./format";
import { type Model, SLOTS, type Slot } from "./model";
import type { FlowPhaseResult, PhaseDone, RunDone } from "./types";

/** Milliseconds between a run's end and its check: the charts are drawn first, and a slider that is dragged begins none. */
const REST = 250;

interface Part {
  readonly element: HTMLElement;
  readonly noise: HTMLElement;
  readonly said: HTMLElement;
  asking: AbortController | null;
  /** The run that was checked, or is. */
  of: string;
  found: PhaseDone | null;
}

function part(): Part {
  const noise = h("p", { class: "note" });
  const said = h("div", {});
  return { element: h("div", { class: "phase" }, noise, said), noise, said, asking: null, of: "", found: null };
}

export class Phases {
  private readonly parts: { [S in Slot]: Part } = { a: part(), b: part() };
  private readonly box = h("input", { type: "checkbox", id: uid("phase"), onchange: () => this.turned() });
  /** The one control that turns the check off; it is there where there is something to check. */
  readonly control = h(
    "p",
    { class: "note", hidden: true },
    h(
      "label",
      { class: "check" },
      this.box,
      " Check whether shares depend on the phase of arrivals: repeat the run with other host noise",
    ),
  );

  constructor(
    private readonly model: Model,
    private readonly show: (slot: Slot, found: PhaseDone | null) => void,
  ) {
    this.box.checked = true;
    model.on((event, slot) => {
      if (event === "progress" && this.model.variants[slot]?.progress !== null) this.parts[slot].asking?.abort();
      if (event === "slots") for (const each of SLOTS) if (!this.model.variants[each]) this.parts[each].asking?.abort();
      if (event === "run") this.ran(slot);
    });
  }

  /** What is said of a variant. */
  element(slot: Slot): HTMLElement {
    return this.parts[slot].element;
  }

  private turned(): void {
    for (const slot of SLOTS) {
      this.parts[slot].of = "";
      this.ran(slot);
    }
  }

  private ran(slot: Slot): void {
    const of = this.parts[slot];
    const variant = this.model.variants[slot];
    const run = variant?.run;
    if (!variant || !run) return;
    of.noise.textContent = run.noise ?? "";
    of.noise.hidden = !run.noise;
    if (run.run === of.of) return;
    of.asking?.abort();
    this.found(slot, null);
    replace(of.said);
    of.of = run.run;
    if (this.box.checked && variant.current && run.kind !== "replay") void this.ask(slot, run);
  }

  private async ask(slot: Slot, run: RunDone): Promise<void> {
    const of = this.parts[slot];
    const asking = new AbortController();
    of.asking = asking;
    try {
      await new Promise((resolve) => setTimeout(resolve, REST));
      const scenario = this.model.variants[slot]?.scenario;
      if (asking.signal.aborted || !scenario) return;
      const found = await stream<PhaseDone>(
        "/api/phase",
        { scenario, seed: run.seed, replication: run.replication ?? 0 },
        asking.signal,
        () => {
          if (!asking.signal.aborted && of.said.textContent === "")
            replace(of.said, h("p", { class: "note" }, "The run is repeated with other host noise."));
        },
      );
      if (asking.signal.aborted) return;
      this.found(slot, found);
      this.draw(slot, found);
    } catch (error) {
      if (aborted(error) || asking.signal.aborted || error instanceof Gone) return;
      replace(of.said, h("p", { class: "error" }, explain(error).message));
    }
  }

  private found(slot: Slot, found: PhaseDone | null): void {
    this.parts[slot].found = found;
    // It stays where it is while the next run is made.
    if (found) this.control.hidden = !SLOTS.some((each) => this.parts[each].found?.in_step);
    this.show(slot, found);
  }

  private draw(slot: Slot, found: PhaseDone): void {
    const { said } = this.parts[slot];
    if (!found.in_step) {
      replace(said);
      return;
    }
    if (found.sentence) say(found.sentence);
    const levels = found.noise.map((level) => level.replace("pkt", ""));
    const most = Math.max(0, ...found.flows.map((flow) => flow.share_moves));
    const waits = (flow: FlowPhaseResult): HTMLElement[] =>
      [...flow.queueing_s, flow.queueing_moves_s].map((value) => h("td", { class: "num" }, quantity(value, "s")));
    const head = (words: string): HTMLElement => h("th", { scope: "col", class: "num" }, words);
    replace(
      said,
      found.sentence && h("p", { class: "warns" }, found.sentence),
      h(
        "details",
        {},
        h(
          "summary",
          {},
          `Shares move by at most ${plain(Number(most.toFixed(3)))} with host noise of ${levels.slice(0, -1).join(", ")} and ${levels.at(-1)} packet times`,
        ),
        h(
          "div",
          { class: "scroll", role: "region", tabindex: 0, "aria-label": "Shares and mean waits with each host noise" },
          h(
            "table",
            {},
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                h("th", { scope: "col" }, "Flow"),
                ...levels.map((level) => head(`share, ${level}`)),
                head("moves by"),
                ...levels.map((level) => head(`waits, ${level}`)),
                head("moves by"),
              ),
            ),
            h(
              "tbody",
              {},
              ...found.flows.map((flow) =>
                h(
                  "tr",
                  {},
                  h("th", { scope: "row" }, flow.flow),
                  ...flow.shares.map((share) => h("td", { class: "num" }, share.toFixed(3))),
                  h(
                    "td",
                    { class: flow.depends ? "num depends" : "num" },
                    `${flow.share_moves.toFixed(3)}${flow.depends ? " !" : ""}`,
                  ),
                  ...waits(flow),
                ),
              ),
            ),
          ),
        ),
        found.more_flows > 0 &&
          h("p", { class: "note" }, `${found.more_flows} more flows, whose shares move less, are not listed.`),
      ),
    );
  }
}

/** What a phase check says beside the share and beside the wait of a flow. */
export function moved(found: PhaseDone | null, flow: string): { share: HTMLElement; queueing: HTMLElement } | null {
  const of = found?.flows.find((each) => each.flow === flow);
  if (!of) return null;
  const title = `With host noise of ${found?.noise.join(", ")}`;
  return {
    share: h(
      "small",
      { class: of.depends ? "moves depends" : "moves", title },
      `moves by ${percent(of.share_moves)}${of.depends ? " !" : ""}`,
    ),
    queueing: h("small", { class: "moves", title }, `moves by ${quantity(of.queueing_moves_s, "s")}`),
  };
}
