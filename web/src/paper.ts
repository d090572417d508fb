// The words of verdicts, the fields of the address that name a number of a paper, and the choice of a run.

import { h, uid } from "./dom";
export const VERDICTS = ["match", "miss", "some-run", "undecided", "not-reproduced", "not-tested"] as const;
export type Verdict = (typeof VERDICTS)[number];
const SIGNS: { [V in Verdict]: string } = {
  match: "✓",
  miss: "✗",
  "some-run": "~",
  undecided: "?",
  "not-reproduced": "–",
  "not-tested": "·",
};

/** The item and the run that are shown, and the number or claim for which they are shown. */
export interface PaperPlace {
  paper: string;
  item: string;
  number: number | null;
  claim: string | null;
  variant: string | null;
  /** Null is the base run. */
  run: number | null;
}

/** A verdict as a sign and a word, since no meaning may depend on colour alone. */
export function verdict(kind: Verdict, trivial = false): HTMLElement {
  const sign = kind === "match" && trivial ? "○" : SIGNS[kind];
  return h("span", { class: `verdict ${kind}` }, h("span", { "aria-hidden": "true" }, sign), ` ${words(kind)}`);
}

export function words(kind: Verdict): string {
  return kind.replace("-", " ");
}

export function holds(value: boolean | null): HTMLElement {
  if (value === null)
    return h("span", { class: "verdict undecided" }, h("span", { "aria-hidden": "true" }, "–"), " not decided");
  return h(
    "span",
    { class: `verdict ${value ? "match" : "miss"}` },
    h("span", { "aria-hidden": "true" }, value ? "✓" : "✗"),
    value ? " holds" : " does not hold",
  );
}

const KEYS = ["paper", "item", "number", "claim", "variant", "run"] as const;

/** A place as fields of the page's address, and as a query. */
export function placed(place: PaperPlace): string[] {
  return KEYS.flatMap((key) => (place[key] === null ? [] : [`${key}=${encodeURIComponent(String(place[key]))}`]));
}

export function placeIn(fields: ReadonlyMap<string, string>): PaperPlace | null {
  const [paper, item] = [fields.get("paper"), fields.get("item")];
  if (!paper || !item) return null;
  const whole = (text: string | undefined): number | null =>
    text !== undefined && /^\d{1,7}$/.test(text) ? Number(text) : null;
  return {
    paper,
    item,
    number: whole(fields.get("number")),
    claim: fields.get("claim") ?? null,
    variant: fields.get("variant") ?? null,
    run: whole(fields.get("run")),
  };
}

/** A choice of variants, with a button that opens one. */
export function chooser(
  label: string,
  groups: readonly { label: string; names: readonly string[] }[],
  open: (name: string) => void,
): HTMLElement {
  const id = uid("variant");
  const options = groups
    .filter((group) => group.names.length > 0)
    .map((group) => {
      const all = group.names.map((name) => h("option", { value: name }, name));
      return group.label ? [h("optgroup", { label: group.label }, ...all)] : all;
    });
  const select = h("select", { id }, ...options.flat());
  return h(
    "form",
    {
      class: "filters",
      onsubmit: (event: Event) => {
        event.preventDefault();
        open(select.value);
      },
    },
    h("label", { for: id }, label),
    select,
    h("button", { type: "submit" }, "Open this run"),
  );
}
