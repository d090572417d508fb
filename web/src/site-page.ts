// The page of `make site`.

import "./site";
import "./own/own";
import "./main";

// Where the page is no secure context there is none: the page then needs its host each time.
if ("serviceWorker" in navigator) void navigator.serviceWorker.register("offline.js").catch(() => undefined);
