// The page of papers: their items, and the tables and claims of each item. A number opens its run.

import { aborted, explain, get, stream } from "./api";
import { announce, h, replace } from "./dom";
import { type Counted, count, counts, TESTED, table } from "./judged";
import { Numbers } from "./numbers";
import { chooser, holds, type PaperPlace } from "./paper";
import type { ItemName, PaperClaim, PaperItem, PaperName } from "./types";

export class PapersPage {
  readonly element = h("div", { class: "papers" });
  /** The paper that is shown; null shows the list of papers. */
  paper: string | null = null;
  item: string | null = null;
  private number: number | null = null;
  private papers: PaperName[] = [];
  private built = "";
  private readonly names = h("nav", { class: "items", "aria-label": "Items of the paper" });
  private readonly body = h("div", { class: "item" });
  private request: AbortController | null = null;
  private reproduction: AbortController | null = null;
  private numbers: Numbers | null = null;

  constructor(
    private readonly explore: (place: PaperPlace) => void,
    private readonly onNavigate: () => void,
  ) {}

  async open(): Promise<void> {
    try {
      if (this.papers.length === 0) this.papers = (await get<{ papers: PaperName[] }>("/api/papers")).papers;
      if (this.papers.length === 1) this.paper = (this.papers[0] as PaperName).name;
      const paper = this.papers.find((each) => each.name === this.paper);
      if (!paper) return this.list();
      const item = paper.items.find((each) => each.name === this.item) ?? paper.items[0];
      if (!item)
        return replace(
          this.element,
          this.head(paper),
          this.failures(paper),
          h("p", {}, "No item of this paper is in the report."),
        );
      this.item = item.name;
      const wanted = `${paper.name}/${item.name}`;
      if (!this.built.startsWith(`${paper.name}/`))
        replace(
          this.element,
          this.head(paper),
          this.failures(paper),
          h("div", { class: "paper" }, this.names, this.body),
        );
      if (this.built === wanted) {
        this.refocus();
        return;
      }
      this.built = wanted;
      this.items(paper);
      await this.load(paper, item);
    } catch (error) {
      if (aborted(error)) return;
      this.built = "";
      replace(this.element, h("p", { class: "error" }, explain(error).message));
    }
  }

  /** Returns the focus to the number whose run was opened; false if there is none. */
  refocus(): boolean {
    return this.numbers?.focus() ?? false;
  }

  /** Sets the number that the page shows when it is opened again. */
  at(place: PaperPlace): void {
    [this.paper, this.item, this.number] = [place.paper, place.item, place.number];
  }

  private choose(paper: string | null, item: string | null): void {
    [this.paper, this.item, this.number] = [paper, item, null];
    this.onNavigate();
    void this.open().then(() =>
      (paper === null ? this.element : this.names).querySelector<HTMLElement>("[aria-current], tbody button")?.focus(),
    );
  }

  private list(): void {
    this.built = "";
    const head = [
      "Paper",
      "Items",
      "Printed numbers: match",
      "Tested",
      "Missed",
      "Others: match",
      "Tested",
      "Claims hold",
      "Claims fail",
    ];
    const rows = this.papers.map((paper) => {
      const sum = (of: (item: ItemName) => number): number => paper.items.reduce((all, item) => all + of(item), 0);
      const tested = (of: Counted): number =>
        sum((item) => TESTED.reduce((all, kind) => all + count(item, kind, of), 0));
      const cells = [
        paper.items.length,
        sum((i) => count(i, "match")),
        tested("numbers"),
        sum((i) => count(i, "miss")),
        sum((i) => count(i, "match", "others")),
        tested("others"),
        sum((i) => i.claims.hold),
        sum((i) => i.claims.fail),
      ];
      return h(
        "tr",
        {},
        h(
          "th",
          { scope: "row" },
          h("button", { type: "button", onclick: () => this.choose(paper.name, null) }, paper.name),
          h("div", { class: "note" }, `${paper.title}. ${paper.authors}, ${paper.reference}.`),
        ),
        ...cells.map((cell) => h("td", { class: "num" }, cell)),
      );
    });
    replace(
      this.element,
      h("h2", {}, "Papers"),
      h(
        "div",
        { class: "card scroll", role: "region", tabindex: 0, "aria-label": "Papers" },
        h(
          "table",
          {},
          h(
            "thead",
            {},
            h("tr", {}, ...head.map((name, at) => h("th", { scope: "col", class: at > 0 ? "num" : null }, name))),
          ),
          h("tbody", {}, ...rows),
        ),
      ),
    );
  }

