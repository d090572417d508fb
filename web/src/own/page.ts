// The page on which a flow control is written: an editor, the tests that any flow control must pass, and the steps of
// the lesson.

import { aborted, explain, get, post, stream } from "../api";
import { announce, h, replace } from "../dom";
import type { Scenario } from "../types";
import { STEPS, type Step } from "./steps";

/** What a run of a test gave. */
interface Outcome {
  digest: string;
  goodput_pps: number;
  drops: number;
}

/** A test: its title, and the scenarios that are run for it. */
interface Case {
  name: string;
  scenarios: Scenario[];
}

/** The paths of the tests, and the flow controls that may run beside this one. */
interface Known {
  paths: object[];
  beside: string[];
}

/** Begins a text in its sandbox: gives the names of its classes. */
export type Begin = (text: string) => Promise<readonly string[]>;

export class OwnPage {
  private readonly editor = h("textarea", {
    class: "code",
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    rows: 22,
    "aria-label": "The text of the flow control, in JavaScript or TypeScript",
    onkeydown: (event: KeyboardEvent) => this.key(event),
    oninput: () => this.changed(),
    onchange: () => this.changes(),
  });
  private readonly status = h("p", { class: "note", role: "status" });
  private readonly problem = h("p", { class: "error", role: "alert", hidden: true });
  private readonly results = h("div", {});
  private readonly steps = h("ol", { class: "steps" });
  private readonly beside = h("select", { id: "own-beside" });
  private known: Promise<Known> | null = null;
  readonly element = h("div", { class: "own" });
  private stopped = new AbortController();
  /** Escape leaves the editor: the next Tab goes on to what follows. */
  private leaves = false;

  constructor(
    private readonly begin: Begin,
    private readonly explore: (scenario: Scenario) => void,
    /** Hears of each new text. */
    private readonly changes: () => void,
  ) {
    this.editor.value = (STEPS.at(-1) as Step).code;
    replace(
      this.steps,
      ...STEPS.map((step) =>
        h(
          "li",
          {},
          h("strong", {}, step.title),
          h("p", {}, step.text),
          h("button", { type: "button", class: "small", onclick: () => this.write(step.code) }, "Write this"),
          " ",
          h("button", { type: "button", class: "small", onclick: () => void this.try(step) }, "Check it"),
        ),
      ),
    );
    replace(
      this.element,
      h("h2", {}, "A flow control of your own"),
      h(
        "p",
        {},
        "Write a class with the method on_ack, and export it. It sets this.window, the packets that may be outstanding, or " +
          "this.rate, the packets that it sends in a second. It runs in this browser, in a frame without network: nothing " +
          "that you write leaves this machine. The calls are those of a control in Python, which the documentation describes.",
      ),
      this.editor,
      h("p", { class: "note" }, "Tab indents; after Escape it goes on to the next element."),
      h(
        "div",
        { class: "acts" },
        h("button", { type: "button", onclick: () => void this.run() }, "Run"),
        h("label", { for: "own-beside", class: "hidden" }, "What shares the link"),
        this.beside,
        h("button", { type: "button", onclick: () => void this.test() }, "Run all tests"),
        h("button", { type: "button", onclick: () => this.stopped.abort() }, "Stop"),
      ),
      this.status,
      this.problem,
      this.results,
      h("h2", {}, "Write Reno in ten minutes"),
      this.steps,
    );
  }

  /** Fills what depends on data. */
  open(): void {
    if (this.known) return;
    this.known = get<Known>("/api/own/paths");
    this.known
      .then(({ beside }) =>
        replace(
          this.beside,
          ...beside.map((name) => h("option", { value: name }, `beside ${name}`)),
          h("option", { value: "" }, "alone"),
        ),
      )
      .catch((error: unknown) => {
        this.known = null;
        this.fail(error);
      });
  }

  /** The text, of which a link is made. */
  get text(): string {
    return this.editor.value;
  }

  write(code: string): void {
    this.editor.value = code;
    this.changed();
    this.changes();
  }

  private changed(): void {
    this.problem.hidden = true;
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "Escape") this.leaves = true;
    else if (event.key === "Tab" && !this.leaves && !event.shiftKey) {
      event.preventDefault();
      const { selectionStart: start, selectionEnd: end } = this.editor;
      this.editor.setRangeText("  ", start, end, "end");
      this.changed();
    } else if (event.key !== "Shift") this.leaves = false;
  }

  /** Begins the text in its sandbox; gives the name of its first class. */
  private async name(): Promise<string> {
    return (await this.begin(this.text))[0] as string;
  }

  private async guarded(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.stopped.abort();
    this.stopped = new AbortController();
    this.problem.hidden = true;
    this.status.textContent = "Running";
    try {
      await work(this.stopped.signal);
    } catch (error) {
      this.status.textContent = "";
      if (aborted(error)) return;
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    const { message } = explain(error);
    this.problem.hidden = false;
    this.problem.textContent = message;
    announce(message);
  }

  private run(): Promise<void> {
    return this.guarded(async () => {
      const name = await this.name();
      const others = this.beside.value ? [this.beside.value] : [];
      this.status.textContent = "";
      const flow = { from: "a", to: "b", packet: "1500B" };
      const beside = others.map((control) => ({ ...flow, name: control, control }));
      this.explore(await this.scenario(name, { duration: "20s", beside }));
    });
  }

  /** One flow under this control over a link of 10 Mbit/s and 20 ms, of which something is changed. */
  private scenario(control: string, change: object): Promise<Scenario> {
    return post<Scenario>("/api/own/scenario", { tested: { control }, change });
  }

  private outcome(scenario: Scenario, signal: AbortSignal): Promise<Outcome> {
    return stream<Outcome>("/api/own/outcome", { scenario }, signal, () => undefined);
  }

  private try(step: Step): Promise<void> {
    return this.guarded(async (signal) => {
      const name = await this.name();
      const scenario = await this.scenario(name, step.change);
      this.status.textContent = step.says(await this.outcome(scenario, signal));
      announce(this.status.textContent);
    });
  }

  private test(): Promise<void> {
    return this.guarded(async (signal) => {
      const control = await this.name();
      const { paths: all } = await get<Known>("/api/own/paths", signal);
      const paths = { paths: all };
      const { cases } = await post<{ cases: Case[] }>("/api/own/cases", { tested: { control }, paths });
      const list = h("ul", { class: "checks" });
      replace(this.results, h("h3", {}, "Tests that a flow control must pass"), list);
      let failed = 0;
      for (const { name, scenarios } of cases) {
        this.status.textContent = `Test ${list.children.length + 1} of ${cases.length}: ${name}`;
        const outcomes: Outcome[] = [];
        let found: string | null;
        try {
          for (const scenario of scenarios) outcomes.push(await this.outcome(scenario, signal));
          found = (await post<{ found: string | null }>("/api/own/verdict", { name, paths, outcomes })).found;
        } catch (error) {
          if (aborted(error)) throw error;
          found = explain(error).message;
        }
        failed += found === null ? 0 : 1;
        list.append(
          h(
            "li",
            { class: found === null ? "holds" : "fails" },
            found === null ? `${name}: passed` : `${name}: failed: ${found}`,
          ),
        );
      }
      this.status.textContent =
        failed === 0 ? `All ${cases.length} tests passed.` : `${failed} of ${cases.length} tests failed.`;
      announce(this.status.textContent);
    });
  }
}
