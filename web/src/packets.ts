// The packets of a port in the shown range of time, and the story of one packet.

import { aborted, explain, get } from "./api";
import { h, replace } from "./dom";
import { amount, quantity, seconds } from "./format";
import type { Model } from "./model";
import { has } from "./place";
import type { Amount, Packet, PacketList, PacketStory, Taken } from "./types";

/** A table of numbers; nothing if there are none. */
function numbersOf(label: string, numbers: Amount[]): HTMLElement | null {
  if (numbers.length === 0) return null;
  return h(
    "div",
    { class: "scroll", role: "region", tabindex: 0, "aria-label": label },
    h(
      "table",
      { class: "numbers" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "Number"),
          h("th", { scope: "col", class: "num" }, "Value"),
          h("th", { scope: "col" }, "Meaning"),
        ),
      ),
      h(
        "tbody",
        {},
        ...numbers.map((each) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, each.name),
            h("td", { class: "num" }, amount(each.value, each.unit)),
            h("td", {}, each.about),
          ),
        ),
      ),
    ),
  );
}

/** What was decided, and when. */
function takenAt(taken: Taken): string {
  const moment = taken.moment === "arrival" ? "As it arrived" : "As it left";
  const reason = taken.reason === null ? "" : ` (${taken.reason})`;
  return `${moment}, at ${taken.at.toFixed(6)} s: ${taken.decision}${reason}`;
}

export class Packets {
  private readonly port = h("select", { id: "packets-port", onchange: () => void this.list() });
  private readonly flow = h("select", { id: "packets-flow", onchange: () => void this.list() });
  private readonly kind = h(
    "select",
    { id: "packets-kind", onchange: () => void this.list() },
    h("option", { value: "drop" }, "dropped"),
    h("option", { value: "all" }, "all"),
  );
  private readonly body = h("div", {});
  private readonly story = h("div", { class: "story", "aria-live": "polite" });
  private readonly fold: HTMLDetailsElement;
  private request: AbortController | null = null;
  private timer = 0;
  /** The list that is drawn. The same list is not drawn again, so that its buttons keep the focus. */
  private drawn = "";
  readonly element: HTMLElement;

