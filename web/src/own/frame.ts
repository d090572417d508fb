// The frame in which a control of the page runs. It is sandboxed and has an origin of its own, and its policy allows no
// request: what a link brings can compute, and nothing else. It is written into the page, since a service worker answers
// no frame of another origin, and the page is to work without a network. vite.config.ts allows its script by its hash.

/** Its script: it hands messages on between the page and a worker. */
export const SCRIPT = `addEventListener("message", ({ data, ports: [port] }) => {
  const worker = new Worker(URL.createObjectURL(new Blob([data.script], { type: "text/javascript" })));
  worker.onmessage = ({ data: said }) => port.postMessage(said, said.data ? [said.data] : []);
  worker.onerror = (event) => port.postMessage({ fault: event.message || "its worker ended" });
  port.onmessage = ({ data: asked }) => worker.postMessage(asked);
  worker.postMessage(data.module, [data.module]);
}, { once: true });`;

/** Its policy, besides that of the page. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline' blob: 'wasm-unsafe-eval'; worker-src blob:";

export const FRAME = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}"><script>${SCRIPT}</script>`;
