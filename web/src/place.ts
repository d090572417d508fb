// The environment of the page: a browser window with a server (browser.ts) or without one (site.ts), or a cell of a
// notebook (notebook.ts).

import type { Scenario } from "./types";

/** Parts of the page that need a server. */
export type Part = "compare" | "replayed packets" | "tables";

/** A page that this place has besides those of every place. */
export interface More {
  name: string;
  label: string;
  element: HTMLElement;
  /** It is shown. */
  open(): void;
  /** What it adds to an address of these scenarios, or of itself while it is shown. */
  address(shown: boolean, scenarios: readonly Scenario[]): Promise<string[]>;
  /** Takes what it has added to an address, before the scenarios of the address are run. */
  restore(found: ReadonlyMap<string, string>): Promise<void>;
}

export interface Place {
  /** The element that the page fills, and the tree of elements that it is part of. */
  holder: HTMLElement;
  root: Document | ShadowRoot;
  /** Sends a request as the browser's fetch does, with the token of the server. */
  fetch(path: string, init: RequestInit): Promise<Response>;
  /** Hands over a file that the request after it opens, where the page itself reads files. */
  give?(file: File): void;
  /** What is not shown here, since nothing answers it. */
  lacks?: ReadonlySet<Part>;
  /** Makes its own pages: `explore` opens a scenario, and `changed` is to be called when the address has changed. */
  more?: (explore: (scenario: Scenario) => void, changed: () => void) => readonly More[];
  /** What a link needs besides a scenario that only this page can run, such as `own=...`; nothing for other scenarios. */
  besides?(scenario: Scenario): Promise<string[]>;
  /** The address of the documentation, where it lies beside the page. */
  documentation?: string;
  /** The fragment of the address, from which the page can be restored. */
  hash(): string;
  go(hash: string, push: boolean): void;
  onBack(listener: () => void): void;
  title(words: string): void;
  /** The address of this page with another fragment. */
  link(fragment: string): string;
  dark(): boolean;
  onTheme(change: () => void): void;
}

export let place: Place;

/** Sets the environment. It is called once, before the page is built. */
export function setPlace(next: Place): void {
  place = next;
}

/** Whether a part of the page is shown here. */
export function has(part: Part): boolean {
  return !place.lacks?.has(part);
}
