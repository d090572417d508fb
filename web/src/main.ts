// The frame of the page: its parts, its address, and the banner that is shown when the server is away.

import { About } from "./about";
import { aborted, explain, get, onConnection } from "./api";
import { CaptureOpener } from "./capture";
import { download, h, replace } from "./dom";
import { Explore } from "./explore";
import { Lessons } from "./lessons";
import { fields, isReplay, pack, traceOf, unpack } from "./link";
import { Model, SLOTS } from "./model";
import { type PaperPlace, placed, placeIn } from "./paper";
import { PapersPage } from "./papers";
import { type More, place } from "./place";
import { StartPage } from "./start";
import { StudyPage } from "./study";
import { toml } from "./toml";
import type { Scenario, Start } from "./types";

type Own = "start" | "explore" | "lessons" | "study" | "papers";
/** One of these, or one that only this place has. */
type Page = Own | (string & {});

export const model = new Model();
const about = new About(
  model,
  () => void navigate("papers"),
  () => void updateAddress(true),
);
const explore = new Explore(model, about.element);
const lessons = new Lessons(
  (scenario) => void navigate("explore", scenario),
  () => void updateAddress(true),
);
const captures =
  place.give &&
  new CaptureOpener((capture) => {
    // A link holds the settings of a replay, for which the capture is opened now.
    const { scenario, run } = model.variants.a ?? {};
    const given = !run && traceOf(scenario) === traceOf(capture.scenario) && scenario;
    explore.chosen = given ? [] : capture.chosen;
    void navigate("explore", given || capture.scenario);
  }, showBanner);
const front = new StartPage(
  (scenario) => void navigate("explore", scenario),
  (name) => {
    lessons.chosen = name;
    void navigate("lessons");
  },
  captures?.element,
);
const study = new StudyPage((scenario) => void navigate("explore", scenario));
const papers = new PapersPage(
  (of) => void openPaperRun(of),
  () => void updateAddress(true),
);
const more: readonly More[] =
  place.more?.(
    (scenario) => void navigate("explore", scenario),
    () => void updateAddress(true),
  ) ?? [];
const own: { [P in Own]: HTMLElement } = {
  start: front.element,
  explore: explore.element,
  lessons: lessons.element,
  study: study.element,
  papers: papers.element,
};
const pages: { [page: string]: HTMLElement } = {
  ...own,
  ...Object.fromEntries(more.map(({ name, element }) => [name, element])),
};

const banner = h("div", { class: "banner", role: "alert", hidden: true });
const title = h("h1", {}, "headgate");
const nav = h("nav", { "aria-label": "Parts of this page" });
const reader = h("section", { class: "card reader", hidden: true });
const main = h("main", { id: "main" });
let page: Page = "explore";
let start: Start | null = null;
/** Above 0 while the page is restored from its address, which does not change then. */
let restoring = 0;

/** The fragment that brings back what is on the page. */
async function address(): Promise<string> {
  const parts: string[] = [];
  if (page !== "explore") parts.push(`page=${page}`);
  if (page === "lessons" && lessons.chosen) parts.push(`lesson=${encodeURIComponent(lessons.chosen)}`);
  if (page === "papers" && papers.paper)
    parts.push(
      `paper=${encodeURIComponent(papers.paper)}`,
      ...(papers.item ? [`item=${encodeURIComponent(papers.item)}`] : []),
    );
  const { a, b } = model.variants;
  if (page === "explore" && about.place) parts.push(...placed(about.place));
  else if (page === "explore" && a && a.replication > 0) parts.push(`run=${a.replication}`);
  const scenarios = [a?.scenario, b?.scenario].filter((each) => each !== undefined);
  for (const each of more) parts.push(...(await each.address(page === each.name, scenarios)));
  if (b && page !== "papers") parts.push(`b=${await pack(b.scenario)}`);
  if (a && page !== "papers") parts.push(`s=${await pack(a.scenario)}`);
  return `#${parts.join("&")}`;
}

async function updateAddress(push: boolean): Promise<void> {
  if (restoring > 0) return;
  const next = await address();
  if (next !== place.hash()) place.go(next, push);
}

function show(next: Page): void {
  page = next;
  for (const [name, element] of Object.entries(pages)) element.hidden = name !== next;
  const names: [Page, string][] = [
    ["explore", "Explore"],
    ["lessons", "Lessons"],
  ];
  if ((start?.kind === "papers" || start?.kind === "start") && !model.variants.a && next !== "explore") names.shift();
  if (start?.kind === "start") names.unshift(["start", "Start"]);
  if (start?.kind === "study") names.push(["study", "Study"]);
  if (start?.kind === "papers") names.push(["papers", "Papers"]);
  names.push(...more.map(({ name, label }): [Page, string] => [name, label]));
  replace(
    nav,
    ...names.map(([name, label]) =>
      h(
        "button",
        { type: "button", "aria-current": name === page ? "page" : null, onclick: () => void navigate(name) },
        label,
      ),
    ),
  );
  if (next === "start") void front.open();
  if (next === "lessons") void lessons.open();
  if (next === "study") void study.open();
  if (next === "papers") void papers.open();
  more.find(({ name }) => name === next)?.open();
}

export async function navigate(next: Page, scenario?: Scenario): Promise<void> {
  show(next);
  if (scenario) {
    about.clear();
    model.dropB();
    void model.open("a", scenario).then(() => updateAddress(false));
  } else if (next === "explore" && !model.variants.a && start?.scenario)
    void model.open("a", start.scenario, start.controls);
  await updateAddress(true);
  if (next !== "papers" || !papers.refocus()) main.focus();
}

