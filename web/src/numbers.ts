// The table of an item's numbers: the paper's, ours, their intervals and verdicts. A number opens its run.

import { h, replace, uid } from "./dom";
import { chooser, VERDICTS, type Verdict, verdict, words } from "./paper";
import type { PaperItem, PaperNumber } from "./types";

interface Column {
  name: string;
  /** On a narrow page columns of kind `more` are hidden first, then those of kind `less`. */
  kind: string | null;
  text?: (number: PaperNumber) => string;
}

const COLUMNS: readonly Column[] = [
  { name: "Row", kind: null },
  { name: "Source", kind: null, text: (number) => number.source },
  { name: "Paper", kind: "num" },
  { name: "Ours", kind: "num" },
  { name: "95 % interval", kind: "more", text: (number) => number.interval },
  { name: "Range", kind: "more", text: (number) => number.range },
  { name: "Trivial", kind: "num less", text: (number) => number.trivial },
  { name: "Verdict", kind: null },
];

export class Numbers {
  readonly element: HTMLElement;
  private readonly buttons: HTMLButtonElement[] = [];
  private readonly body = h("div", {
    class: "scroll numbers",
    role: "region",
    tabindex: 0,
    "aria-label": "Numbers",
    "aria-description": "Up and down move from number to number, Enter opens the run of one.",
  });
  private readonly count = h("span", { class: "soft", role: "status" });
  private chosen: Verdict | "trivial" | null = null;
  private table = "";
  private row = "";
  private readonly columns: Column[];
  /** The reasons for misses, each of which is listed once below the table. */
  private readonly why: string[];

  constructor(
    private readonly item: PaperItem,
    private readonly open: (number: number, variant: string | null) => void,
    private last: number | null,
  ) {
    // Columns that would be empty are left out.
    this.columns = COLUMNS.filter(({ text }) => !text || this.all.some((each) => text(each) !== ""));
    this.why = [...new Set(this.all.map((each) => each.mechanism).filter(Boolean))];
    this.element = h(
      "section",
      { class: "card" },
      h("h3", {}, `Numbers of ${item.item}`),
      this.filters(),
      this.body,
      h(
        "p",
        { class: "note" },
        item.reproduced
          ? "“Ours” is the base run: all sources start at once, or it is the first of the runs with random start phases. " +
              "The interval is that of the mean over those (95 %), the range reaches over all runs. ○ is a match that the trivial model (fair " +
              "shares, no loss) has too. Choose a number to see its run."
          : "Choose a number to see its run.",
      ),
      this.why.length > 0 &&
        h(
          "div",
          { class: "why" },
          h("h4", {}, "Why numbers are missed"),
          h("ol", {}, ...this.why.map((text) => h("li", {}, text))),
        ),
    );
    this.draw();
  }

  /** Returns the focus to the number that was opened last; false if there is none. */
  focus(): boolean {
    const button = this.buttons.find((each) => each.dataset.number === String(this.last));
    button?.focus();
    return button !== undefined;
  }

  private get all(): PaperNumber[] {
    return this.item.tables.flatMap((each) => each.numbers);
  }

  private filters(): HTMLElement {
    const of = (kind: Verdict | "trivial"): number => this.all.filter((each) => this.is(each, kind)).length;
    const choices: [Verdict | "trivial" | null, string, number][] = [
      [null, "All", this.all.length],
      ...VERDICTS.map((kind): [Verdict, string, number] => [kind, words(kind), of(kind)]),
      ["trivial", "the trivial model has too", of("trivial")],
    ];
    const buttons = choices
      .filter(([kind, , count]) => kind === null || count > 0)
      .map(([kind, label, count]) => {
        const button = h(
          "button",
          {
            type: "button",
            class: "small",
            "aria-pressed": String(kind === this.chosen),
            onclick: () => {
              this.chosen = kind;
              for (const each of group.querySelectorAll("button"))
                each.setAttribute("aria-pressed", String(each === button));
              this.draw();
            },
          },
          kind === null ? label : kind === "trivial" ? `○ ${label}` : verdict(kind),
          ` ${count}`,
        );
        return button;
      });
    const group = h("div", { class: "buttons", role: "group", "aria-label": "Verdict" }, ...buttons);
    const [tables, rows] = [this.item.tables.map((each) => each.title), [...new Set(this.all.map((each) => each.row))]];
    const select = (label: string, names: readonly string[], apply: (name: string) => void): HTMLElement | null => {
      if (names.length < 2) return null;
      const id = uid("filter");
      const element = h(
        "select",
        {
          id,
          onchange: () => {
            apply(element.value);
            this.draw();
          },
        },
        h("option", { value: "" }, "all"),
        ...names.map((name) => h("option", { value: name }, name)),
      );
      return h("span", {}, h("label", { for: id }, `${label} `), element);
    };
    return h(
      "div",
      {},
      group,
      h(
        "div",
        { class: "filters" },
        select("Table", tables, (name) => {
          this.table = name;
        }),
        select("Row", rows, (name) => {
          this.row = name;
        }),
        this.count,
      ),
    );
  }

