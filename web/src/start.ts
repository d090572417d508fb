// The start page: a builder, and cards of lessons, examples, papers and files.

import { aborted, explain, get, post } from "./api";
import { Builder } from "./builder";
import { colour } from "./colours";
import { announce, h, replace, svg } from "./dom";
import { prose } from "./prose";
import type { Card, FileCard, FolderFiles, FrontPage, Opened, PaperCard, Scenario } from "./types";

const WIDE = 160;
const HIGH = 48;

/** The names of the kinds of files. */
const KINDS: { [K in FileCard["kind"]]: string } = {
  scenario: "Scenario",
  study: "Study",
  report: "Report",
  paper: "Paper",
  trace: "Trace, to be replayed",
};

export class StartPage {
  readonly element = h("div", { class: "start" });
  private built = false;

  constructor(
    private readonly explore: (scenario: Scenario) => void,
    private readonly lesson: (name: string) => void,
    /** Opens a capture, where the page itself reads files. */
    private readonly capture?: HTMLElement,
  ) {}

  async open(): Promise<void> {
    if (this.built) return;
    this.built = true;
    try {
      this.draw(await get<FrontPage>("/api/front"));
    } catch (error) {
      this.built = false;
      replace(this.element, h("p", { class: "error" }, explain(error).message));
    }
  }

  private draw(page: FrontPage): void {
    const lessons = tiles(
      "Lessons",
      "Each lesson asks a question, which a run answers.",
      page.lessons.map((each, at) =>
        tile(`${at + 1}. ${each.title}`, each.about, () => this.lesson(each.name), drawing(each)),
      ),
    );
    const examples = tiles(
      "Examples",
      "These scenarios can be run and changed.",
      page.examples.map((each) => this.opens("example", each.name, each.title, each.about, drawing(each))),
    );
    const papers = tiles(
      "Papers",
      "Each paper shows published numbers and claims beside the results of our runs. The upright line is what a trivial model gives.",
      page.papers.map((each) =>
        this.opens("paper", each.name, each.title, counts(each), measure(each), each.reference),
      ),
    );
    const files = tiles("Files of this folder", "", []);
    files.element.hidden = true;
    const parts = [lessons, examples, papers, files];
    const jumps = parts.map((part) =>
      h("button", { type: "button", class: "small", hidden: part === files, onclick: () => part.jump() }, part.title),
    );
    replace(
      this.element,
      h("nav", { class: "jumps", "aria-label": "Parts of the start page" }, ...jumps),
      page.builder && new Builder(page.builder, page.added, this.explore).element,
      this.capture,
      ...parts.map((part) => part.element),
    );
    void this.files(files, jumps.at(-1) as HTMLElement);
  }

  /** Requests the list of files after the rest of the page is there, since a large folder takes long. */
  private async files(part: Tiles, jump: HTMLElement): Promise<void> {
    const { folder, files } = await get<FolderFiles>("/api/front/files");
    if (files.length === 0) return;
    part.say(`headgate can show these files of the folder ${folder}.`);
    part.fill(files.map((each) => this.opens("file", each.name, each.name, each.about, null, KINDS[each.kind])));
    part.element.hidden = false;
    jump.hidden = false;
  }

  /** A card that opens a scenario on this page, or another page. */
  private opens(
    kind: "example" | "paper" | "file",
    name: string,
    title: string,
    about: string,
    picture: SVGSVGElement | null,
    more = "",
  ): HTMLElement {
    const status = h("span", { class: "note", hidden: true });
    const open = async (): Promise<void> => {
      status.hidden = false;
      status.className = "note";
      status.textContent = "Opening…";
      try {
        const opened = await post<Opened>("/api/front/open", { kind, name });
        status.hidden = true;
        if (opened.scenario) this.explore(opened.scenario);
        else if (opened.address) location.assign(opened.address);
        else {
          status.hidden = false;
          status.textContent = `On the command line: ${opened.command}`;
        }
      } catch (error) {
        if (aborted(error)) return;
        status.className = "error";
        status.textContent = explain(error).message;
        announce(status.textContent);
      }
    };
    return tile(title, about, () => void open(), picture, more, status);
  }
}

interface Tiles {
  readonly title: string;
  readonly element: HTMLElement;
  say(words: string): void;
  fill(cards: readonly HTMLElement[]): void;
  jump(): void;
}

function tiles(title: string, about: string, cards: readonly HTMLElement[]): Tiles {
  const heading = h("h2", { tabindex: -1 }, title);
  const note = h("p", { class: "note" }, about);
  const list = h("ul", { class: "tiles" });
  const fill = (each: readonly HTMLElement[]): void => replace(list, ...each.map((card) => h("li", {}, card)));
  fill(cards);
  return {
    title,
    element: h("section", {}, heading, note, list),
    fill,
    say: (words) => {
      note.textContent = words;
    },
    jump: () => {
      heading.scrollIntoView();
      heading.focus();
    },
  };
}

function tile(
  title: string,
  about: string,
  open: () => void,
  picture: SVGSVGElement | null,
  more = "",
  status: HTMLElement | null = null,
): HTMLElement {
  return h(
    "button",
    { type: "button", class: "tile", onclick: open },
    picture,
    h("strong", {}, title),
    more && h("span", { class: "note" }, more),
    about && h("span", {}, ...prose(about)),
    status,
  );
}

/** The small picture of a card's lines. */
function drawing(card: Card): SVGSVGElement | null {
  if (card.lines.length === 0) return null;
  const picture = svg("svg", {
    viewBox: `0 0 ${WIDE} ${HIGH}`,
    "aria-hidden": "true",
    class: "spark",
    preserveAspectRatio: "none",
  });
  card.lines.forEach((line, at) => {
    const points = line.map(
      (y, x) =>
        `${((WIDE * x) / Math.max(line.length - 1, 1)).toFixed(1)},${(HIGH - 2 - ((HIGH - 4) * y) / 100).toFixed(1)}`,
    );
    picture.append(
      svg("polyline", {
        points: points.join(" "),
        fill: "none",
        stroke: colour(at),
        "stroke-width": 1.6,
        "vector-effect": "non-scaling-stroke",
      }),
    );
  });
  return picture;
}

/** The part of a paper's numbers that match, or of its claims that hold where it prints none. */
function measure(paper: PaperCard): SVGSVGElement {
  const numbers = paper.tested > 0;
  const [part, trivial] = numbers
    ? [paper.match / paper.tested, paper.trivial / paper.tested]
    : [paper.hold / Math.max(paper.claims, 1), null];
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${WIDE} 14`, "aria-hidden": "true", class: "spark measure", preserveAspectRatio: "none" },
    svg("rect", { x: 0, y: 2, width: WIDE, height: 10, class: "all" }),
    svg("rect", { x: 0, y: 2, width: WIDE * part, height: 10, fill: colour(2) }),
  );
  if (trivial !== null)
    picture.append(
      svg("line", {
        x1: WIDE * trivial,
        x2: WIDE * trivial,
        y1: 0,
        y2: 14,
        stroke: "currentColor",
        "stroke-width": 2,
        "vector-effect": "non-scaling-stroke",
      }),
    );
  return picture;
}

function counts(paper: PaperCard): string {
  const claims = `${paper.hold} of ${paper.claims} claims hold.`;
  return paper.tested === 0
    ? `No published numbers. ${claims}`
    : `${paper.match} of ${paper.tested} printed numbers match; a trivial model matches ${paper.trivial}. ${claims}`;
}
