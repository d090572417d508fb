// Builds elements. No part of the page is made from markup: a text becomes a text node, so that names never become
// markup.

import { place } from "./place";

type Child = Node | string | number | null | undefined | false;
type Props = { [name: string]: string | number | boolean | null | undefined | ((event: never) => void) };

function fill(element: Element, props: Props, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value as unknown as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
}

function append(element: Element, children: readonly Child[]): void {
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      element.append(typeof child === "object" ? child : String(child));
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, props, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, props, children);
  return element;
}

export function replace(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

let counter = 0;
export function uid(prefix: string): string {
  counter += 1;
  return `${prefix}-${counter}`;
}

/** Hands a file to the browser's downloads. */
export function download(name: string, data: Blob): void {
  const url = URL.createObjectURL(data);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const speaker = h("div", { class: "hidden", role: "status", "aria-live": "polite" });
/** Says a sentence to screen readers. */
export function announce(text: string): void {
  if (!speaker.isConnected) place.holder.append(speaker);
  speaker.textContent = text;
}
