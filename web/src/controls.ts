// The panel of controls, made from the server's list of the values that a person would change.

import { h, replace, uid } from "./dom";
import { quantity, spaced } from "./format";
import type { Model, Slot } from "./model";
import { place } from "./place";
import type { Control, Json, Scenario } from "./types";

const STEPS = 1000;

/** Most controls of a part that are shown at once where only some values are asked for; the rest is folded. */
const AT_ONCE = 6;

/** Whether a path is one of these, or that of a value in a table of them. The kind of such a table is what the page is about. */
export function among(paths: readonly string[], path: string): boolean {
  return paths.some((each) => path === each || (path.startsWith(`${each}.`) && path !== `${each}.kind`));
}

/** A part's controls that are shown first where only some values are asked for: the main ones, and others while there is room. */
function foremost(own: readonly Control[]): readonly Control[] {
  const sorted = own.toSorted((a, b) => Number(b.main) - Number(a.main));
  return sorted.slice(0, Math.max(AT_ONCE, own.filter((control) => control.main).length));
}

/** Whether a scenario gives the value at a path. */
function gives(scenario: Json, path: string): boolean {
  let at: unknown = scenario;
  for (const key of path.split(".")) {
    if (Array.isArray(at)) at = at.find((each, index) => each?.name === key || String(index) === key);
    else if (typeof at === "object" && at !== null) at = (at as { [key: string]: unknown })[key];
    else return key === "kind" && typeof at === "string";
  }
  return at !== undefined;
}

/** A value in words. */
function told(control: Control): string {
  if (control.kind === "bool") return control.value ? "on" : "off";
  const chosen = control.choices?.find((each) => JSON.stringify(each.value) === JSON.stringify(control.value));
  if (chosen) return chosen.label;
  return control.kind === "number" && control.unit && typeof control.value === "number"
    ? quantity(control.value, control.unit)
    : spaced(show(control.value)) || "not set";
}

interface Field {
  element: HTMLElement;
  shape: string;
  update(control: Control): void;
  error(message: string | null): void;
}

/** A field is kept while this text stays the same, so that a slider keeps its place under a finger. */
function shapeOf(control: Control): string {
  return JSON.stringify([
    control.path,
    control.kind,
    control.unit,
    control.label,
    control.choices,
    control.main,
    control.group,
    control.help,
  ]);
}

export class Panel {
  readonly element = h("div", { class: "controls" });
  private fields = new Map<string, Field>();
  private layout = "";
  private readonly open = new Set<string>();

  /**
   * With `only`, the controls of these values alone, or of all values of a table. `first` are the controls of the scenario
   * with which the page began: each says which value it had there, which is the default unless that scenario gave one.
   */
  constructor(
    private readonly model: Model,
    private readonly only: readonly string[] | null = null,
    private readonly first: () => { scenario: Scenario; controls: readonly Control[] } | null = () => null,
  ) {}

  update(): void {
    const slot = this.model.active;
    const all = this.model.shown?.controls ?? [];
    const { only } = this;
    const controls = only === null ? all : all.filter((control) => among(only, control.path));
    const layout = JSON.stringify([slot, controls.map(shapeOf)]);
    if (layout !== this.layout) this.build(slot, controls);
    this.layout = layout;
    for (const control of controls) this.fields.get(control.path)?.update(control);
    this.errors();
  }

  /** Shows the error at its control. Returns whether a control has it. */
  errors(): boolean {
    const error = this.model.shown?.error ?? null;
    let placed = false;
    for (const [path, field] of this.fields) {
      const own = error?.path === path || (error?.path?.startsWith(`${path}.`) ?? false);
      field.error(own && error ? error.message : null);
      placed ||= own;
    }
    return placed;
  }

  private build(slot: Slot, controls: Control[]): void {
    const focused = place.root.activeElement?.getAttribute("data-path") ?? null;
    this.fields = new Map(controls.map((control) => [control.path, this.field(slot, control)]));
    const groups = [...new Set(controls.map((control) => control.group))];
    const part = (list: Control[]): HTMLElement[] =>
      list.map((control) => (this.fields.get(control.path) as Field).element);
    replace(
      this.element,
      ...groups.map((group) => {
        const own = controls.filter((control) => control.group === group);
        const first = this.only === null ? own.filter((control) => control.main) : foremost(own);
        const main = own.filter((control) => first.includes(control));
        const rest = own.filter((control) => !main.includes(control));
        const key = `${slot} ${group}`;
        const folded = h(
          "details",
          { open: this.open.has(key), ontoggle: () => (folded.open ? this.open.add(key) : this.open.delete(key)) },
          h("summary", {}, `More of ${group.toLowerCase()} (${rest.length})`),
          ...part(rest),
        );
        return h("fieldset", {}, h("legend", {}, group), ...part(main), rest.length > 0 && folded);
      }),
    );
    if (focused !== null) this.element.querySelector<HTMLElement>(`[data-path=${CSS.escape(focused)}]`)?.focus();
  }

