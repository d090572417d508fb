// Saves the scenario as a file, a link or Python code, and the data of a run as tables.

import { blob, explain } from "./api";
import { announce, download, h, replace } from "./dom";
import { command, fields, isReplay, MOST, pack, TYPED, unpack } from "./link";
import type { Model } from "./model";
import { has, place } from "./place";
import { fileName } from "./save";
import { toml } from "./toml";

/** The value of the option for a table with a row for each packet, which only replays have. */
const ROWS = "";

export class Export {
  private readonly status = h("p", { class: "note", role: "status" });
  private readonly code = h("pre", { tabindex: 0, hidden: true, "aria-label": "Code" });
  private readonly link = h("input", { type: "text", id: "given-link", autocomplete: "off", placeholder: "#s=…" });
  private readonly data = h("select", { id: "export-data" });
  private readonly whole = h("button", { type: "button", onclick: () => void this.scenarioFile() });
  private readonly line = h("button", { type: "button", onclick: () => void this.showCommand() }, "Command line");
  readonly element: HTMLElement;

  constructor(private readonly model: Model) {
    const table = (form: string, words: string): HTMLElement =>
      h("button", { type: "button", onclick: () => void this.table(form) }, words);
    this.element = h(
      "details",
      { class: "export" },
      h("summary", {}, "Save and share"),
      h(
        "div",
        { class: "buttons" },
        this.whole,
        this.line,
        has("tables") && h("button", { type: "button", onclick: () => void this.showCode("python") }, "Python code"),
        h("button", { type: "button", onclick: () => void this.copy() }, "Copy link"),
      ),
      has("tables") &&
        h(
          "div",
          { class: "buttons" },
          h("label", { for: "export-data" }, "Data of"),
          this.data,
          table("csv", "Table (CSV)"),
          table("parquet", "Table (Parquet)"),
        ),
      this.status,
      this.code,
      h(
        "form",
        {
          onsubmit: (event: Event) => {
            event.preventDefault();
            void this.open();
          },
        },
        h("label", { for: "given-link" }, "Open a link that holds a scenario"),
        this.link,
        h("button", {}, "Open"),
      ),
    );
    model.on((event) => {
      if (event === "run" || event === "slots") this.update();
    });
    this.update();
  }

  private get replay(): boolean {
    return isReplay(this.model.shown?.scenario);
  }

  private update(): void {
    const chosen = this.data.value;
    const views = this.model.shown?.run?.views ?? [];
    replace(
      this.data,
      this.replay && h("option", { value: ROWS }, "Packets, a row for each"),
      ...views.map((view) => h("option", { value: view.name }, view.title)),
    );
    if (views.some((view) => view.name === chosen)) this.data.value = chosen;
    this.whole.textContent = "Scenario (TOML)";
    this.whole.hidden = this.replay;
    this.line.hidden = this.replay && !has("tables");
  }

  private async scenarioFile(): Promise<void> {
    const scenario = this.model.shown?.scenario;
    if (has("tables")) await this.save("export?form=toml", this.name, "toml");
    else if (scenario) {
      download(fileName(this.name, "toml"), new Blob([toml(scenario)], { type: "application/toml" }));
      this.showStatus("Saved as TOML.");
    }
  }

  /** Shows the command that gives the same run, or the same replay. */
  private async showCommand(): Promise<void> {
    const shown = this.model.shown;
    if (this.replay || !shown) await this.showCode("command");
    else if ((await place.besides?.(shown.scenario))?.length)
      this.showStatus("No command has a flow control that is written on this page. A link has it: copy the link.");
    else {
      const fragment = await pack(shown.scenario);
      // A shell hands over at most 128 KiB as one word.
      if (fragment.length > 130_000) this.showStatus("The scenario is too long for a command line: save it as a file.");
      else this.shown("Command line", command(fragment, shown.replication), "This gives the same run.");
    }
  }

  private shown(what: string, text: string, status: string): void {
    this.code.hidden = false;
    this.code.setAttribute("aria-label", what);
    replace(this.code, text);
    this.showStatus(status);
  }

  private async table(form: string): Promise<void> {
    const view = this.data.value;
    if (view === ROWS) await this.save(`rows?form=${form}`, `${this.name} packets`, form);
    else await this.save(`export?form=${form}&view=${encodeURIComponent(view)}`, `${this.name} ${view}`, form);
  }

  private get name(): string {
    const scenario = this.model.shown?.scenario;
    const name = this.replay ? scenario?.["replay" as never] : scenario?.name;
    return typeof name === "string" ? name : "scenario";
  }

  private showStatus(words: string): void {
    this.status.textContent = words;
  }

  private async fetch(what: string): Promise<Blob | null> {
    const run = this.model.shown?.run;
    if (!run) {
      this.showStatus("There is no run yet.");
      return null;
    }
    try {
      return await blob(`/api/run/${encodeURIComponent(run.run)}/${what}`);
    } catch (error) {
      this.showStatus(explain(error).message);
      return null;
    }
  }

  private async save(what: string, name: string, ending: string): Promise<void> {
    this.showStatus("The file is being made.");
    const data = await this.fetch(what);
    if (!data) return;
    download(fileName(name, ending), data);
    this.showStatus(`Saved as ${ending === "parquet" ? "Parquet" : ending.toUpperCase()}.`);
  }

  private async showCode(form: "python" | "command"): Promise<void> {
    const data = await this.fetch(`export?form=${form}`);
    if (!data) return;
    const status = this.replay ? "This gives the same numbers, in the folder of the trace." : "";
    this.shown(form === "python" ? "Python code" : "Command line", await data.text(), status);
  }

  private async copy(): Promise<void> {
    const scenario = this.model.shown?.scenario;
    if (!scenario) return;
    if (!this.replay) await this.showCommand();
    const besides = (await place.besides?.(scenario)) ?? [];
    const address = place.link(`#${[...besides, `s=${await pack(scenario)}`].join("&")}`);
    if (address.length > MOST) {
      this.showStatus(
        `The link would have ${address.length} characters, which no browser opens: save the scenario as a file.`,
      );
      return;
    }
    this.link.value = address;
    try {
      await navigator.clipboard.writeText(address);
      this.showStatus(
        this.replay
          ? "The link is in the clipboard. It holds the settings, not the trace, which is too large for a link: " +
              "open it on a page that headgate explore shows for the same file."
          : `The link is in the clipboard. It holds the whole scenario (${address.length} characters).${
              address.length > TYPED ? " It is too long for an address bar: give it as a link that is clicked." : ""
            }`,
      );
    } catch {
      this.link.select();
      this.showStatus(
        `The link is in the field below: copy it from there.${this.replay ? " It holds the settings, not the trace." : ""}`,
      );
    }
    announce(this.status.textContent ?? "");
  }

  private async open(): Promise<void> {
    const at = this.link.value.indexOf("#");
    const found = fields(at < 0 ? `#s=${this.link.value.trim()}` : this.link.value.slice(at));
    const text = found.get("s");
    try {
      if (!text) throw new Error("This link does not hold a scenario.");
      // What only this place can run comes with the whole address.
      if (place.besides && found.has("own")) {
        location.hash = this.link.value.slice(at);
        return;
      }
      await this.model.open(this.model.active, await unpack(text));
      this.model.emit("committed", this.model.active);
      this.showStatus("Opened.");
    } catch (error) {
      this.showStatus(explain(error).message);
    }
  }
}
