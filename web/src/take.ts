// What one takes along: the scenario as a file or a link, the data, the Python lines.

import { blob, explain } from "./api";
import { download, h, replace, say } from "./dom";
import { pack, unpack, fields } from "./link";
import type { Model } from "./model";
import { place } from "./place";
import { fileName } from "./save";

const FORMS: readonly [string, string, string][] = [["toml", "Scenario (TOML)", "toml"], ["csv", "Table (CSV)", "csv"], ["parquet", "Table (Parquet)", "parquet"]];

export class Take {
  private readonly said = h("p", { class: "note", role: "status" });
  private readonly code = h("pre", { tabindex: 0, hidden: true, "aria-label": "Python lines" });
  private readonly link = h("input", { type: "text", id: "given-link", autocomplete: "off", placeholder: "#s=…" });
  readonly element: HTMLElement;

  constructor(private readonly model: Model, private readonly state: () => Promise<string>) {
    this.element = h("details", { class: "take" }, h("summary", {}, "Take it with you"),
      h("div", { class: "buttons" }, ...FORMS.map(([form, label, ending]) => h("button", { type: "button", onclick: () => void this.save(form, ending) }, label)),
        h("button", { type: "button", onclick: () => void this.python() }, "Python lines"), h("button", { type: "button", onclick: () => void this.copy() }, "Copy link")),
      this.said, this.code,
      h("form", { onsubmit: (event: Event) => { event.preventDefault(); void this.open(); } }, h("label", { for: "given-link" }, "Open a link that holds a scenario"), this.link, h("button", {}, "Open")));
  }

  private tell(words: string): void {
    this.said.textContent = words;
  }

  private async fetch(form: string): Promise<Blob | null> {
    const run = this.model.shown?.run;
    if (!run) {
      this.tell("There is no run yet.");
      return null;
    }
    try {
      return await blob(`/api/run/${encodeURIComponent(run.run)}/export?form=${form}`);
    } catch (error) {
      this.tell(explain(error).message);
      return null;
    }
  }

  private async save(form: string, ending: string): Promise<void> {
    const data = await this.fetch(form);
    if (!data) return;
    const name = this.model.shown?.scenario["name"];
    download(fileName(typeof name === "string" ? name : "scenario", ending), data);
    this.tell(`Saved as ${ending.toUpperCase()}.`);
  }

  private async python(): Promise<void> {
    const data = await this.fetch("python");
    if (!data) return;
    this.code.hidden = false;
    replace(this.code, await data.text());
  }

  private async copy(): Promise<void> {
    const scenario = this.model.shown?.scenario;
    if (!scenario) return;
    const address = place.link(`#s=${await pack(scenario)}`);
    void this.state;
    this.link.value = address;
    try {
      await navigator.clipboard.writeText(address);
      this.tell(`The link is in the clipboard. It holds the whole scenario (${address.length} characters).`);
    } catch {
      this.link.select();
      this.tell("The link is in the field below: copy it from there.");
    }
    say(this.said.textContent ?? "");
  }

  private async open(): Promise<void> {
    const at = this.link.value.indexOf("#");
    const text = fields(at < 0 ? `#s=${this.link.value.trim()}` : this.link.value.slice(at)).get("s");
    try {
      if (!text) throw new Error("This link does not hold a scenario.");
      await this.model.open(this.model.active, await unpack(text));
      this.model.tell("committed", this.model.active);
      this.tell("Opened.");
    } catch (error) {
      this.tell(explain(error).message);
    }
  }
}
