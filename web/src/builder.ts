// The builder of the start page. It asks the questions of `headgate quick`, and runs the scenario while one changes the
// answers.

import { post } from "./api";
import { Chart } from "./chart";
import { Panel } from "./controls";
import { announce, h, replace, uid } from "./dom";
import { Model, type Variant } from "./model";
import { Phases } from "./phase";
import { place } from "./place";
import { Shares } from "./shares";
import type { AddedFlows, Built, Control, Json, Scenario } from "./types";

/** The views that the builder draws. */
const VIEWS = ["queueing", "throughput"] as const;

/** A model whose scenario the server makes from answers: a changed value is one of the answers. */
class BuilderModel extends Model {
  constructor(
    public last: Built,
    private readonly onChange: () => void,
  ) {
    super();
  }

  protected override async requestChange(
    _variant: Variant,
    path: string,
    value: Json,
  ): Promise<{ scenario: Scenario; controls?: Control[] }> {
    this.last = await post<Built>("/api/quick", { given: this.last.given, path, value });
    this.onChange();
    return this.last;
  }
}

export class Builder {
  readonly element: HTMLElement;
  private readonly model: BuilderModel;
  private readonly command = h("pre", { tabindex: 0, "aria-label": "Command line", class: "command" });
  private readonly file = h("pre", { tabindex: 0, "aria-label": "Scenario file" });
  private readonly notes = h("div", {});

  constructor(
    first: Built,
    added: readonly AddedFlows[],
    private readonly explore: (scenario: Scenario) => void,
  ) {
    const model = new BuilderModel(first, () => this.showTexts());
    this.model = model;
    const panel = new Panel(model);
    const shares = new Shares();
    const phases = new Phases(model, (_, phase) => shares.moved(phase));
    const charts = VIEWS.map((view) => new Chart(view, model.time, () => void model.again()));
    const sentences = h("ul", {});
    const problem = h("p", { class: "error", role: "alert", hidden: true });
    const bar = h("progress", { max: 1, value: 0, "aria-label": "Progress of the run", hidden: true });
    const stop = h("button", { type: "button", class: "small", hidden: true, onclick: () => model.stop() }, "Stop");
    model.on((event) => {
      const variant = model.variants.a;
      if (event === "controls" || event === "slots") panel.update();
      if (event === "error" || event === "controls") {
        const error = panel.errors() ? null : (variant?.error ?? null);
        problem.hidden = error === null;
        problem.textContent = error?.message ?? "";
      }
      if (event === "progress") {
        for (const each of [bar, stop]) each.hidden = variant?.progress === null;
        bar.value = variant?.progress ?? 0;
      }
      const run = variant?.run;
      if (event !== "run" || !run) return;
      shares.update(run);
      for (const chart of charts) chart.show([{ mark: "", run }]);
      replace(sentences, ...run.sentences.map((sentence) => h("li", {}, sentence)));
    });
    const add = uid("added");
    this.element = h(
      "section",
      { class: "builder", "aria-labelledby": "builder-title" },
      h("h2", { id: "builder-title" }, "Flows over one link"),
      h(
        "p",
        { class: "lead" },
        "Set the link, the queue and the flows: they are simulated while you change them, as by the command headgate quick.",
      ),
      h(
        "div",
        { class: "built" },
        h(
          "section",
          { class: "side", "aria-label": "Questions" },
          panel.element,
          h(
            "div",
            { class: "added", role: "group", "aria-labelledby": add },
            h("span", { id: add, class: "soft" }, "Add: "),
            ...added.map((each) =>
              h(
                "button",
                { type: "button", class: "small", title: each.flows, onclick: () => this.add(each) },
                each.label,
              ),
            ),
          ),
        ),
        h(
          "div",
          { class: "main" },
          h("div", { class: "running" }, bar, stop),
          problem,
          shares.element,
          h("div", { class: "charts" }, ...charts.map((chart) => chart.element)),
          h(
            "section",
            { class: "card sentences" },
            h("h3", {}, "In words"),
            sentences,
            this.notes,
            phases.element("a"),
            phases.control,
          ),
        ),
      ),
      h(
        "section",
        { class: "card same", "aria-label": "The same elsewhere" },
        h(
          "div",
          { class: "bar" },
          h("h3", {}, "The same on the command line"),
          copier("Copy the command", this.command),
        ),
        this.command,
        h(
          "details",
          {},
          h("summary", {}, "The same as a scenario file"),
          h(
            "div",
            { class: "bar" },
            h("span", { class: "note" }, "Save it as NAME.toml, and run it with headgate run NAME.toml."),
            copier("Copy the file", this.file),
          ),
          this.file,
        ),
        h(
          "p",
          { class: "after" },
          h(
            "button",
            { type: "button", onclick: () => this.explore(model.variants.a?.scenario ?? first.scenario) },
            "Change everything in this scenario",
          ),
        ),
      ),
    );
    this.showTexts();
    void model.open("a", first.scenario, first.controls);
  }

  private add(each: AddedFlows): void {
    this.model.set("a", "flows", `${this.model.last.given.flows},${each.flows}`, true);
    announce(`Added: ${each.flows}`);
  }

  private showTexts(): void {
    const { command, file, notes } = this.model.last;
    this.command.textContent = command;
    this.file.textContent = file;
    replace(this.notes, ...notes.map((note) => h("p", { class: "note" }, note)));
  }
}

/** A button that copies a text; where that is not allowed, it selects the text. */
function copier(label: string, from: HTMLElement): HTMLElement {
  const button = h(
    "button",
    {
      type: "button",
      class: "small",
      onclick: async () => {
        try {
          await navigator.clipboard.writeText(from.textContent ?? "");
          button.textContent = "Copied";
          announce("Copied.");
        } catch {
          (place.holder.ownerDocument.getSelection() as Selection).selectAllChildren(from);
          announce("The text is selected: copy it from there.");
        }
        setTimeout(() => {
          button.textContent = label;
        }, 2000);
      },
    },
    label,
  );
  return button;
}
