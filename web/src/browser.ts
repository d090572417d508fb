// The page in a browser window: its address, its token, and requests over HTTP.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import "./views.css";
import "./papers.css";
import "./print.css";
import "./phase.css";
import "./start.css";
import { setPlace } from "./place";

const KEY = "headgate-token";
const night = window.matchMedia("(prefers-color-scheme: dark)");

/** Whether the page is being printed: paper is white, even if the screen is dark. */
let printing = false;
window.addEventListener("beforeprint", () => {
  printing = true;
});
window.addEventListener("afterprint", () => {
  printing = false;
});

/** Reads the token and removes it from the address bar, so that links that people copy do not hold it. */
function readToken(): string {
  const url = new URL(location.href);
  const token = url.searchParams.get("t");
  if (token !== null) {
    sessionStorage.setItem(KEY, token);
    url.searchParams.delete("t");
    history.replaceState(history.state, "", url);
  }
  return token ?? sessionStorage.getItem(KEY) ?? "";
}

const token = readToken();

setPlace({
  holder: document.getElementById("app") as HTMLElement,
  root: document,
  fetch: (path, init) => fetch(path, { ...init, headers: { ...init.headers, "X-Headgate-Token": token } }),
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
});