  constructor(private readonly model: Model) {
    this.fold = h(
      "details",
      { ontoggle: () => void this.list() },
      h("summary", {}, h("h2", {}, "Packets and what became of them")),
      h(
        "div",
        { class: "filters" },
        h("label", { for: "packets-port" }, "Port "),
        this.port,
        h("label", { for: "packets-flow" }, "Flow "),
        this.flow,
        h("label", { for: "packets-kind" }, "Packets "),
        this.kind,
      ),
      h("div", { class: "columns" }, this.body, this.story),
    );
    this.element = h("section", { class: "card packets" }, this.fold);
    model.on((event) => {
      if (event === "run" || event === "slots") this.update();
    });
    model.time.on((change) => {
      if (change !== "range") return;
      window.clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.list(), 200);
    });
  }

  /** Lists the packets of a port, after its queue was chosen in the picture. */
  open(port: string): void {
    if (this.element.hidden) return;
    this.port.value = port;
    this.kind.value = "all";
    this.fold.open = true;
    this.fold.scrollIntoView({ block: "nearest" });
    void this.list();
  }

  private update(): void {
    const run = this.model.shown?.run;
    if (!run) return;
    this.element.hidden = run.kind === "replay" && !has("replayed packets");
    const fill = (select: HTMLSelectElement, options: HTMLOptionElement[]): void => {
      const kept = select.value;
      replace(select, ...options);
      if (options.some((each) => each.value === kept)) select.value = kept;
    };
    // A replay has one port only.
    for (const part of [this.port, this.port.previousElementSibling])
      part?.toggleAttribute("hidden", run.kind === "replay");
    fill(
      this.port,
      run.ports.map((port) => h("option", { value: port.name }, port.name)),
    );
    fill(this.flow, [
      h("option", { value: "" }, "any"),
      ...run.flows.map((flow) => h("option", { value: flow.name }, flow.name)),
    ]);
    replace(this.story);
    void this.list();
  }

  private async list(): Promise<void> {
    const run = this.model.shown?.run;
    if (!run || !this.fold.open || !this.port.value) return;
    this.request?.abort();
    const request = new AbortController();
    this.request = request;
    const { from, to, cursor } = this.model.time;
    const query = new URLSearchParams({
      port: this.port.value,
      from: String(from),
      to: String(to),
      kind: this.kind.value,
      limit: "200",
    });
    if (this.flow.value) query.set("flow", this.flow.value);
    // Of a long run the server follows a part only: that around the cursor, if the cursor is in the range.
    if (cursor !== null && cursor >= from && cursor <= to) query.set("at", String(cursor));
    try {
      const result = await get<PacketList>(`/api/run/${encodeURIComponent(run.run)}/packets?${query}`, request.signal);
      this.draw(run.run, this.port.value, result, from, to);
    } catch (error) {
      if (aborted(error)) return;
      this.drawn = "";
      replace(this.body, h("p", { class: "error" }, explain(error).message));
    }
  }

  private draw(run: string, port: string, result: PacketList, from: number, to: number): void {
    const drawn = JSON.stringify([run, port, result, from, to]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const { packets, more, followed } = result;
    const span = to - from;
    const part =
      followed.from > from || followed.to < to
        ? ` Packets are followed from ${seconds(followed.from, span)} to ${seconds(followed.to, span)}, a part of this ` +
          "range around the cursor. Zoom to another time to see its packets."
        : "";
    if (packets.length === 0) {
      replace(
        this.body,
        h(
          "p",
          { class: "note" },
          `${this.kind.value === "drop" ? "No packet was dropped" : "No packet arrived"} here in this range of time.${part}`,
        ),
      );
      return;
    }
    const time = (at: number | null): string => (at === null ? "–" : seconds(at, Math.min(span, 1)));
    replace(
      this.body,
      h(
        "p",
        { class: "note" },
        (more
          ? `The first ${packets.length} packets of this range. Zoom in to see the others.`
          : `${packets.length} packets in this range.`) + part,
      ),
      h(
        "div",
        { class: "scroll tall", role: "region", tabindex: 0, "aria-label": "Packets" },
        h(
          "table",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              ...["Packet", "Flow", "Arrived", "Fate", "Waited", "Bytes"].map((name) =>
                h("th", { scope: "col" }, name),
              ),
            ),
          ),
          h(
            "tbody",
            {},
            ...packets.map((packet) =>
              h(
                "tr",
                {},
                h(
                  "td",
                  {},
                  h(
                    "button",
                    {
                      type: "button",
                      class: "small",
                      "aria-label": `Story of packet ${packet.seq ?? packet.id} of ${packet.flow}`,
                      onclick: () => void this.showStory(run, port, packet),
                    },
                    packet.seq === null ? `#${packet.id}` : `${packet.seq}`,
                  ),
                ),
                h("td", {}, packet.flow),
                h("td", { class: "num" }, time(packet.arrived)),
                h(
                  "td",
                  {},
                  packet.dropped !== null
                    ? `✕ dropped ${time(packet.dropped)}`
                    : packet.left !== null
                      ? `left ${time(packet.left)}`
                      : "still there",
                ),
                h("td", { class: "num" }, packet.left === null ? "–" : quantity(packet.left - packet.arrived, "s")),
                h("td", { class: "num" }, packet.bytes),
              ),
            ),
          ),
        ),
      ),
    );
  }

  private async showStory(run: string, port: string, packet: Packet): Promise<void> {
    try {
      const result = await get<PacketStory>(
        `/api/run/${encodeURIComponent(run)}/packet/${encodeURIComponent(port)}/${packet.id}?at=${packet.arrived}`,
      );
      replace(
        this.story,
        h("h3", {}, `Packet ${result.packet.seq ?? result.packet.id} of ${result.packet.flow}`),
        h("ol", {}, ...result.story.map((line) => h("li", {}, line))),
        result.waited_behind.length > 0 &&
          h(
            "p",
            {},
            `It waited behind ${result.waited_behind.map((each) => `${each.packets} of ${each.flow}`).join(", ")}.`,
          ),
        result.decision &&
          h(
            "div",
            {},
            h("h4", {}, "How the queue decided"),
            h("p", {}, result.decision.rule),
            numbersOf("Numbers of the packet", result.decision.numbers),
            ...result.decision.taken.map((each) =>
              h("div", {}, h("h5", {}, takenAt(each)), numbersOf(`Numbers of its ${each.moment}`, each.numbers)),
            ),
          ),
      );
      this.model.time.setCursor(result.packet.arrived);
    } catch (error) {
      replace(this.story, h("p", { class: "error" }, explain(error).message));
    }
  }
}
