// What differs between the two variants, in words and, over several seeds, in numbers with intervals.

import { aborted, explain, stream } from "./api";
import { h, replace } from "./dom";
import { percent, quantity } from "./format";
import type { Model } from "./model";
import type { ComparisonDone, Json } from "./types";

function words(value: Json): string {
  return value === null ? "not set" : typeof value === "object" ? JSON.stringify(value).slice(0, 80) : String(value);
}

export class Compare {
  private readonly body = h("div", { "aria-live": "polite" });
  private readonly bar = h("progress", { max: 1, value: 0, hidden: true, "aria-label": "Progress of the comparison" });
  private readonly seeds = h("input", { type: "number", id: "seeds", min: 1, max: 100, value: 10 });
  private readonly more = h(
    "button",
    { type: "button", onclick: () => void this.compare(Math.min(100, Math.max(1, Number(this.seeds.value) || 1))) },
    "Compare over seeds",
  );
  private readonly over = h("div", { class: "seeds" }, h("label", { for: "seeds" }, "Seeds "), this.seeds, this.more);
  private request: AbortController | null = null;
  private compared = "";
  readonly element = h(
    "section",
    { class: "card compare", hidden: true },
    h("h2", {}, "What differs between A and B"),
    this.body,
    this.over,
    this.bar,
  );

  constructor(private readonly model: Model) {
    model.on((event) => {
      if (event === "run" || event === "slots") this.update();
    });
  }

  /** Compares one seed after each run; a button compares more. */
  private update(): void {
    const { a, b } = this.model.variants;
    this.element.hidden = !b;
    if (!a?.current || !b?.current) return;
    const key = JSON.stringify([a.scenario, b.scenario]);
    if (key === this.compared) return;
    this.compared = key;
    void this.compare(1);
  }

  private async compare(seeds: number): Promise<void> {
    const { a, b } = this.model.variants;
    if (!a || !b) return;
    this.request?.abort();
    const request = new AbortController();
    this.request = request;
    this.bar.hidden = false;
    this.bar.value = 0;
    try {
      const result = await stream<ComparisonDone>(
        "/api/compare",
        { a: { scenario: a.scenario }, b: { scenario: b.scenario }, seeds },
        request.signal,
        (part) => {
          this.bar.value = part;
        },
      );
      this.draw(result, seeds);
    } catch (error) {
      if (aborted(error) || request.signal.aborted) return;
      this.compared = "";
      replace(this.body, h("p", { class: "error" }, explain(error).message));
    }
    this.bar.hidden = true;
  }

  private draw(result: ComparisonDone, seeds: number): void {
    // A replay has no random starts: only a discipline may draw random numbers.
    this.over.hidden = result.random === false;
    const interval = (low: number | null, high: number | null, unit: string | null): string =>
      low === null || high === null ? "–" : `${quantity(low, unit)} to ${quantity(high, unit)}`;
    const spread = result.differences.some((each) => each.low !== null);
    const head = ["Measure", "Flow", "A", "B", "B less A", ...(spread ? ["Interval"] : [])];
    replace(
      this.body,
      result.changed.length > 0
        ? h(
            "ul",
            { class: "changed" },
            ...result.changed.map((each) =>
              h("li", {}, h("code", {}, each.path), `: ${words(each.a)} in A, ${words(each.b)} in B`),
            ),
          )
        : h("p", {}, "Both variants are the same. Change a value of B."),
      ...result.sentences.map((sentence) => h("p", {}, sentence)),
      ...result.notes.map((note) => h("p", { class: "note" }, note)),
      result.left_out > 0 &&
        h(
          "p",
          { class: "note" },
          result.left_out === 1
            ? `One number that differs by less than ${percent(result.least)} is left out.`
            : `${result.left_out} numbers that differ by less than ${percent(result.least)} are left out.`,
        ),
      result.differences.length > 0 &&
        h(
          "details",
          { open: seeds > 1 },
          h("summary", {}, seeds > 1 ? `Numbers, paired over ${seeds} seeds` : "Numbers of one seed"),
          h(
            "div",
            { class: "scroll", role: "region", tabindex: 0, "aria-label": "Differences" },
            h(
              "table",
              {},
              h("thead", {}, h("tr", {}, ...head.map((name) => h("th", { scope: "col" }, name)))),
              h(
                "tbody",
                {},
                ...result.differences.map((each) =>
                  h(
                    "tr",
                    {},
                    h("th", { scope: "row" }, each.metric),
                    h("td", {}, each.flow ?? ""),
                    h("td", { class: "num" }, quantity(each.a, each.unit)),
                    h("td", { class: "num" }, quantity(each.b, each.unit)),
                    h("td", { class: "num" }, quantity(each.difference, each.unit)),
                    spread && h("td", { class: "num" }, interval(each.low, each.high, each.unit)),
                  ),
                ),
              ),
            ),
          ),
        ),
    );
  }
}
