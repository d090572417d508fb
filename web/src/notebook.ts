// The page in a cell of a notebook: requests are messages to the kernel (python/headgate/explore/messages.py), and its styles stay within it.

import uplot from "uplot/dist/uPlot.min.css?inline";
import { tell } from "./api";
import phase from "./phase.css?inline";
import { settle } from "./place";
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

/** The argument of `render`: the bundle is the body of that function (vite.config.ts), so that each view has a separate page. */
declare const context: { model: AnyModel; el: HTMLElement };
export const kernel = context.model;

const PREFIX = Math.random().toString(36).slice(2, 10);
/** Milliseconds after which a kernel that says nothing is taken for busy. */
const QUIET = 3000;
/** Parts of an answer between two words to the kernel that they arrive. */
const HEARD = 10;

interface Asked {
  begin(answer: Response): void;
  fail(error: unknown): void;
  body: ReadableStreamDefaultController<Uint8Array> | null;
  parts: number;
}
type Message = { answer?: string; status?: number; type?: string; part?: string; last?: boolean };

const asked = new Map<string, Asked>();
let count = 0;
let quiet = 0;
let busy = false;

function ask(path: string, init: RequestInit): Promise<Response> {
  count += 1;
  const name = `${PREFIX}-${count}`;
  const { signal } = init;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const entry: Asked = { begin: resolve, fail: reject, body: null, parts: 0 };
    asked.set(name, entry);
    kernel.send({
      ask: name,
      method: init.method ?? "GET",
      path,
      body: typeof init.body === "string" ? init.body : null,
    });
    wait();
    signal?.addEventListener("abort", () => {
      if (!asked.delete(name)) return;
      kernel.send({ stop: name });
      entry.body?.error(signal.reason);
      reject(signal.reason);
    });
  });
}

/** Says so when the kernel leaves requests unanswered: it works on a cell, or is gone. */
function wait(): void {
  clearTimeout(quiet);
  if (busy && asked.size < 1) free();
  if (asked.size > 0 && !busy)
    quiet = window.setTimeout(() => {
      busy = true;
      tell("busy");
    }, QUIET);
}

function free(): void {
  busy = false;
  tell("free");
}

function hear(message: Message, buffers: (DataView | ArrayBuffer)[] = []): void {
  const name = message.answer ?? message.part ?? "";
  const entry = asked.get(name);
  if (!entry) return;
  if (busy) free();
  if (message.answer !== undefined) {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        entry.body = controller;
      },
    });
    entry.begin(new Response(body, { status: message.status ?? 500, headers: { "Content-Type": message.type ?? "" } }));
  } else {
    const data = buffers[0];
    if (data?.byteLength)
      entry.body?.enqueue(
        data instanceof ArrayBuffer
          ? new Uint8Array(data)
          : new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
      );
    entry.parts += 1;
    if (message.last) {
      asked.delete(name);
      entry.body?.close();
    } else if (entry.parts % HEARD === 0) kernel.send({ heard: name });
  }
  wait();
}

const host = document.createElement("div");
// Keys that are meant for the page are no commands of the notebook: JupyterLab listens before the page, others after it.
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

/** Whether the notebook is dark: by the ground on which the cell stands, since each notebook has a separate switch for it. */
function dark(): boolean {
  for (let at: Node | null = context.el; at; at = at.parentNode ?? (at as ShadowRoot).host ?? null) {
    if (!(at instanceof Element)) continue;
    const found = /rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)/.exec(getComputedStyle(at).backgroundColor);
    if (found && found[4] !== "0") return Number(found[1]) + Number(found[2]) + Number(found[3]) < 384;
  }
  return false;
}

const themes: (() => void)[] = [];
let night = dark();
function dress(): void {
  host.style.colorScheme = night ? "dark" : "light";
}
dress();
const watcher = new MutationObserver(() => {
  if (night === dark()) return;
  night = !night;
  dress();
  for (const change of themes) change();
});
for (const each of [document.documentElement, document.body]) watcher.observe(each, { attributes: true });

kernel.on("msg:custom", hear);
let hash = "";

settle({
  holder,
  root,
  ask,
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

/** The cell is gone, and with it what was asked for. */
export function leave(): void {
  kernel.off("msg:custom", hear);
  kernel.send({ leave: PREFIX });
  clearTimeout(quiet);
  watcher.disconnect();
  asked.clear();
}
