// The card at the top of the page, with the delay of packets: of each class of flows in a run, of all packets in a
// replay.

import { h, replace } from "./dom";
import { milliseconds, quantity } from "./format";
import type { Slot } from "./model";
import type { RunDone } from "./types";

type Ready = readonly { slot: Slot; run: RunDone }[];

const CLASSES = { sparse: "Sparse flows", bulk: "Bulk flows" } as const;

/** Whether a run has sparse flows, whose delay is then shown first. */
export function hasSparse(run: RunDone): boolean {
  return run.delays?.some((each) => each.name === "sparse") ?? false;
}

export class Delays {
  readonly element = h("section", { class: "card delay" });

  update(ready: Ready): void {
    const replay = ready.find(({ run }) => run.kind === "replay");
    replace(this.element, h("h2", {}, "Delay under load"), ...(replay ? ofPackets(ready) : ofClasses(ready)));
  }
}

function ofClasses(ready: Ready): HTMLElement[] {
  const both = ready.length > 1;
  const parts = (["sparse", "bulk"] as const).flatMap((name) => {
    const found = ready.flatMap(({ slot, run }) =>
      (run.delays ?? []).filter((each) => each.name === name).map((each) => ({ slot, each })),
    );
    if (found.length === 0) return [];
    const worst = [
      ...new Set(
        found.map(({ each }) =>
          each.worst === null
            ? "no packet arrived"
            : each.flows > 1
              ? `${each.worst}, the worst of ${each.flows}`
              : each.worst,
        ),
      ),
    ];
    return [
      h(
        "div",
        {},
        h("h3", {}, CLASSES[name]),
        h("div", { class: "pair" }, ...found.map(({ slot, each }) => big(both ? slot : null, each.queueing_ms))),
        h("p", { class: "soft" }, worst.join("; ")),
      ),
    ];
  });
  const what =
    parts.length > 1 ? "Sparse flows ask for no more than their fair share; bulk flows send as fast as they may. " : "";
  return [
    h("div", { class: "classes" }, ...parts),
    h("p", { class: "note" }, `${what}The number is the mean time that packets of the worst flow wait in queues.`),
  ];
}

function ofPackets(ready: Ready): HTMLElement[] {
  const both = ready.length > 1;
  return [
    h(
      "div",
      { class: "pair" },
      ...ready.map(({ slot, run }) => big(both ? slot : null, run.delay_under_load_ms ?? null)),
    ),
    h("p", { class: "note" }, "The number is the mean time that a packet waits before it is sent."),
    ...ready.map(({ slot, run }) =>
      h(
        "p",
        { class: "note" },
        `${both ? `${slot.toUpperCase()}: ` : ""}99 % of the packets wait at most ${quantity(Math.max(run.p99_ms ?? NaN, 1e-3) / 1e3, "s")}.`,
      ),
    ),
  ];
}

function big(slot: Slot | null, ms: number | null): HTMLElement {
  return h(
    "p",
    { class: "big" },
    slot && h("span", { class: "which" }, `${slot.toUpperCase()} `),
    milliseconds(ms === null ? null : Number(ms.toPrecision(3))),
    ms !== null && h("span", { class: "unit" }, " ms"),
  );
}
