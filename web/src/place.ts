// Where the page lives: in a browser window (browser.ts), or in a cell of a notebook (notebook.ts).

export interface Place {
  /** The element that the page fills, and the tree of elements that it is part of. */
  holder: HTMLElement;
  root: Document | ShadowRoot;
  /** Sends a request as fetch does; the token of the server is added. */
  ask(path: string, init: RequestInit): Promise<Response>;
  /** The fragment that brings back what is on the page. */
  hash(): string;
  go(hash: string, push: boolean): void;
  onBack(listener: () => void): void;
  title(words: string): void;
  /** A link with a fragment. */
  link(fragment: string): string;
  dark(): boolean;
  onTheme(change: () => void): void;
}

export let place: Place;

/** Called once, before the page begins. */
export function settle(found: Place): void {
  place = found;
}
