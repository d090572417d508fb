// The table of flows, with the share of each beside its weighted max-min fair share.

import { colour, dash, theme } from "./colours";
import { h, replace, svg } from "./dom";
import { milliseconds, percent, plain, quantity } from "./format";
import { moved } from "./phase";
import { text } from "./picture";
import { saveButtons } from "./save";
import type { FlowResult, PhaseDone, RunDone } from "./types";

/** A column of numbers: its heading, and its text for a flow. */
type Column = readonly [string, (flow: FlowResult) => string];

const count = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : plain(value);
const time = (ms: number | null | undefined): string =>
  ms && ms < 1e-3 ? `${milliseconds(ms)} ms` : quantity((ms ?? NaN) / 1e3, "s");

/** The columns before the bar, and those after the fair share. */
const OF_RUN: readonly [readonly Column[], readonly Column[]] = [
  [["Goodput", (flow) => quantity(flow.goodput_bps, "bit/s")]],
  [
    ["RTT", (flow) => (flow.rtt_ms === null ? "–" : `${milliseconds(flow.rtt_ms)} ms`)],
    ["Queueing", (flow) => (flow.queueing_ms === null ? "–" : `${milliseconds(flow.queueing_ms)} ms`)],
    ["Lost", (flow) => count(flow.lost)],
  ],
];
const OF_REPLAY: readonly [readonly Column[], readonly Column[]] = [
  [
    ["Packets", (flow) => count(flow.packets)],
    ["Dropped", (flow) => count(flow.lost)],
    ["Marked", (flow) => count(flow.marks)],
    ["Mean wait", (flow) => time(flow.queueing_ms)],
    ["p99 wait", (flow) => time(flow.p99_ms)],
    ["Sent rate", (flow) => quantity(flow.goodput_bps, "bit/s")],
  ],
  [["Bytes", (flow) => quantity(flow.bytes, "bytes")]],
];

function swatch(flow: FlowResult): SVGSVGElement {
  return svg(
    "svg",
    { width: 30, height: 12, "aria-hidden": "true", class: "swatch" },
    svg("line", {
      x1: 0,
      y1: 6,
      x2: 30,
      y2: 6,
      stroke: colour(flow.colour),
      "stroke-width": 3,
      "stroke-dasharray": dash(flow.colour).join(" ") || null,
    }),
  );
}

function bar(flow: FlowResult, max: number): HTMLElement {
  const filled = h("span", { class: "filled" });
  filled.style.width = `${(100 * (flow.share ?? 0)) / max}%`;
  filled.style.background = colour(flow.colour);
  const mark = h("span", { class: "ideal" });
  mark.style.left = `${(100 * (flow.ideal_share ?? 0)) / max}%`;
  return h("span", { class: "bar-cell", "aria-hidden": "true" }, filled, flow.ideal_share !== null && mark);
}

