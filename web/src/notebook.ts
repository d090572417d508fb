// The page in a cell of a notebook: requests are messages to the kernel (python/headgate/explore/messages.py), and its
// styles stay within it.

import uplot from "uplot/dist/uPlot.min.css?inline";
import { notify } from "./api";
import { type Message, Messages } from "./messages";
import phase from "./phase.css?inline";
import { setPlace } from "./place";
import start from "./start.css?inline";
import style from "./style.css?inline";
import type { Json } from "./types";
import views from "./views.css?inline";

/** What anywidget gives to a widget (https://anywidget.dev/en/afm/). */
interface AnyModel {
  get(name: string): Json;
  set(name: string, value: Json): void;
  save_changes(): void;
  send(message: Json): void;
  on(event: string, listener: (...args: never[]) => void): void;
  off(event: string, listener: (...args: never[]) => void): void;
}

/**
 * The argument of `render`: the bundle is the body of that function (vite.config.ts), so that each view has a separate
 * page.
 */
declare const context: { model: AnyModel; el: HTMLElement };
export const kernel = context.model;

const PREFIX = Math.random().toString(36).slice(2, 10);
/** Milliseconds without a message after which a kernel counts as busy. */
const BUSY_AFTER_MS = 3000;
const requests = new Messages((message) => kernel.send(message), PREFIX);
let busyTimer = 0;
let busy = false;

function sendRequest(path: string, init: RequestInit): Promise<Response> {
  const response = requests.fetch(path, init);
  wait();
  return response;
}

/** Reports the kernel as busy when it leaves requests unanswered: it runs a cell, or was stopped. */
function wait(): void {
  clearTimeout(busyTimer);
  if (busy && requests.size < 1) free();
  if (requests.size > 0 && !busy)
    busyTimer = window.setTimeout(() => {
      busy = true;
      notify("busy");
    }, BUSY_AFTER_MS);
}

function free(): void {
  busy = false;
  notify("free");
}

function receive(message: Message, buffers: (DataView | ArrayBuffer)[] = []): void {
  if (!requests.receive(message, buffers[0])) return;
  if (busy) free();
  wait();
}

const host = document.createElement("div");
// Keys that are pressed on the page must not be commands of the notebook: JupyterLab listens before the page, others
// after it.
host.setAttribute("data-lm-suppress-shortcuts", "true");
for (const kind of ["keydown", "keypress", "keyup"]) host.addEventListener(kind, (event) => event.stopPropagation());
const root = host.attachShadow({ mode: "open" });
const holder = document.createElement("div");
holder.id = "app";
const sheets = [uplot, style, views, phase, start].map((text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
});
root.adoptedStyleSheets = sheets;
root.append(holder);
context.el.append(host);

/**
 * Whether the notebook is dark. The background of the cell decides, since each kind of notebook has its own setting.
 */
function dark(): boolean {
  for (let at: Node | null = context.el; at; at = at.parentNode ?? (at as ShadowRoot).host ?? null) {
    if (!(at instanceof Element)) continue;
    const channels = /rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)/.exec(getComputedStyle(at).backgroundColor);
    if (channels && channels[4] !== "0") return Number(channels[1]) + Number(channels[2]) + Number(channels[3]) < 384;
  }
  return false;
}

const themes: (() => void)[] = [];
let night = dark();
function setColourScheme(): void {
  host.style.colorScheme = night ? "dark" : "light";
}
setColourScheme();
const watcher = new MutationObserver(() => {
  if (night === dark()) return;
  night = !night;
  setColourScheme();
  for (const change of themes) change();
});
for (const each of [document.documentElement, document.body]) watcher.observe(each, { attributes: true });

kernel.on("msg:custom", receive);
let hash = "";

setPlace({
  holder,
  root,
  fetch: sendRequest,
  hash: () => hash,
  go(next) {
    hash = next;
  },
  onBack: () => undefined,
  title: () => undefined,
  link: (fragment) => fragment,
  dark: () => night,
  onTheme: (change) => themes.push(change),
});

/** Ends all requests after the cell was removed. */
export function leave(): void {
  kernel.off("msg:custom", receive);
  kernel.send({ leave: PREFIX });
  clearTimeout(busyTimer);
  watcher.disconnect();
  requests.clear();
}
