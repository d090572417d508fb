// The verdicts on an item of a paper: their counts, and the tables that only this item has.

import { h } from "./dom";
import { holds, VERDICTS, type Verdict, verdict, words } from "./paper";
import type { ItemName, PaperSection } from "./types";

/** The verdicts of numbers that were tested. */
export const TESTED: readonly Verdict[] = ["match", "miss", "some-run", "undecided"];

/** Which numbers are counted: those that the paper prints, or the others. */
export type Counted = "numbers" | "others";

export function count(item: ItemName, kind: Verdict, of: Counted = "numbers"): number {
  return item[of].find((each) => each.verdict === kind)?.count ?? 0;
}

function of(item: ItemName, which: Counted): [Verdict, number][] {
  return VERDICTS.filter((kind) => count(item, kind, which) > 0 && kind !== "not-tested").map(
    (kind): [Verdict, number] => [kind, count(item, kind, which)],
  );
}

export function counts(item: ItemName): (HTMLElement | false)[] {
  const { claims } = item;
  const shown = of(item, "numbers");
  const others = of(item, "others");
  const decided = claims.hold + claims.fail;
  return [
    ...shown.map(([kind, count]) => h("span", { title: words(kind) }, verdictCount(kind, count))),
    others.length > 0 && h("span", { title: "Numbers that the paper does not print" }, "others"),
    ...others.map(([kind, count]) => h("span", { title: words(kind) }, verdictCount(kind, count))),
    decided > 0 && h("span", {}, `${claims.hold} of ${decided} claims`),
  ];
}

function verdictCount(kind: Verdict, count: number): HTMLElement {
  const element = verdict(kind);
  element.append(` ${count}`);
  return element;
}

/** A table that only this item has. If its rows are statements, they have verdicts. */
export function table(section: PaperSection): HTMLElement {
  const judged = section.holds.length > 0;
  const fails = section.holds.filter((each) => each === false).length;
  const decided = section.holds.filter((each) => each !== null);
  const holding = judged ? `: ${decided.filter(Boolean).length} of ${decided.length} hold` : "";
  const summary = `${section.title}${section.measured ? " (measured, varies)" : ""}${holding}`;
  return h(
    "details",
    { class: "card", open: fails > 0 && section.rows.length <= 12 },
    h("summary", {}, h("h3", {}, summary)),
    section.note && h("p", { class: "note" }, section.note),
    h(
      "div",
      { class: "scroll", role: "region", tabindex: 0, "aria-label": section.title },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            judged && h("th", { scope: "col" }, "Verdict"),
            ...section.headings.map((name) => (name ? h("th", { scope: "col" }, name) : h("td", {}))),
          ),
        ),
        h(
          "tbody",
          {},
          ...section.rows.map((row, at) =>
            h(
              "tr",
              {},
              judged &&
                h(
                  "td",
                  {},
                  holds(section.holds[at] ?? null),
                  section.why[at] ? h("p", { class: "note" }, section.why[at]) : null,
                ),
              ...row.map((cell, column) => (column === 0 ? h("th", { scope: "row" }, cell) : h("td", {}, cell))),
            ),
          ),
        ),
      ),
    ),
  );
}
