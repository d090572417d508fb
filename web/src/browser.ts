// The page in a browser window: its token, and requests over HTTP.

import { setPlace } from "./place";
import { inWindow } from "./window";

const KEY = "headgate-token";

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
  ...inWindow,
  fetch: (path, init) => fetch(path, { ...init, headers: { ...init.headers, "X-Headgate-Token": token } }),
});
