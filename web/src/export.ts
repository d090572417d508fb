// Saves the scenario as a file, a link or Python code, and the data of a run as tables.

import { blob, explain } from "./api";
import { announce, download, h, replace } from "./dom";
import { fields, isReplay, pack, unpack } from "./link";
import type { Model } from "./model";
import { place } from "./place";
import { fileName } from "./save";

/** The value of the option for a table with a row for each packet, which only replays have. */
const ROWS = "";

export class Export {
  private readonly status = h("p", { class: "note", role: "status" });
  private readonly code = h("pre", { tabindex: 0, hidden: true, "aria-label": "Code" });
  private readonly link = h("input", { type: "text", id: "given-link", autocomplete: "off", placeholder: "#s=…" });
  private readonly data = h("select", { id: "export-data" });
  private readonly whole = h("button", { type: "button", onclick: () => void this.scenarioFile() });
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
        h("button", { type: "button", onclick: () => void this.showCode("python") }, "Python code"),
        h("button", { type: "button", onclick: () => void this.copy() }, "Copy link"),
      ),
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
    this.whole.textContent = this.replay ? "Command line" : "Scenario (TOML)";
  }

  /** Saves the scenario as a file, or shows the command that gives the same replay. */
  private async scenarioFile(): Promise<void> {
    if (this.replay) await this.showCode("command");
    else await this.save("export?form=toml", this.name, "toml");
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
    this.code.hidden = false;
    this.code.setAttribute("aria-label", form === "python" ? "Python code" : "Command line");
    replace(this.code, await data.text());
    this.showStatus(this.replay ? "This gives the same numbers, in the folder of the trace." : "");
  }

  private async copy(): Promise<void> {
    const scenario = this.model.shown?.scenario;
    if (!scenario) return;
    const address = place.link(`#s=${await pack(scenario)}`);
    this.link.value = address;
    try {
      await navigator.clipboard.writeText(address);
      this.showStatus(
        this.replay
          ? "The link is in the clipboard. It holds the settings, not the trace, which is too large for a link: " +
              "open it on a page that headgate explore shows for the same file."
          : `The link is in the clipboard. It holds the whole scenario (${address.length} characters).`,
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
    const text = fields(at < 0 ? `#s=${this.link.value.trim()}` : this.link.value.slice(at)).get("s");
    try {
      if (!text) throw new Error("This link does not hold a scenario.");
      await this.model.open(this.model.active, await unpack(text));
      this.model.emit("committed", this.model.active);
      this.showStatus("Opened.");
    } catch (error) {
      this.showStatus(explain(error).message);
    }
  }
}
