// Lessons. Each has a question: the reader predicts the answer, changes a value, and reads why.

import { aborted, explain, get, stream } from "./api";
import { Chart } from "./chart";
import { onTheme } from "./colours";
import { Panel } from "./controls";
import { announce, h, replace } from "./dom";
import { Model } from "./model";
import { prose } from "./prose";
import type { LessonDone, LessonInfo, LessonName, Scenario, Start } from "./types";

export class Lessons {
  readonly element = h("div", { class: "lessons" });
  chosen: string | null = null;
  private names: LessonName[] = [];
  private built: string | null = null;

  constructor(
    private readonly explore: (scenario: Scenario) => void,
    private readonly onNavigate: () => void,
  ) {}

  async open(): Promise<void> {
    try {
      if (this.names.length === 0) this.names = (await get<Start>("/api/start")).lessons;
      if (this.chosen === null) this.list();
      else if (this.built !== this.chosen) await this.lesson(this.chosen);
    } catch (error) {
      this.built = null;
      replace(this.element, h("p", { class: "error" }, explain(error).message));
    }
  }

  private list(): void {
    this.built = null;
    replace(
      this.element,
      h("h2", {}, "Lessons"),
      this.names.length === 0 && h("p", {}, "This server has no lessons."),
      h(
        "ol",
        { class: "lesson-list" },
        ...this.names.map((each) =>
          h("li", {}, h("button", { type: "button", onclick: () => this.choose(each.name) }, each.title)),
        ),
      ),
    );
  }

  private choose(name: string | null): void {
    this.chosen = name;
    this.onNavigate();
    void this.open();
  }

  private async lesson(name: string): Promise<void> {
    const lesson = await get<LessonInfo>(`/api/lessons/${encodeURIComponent(name)}`);
    this.built = name;
    const at = this.names.findIndex((each) => each.name === name);
    const next = this.names[at + 1];
    const shown = new LessonSteps(lesson);
    replace(
      this.element,
      h("p", { class: "paper head", "aria-hidden": "true" }, h("span", {}, "Name"), h("span", {}, "Date")),
      h(
        "p",
        { class: "lesson-top" },
        h("button", { type: "button", class: "small", onclick: () => this.choose(null) }, "← All lessons"),
        h("button", { type: "button", class: "small", onclick: () => window.print() }, "Print this lesson"),
      ),
      h("h2", {}, at >= 0 ? `${at + 1}. ${lesson.title}` : lesson.title),
      h("div", { class: "lead" }, ...lesson.text.map((line) => h("p", {}, ...prose(line)))),
      ...shown.parts,
      h(
        "p",
        { class: "after" },
        h(
          "button",
          { type: "button", onclick: () => this.explore(shown.scenario) },
          "Change other values of this scenario",
        ),
        next && h("button", { type: "button", onclick: () => this.choose(next.name) }, `Next: ${next.title}`),
      ),
    );
    shown.open();
  }
}

/** The three steps of one lesson. */
class LessonSteps {
  readonly parts: HTMLElement[];
  private readonly model = new Model();
  private readonly panel: Panel;
  private readonly chart: Chart;
  private readonly problem = h("p", { class: "error", role: "alert", hidden: true });
  private readonly locked: HTMLFieldSetElement;
  private readonly task: HTMLElement;
  private readonly result = h("div", { class: "answer", role: "status" });
  private readonly answers: HTMLButtonElement[];
  private predicted: string | null = null;
  private request: AbortController | null = null;

  constructor(private readonly lesson: LessonInfo) {
    this.panel = new Panel(this.model, [lesson.change]);
    this.chart = new Chart(lesson.view, this.model.time, () => void this.model.again());
    this.locked = h("fieldset", { disabled: true }, this.panel.element);
    this.task = h("p", { class: "task" });
    this.answers = lesson.answers.map((words) =>
      h("button", { type: "button", "aria-pressed": "false", onclick: () => this.predict(words) }, ...prose(words)),
    );
    const step = (name: string, title: string, ...children: HTMLElement[]): HTMLElement =>
      h("section", { class: `card ${name}` }, h("h3", {}, title), ...children);
    this.parts = [
      step(
        "question",
        "1. Predict",
        h("p", {}, ...prose(lesson.question)),
        h("div", { class: "answers" }, ...this.answers),
        room("Why do you expect this?"),
      ),
      step(
        "change",
        "2. Change the value",
        this.task,
        h("div", { class: "lesson-body" }, this.locked, h("div", {}, this.problem, this.chart.element)),
      ),
      step("why", "3. Read why", this.result),
      room("What does the run show, and why?"),
    ];
    onTheme(() => this.chart.redraw());
    this.showMessage("Choose your prediction first.");
    this.model.on((event) => this.onEvent(event));
    this.showTask();
  }

