// The page in a browser window: its address, its token, and requests over HTTP.

import "uplot/dist/uPlot.min.css";
import "./style.css";
import "./views.css";
import "./papers.css";
import "./print.css";
import "./phase.css";
import "./start.css";
import { settle } from "./place";

const KEY = "headgate-token";
const night = window.matchMedia("(prefers-color-scheme: dark)");

/** Paper is white, whatever the screen is. */
let printing = false;
window.addEventListener("beforeprint", () => {
  printing = true;
});
window.addEventListener("afterprint", () => {
  printing = false;
});

/** Takes the token out of the address bar: links that people copy do not carry it. */
function takeToken(): string {
  const url = new URL(location.href);
  const given = url.searchParams.get("t");
  if (given !== null) {
    sessionStorage.setItem(KEY, given);
    url.searchParams.delete("t");
    history.replaceState(history.state, "", url);
  }
  return given ?? sessionStorage.getItem(KEY) ?? "";
}

const token = takeToken();

settle({
  holder: document.getElementById("app") as HTMLElement,
  root: document,
  ask: (path, init) => fetch(path, { ...init, headers: { ...init.headers, "X-Headgate-Token": token } }),
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