  private is(number: PaperNumber, kind: Verdict | "trivial"): boolean {
    return kind === "trivial" ? number.verdict === "match" && number.trivial_meets : number.verdict === kind;
  }

  private draw(): void {
    const fits = (each: PaperNumber): boolean =>
      (this.chosen === null || this.is(each, this.chosen)) && (this.row === "" || each.row === this.row);
    this.buttons.length = 0;
    let shown = 0;
    const parts = this.item.tables
      .filter((each) => this.table === "" || each.title === this.table)
      .flatMap((table) => {
        const numbers = table.numbers.filter(fits);
        shown += numbers.length;
        if (numbers.length === 0) return [];
        return [
          h(
            "tbody",
            {},
            h(
              "tr",
              { class: "title" },
              h(
                "th",
                { colspan: this.columns.length, scope: "rowgroup" },
                `${table.title}${table.whose === "paper" ? "" : `: ${table.whose}, not printed in the paper`}`,
              ),
            ),
            ...numbers.map((each, at) => this.line(each, each.row !== numbers[at - 1]?.row)),
          ),
        ];
      });
    this.count.textContent = shown === this.all.length ? `${shown} numbers` : `${shown} of ${this.all.length} numbers`;
    replace(
      this.body,
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h("tr", {}, ...this.columns.map(({ name, kind }) => h("th", { scope: "col", class: kind }, name))),
        ),
        ...parts,
      ),
    );
    this.rove(this.buttons.find((each) => each.dataset.number === String(this.last)) ?? this.buttons[0]);
  }

  private line(number: PaperNumber, first: boolean): HTMLElement {
    const opens = number.variant !== null || number.near.length > 0;
    const line = h("tr", { class: first ? "first" : null });
    const source = number.source ? `, source ${number.source}` : "";
    const values = `paper ${number.paper}, ours ${number.ours}, ${words(number.verdict)}`;
    const label = `${number.row}${source}: ${values}. Open its run.`;
    const button = h(
      "button",
      {
        type: "button",
        class: "small",
        "data-number": number.number,
        "aria-label": label,
        tabindex: -1,
        title: number.why,
        onclick: () => this.choose(number, line, button),
        onkeydown: (event: KeyboardEvent) => this.key(event),
        onfocus: () => this.rove(button),
      },
      number.ours,
    );
    if (opens) this.buttons.push(button);
    const mark = number.mechanism
      ? h("span", { class: "soft", title: number.mechanism }, ` [${this.why.indexOf(number.mechanism) + 1}]`)
      : null;
    const cell = (text: string, kind: string): HTMLElement =>
      h("td", { class: kind, onclick: () => opens && this.choose(number, line, button) }, text);
    const cells: { [column: string]: () => HTMLElement } = {
      Row: () => h("th", { scope: "row", class: first ? "row" : "row again" }, number.row),
      Paper: () => cell(number.paper, opens ? "num opens" : "num"),
      Ours: () => h("td", { class: "num" }, opens ? button : number.ours),
      Verdict: () =>
        h(
          "td",
          {},
          verdict(number.verdict, number.trivial_meets),
          mark,
          !opens && h("span", { class: "soft" }, " (no run)"),
        ),
    };
    replace(
      line,
      ...this.columns.map(({ name, kind, text }) => cells[name]?.() ?? h("td", { class: kind }, text?.(number) ?? "")),
    );
    return line;
  }

  /** Opens the run of a number. If no single run gives it, it shows a choice of the item's runs. */
  private choose(number: PaperNumber, line: HTMLElement, button: HTMLButtonElement): void {
    this.last = number.number;
    const choice = line.nextElementSibling;
    if (number.variant !== null) this.open(number.number, null);
    else if (number.near.length === 1) this.open(number.number, number.near[0] as string);
    else if (choice?.classList.contains("choice")) choice.remove();
    else this.choices(number, line, button);
  }

  private choices(number: PaperNumber, line: HTMLElement, button: HTMLButtonElement): void {
    const choices = chooser("Run of", [{ label: "", names: number.near }], (variant) =>
      this.open(number.number, variant),
    );
    line.after(
      h(
        "tr",
        { class: "choice" },
        h(
          "td",
          { colspan: this.columns.length },
          h(
            "p",
            {},
            "The item's study measures this number, from several runs or by a formula. These runs of the item can be opened:",
          ),
          choices,
        ),
      ),
    );
    choices.querySelector("select")?.focus();
    button.setAttribute("aria-expanded", "true");
  }

  /** One number at a time can be reached by Tab; arrows move to the others. */
  private rove(button: HTMLButtonElement | undefined): void {
    for (const each of this.buttons) each.tabIndex = each === button ? 0 : -1;
  }

  private key(event: KeyboardEvent): void {
    const at = this.buttons.indexOf(event.currentTarget as HTMLButtonElement);
    const steps: { [key: string]: number } = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: this.buttons.length - 1,
      PageDown: at + 10,
      PageUp: at - 10,
    };
    const to = steps[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.buttons[Math.min(Math.max(to, 0), this.buttons.length - 1)]?.focus();
  }
}
