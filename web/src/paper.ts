// What the server says of papers (python/headgate/explore/paper_pages.py, paper_runs.py), and the words for it.

import { h, uid } from "./dom";
import type { Json, Scenario } from "./types";

export type Verdict = "match" | "miss" | "some-run" | "undecided" | "not-reproduced" | "not-tested";
export const VERDICTS: readonly Verdict[] = ["match", "miss", "some-run", "undecided", "not-reproduced", "not-tested"];
const SIGNS: { [V in Verdict]: string } = { match: "✓", miss: "✗", "some-run": "~", undecided: "?", "not-reproduced": "–", "not-tested": "·" };

export interface Counts {
  numbers: { [V in Verdict]: number };
  claims: { hold: number; fail: number; open: number };
}

export interface ItemName extends Counts {
  name: string;
  title: string;
  reproduced: boolean;
}

export interface PaperName {
  name: string;
  title: string;
  authors: string;
  reference: string;
  version: string;
  /** Its items can be reproduced on this page. */
  here: boolean;
  failures: { item: string; error: string }[];
  items: ItemName[];
}

export interface PaperNumber {
  number: number;
  row: string;
  source: string;
  paper: string;
  ours: string;
  interval: string;
  range: string;
  trivial: string;
  trivial_meets: boolean;
  verdict: Verdict;
  why: string;
  mechanism: string;
  /** The variant whose run gives it; null where no single run does. `near` are then variants that it may be about. */
  variant: string | null;
  near: string[];
}

export interface PaperTable {
  title: string;
  whose: string;
  numbers: PaperNumber[];
}

export interface PaperClaim {
  id: string;
  text: string;
  holds: boolean | null;
  measured: string;
  why: string;
  variants: string[];
}

export interface PaperSection {
  title: string;
  measured: boolean;
  note: string;
  headings: string[];
  rows: string[][];
  holds: (boolean | null)[];
  why: string[];
}

export interface PaperItem {
  paper: string;
  item: string;
  title: string;
  note: string;
  missing: string[];
  here: boolean;
  reproduced: boolean;
  study: boolean;
  seeds: number;
  variants: { name: string; starts: number }[];
  tables: PaperTable[];
  rows: { text: string; holds: boolean }[];
  claims: PaperClaim[];
  sections: PaperSection[];
}

/** Which run of which item is looked at, and for which number or claim. */
export interface Place {
  paper: string;
  item: string;
  number: number | null;
  claim: string | null;
  variant: string | null;
  run: number;
}

export interface Opened extends Place {
  variant: string;
  scenario: Scenario;
  heading: string;
  said: string[];
  runs: { run: number; value: string; best: boolean }[];
  digest: string | null;
  value: string | null;
  unit: string;
  /** The run gives the number. */
  measured: boolean;
  flows: string[];
  port: string | null;
}

export interface Measured {
  values: { number: number; value: number | null; text: string }[];
  digest: string;
  changed: { path: string; a: Json; b: Json }[];
}

/** A verdict by a sign and a word: never by colour alone. */
export function verdict(kind: Verdict, trivial = false): HTMLElement {
  const sign = kind === "match" && trivial ? "○" : SIGNS[kind];
  return h("span", { class: `verdict ${kind}` }, h("span", { "aria-hidden": "true" }, sign), ` ${words(kind)}`);
}

export function words(kind: Verdict): string {
  return kind.replace("-", " ");
}

export function holds(value: boolean | null): HTMLElement {
  if (value === null) return h("span", { class: "verdict undecided" }, h("span", { "aria-hidden": "true" }, "–"), " not decided");
  return h("span", { class: `verdict ${value ? "match" : "miss"}` }, h("span", { "aria-hidden": "true" }, value ? "✓" : "✗"), value ? " holds" : " does not hold");
}

const KEYS = ["paper", "item", "number", "claim", "variant", "run"] as const;

/** A place as fields of the page's address, and as a query. */
export function placed(place: Place): string[] {
  return KEYS.flatMap((key) => (place[key] === null ? [] : [`${key}=${encodeURIComponent(String(place[key]))}`]));
}

export function placeIn(fields: ReadonlyMap<string, string>): Place | null {
  const [paper, item] = [fields.get("paper"), fields.get("item")];
  if (!paper || !item) return null;
  const whole = (text: string | undefined): number | null => (text !== undefined && /^\d{1,7}$/.test(text) ? Number(text) : null);
  return { paper, item, number: whole(fields.get("number")), claim: fields.get("claim") ?? null, variant: fields.get("variant") ?? null, run: whole(fields.get("run")) ?? 0 };
}

/** A choice of variants, with a button that opens one. */
export function chooser(label: string, groups: readonly { label: string; names: readonly string[] }[], open: (name: string) => void): HTMLElement {
  const id = uid("variant");
  const options = groups.filter((group) => group.names.length > 0).map((group) => {
    const all = group.names.map((name) => h("option", { value: name }, name));
    return group.label ? [h("optgroup", { label: group.label }, ...all)] : all;
  });
  const select = h("select", { id }, ...options.flat());
  return h("form", { class: "filters", onsubmit: (event: Event) => { event.preventDefault(); open(select.value); } },
    h("label", { for: id }, label), select, h("button", { type: "submit" }, "Open this run"));
}
