// A study as a heat map. Each cell is a variant and opens its run.

import { explain, get } from "./api";
import { theme } from "./colours";
import { curves } from "./curves";
import { h, replace, svg } from "./dom";
import { quantity } from "./format";
import { text } from "./picture";
import { saveButtons } from "./save";
import type { Scenario, StudyGrid, StudyInfo } from "./types";

/** A colour from pale to dark blue, even in lightness, so that it can be read without colour too. */
function shade(part: number): { fill: string; ink: string } {
  const at = Math.min(1, Math.max(0, part));
  const mix = (from: number, to: number): number => Math.round(from + (to - from) * at);
  return { fill: `rgb(${mix(240, 0)},${mix(246, 60)},${mix(252, 110)})`, ink: at > 0.67 ? "#ffffff" : "#111111" };
}

export class StudyPage {
  readonly element = h("div", { class: "study" });
  private readonly metric = h("select", { id: "study-metric", onchange: () => void this.draw() });
  private readonly x = h("select", { id: "study-x", onchange: () => void this.draw() });
  private readonly y = h("select", { id: "study-y", onchange: () => void this.draw() });
  private readonly flow = h("select", { id: "study-flow", onchange: () => void this.draw() });
  private readonly body = h("div", { class: "main" });
  private study: StudyInfo | null = null;

  constructor(private readonly explore: (scenario: Scenario) => void) {}

  async open(): Promise<void> {
    if (this.study) return;
    try {
      const study = await get<StudyInfo>("/api/study");
      this.study = study;
      replace(this.metric, ...study.metrics.map((each) => h("option", { value: each.name }, each.label)));
      replace(this.x, ...study.axes.map((axis) => h("option", { value: axis.name }, axis.name)));
      replace(
        this.y,
        h("option", { value: "" }, "none"),
        ...study.axes.map((axis) => h("option", { value: axis.name }, axis.name)),
      );
      replace(
        this.flow,
        h("option", { value: "" }, "all"),
        ...(study.flows ?? []).map((name) => h("option", { value: name }, name)),
      );
      this.y.value = study.axes[1]?.name ?? "";
      replace(
        this.element,
        h("h2", {}, "Study"),
        !study.complete && h("p", { class: "note" }, "Some runs of this study are missing."),
        h(
          "div",
          { class: "filters" },
          h("label", { for: "study-metric" }, "Measure "),
          this.metric,
          h("label", { for: "study-x" }, "Across "),
          this.x,
          h("label", { for: "study-y" }, "Down "),
          this.y,
          h("label", { for: "study-flow" }, "Flow "),
          this.flow,
        ),
        this.body,
      );
      await this.draw();
    } catch (error) {
      replace(this.element, h("p", { class: "error" }, explain(error).message));
    }
  }

