// The packets of a port in the range of time that is shown, and the story of one of them.

import { aborted, explain, get } from "./api";
import { h, replace } from "./dom";
import { amount, quantity, seconds } from "./format";
import type { Model } from "./model";
import type { Packet, PacketList, PacketStory } from "./types";

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
  private asking: AbortController | null = null;
  private timer = 0;
  /** What is drawn: the same list again leaves its buttons as they are, under the pointer and with the focus. */
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

  /** As when a queue of the picture was chosen. */
  open(port: string): void {
    this.port.value = port;
    this.kind.value = "all";
    this.fold.open = true;
    this.fold.scrollIntoView({ block: "nearest" });
    void this.list();
  }

  private update(): void {
    const run = this.model.shown?.run;
    if (!run) return;
    const fill = (select: HTMLSelectElement, options: HTMLOptionElement[]): void => {
      const kept = select.value;
      replace(select, ...options);
      if (options.some((each) => each.value === kept)) select.value = kept;
    };
    // The only line of a replay needs no choice.
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
    this.asking?.abort();
    const asking = new AbortController();
    this.asking = asking;
    const { from, to, cursor } = this.model.time;
    const query = new URLSearchParams({
      port: this.port.value,
      from: String(from),
      to: String(to),
      kind: this.kind.value,
      limit: "200",
    });
    if (this.flow.value) query.set("flow", this.flow.value);
    // Of a long run a part is followed: that around the cursor, if it is in sight.
    if (cursor !== null && cursor >= from && cursor <= to) query.set("at", String(cursor));
    try {
      const found = await get<PacketList>(`/api/run/${encodeURIComponent(run.run)}/packets?${query}`, asking.signal);
      this.draw(run.run, this.port.value, found, from, to);
    } catch (error) {
      if (aborted(error)) return;
      this.drawn = "";
      replace(this.body, h("p", { class: "error" }, explain(error).message));
    }
  }

  private draw(run: string, port: string, found: PacketList, from: number, to: number): void {
    const drawn = JSON.stringify([run, port, found, from, to]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const { packets, more, followed } = found;
    const span = to - from;
    const part =
      followed.from > from || followed.to < to
        ? ` Packets are followed from ${seconds(followed.from, span)} to ${seconds(followed.to, span)}, a part of this range around the cursor. Zoom to another time to see its packets.`
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
                      onclick: () => void this.tell(run, port, packet),
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

  private async tell(run: string, port: string, packet: Packet): Promise<void> {
    try {
      const found = await get<PacketStory>(
        `/api/run/${encodeURIComponent(run)}/packet/${encodeURIComponent(port)}/${packet.id}?at=${packet.arrived}`,
      );
      replace(
        this.story,
        h("h3", {}, `Packet ${found.packet.seq ?? found.packet.id} of ${found.packet.flow}`),
        h("ol", {}, ...found.story.map((line) => h("li", {}, line))),
        found.waited_behind.length > 0 &&
          h(
            "p",
            {},
            `It waited behind ${found.waited_behind.map((each) => `${each.packets} of ${each.flow}`).join(", ")}.`,
          ),
        found.decision &&
          h(
            "div",
            {},
            h("h4", {}, "How the queue decided"),
            h("p", {}, found.decision.rule),
            h(
              "div",
              { class: "scroll", role: "region", tabindex: 0, "aria-label": "Numbers of the decision" },
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
                  ...found.decision.numbers.map((each) =>
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
            ),
          ),
      );
      this.model.time.setCursor(found.packet.arrived);
    } catch (error) {
      replace(this.story, h("p", { class: "error" }, explain(error).message));
    }
  }
}