export class Shares {
  private readonly body = h("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": "Flows" });
  readonly mark = h("span", {});
  private readonly note = h("p", { class: "note" });
  private run: RunDone | null = null;
  private chosen: ReadonlySet<string> = new Set();
  private phase: PhaseDone | null = null;
  readonly element = h(
    "section",
    { class: "card shares" },
    h(
      "div",
      { class: "bar" },
      h("h3", {}, this.mark, "Shares of the flows"),
      saveButtons(
        () => "Shares of the flows",
        () => this.picture(),
      ),
    ),
    this.body,
    this.note,
  );

  /** Shows by how much shares and waits move with the phase of arrivals. */
  moved(phase: PhaseDone | null): void {
    this.phase = phase;
    if (this.run) this.update(this.run, this.chosen);
  }

  update(run: RunDone, chosen: ReadonlySet<string> = new Set()): void {
    this.run = run;
    this.chosen = chosen;
    this.body.setAttribute("aria-label", `${this.mark.textContent}Flows`);
    const max = Math.max(1e-9, ...run.flows.flatMap((flow) => [flow.share ?? 0, flow.ideal_share ?? 0]));
    const replay = run.kind === "replay";
    const marked = run.flows.some((flow) => (flow.marks ?? 0) > 0);
    const [before, last] = (replay ? OF_REPLAY : OF_RUN).map((columns) =>
      columns.filter(([name]) => name !== "Marked" || marked),
    ) as [Column[], Column[]];
    this.body.classList.toggle("replay", replay);
    // The charts stay in sight below a long table.
    this.body.classList.toggle("tall", run.flows.length > 12);
    this.note.textContent = replay
      ? "The bar is the share of all that was sent. The upright line is the weighted max-min fair share of what was offered."
      : "The bar is the share of the goodput. The upright line is the weighted max-min fair share.";
    const heading = (name: string, number = true): HTMLElement =>
      h("th", { scope: "col", class: number ? "num" : null }, name);
    const cells = (columns: readonly Column[], flow: FlowResult): HTMLElement[] =>
      columns.map(([name, text]) =>
        h("td", { class: "num" }, text(flow), name === "Queueing" && moved(this.phase, flow.name)?.queueing),
      );
    replace(
      this.body,
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            heading("Flow", false),
            !replay && heading("Control", false),
            ...before.map(([name]) => heading(name)),
            heading("Share"),
            h("td", {}),
            heading("Fair"),
            ...last.map(([name]) => heading(name)),
          ),
        ),
        h(
          "tbody",
          {},
          ...run.flows.map((flow) =>
            h(
              "tr",
              { class: chosen.has(flow.name) ? "marked" : null },
              h(
                "th",
                { scope: "row" },
                swatch(flow),
                h("span", { class: "name" }, flow.name),
                chosen.has(flow.name) && h("span", { class: "soft" }, " ◂ this number"),
                flow.weight !== null &&
                  flow.weight !== 1 &&
                  h("span", { class: "soft" }, ` weight ${plain(flow.weight)}`),
              ),
              !replay && h("td", {}, flow.control),
              ...cells(before, flow),
              h("td", { class: "num" }, percent(flow.share), moved(this.phase, flow.name)?.share),
              h("td", { class: "wide" }, bar(flow, max)),
              h("td", { class: "num" }, percent(flow.ideal_share)),
              ...cells(last, flow),
            ),
          ),
        ),
      ),
      (run.more_flows ?? 0) > 0 &&
        h(
          "p",
          { class: "note" },
          `${run.more_flows} more flows with ${replay ? "fewer bytes" : "less goodput"} are not listed.`,
        ),
    );
  }

  private picture(): SVGSVGElement {
    const flows = this.run?.flows ?? [];
    const look = theme();
    const height = 60 + flows.length * 28;
    const max = Math.max(1e-9, ...flows.flatMap((flow) => [flow.share ?? 0, flow.ideal_share ?? 0]));
    const root = svg(
      "svg",
      { xmlns: "http://www.w3.org/2000/svg", width: 700, height, viewBox: `0 0 700 ${height}` },
      svg("rect", { width: 700, height, fill: look.ground }),
      text(16, 24, "Shares of the flows; the upright line is the weighted max-min fair share", {
        "font-size": 15,
        "font-weight": 600,
      }),
    );
    flows.forEach((flow, at) => {
      const y = 44 + at * 28;
      const wide = (share: number): number => (400 * share) / max;
      root.append(
        text(16, y + 14, flow.name.slice(0, 24)),
        svg("rect", { x: 190, y, width: wide(flow.share ?? 0), height: 18, fill: colour(flow.colour) }),
        text(600, y + 14, percent(flow.share)),
      );
      if (flow.ideal_share !== null)
        root.append(
          svg("line", {
            x1: 190 + wide(flow.ideal_share),
            x2: 190 + wide(flow.ideal_share),
            y1: y - 4,
            y2: y + 22,
            stroke: look.ink,
            "stroke-width": 2.5,
          }),
        );
    });
    return root;
  }
}