  private head(paper: PaperName): HTMLElement {
    return h(
      "div",
      {},
      this.papers.length > 1 &&
        h(
          "p",
          {},
          h("button", { type: "button", class: "small", onclick: () => this.choose(null, null) }, "← All papers"),
        ),
      h("h2", {}, paper.title),
      h(
        "p",
        { class: "note" },
        `${paper.authors}, ${paper.reference}. `,
        paper.here
          ? "The tables have the numbers of the paper. Ours are added when an item is reproduced."
          : `Reproduced with headgate ${paper.version}.`,
      ),
    );
  }

  private failures(paper: PaperName): HTMLElement | null {
    return paper.failures.length === 0
      ? null
      : h(
          "ul",
          { class: "plain" },
          ...paper.failures.map((each) =>
            h("li", { class: "error" }, `${each.item} could not be reproduced: ${each.error}`),
          ),
        );
  }

  private items(paper: PaperName): void {
    replace(
      this.names,
      h(
        "ul",
        {},
        ...paper.items.map((item) =>
          h(
            "li",
            {},
            h(
              "button",
              {
                type: "button",
                "aria-current": item.name === this.item ? "true" : null,
                onclick: () => this.choose(paper.name, item.name),
              },
              h("strong", {}, item.name),
              h("span", { class: "title" }, item.title),
              h("span", { class: "counts" }, ...counts(item)),
            ),
          ),
        ),
      ),
    );
  }

  private async load(paper: PaperName, item: ItemName): Promise<void> {
    this.request?.abort();
    this.reproduction?.abort();
    const request = new AbortController();
    this.request = request;
    this.numbers = null;
    replace(this.body, h("p", { class: "soft" }, "Loading…"));
    const loaded = await get<PaperItem>(
      `/api/papers/item?paper=${encodeURIComponent(paper.name)}&item=${encodeURIComponent(item.name)}`,
      request.signal,
    );
    if (request.signal.aborted) return;
    this.draw(loaded);
    this.refocus();
  }

  private draw(item: PaperItem): void {
    const place = (): PaperPlace => ({
      paper: item.paper,
      item: item.item,
      number: null,
      claim: null,
      variant: null,
      run: null,
    });
    const open = (more: Partial<PaperPlace>): void => this.explore({ ...place(), ...more });
    this.numbers =
      item.tables.length > 0 ? new Numbers(item, (number, variant) => open({ number, variant }), this.number) : null;
    const runless = item.variants.length === 0;
    replace(
      this.body,
      h("h3", {}, `${item.item}: ${item.title}`),
      item.note && h("p", { class: "note" }, item.note),
      item.missing.length > 0 && h("p", { class: "note" }, `Not part of this package: ${item.missing.join(", ")}.`),
      runless && h("p", { class: "note" }, "This item has no runs: its numbers follow from formulas."),
      item.here && !item.reproduced && this.offer(item),
      this.numbers?.element,
      item.rows.length > 0 &&
        h(
          "details",
          { class: "card" },
          h(
            "summary",
            {},
            h(
              "h3",
              {},
              `Rows judged as a whole: ${item.rows.filter((row) => row.holds).length} of ${item.rows.length} come out`,
            ),
          ),
          h(
            "ul",
            { class: "plain" },
            ...item.rows.map((row) =>
              h(
                "li",
                {},
                h("span", { class: `verdict ${row.holds ? "match" : "miss"}` }, row.holds ? "✓ " : "✗ "),
                row.text,
              ),
            ),
          ),
        ),
      item.claims.length > 0 &&
        h(
          "section",
          { class: "card" },
          h("h3", {}, "Claims"),
          h("ul", { class: "claims" }, ...item.claims.map((claim) => this.claim(item, claim, open))),
        ),
      ...item.sections.map((section) => table(section)),
      !runless &&
        h(
          "details",
          { class: "card" },
          h("summary", {}, h("h3", {}, `All ${item.variants.length} variants of this item`)),
          chooser("Variant", [{ label: "", names: item.variants.map((each) => each.name) }], (variant) =>
            open({ variant }),
          ),
        ),
    );
  }