  private async draw(): Promise<void> {
    const metric = this.study?.metrics.find((each) => each.name === this.metric.value);
    if (!metric) return;
    try {
      const query = new URLSearchParams({ metric: metric.name, x: this.x.value });
      if (this.y.value && this.y.value !== this.x.value) query.set("y", this.y.value);
      if (this.flow.value) query.set("flow", this.flow.value);
      const grid = await get<StudyGrid>(`/api/study/grid?${query}`);
      const all = grid.values.flat().filter((value): value is number => value !== null);
      const [low, high] = [Math.min(...all), Math.max(...all)];
      const cell = (row: number, column: number): HTMLElement => {
        const value = grid.values[row]?.[column] ?? null;
        const half = grid.halves?.[row]?.[column] ?? null;
        if (value === null) return h("td", {}, "–");
        const colours = shade(high > low ? (value - low) / (high - low) : 0.5);
        const words = `${quantity(value, metric.unit)}${half === null ? "" : ` ± ${quantity(half, metric.unit)}`}`;
        const number = grid.variants ? (grid.variants[row]?.[column] ?? null) : row * grid.x.length + column;
        const button = h(
          "button",
          {
            type: "button",
            "aria-label": `${this.x.value} ${grid.x[column]}, ${grid.y[row] ?? ""}: ${words}. Open its run.`,
            onclick: () => void this.run(number),
          },
          quantity(value, metric.unit),
          half !== null && h("small", {}, `± ${quantity(half, metric.unit)}`),
        );
        button.style.background = colours.fill;
        button.style.color = colours.ink;
        return h("td", {}, button);
      };
      replace(
        this.body,
        h(
          "section",
          { class: "card" },
          h(
            "div",
            { class: "bar" },
            h("h3", {}, `${metric.label}${metric.unit ? ` (${metric.unit})` : ""}`),
            saveButtons(
              () => metric.label,
              () => heat(metric.label, metric.unit, grid, low, high),
            ),
          ),
          h(
            "div",
            { class: "scroll", role: "region", tabindex: 0, "aria-label": "Heat map" },
            h(
              "table",
              { class: "heat" },
              h(
                "thead",
                {},
                h(
                  "tr",
                  {},
                  h("td", {}, `${this.y.value} ↓ ${this.x.value} →`),
                  ...grid.x.map((name) => h("th", { scope: "col" }, name)),
                ),
              ),
              h(
                "tbody",
                {},
                ...grid.values.map((values, row) =>
                  h(
                    "tr",
                    {},
                    h("th", { scope: "row" }, grid.y[row] ?? ""),
                    ...values.map((_value, column) => cell(row, column)),
                  ),
                ),
              ),
            ),
          ),
          h(
            "p",
            { class: "note" },
            "Darker cells are higher. Choose a cell to open its run.",
            grid.halves?.flat().some((half) => half !== null) &&
              " After ± stands half the 95 % interval over the replications.",
          ),
          ...grid.notes.map((note) => h("p", { class: "note" }, note)),
        ),
        h(
          "section",
          { class: "card" },
          h(
            "div",
            { class: "bar" },
            h("h3", {}, "As curves"),
            saveButtons(
              () => metric.label,
              () => curves(metric.label, metric.unit, this.x.value, grid),
            ),
          ),
          h("div", { class: "network" }, curves(metric.label, metric.unit, this.x.value, grid)),
        ),
      );
    } catch (error) {
      replace(this.body, h("p", { class: "error" }, explain(error).message));
    }
  }

  private async run(number: number | null): Promise<void> {
    if (number === null) return;
    try {
      const variant = await get<{ scenario: Scenario; seed: number }>(`/api/study/variant/${number}`);
      this.explore({ ...variant.scenario, seed: variant.seed });
    } catch (error) {
      this.body.append(h("p", { class: "error" }, explain(error).message));
    }
  }
}

function heat(title: string, unit: string, grid: StudyGrid, low: number, high: number): SVGSVGElement {
  const [wide, tall, left, top] = [90, 34, 110, 70];
  const width = left + grid.x.length * wide + 16;
  const height = top + grid.values.length * tall + 16;
  const root = svg(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}` },
    svg("rect", { width, height, fill: theme().ground }),
    text(16, 24, title, { "font-size": 15, "font-weight": 600 }),
  );
  root.append(...grid.x.map((name, at) => text(left + (at + 0.5) * wide, top - 8, name, { "text-anchor": "middle" })));
  grid.values.forEach((values, row) => {
    root.append(text(left - 8, top + row * tall + 22, grid.y[row] ?? "", { "text-anchor": "end" }));
    values.forEach((value, column) => {
      if (value === null) return;
      const colours = shade(high > low ? (value - low) / (high - low) : 0.5);
      root.append(
        svg("rect", {
          x: left + column * wide,
          y: top + row * tall,
          width: wide - 1,
          height: tall - 1,
          fill: colours.fill,
        }),
        text(left + (column + 0.5) * wide, top + row * tall + 21, quantity(value, unit), {
          "text-anchor": "middle",
          fill: colours.ink,
        }),
      );
    });
  });
  return root;
}
