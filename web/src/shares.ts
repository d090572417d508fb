// What each flow got, beside what weighted max-min fairness would give it.

import { colour, dash, theme } from "./colours";
import { h, replace, svg } from "./dom";
import { percent, plain, quantity } from "./format";
import { text } from "./picture";
import { saveButtons } from "./save";
import type { FlowResult, RunDone } from "./types";

const NUMBERS = new Set(["Goodput", "Share", "Fair", "RTT", "Queueing", "Lost"]);

function swatch(flow: FlowResult): SVGSVGElement {
  return svg("svg", { width: 30, height: 12, "aria-hidden": "true", class: "swatch" },
    svg("line", { x1: 0, y1: 6, x2: 30, y2: 6, stroke: colour(flow.colour), "stroke-width": 3, "stroke-dasharray": dash(flow.colour).join(" ") || null }));
}

function bar(flow: FlowResult, most: number): HTMLElement {
  const filled = h("span", { class: "filled" });
  filled.style.width = `${(100 * (flow.share ?? 0)) / most}%`;
  filled.style.background = colour(flow.colour);
  const mark = h("span", { class: "ideal" });
  mark.style.left = `${(100 * (flow.ideal_share ?? 0)) / most}%`;
  return h("span", { class: "bar-cell", "aria-hidden": "true" }, filled, flow.ideal_share !== null && mark);
}

export class Shares {
  private readonly body = h("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": "Flows" });
  readonly mark = h("span", {});
  private run: RunDone | null = null;
  readonly element = h("section", { class: "card shares" },
    h("div", { class: "bar" }, h("h3", {}, this.mark, "Shares of the flows"), saveButtons(() => "Shares of the flows", () => this.picture())), this.body,
    h("p", { class: "note" }, "The bar is the share of the goodput. The upright line is the weighted max-min fair share."));

  update(run: RunDone, marked: ReadonlySet<string> = new Set()): void {
    this.run = run;
    this.body.setAttribute("aria-label", `${this.mark.textContent}Flows`);
    const most = Math.max(1e-9, ...run.flows.flatMap((flow) => [flow.share ?? 0, flow.ideal_share ?? 0]));
    const head = ["Flow", "Control", "Goodput", "Share", "", "Fair", "RTT", "Queueing", "Lost"];
    replace(this.body, h("table", {},
      h("thead", {}, h("tr", {}, ...head.map((name) => (name ? h("th", { scope: "col", class: NUMBERS.has(name) ? "num" : null }, name) : h("td", {}))))),
      h("tbody", {}, ...run.flows.map((flow) => h("tr", { class: marked.has(flow.name) ? "marked" : null },
        h("th", { scope: "row" }, swatch(flow), h("span", { class: "name" }, flow.name), marked.has(flow.name) && h("span", { class: "soft" }, " ◂ the number is about this flow"), flow.weight !== null && flow.weight !== 1 && h("span", { class: "soft" }, ` weight ${plain(flow.weight)}`)),
        h("td", {}, flow.control), h("td", { class: "num" }, quantity(flow.goodput_bps, "bit/s")), h("td", { class: "num" }, percent(flow.share)), h("td", { class: "wide" }, bar(flow, most)),
        h("td", { class: "num" }, percent(flow.ideal_share)), h("td", { class: "num" }, flow.rtt_ms === null ? "–" : `${plain(flow.rtt_ms)} ms`),
        h("td", { class: "num" }, flow.queueing_ms === null ? "–" : `${plain(flow.queueing_ms)} ms`), h("td", { class: "num" }, flow.lost === null ? "–" : plain(flow.lost)))))),
    (run.more_flows ?? 0) > 0 && h("p", { class: "note" }, `${run.more_flows} more flows with less goodput are not listed.`));
  }

  private picture(): SVGSVGElement {
    const flows = this.run?.flows ?? [];
    const look = theme();
    const height = 60 + flows.length * 28;
    const most = Math.max(1e-9, ...flows.flatMap((flow) => [flow.share ?? 0, flow.ideal_share ?? 0]));
    const root = svg("svg", { xmlns: "http://www.w3.org/2000/svg", width: 700, height, viewBox: `0 0 700 ${height}` }, svg("rect", { width: 700, height, fill: look.ground }),
      text(16, 24, "Shares of the flows; the upright line is the weighted max-min fair share", { "font-size": 15, "font-weight": 600 }));
    flows.forEach((flow, at) => {
      const y = 44 + at * 28;
      const wide = (share: number): number => (400 * share) / most;
      root.append(text(16, y + 14, flow.name.slice(0, 24)), svg("rect", { x: 190, y, width: wide(flow.share ?? 0), height: 18, fill: colour(flow.colour) }),
        text(600, y + 14, percent(flow.share)));
      if (flow.ideal_share !== null) root.append(svg("line", { x1: 190 + wide(flow.ideal_share), x2: 190 + wide(flow.ideal_share), y1: y - 4, y2: y + 22, stroke: look.ink, "stroke-width": 2.5 }));
    });
    return root;
  }
}
