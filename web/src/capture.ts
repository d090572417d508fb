// A capture that is opened on the page itself, where no server opens files: with a button, or dropped anywhere on the
// page.

import { aborted, explain, stream } from "./api";
import { h } from "./dom";
import { place } from "./place";
import type { Scenario } from "./types";

/** What the page begins with: the settings of a replay, and sentences about what was chosen. */
export interface OpenedCapture {
  scenario: Scenario;
  chosen: string[];
}

export class CaptureOpener {
  private readonly input = h("input", {
    type: "file",
    hidden: true,
    "aria-label": "Capture",
    accept: ".pcap,.pcapng,.cap,.csv,.gz",
    onchange: () => {
      this.open([...(this.input.files ?? [])]);
      // The same file can be chosen again.
      this.input.value = "";
    },
  });
  readonly element = h(
    "section",
    { class: "capture" },
    h("h2", { tabindex: -1 }, "A capture of your own"),
    h(
      "p",
      { class: "note" },
      "It is replayed through a queue that you can change. Open a file in pcap or pcapng format, or a table in CSV, " +
        "also one that gzip compressed, or drop it anywhere on this page. It is read in this browser and never " +
        "leaves this machine.",
    ),
    h("button", { type: "button", onclick: () => this.input.click() }, "Open a capture"),
    this.input,
  );
  private reading: AbortController | null = null;

  /** `opened` shows a capture, and `say` says what is going on, or what is wrong. */
  constructor(
    private readonly opened: (capture: OpenedCapture) => void,
    private readonly say: (words: string | null) => void,
  ) {
    const holds = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    const page = place.holder.ownerDocument;
    page.addEventListener("dragover", (event) => holds(event) && event.preventDefault());
    page.addEventListener("drop", (event) => {
      if (!holds(event)) return;
      // The browser would leave the page for the file.
      event.preventDefault();
      this.open([...(event.dataTransfer?.files ?? [])]);
    });
  }

  private open(files: File[]): void {
    const [file] = files;
    if (!file) return;
    if (files.length > 1) this.say(`Found ${files.length} files; expected one capture.`);
    else void this.read(file);
  }

  private async read(file: File): Promise<void> {
    this.reading?.abort();
    const reading = new AbortController();
    this.reading = reading;
    this.say(`Reading ${file.name} …`);
    try {
      place.give?.(file);
      const found = await stream<OpenedCapture>(
        "/api/replay/open",
        { name: file.name },
        reading.signal,
        () => undefined,
      );
      this.say(null);
      this.opened(found);
    } catch (error) {
      if (!aborted(error)) this.say(explain(error).message);
    }
  }
}