  private field(slot: Slot, control: Control): Field {
    const id = uid("control");
    const message = h("p", { class: "error", id: `${id}-error`, hidden: true, role: "alert" });
    const help = h("p", { class: "help", id: `${id}-help` }, control.help ?? "");
    const first = this.first();
    const usual = first?.controls.find((each) => each.path === control.path);
    const set = (value: Json, committed: boolean): void => this.model.set(slot, control.path, value, committed);
    const parts =
      control.kind === "number" || control.kind === "quantity"
        ? numeric(id, control, set, usual)
        : control.kind === "choice"
          ? choice(id, control, set)
          : control.kind === "bool"
            ? bool(id, control, set)
            : text(id, control, set);
    for (const input of parts.inputs) {
      input.setAttribute("aria-describedby", `${usual ? `${id}-usual ` : ""}${id}-help ${id}-error`);
      if (!input.hasAttribute("data-path"))
        input.setAttribute("data-path", input === parts.inputs[0] ? control.path : `${control.path} slider`);
    }
    const element = h(
      "div",
      { class: `field ${control.kind}` },
      h("label", { for: id }, control.label),
      ...parts.elements,
      usual &&
        h(
          "p",
          { class: "usual", id: `${id}-usual` },
          `${first && gives(first.scenario as Json, control.path) ? "at first" : "default"} ${told(usual)}`,
        ),
      help,
      message,
    );
    return {
      element,
      shape: shapeOf(control),
      update: parts.update,
      error: (words) => {
        message.hidden = words === null;
        if (message.textContent !== (words ?? "")) message.textContent = words ?? "";
        for (const input of parts.inputs) input.setAttribute("aria-invalid", String(words !== null));
        if (words !== null) element.closest("details")?.setAttribute("open", "");
      },
    };
  }
}

interface Parts {
  elements: HTMLElement[];
  inputs: HTMLElement[];
  update(control: Control): void;
}
type SetValue = (value: Json, committed: boolean) => void;

function show(value: Json): string {
  return value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
}

