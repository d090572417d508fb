// The environment of the page: a browser window with a server (browser.ts) or without one (site.ts), or a cell of a
// notebook (notebook.ts).

/** Parts of the page that need a server. */
export type Part = "compare" | "packets" | "tables";

export interface Place {
  /** The element that the page fills, and the tree of elements that it is part of. */
  holder: HTMLElement;
  root: Document | ShadowRoot;
  /** Sends a request as the browser's fetch does, with the token of the server. */
  fetch(path: string, init: RequestInit): Promise<Response>;
  /** What is not shown here, since nothing answers it. */
  lacks?: ReadonlySet<Part>;
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
