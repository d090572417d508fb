// The completion times of transfers, for each class of flows that has some.

import { h, replace } from "./dom";
import { plain, quantity } from "./format";
import type { RunDone, TransferResult } from "./types";

const COLUMNS: readonly [string, (of: TransferResult) => string][] = [
  ["Started", (of) => String(of.started)],
  ["Finished", (of) => String(of.finished)],
  ["Mean", (of) => quantity(of.mean_s, "s")],
  ["Median", (of) => quantity(of.p50_s, "s")],
  ["95 %", (of) => quantity(of.p95_s, "s")],
  ["99 %", (of) => quantity(of.p99_s, "s")],
  ["Slowdown", (of) => (of.slowdown === null ? "–" : plain(of.slowdown))],
];

export class Transfers {
  readonly mark = h("span", {});
  private readonly body = h("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": "Completion times" });
  readonly element = h(
    "section",
    { class: "card transfers", hidden: true },
    h("h3", {}, this.mark, "Completion times"),
    this.body,
    h(
      "p",
      { class: "note" },
      "The table counts transfers that began after the warm-up. The slowdown is the mean of their times over the least possible ones.",
    ),
  );

  update(run: RunDone): void {
    const found = run.transfers ?? [];
    this.element.hidden = found.length === 0;
    this.body.setAttribute("aria-label", `${this.mark.textContent}Completion times`);
    replace(
      this.body,
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, "Transfers"),
            ...COLUMNS.map(([name]) => h("th", { scope: "col", class: "num" }, name)),
          ),
        ),
        h(
          "tbody",
          {},
          ...found.map((each) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, each.name),
              ...COLUMNS.map(([, text]) => h("td", { class: "num" }, text(each))),
            ),
          ),
        ),
      ),
    );
  }
}
