// The frame of the page: its parts, its address, and what it says when the server is away.

import { explain, get, onConnection } from "./api";
import { download, h, replace } from "./dom";
import { Explore } from "./explore";
import { Lessons } from "./lessons";
import { fields, isReplay, pack, unpack } from "./link";
import { Model, SLOTS } from "./model";
import { place } from "./place";
import { StudyPage } from "./study";
import { toml } from "./toml";
import type { Scenario, Start } from "./types";

type Page = "explore" | "lessons" | "study";

export const model = new Model();
const explore = new Explore(model, () => address());
const lessons = new Lessons((scenario) => void go("explore", scenario), (name) => void note(true, name));
const study = new StudyPage((scenario) => void go("explore", scenario));
const pages: { [P in Page]: HTMLElement } = { explore: explore.element, lessons: lessons.element, study: study.element };

const banner = h("div", { class: "banner", role: "alert", hidden: true });
const title = h("h1", {}, "headgate");
const nav = h("nav", { "aria-label": "Parts of this page" });
const reader = h("section", { class: "card reader", hidden: true });
const main = h("main", { id: "main" });
let page: Page = "explore";
let start: Start | null = null;

/** The fragment that brings back what is on the page. */
async function address(): Promise<string> {
  const parts: string[] = [];
  if (page !== "explore") parts.push(`page=${page}`);
  if (page === "lessons" && lessons.chosen) parts.push(`lesson=${encodeURIComponent(lessons.chosen)}`);
  const { a, b } = model.variants;
  if (b) parts.push(`b=${await pack(b.scenario)}`);
  if (a) parts.push(`s=${await pack(a.scenario)}`);
  return `#${parts.join("&")}`;
}

async function note(push: boolean, _why = ""): Promise<void> {
  const next = await address();
  if (next !== place.hash()) place.go(next, push);
}

function show(next: Page): void {
  page = next;
  for (const [name, element] of Object.entries(pages)) element.hidden = name !== next;
  const names: [Page, string][] = [["explore", "Explore"], ["lessons", "Lessons"]];
  if (start?.kind === "study") names.push(["study", "Study"]);
  replace(nav, ...names.map(([name, label]) => h("button", { type: "button", "aria-current": name === page ? "page" : null, onclick: () => void go(name) }, label)));
  if (next === "lessons") void lessons.open();
  if (next === "study") void study.open();
}

export async function go(next: Page, scenario?: Scenario): Promise<void> {
  show(next);
  if (scenario) {
    model.dropB();
    void model.open("a", scenario).then(() => note(false));
  } else if (next === "explore" && !model.variants.a && start?.scenario) void model.open("a", start.scenario, start.controls);
  await note(true);
  main.focus();
}

/** Brings the page to what an address says: after a reload, a step back, or a link. */
async function restore(): Promise<boolean> {
  const found = fields(place.hash());
  const wanted = found.get("page");
  let any = false;
  try {
    for (const [slot, key] of [["a", "s"], ["b", "b"]] as const) {
      const text = found.get(key);
      const now = model.variants[slot]?.scenario;
      if (text) {
        const scenario = await unpack(text);
        any = true;
        if (JSON.stringify(scenario) !== JSON.stringify(now)) void model.open(slot, scenario);
      } else if (slot === "b" && now) model.dropB();
    }
  } catch (error) {
    warn(explain(error).message);
  }
  lessons.chosen = found.get("lesson") ?? null;
  show(wanted === "lessons" || wanted === "study" ? wanted : !any && start?.kind === "study" ? "study" : any || start?.scenario ? "explore" : "lessons");
  return any;
}

function warn(text: string | null): void {
  banner.hidden = text === null;
  banner.textContent = text ?? "";
}

/** A link is readable without a server: it holds the whole scenario. */
function read(): void {
  const found = SLOTS.flatMap((slot) => {
    const variant = model.variants[slot];
    return variant && !variant.run ? [{ slot, words: toml(variant.scenario) }] : [];
  });
  reader.hidden = found.length === 0;
  const replay = found.some(({ slot }) => isReplay(model.variants[slot]?.scenario));
  replace(reader, h("h2", {}, replay ? "The settings of this link" : "The scenario of this link"),
    h("p", { class: "note" }, replay ? "They are for a replay. A link does not hold the trace: start headgate explore with its file, and open the link on that page." : "Save it, and run it with headgate explore FILE or headgate run FILE."),
    ...found.map(({ slot, words }) => h("div", {}, found.length > 1 && h("h3", {}, `Variant ${slot.toUpperCase()}`), h("pre", { tabindex: 0, "aria-label": replay ? "Settings" : "Scenario" }, words),
      h("button", { type: "button", onclick: () => download(replay ? "settings.toml" : "scenario.toml", new Blob([words], { type: "application/toml" })) }, "Save as TOML"))));
}

onConnection((state) => {
  if (state === "up") {
    reader.hidden = true;
    warn(null);
    void (start ? model.again() : begin());
  } else if (state === "busy" || state === "free") warn(state === "busy" ? "The kernel does not answer: it works on a cell, or was stopped. What you turn is done when it answers." : null);
  else warn(state === "down" ? "The server does not answer. This page tries again every second; what you see stays."
    : "Another server answers here. Open the address that headgate explore has printed.");
});

model.on((event) => {
  if (event === "committed" || event === "slots") void note(true);
});

async function begin(): Promise<void> {
  try {
    start = await get<Start>("/api/start");
    title.textContent = start.title ? `headgate: ${start.title}` : "headgate";
    explore.chosen = start.chosen;
    place.title(start.title ? `${start.title} – headgate` : "headgate");
  } catch (error) {
    if (banner.hidden) warn(explain(error).message);
  }
  const any = await restore();
  if (!any && page === "explore" && start?.scenario) {
    const { other } = start;
    await model.open("a", start.scenario, start.controls.length ? start.controls : undefined);
    if (other) await model.open("b", other as Scenario);
    await note(false);
  }
  if (!start) read();
}

main.tabIndex = -1;
main.append(reader, pages.explore, pages.lessons, pages.study);
place.holder.append(h("a", { class: "skip", href: "#main", onclick: (event: Event) => { event.preventDefault(); main.focus(); } }, "Skip to the content"), h("header", {}, title, nav), banner, main);
show("explore");
place.onBack(() => void restore());
void begin();