function numeric(id: string, first: Control, set: SetValue, usual?: Control): Parts {
  let control = first;
  // A buffer in bandwidth-delay products has no number in bytes until the path is known: its slider counts products.
  const products = (): number | null => {
    const found = typeof control.value === "string" ? /^(\d+(?:\.\d+)?)\s*BDP$/.exec(control.value) : null;
    return found ? Number(found[1]) : null;
  };
  const low = (): number => (products() !== null ? 0.125 : (control.from ?? control.low ?? 0));
  const high = (): number => (products() !== null ? 8 : (control.to ?? control.high ?? Math.max(1, 2 * (now() ?? 1))));
  const now = (): number | null =>
    products() ??
    (control.kind === "number" ? (typeof control.value === "number" ? control.value : null) : (control.number ?? null));
  const log = (): boolean => products() !== null || (control.log && high() > 0);
  const floor = (): number => (low() > 0 ? low() : (control.step ?? high() / 10_000));
  const toValue = (position: number): number => {
    const part = position / STEPS;
    if (part <= 0) return low();
    if (part >= 1) return high();
    const raw = log() ? floor() * (high() / floor()) ** part : low() + part * (high() - low());
    // Whole and quarter products are what people compare.
    if (products() !== null) return raw >= 1 ? Math.round(4 * raw) / 4 : Math.round(20 * raw) / 20;
    const step = control.step;
    const nice = Number(raw.toPrecision(log() ? 2 : 3));
    return step ? Math.min(high(), Math.max(low(), Number((Math.round(nice / step) * step).toPrecision(12)))) : nice;
  };
  const toPosition = (value: number): number => {
    const part = log()
      ? Math.log(Math.max(value, floor()) / floor()) / Math.log(high() / floor())
      : (value - low()) / (high() - low());
    return Math.round(STEPS * Math.min(1, Math.max(0, part)));
  };
  const slider = h("input", {
    type: "range",
    min: 0,
    max: STEPS,
    step: 1,
    "aria-label": `${first.label}, slider`,
    list: usual && `${id}-ticks`,
  });
  // The tick of the default: its place changes with the range of the slider.
  const tick = h("option", {});
  const usually = usual && (usual.kind === "number" ? usual.value : usual.number);
  const box = h("input", {
    type: "text",
    id,
    autocomplete: "off",
    spellcheck: "false",
    inputmode: first.kind === "number" ? "decimal" : "text",
  });
  const words = (value: number): string =>
    products() !== null ? `${value} BDP` : control.unit ? quantity(value, control.unit) : String(value);
  const sent = (value: number): Json => (products() !== null ? `${value}BDP` : value);
  const label = (): void => slider.setAttribute("aria-valuetext", words(toValue(Number(slider.value))));
  slider.addEventListener("input", () => {
    const value = toValue(Number(slider.value));
    box.value = words(value);
    label();
    set(sent(value), false);
  });
  slider.addEventListener("change", () => set(sent(toValue(Number(slider.value))), true));
  // Keys move a slider by 10 or 100 of its 1000 steps, so that its value changes visibly.
  slider.addEventListener("keydown", (event) => {
    const by = (
      { ArrowLeft: -10, ArrowDown: -10, ArrowRight: 10, ArrowUp: 10, PageDown: -100, PageUp: 100 } as {
        [key: string]: number;
      }
    )[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const before = toValue(Number(slider.value));
    let position = Number(slider.value) + by;
    while (toValue(position) === before && position > 0 && position < STEPS) position += Math.sign(by);
    slider.value = String(position);
    slider.dispatchEvent(new Event("input"));
    slider.dispatchEvent(new Event("change"));
  });
  // A bare number has the unit of the value that it replaces.
  const inUnit = (value: number): Json => {
    const unit = control.kind === "quantity" ? /[a-zA-Zµ].*$/.exec(spaced(show(control.value)))?.[0] : undefined;
    return unit === undefined ? value : `${value}${unit}`;
  };
  let typing = false;
  box.addEventListener("input", () => {
    typing = true;
  });
  box.addEventListener("change", () => {
    typing = false;
    const typed = box.value.trim();
    const numeral = Number(typed);
    set(typed === "" ? null : Number.isFinite(numeral) ? inUnit(numeral) : typed.replace(/(\d)\s+(?=\D)/, "$1"), true);
  });
  return {
    elements: usual ? [box, slider, h("datalist", { id: `${id}-ticks` }, tick)] : [box, slider],
    inputs: [box, slider],
    update(next) {
      control = next;
      const value = now();
      const text =
        control.kind === "number"
          ? control.unit && value !== null
            ? words(value)
            : show(control.value)
          : show(control.value);
      // A text that is being typed stays, and so does a refused value, beside its error.
      if (!typing) box.value = spaced(text);
      slider.hidden = !(high() > low());
      if (place.root.activeElement !== slider || slider.dataset.known === undefined)
        slider.value = String(value === null ? 0 : toPosition(value));
      slider.dataset.known = "";
      slider.classList.toggle("unset", value === null);
      if (typeof usually === "number") tick.value = String(toPosition(usually));
      label();
    },
  };
}

function choice(id: string, first: Control, set: SetValue): Parts {
  const choices = first.choices ?? [];
  const select = h(
    "select",
    { id, onchange: () => set(choices[select.selectedIndex]?.value ?? null, true) },
    ...choices.map((each) => h("option", {}, each.label)),
  );
  return {
    elements: [select],
    inputs: [select],
    update: (control) => {
      select.selectedIndex = choices.findIndex((each) => JSON.stringify(each.value) === JSON.stringify(control.value));
    },
  };
}

function bool(id: string, _first: Control, set: SetValue): Parts {
  const box = h("input", { type: "checkbox", id, onchange: () => set(box.checked, true) });
  return {
    elements: [box],
    inputs: [box],
    update: (control) => {
      box.checked = control.value === true;
    },
  };
}

function text(id: string, _first: Control, set: SetValue): Parts {
  const box = h("input", {
    type: "text",
    id,
    autocomplete: "off",
    spellcheck: "false",
    onchange: () => set(box.value === "" ? null : box.value, true),
  });
  return {
    elements: [box],
    inputs: [box],
    update: (control) => {
      if (place.root.activeElement !== box) box.value = show(control.value);
    },
  };
}
