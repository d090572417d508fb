// The check whether shares depend on the phase of arrivals. It repeats a run with other host noise after the run is
// drawn.

import { aborted, explain, stream, Unreachable } from "./api";
import { announce, h, replace, uid } from "./dom";
import { percent, plain, quantity } from "./format";
import { type Model, SLOTS, type Slot } from "./model";
import type { FlowPhaseResult, PhaseDone, RunDone } from "./types";

/**
 * Milliseconds between the end of a run and its check, so that charts come first and a dragged slider starts no check.
 */
const DELAY_MS = 250;

interface Part {
  readonly element: HTMLElement;
  readonly noise: HTMLElement;
  readonly result: HTMLElement;
  request: AbortController | null;
  /** The name of the run that was checked, or is being checked. */
  checkedRun: string;
  phase: PhaseDone | null;
}

function part(): Part {
  const noise = h("p", { class: "note" });
  const result = h("div", {});
  return {
    element: h("div", { class: "phase" }, noise, result),
    noise,
    result,
    request: null,
    checkedRun: "",
    phase: null,
  };
}

export class Phases {
  private readonly parts: { [S in Slot]: Part } = { a: part(), b: part() };
  private readonly box = h("input", { type: "checkbox", id: uid("phase"), onchange: () => this.onToggle() });
  /** The box that switches the check off. It is shown once a check has found flows in step. */
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
    private readonly show: (slot: Slot, phase: PhaseDone | null) => void,
  ) {
    this.box.checked = true;
    model.on((event, slot) => {
      if (event === "progress" && this.model.variants[slot]?.progress !== null) this.parts[slot].request?.abort();
      if (event === "slots")
        for (const each of SLOTS) if (!this.model.variants[each]) this.parts[each].request?.abort();
      if (event === "run") this.onRun(slot);
    });
  }

  /** The result of the check of a variant. */
  element(slot: Slot): HTMLElement {
    return this.parts[slot].element;
  }

  private onToggle(): void {
    for (const slot of SLOTS) {
      this.parts[slot].checkedRun = "";
      this.onRun(slot);
    }
  }

  private onRun(slot: Slot): void {
    const entry = this.parts[slot];
    const variant = this.model.variants[slot];
    const run = variant?.run;
    if (!variant || !run) return;
    entry.noise.textContent = run.noise ?? "";
    entry.noise.hidden = !run.noise;
    if (run.run === entry.checkedRun) return;
    entry.request?.abort();
    this.setPhase(slot, null);
    replace(entry.result);
    entry.checkedRun = run.run;
    if (this.box.checked && variant.current && run.kind !== "replay") void this.check(slot, run);
  }

  private async check(slot: Slot, run: RunDone): Promise<void> {
    const entry = this.parts[slot];
    const request = new AbortController();
    entry.request = request;
    try {
      await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
      const scenario = this.model.variants[slot]?.scenario;
      if (request.signal.aborted || !scenario) return;
      const phase = await stream<PhaseDone>(
        "/api/phase",
        { scenario, seed: run.seed, replication: run.replication ?? 0 },
        request.signal,
        () => {
          if (!request.signal.aborted && entry.result.textContent === "")
            replace(entry.result, h("p", { class: "note" }, "The run is repeated with other host noise."));
        },
      );
      if (request.signal.aborted) return;
      this.setPhase(slot, phase);
      this.draw(slot, phase);
    } catch (error) {
      if (aborted(error) || request.signal.aborted || error instanceof Unreachable) return;
      replace(entry.result, h("p", { class: "error" }, explain(error).message));
    }
  }

  private setPhase(slot: Slot, phase: PhaseDone | null): void {
    this.parts[slot].phase = phase;
    // The box stays visible while the next run is made.
    if (phase) this.control.hidden = !SLOTS.some((each) => this.parts[each].phase?.in_step);
    this.show(slot, phase);
  }

  private draw(slot: Slot, phase: PhaseDone): void {
    const { result } = this.parts[slot];
    if (!phase.in_step) {
      replace(result);
      return;
    }
    if (phase.sentence) announce(phase.sentence);
    const levels = phase.noise.map((level) => level.replace("pkt", ""));
    const max = Math.max(0, ...phase.flows.map((flow) => flow.share_moves));
    const waits = (flow: FlowPhaseResult): HTMLElement[] =>
      [...flow.queueing_s, flow.queueing_moves_s].map((value) => h("td", { class: "num" }, quantity(value, "s")));
    const head = (words: string): HTMLElement => h("th", { scope: "col", class: "num" }, words);
    replace(
      result,
      phase.sentence && h("p", { class: "warns" }, phase.sentence),
      h(
        "details",
        {},
        h(
          "summary",
          {},
          `Shares move by at most ${plain(Number(max.toFixed(3)))} with host noise of ${levels.slice(0, -1).join(", ")} and ${levels.at(-1)} packet times`,
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
              ...phase.flows.map((flow) =>
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
        phase.more_flows > 0 &&
          h("p", { class: "note" }, `${phase.more_flows} more flows, whose shares move less, are not listed.`),
      ),
    );
  }
}

/** The notes on the phase that stand beside the share and the wait of a flow. */
export function moved(phase: PhaseDone | null, flow: string): { share: HTMLElement; queueing: HTMLElement } | null {
  const entry = phase?.flows.find((each) => each.flow === flow);
  if (!entry) return null;
  const title = `With host noise of ${phase?.noise.join(", ")}`;
  return {
    share: h(
      "small",
      { class: entry.depends ? "moves depends" : "moves", title },
      `moves by ${percent(entry.share_moves)}${entry.depends ? " !" : ""}`,
    ),
    queueing: h("small", { class: "moves", title }, `moves by ${quantity(entry.queueing_moves_s, "s")}`),
  };
}
