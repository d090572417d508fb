// The page in a browser window: its address and its colours.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import "./views.css";
import "./papers.css";
import "./print.css";
import "./phase.css";
import "./start.css";
import type { Place } from "./place";

const night = window.matchMedia("(prefers-color-scheme: dark)");

/** Whether the page is being printed: paper is white, even if the screen is dark. */
let printing = false;
window.addEventListener("beforeprint", () => {
  printing = true;
});
window.addEventListener("afterprint", () => {
  printing = false;
});

/** All of the environment but where requests go. */
export const inWindow: Omit<Place, "fetch"> = {
  holder: document.getElementById("app") as HTMLElement,
  root: document,
  hash: () => location.hash,
  go(hash, push) {
    const url = `${location.pathname}${location.search}${hash}`;
    if (push) history.pushState(null, "", url);
    else history.replaceState(null, "", url);
  },
  onBack: (listener) => window.addEventListener("popstate", listener),
  title(words) {
    document.title = words;
  },
  link: (fragment) => `${location.origin}${location.pathname}${fragment}`,
  dark: () => night.matches && !printing,
  onTheme(change) {
    night.addEventListener("change", change);
    for (const name of ["beforeprint", "afterprint"]) window.addEventListener(name, () => night.matches && change());
  },
};
