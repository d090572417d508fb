// The service worker of the page without a server: after the first visit the page needs no host.

/** The files of the page, relative to it, and a hash of what is in them: vite.config.ts writes both. */
declare const FILES: readonly string[];
declare const VERSION: string;

/** What this needs of the types of service workers, which would clash with those of windows. */
interface Scope extends EventTarget {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
}
interface LongEvent extends Event {
  waitUntil(work: Promise<void>): void;
}
interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

const scope = self as unknown as Scope;
// Other pages of the same host, such as another version under another path, have caches of their own.
const OWN = `headgate ${scope.registration.scope} `;
const NAME = OWN + VERSION;
/** What the first visit does not need, and is kept when it was needed. */
const LATER = "/headgate-replay.wasm.gz";

scope.addEventListener("install", (event) => {
  const fill = async (): Promise<void> => {
    const cache = await caches.open(NAME);
    await cache.addAll(FILES.map((file) => new Request(new URL(file, scope.registration.scope), { cache: "reload" })));
    await scope.skipWaiting();
  };
  (event as LongEvent).waitUntil(fill());
});

scope.addEventListener("activate", (event) => {
  const clean = async (): Promise<void> => {
    for (const name of await caches.keys()) if (name.startsWith(OWN) && name !== NAME) await caches.delete(name);
    await scope.clients.claim();
  };
  (event as LongEvent).waitUntil(clean());
});

scope.addEventListener("fetch", (event) => {
  const { request } = event as FetchEvent;
  if (request.method !== "GET" || !request.url.startsWith(scope.registration.scope)) return;
  const answer = async (): Promise<Response> => {
    const cache = await caches.open(NAME);
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    const found = await fetch(request);
    if (found.ok && request.url.endsWith(LATER)) await cache.put(request, found.clone());
    return found;
  };
  (event as FetchEvent).respondWith(answer());
});
