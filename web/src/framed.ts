// The page in a frame of the documentation: it has the colours of the page around it, and the frame has its height.

import { place, setPlace } from "./place";

/** The frame, if the page around it is of the same host. */
const frame = window.frameElement as HTMLElement | null;
/** The documentation's own choice of colours: `light`, `dark` or `auto`. */
const theme = (): string | undefined => frame?.ownerDocument.body.dataset.theme;

const { dark: wanted, onTheme } = place;
const listeners: (() => void)[] = [];

function dark(): boolean {
  const chosen = theme();
  return chosen === "dark" || (chosen !== "light" && wanted());
}

let night = dark();
function colours(): void {
  document.documentElement.style.colorScheme = night ? "dark" : "light";
}
function changed(): void {
  if (night === dark()) return;
  night = !night;
  colours();
  for (const listener of listeners) listener();
}
colours();
onTheme(changed);
if (frame) {
  new MutationObserver(changed).observe(frame.ownerDocument.body, { attributeFilter: ["data-theme"] });
  new ResizeObserver(() => {
    frame.style.height = `${Math.ceil(place.holder.getBoundingClientRect().height)}px`;
  }).observe(place.holder);
}

setPlace({ ...place, dark: () => night, onTheme: (change) => listeners.push(change) });
