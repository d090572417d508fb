// Lessons: two sentences, one thing to turn, and a question that the run answers.

import { aborted, explain, get, stream } from "./api";
import { Chart } from "./chart";
import { Panel } from "./controls";
import { h, replace } from "./dom";
import { plain } from "./format";
import { Model } from "./model";
import type { LessonInfo, LessonDone, LessonName, Scenario, Start } from "./types";

export class Lessons {
  readonly element = h("div", { class: "lessons" });
  chosen: string | null = null;
  private names: LessonName[] = [];
  private built: string | null = null;

  constructor(private readonly explore: (scenario: Scenario) => void, private readonly noted: (name: string) => void) {}

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
    replace(this.element, h("h2", {}, "Lessons"), this.names.length === 0 && h("p", {}, "This server has no lessons."),
      h("ol", { class: "lesson-list" }, ...this.names.map((each) => h("li", {}, h("button", { type: "button", onclick: () => this.choose(each.name) }, each.title)))));
  }

  private choose(name: string | null): void {
    this.chosen = name;
    this.noted(name ?? "");
    void this.open();
  }

  private async lesson(name: string): Promise<void> {
    const lesson = await get<LessonInfo>(`/api/lessons/${encodeURIComponent(name)}`);
    this.built = name;
    const model = new Model();
    const panel = new Panel(model, lesson.turn);
    const chart = new Chart(lesson.view, model.time, () => void model.again());
    const words = h("ul", { class: "lesson-words" });
    const problem = h("p", { class: "error", role: "alert", hidden: true });
    model.on((event) => {
      if (event === "controls" || event === "slots") panel.update();
      if (event === "error" || event === "controls") {
        const error = panel.errors() ? null : (model.variants.a?.error ?? null);
        problem.hidden = error === null;
        problem.textContent = error?.message ?? "";
      }
      const run = model.variants.a?.run;
      if (event !== "run" || !run) return;
      chart.show([{ mark: "", run }]);
      replace(words, run.delay_under_load_ms !== null && h("li", {}, "Delay under load: ", h("strong", {}, `${plain(Number(run.delay_under_load_ms.toPrecision(3)))} ms`)), ...run.sentences.map((sentence) => h("li", {}, sentence)));
    });
    const result = h("div", { class: "answer", role: "status" });
    const at = this.names.findIndex((each) => each.name === name);
    const next = this.names[at + 1];
    replace(this.element,
      h("p", {}, h("button", { type: "button", class: "small", onclick: () => this.choose(null) }, "← All lessons")),
      h("h2", {}, at >= 0 ? `${at + 1}. ${lesson.title}` : lesson.title), ...lesson.text.map((line) => h("p", { class: "lead" }, line)),
      h("div", { class: "lesson-body" }, h("section", { class: "side", "aria-label": "Control" }, panel.element), h("div", {}, problem, chart.element, words)),
      h("section", { class: "card question" }, h("h3", {}, lesson.question),
        h("div", { class: "answers" }, ...lesson.answers.map((words) => h("button", { type: "button", onclick: (event: MouseEvent) => void this.answer(model, lesson, words, event.currentTarget as HTMLElement, result) }, words))), result),
      h("p", { class: "after" }, h("button", { type: "button", onclick: () => this.explore(model.variants.a?.scenario ?? lesson.scenario) }, "Turn everything of this scenario"),
        next && h("button", { type: "button", onclick: () => this.choose(next.name) }, `Next: ${next.title}`)));
    void model.open("a", lesson.scenario);
  }

  private async answer(model: Model, lesson: LessonInfo, words: string, button: HTMLElement, result: HTMLElement): Promise<void> {
    for (const each of button.parentElement?.children ?? []) each.setAttribute("aria-pressed", String(each === button));
    replace(result, h("p", {}, "The run answers…"));
    try {
      const done = await stream<LessonDone>(`/api/lessons/${encodeURIComponent(lesson.name)}/answer`, { scenario: model.variants.a?.scenario ?? lesson.scenario, answer: words }, new AbortController().signal, () => undefined);
      replace(result, done.right === null ? h("p", {}, named(model, lesson, done.why)) : h("p", { class: done.right ? "right" : "wrong" }, done.right ? "✓ Right. " : "✕ Not so. ", done.why));
    } catch (error) {
      if (!aborted(error)) replace(result, h("p", { class: "error" }, explain(error).message));
    }
  }
}

/** The control by the words beside it instead of its path. */
function named(model: Model, lesson: LessonInfo, words: string): string {
  const label = model.variants.a?.controls.find((control) => control.path === lesson.turn)?.label;
  return label ? words.replace(lesson.turn, `\u201c${label}\u201d`) : words;
}