  /** A claim with a choice of runs. The runs that the claim looked at come first. */
  private claim(item: PaperItem, claim: PaperClaim, open: (more: Partial<PaperPlace>) => void): HTMLElement {
    const others = item.variants.map((each) => each.name).filter((name) => !claim.variants.includes(name));
    const groups = [
      { label: "Runs that the claim looked at", names: claim.variants },
      { label: "Other runs of the item", names: others },
    ];
    const choices = chooser("Variant", groups, (variant) => open({ claim: claim.id, variant }));
    choices.hidden = true;
    const button = h(
      "button",
      {
        type: "button",
        class: "small",
        "aria-expanded": "false",
        onclick: () => {
          choices.hidden = !choices.hidden;
          button.setAttribute("aria-expanded", String(!choices.hidden));
          if (!choices.hidden) choices.querySelector("select")?.focus();
        },
      },
      `Runs of ${claim.id}`,
    );
    return h(
      "li",
      {},
      h(
        "div",
        { class: "claim" },
        h("div", {}, holds(claim.holds), h("strong", {}, ` ${claim.id}`), ` ${claim.text}`),
        item.variants.length > 0 && button,
      ),
      claim.measured && h("p", { class: "note" }, `Measured: ${claim.measured}`),
      claim.why && h("p", { class: "note" }, `Why it fails: ${claim.why}`),
      choices,
    );
  }

  private offer(item: PaperItem): HTMLElement {
    const bar = h("progress", { max: 1, value: 0, "aria-label": "Progress of the reproduction", hidden: true });
    const stop = h("button", { type: "button", hidden: true, onclick: () => this.reproduction?.abort() }, "Stop");
    const text = h(
      "span",
      { class: "soft", role: "status" },
      "Ours are not computed yet. This may take seconds or minutes.",
    );
    const show = (on: boolean): void => {
      bar.hidden = !on;
      stop.hidden = !on;
      button.hidden = on;
    };
    const button = h(
      "button",
      {
        type: "button",
        onclick: async () => {
          const reproduction = new AbortController();
          this.reproduction = reproduction;
          bar.value = 0;
          text.textContent = "Reproducing";
          show(true);
          stop.focus();
          try {
            const done = await stream<PaperItem>(
              "/api/papers/reproduce",
              { paper: item.paper, item: item.item },
              reproduction.signal,
              (part) => {
                bar.value = part;
              },
            );
            this.papers = (await get<{ papers: PaperName[] }>("/api/papers")).papers;
            const paper = this.papers.find((each) => each.name === item.paper);
            if (paper) this.items(paper);
            if (this.built === `${item.paper}/${item.item}`) this.draw(done);
            announce("The item is reproduced.");
            this.numbers?.element.querySelector<HTMLElement>("button[data-number]")?.focus();
          } catch (error) {
            show(false);
            text.textContent = aborted(error) ? "Stopped." : explain(error).message;
            if (!aborted(error)) text.classList.add("error");
            else button.focus();
          }
        },
      },
      "Reproduce this item",
    );
    return h("div", { class: "card filters" }, button, bar, stop, text);
  }
}