  get scenario(): Scenario {
    return this.model.variants.a?.scenario ?? this.lesson.scenario;
  }

  open(): void {
    void this.model.open("a", this.lesson.scenario);
  }

  /** Says which value is to be changed, and that a prediction comes first. */
  private showTask(): void {
    const { label, before, after } = this.lesson;
    replace(
      this.task,
      ...prose(`Change the value of “${label}” from ${before} to ${after}.`),
      this.predicted === null && h("span", { class: "soft" }, " It can be changed when you have chosen an answer."),
    );
  }

  private showMessage(words: string): void {
    replace(this.result, h("p", { class: "soft" }, words));
  }

  private predict(words: string): void {
    const first = this.predicted === null;
    this.predicted = words;
    this.answers.forEach((each, at) => {
      each.setAttribute("aria-pressed", String(this.lesson.answers[at] === words));
    });
    this.locked.disabled = false;
    this.showTask();
    if (first) {
      this.showMessage("Change the value to see whether you are right.");
      announce("Now change the value.");
    }
    if (this.changed) void this.checkAnswer();
  }

  private get changed(): boolean {
    return JSON.stringify(this.scenario) !== JSON.stringify(this.lesson.scenario);
  }

  private onEvent(event: string): void {
    const variant = this.model.variants.a;
    if (event === "controls" || event === "slots") this.panel.update();
    if (event === "error" || event === "controls") {
      const error = this.panel.errors() ? null : (variant?.error ?? null);
      this.problem.hidden = error === null;
      this.problem.textContent = error?.message ?? "";
    }
    if (event !== "run" || !variant?.run) return;
    this.chart.show([{ mark: "", run: variant.run }]);
    if (variant.current && this.changed) void this.checkAnswer();
  }

  private async checkAnswer(): Promise<void> {
    this.request?.abort();
    const request = new AbortController();
    this.request = request;
    try {
      const done = await stream<LessonDone>(
        `/api/lessons/${encodeURIComponent(this.lesson.name)}/answer`,
        { scenario: this.scenario, answer: this.predicted },
        request.signal,
        () => undefined,
      );
      if (request.signal.aborted) return;
      if (done.right === null) replace(this.result, h("p", {}, ...prose(done.why)));
      else
        replace(
          this.result,
          h(
            "p",
            { class: done.right ? "right" : "wrong" },
            done.right ? "✓ Your prediction is right." : "✕ Your prediction does not hold. ",
            ...(done.right || done.answer === null ? [] : ["The run shows: ", ...prose(done.answer)]),
          ),
          h("p", {}, ...prose(done.why)),
          ...done.cautions.map((sentence) => h("p", { class: "caution" }, sentence)),
          table(done),
        );
    } catch (error) {
      if (!aborted(error)) replace(this.result, h("p", { class: "error" }, explain(error).message));
    }
  }
}

/** Room to write on a printed sheet; it is not on the screen. */
function room(question: string): HTMLElement {
  return h("div", { class: "paper room", "aria-hidden": "true" }, h("p", {}, question), h("hr"), h("hr"), h("hr"));
}

/** The table of the values that were measured before the change, after it, and in further variants. */
function table(done: LessonDone): HTMLElement {
  return h(
    "div",
    { class: "scroll", role: "region", tabindex: 0, "aria-label": "What was measured" },
    h(
      "table",
      { class: "cases" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("td", {}),
          ...done.columns.map((name) => h("th", { scope: "col", class: "num" }, ...prose(name))),
        ),
      ),
      h(
        "tbody",
        {},
        ...done.cases.map((each) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, ...prose(each.name)),
            ...each.values.map((value) => h("td", { class: "num" }, value)),
          ),
        ),
      ),
    ),
  );
}