/** Opens the run behind a number or a claim of a paper. */
async function openPaperRun(of: PaperPlace): Promise<void> {
  try {
    model.dropB();
    show("explore");
    papers.at(of);
    await about.open(of);
    await updateAddress(true);
    main.focus();
  } catch (error) {
    if (!aborted(error)) showBanner(explain(error).message);
  }
}

/**
 * Restores the page from its address, after a reload, a step back or a link. Returns whether the address holds a
 * scenario.
 */
async function restore(): Promise<boolean> {
  const found = fields(place.hash());
  const requested = found.get("page");
  let any = false;
  const of = requested === undefined ? placeIn(found) : null;
  if (requested === "papers") [papers.paper, papers.item] = [found.get("paper") ?? null, found.get("item") ?? null];
  if (!of && requested === undefined) about.clear();
  const at = Number(found.get("at") ?? Number.NaN);
  if (Number.isFinite(at) && at >= 0) model.time.openAt(at);
  const replication = Number(found.get("run") ?? 0) || 0;
  restoring += 1;
  try {
    for (const each of more) await each.restore(found);
    for (const [slot, key] of [
      ["a", "s"],
      ["b", "b"],
    ] as const) {
      const text = found.get(key);
      const now = model.variants[slot]?.scenario;
      if (text) {
        const scenario = await unpack(text);
        any = true;
        if (of) papers.at(of);
        if (slot === "a" && of) await about.open(of, scenario);
        else if (JSON.stringify(scenario) !== JSON.stringify(now) || model.variants[slot]?.replication !== replication)
          void model.open(slot, scenario, undefined, replication);
      } else if (slot === "b" && now) model.dropB();
    }
  } catch (error) {
    if (!aborted(error)) showBanner(explain(error).message);
  } finally {
    restoring -= 1;
  }
  lessons.chosen = found.get("lesson") ?? null;
  const first = start?.kind === "study" || start?.kind === "papers" || start?.kind === "start" ? start.kind : null;
  show(
    requested === "lessons" ||
      (requested !== undefined && more.some(({ name }) => name === requested)) ||
      (requested === "start" && first === "start") ||
      requested === "study" ||
      requested === "papers"
      ? requested
      : !any && first
        ? first
        : any || start?.scenario
          ? "explore"
          : "lessons",
  );
  return any;
}

function showBanner(text: string | null): void {
  banner.hidden = text === null;
  banner.textContent = text ?? "";
}

/** Shows the scenario of a link as text if no server runs it: a link holds the whole scenario. */
function showTexts(): void {
  const found = SLOTS.flatMap((slot) => {
    const variant = model.variants[slot];
    return variant && !variant.run ? [{ slot, words: toml(variant.scenario) }] : [];
  });
  reader.hidden = found.length === 0;
  const replay = found.some(({ slot }) => isReplay(model.variants[slot]?.scenario));
  replace(
    reader,
    h("h2", {}, replay ? "The settings of this link" : "The scenario of this link"),
    h(
      "p",
      { class: "note" },
      replay
        ? "They are for a replay. A link does not hold the trace: start headgate explore with its file, and open the link on that page."
        : "Save it, and run it with headgate explore FILE or headgate run FILE.",
    ),
    ...found.map(({ slot, words }) =>
      h(
        "div",
        {},
        found.length > 1 && h("h3", {}, `Variant ${slot.toUpperCase()}`),
        h("pre", { tabindex: 0, "aria-label": replay ? "Settings" : "Scenario" }, words),
        h(
          "button",
          {
            type: "button",
            onclick: () =>
              download(replay ? "settings.toml" : "scenario.toml", new Blob([words], { type: "application/toml" })),
          },
          "Save as TOML",
        ),
      ),
    ),
  );
}

onConnection((state) => {
  if (state === "up") {
    reader.hidden = true;
    showBanner(null);
    void (start ? model.again() : initialize());
  } else if (state === "busy" || state === "free")
    showBanner(
      state === "busy"
        ? "The kernel does not answer: it works on a cell, or was stopped. Your changes are made when it answers."
        : null,
    );
  else
    showBanner(
      state === "down"
        ? "The server does not answer. This page tries again every second; what you see stays."
        : "Another server answers here. Open the address that headgate explore has printed.",
    );
});

model.on((event) => {
  if (event === "committed" || event === "slots") void updateAddress(true);
});

/** Opens a scenario without an entry in the history of the browser, so that a step back leads to the page before. */
function withoutHistory(open: () => Promise<void>): Promise<void> {
  restoring += 1;
  try {
    return open();
  } finally {
    restoring -= 1;
  }
}

async function initialize(): Promise<void> {
  try {
    start = await get<Start>("/api/start");
    title.textContent = start.title ? `headgate: ${start.title}` : "headgate";
    explore.chosen = start.chosen;
    place.title(start.title ? `${start.title} – headgate` : "headgate");
  } catch (error) {
    if (banner.hidden) showBanner(explain(error).message);
  }
  const any = await restore();
  if (!any && page === "explore" && start?.scenario) {
    const { other, scenario, controls } = start;
    await withoutHistory(() => model.open("a", scenario, controls.length ? controls : undefined));
    if (other) await withoutHistory(() => model.open("b", other as Scenario));
    await updateAddress(false);
  }
  if (!start) showTexts();
}

main.tabIndex = -1;
main.append(reader, ...Object.values(pages));
place.holder.append(
  h(
    "a",
    {
      class: "skip",
      href: "#main",
      onclick: (event: Event) => {
        event.preventDefault();
        main.focus();
      },
    },
    "Skip to the content",
  ),
  h("header", {}, title, nav, place.documentation && h("a", { href: place.documentation }, "Documentation")),
  banner,
  main,
);
show("explore");
place.onBack(() => void restore());
void initialize();
