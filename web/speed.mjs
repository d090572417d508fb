// Runs scenarios in the module of the page, for web/speed.py: a line with a scenario in, the digest and the seconds of
// its run out.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { gunzipSync } from "node:zlib";

const { instance } = await WebAssembly.instantiate(gunzipSync(readFileSync(process.argv[2])));
const module = instance.exports;

function reply(at) {
  const { buffer } = module.memory;
  const [status, length] = new Uint32Array(buffer, at, 2);
  return { status, text: new TextDecoder().decode(new Uint8Array(buffer, at + 8, length)) };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = new TextEncoder().encode(`{"path":"/api/digest","body":{"scenario":${line}}}`);
  const start = performance.now();
  new Uint8Array(module.memory.buffer, module.headgate_room(request.length), request.length).set(request);
  const begun = reply(module.headgate_ask());
  if (begun.status !== 202) throw new Error(begun.text);
  for (;;) {
    const { status, text } = reply(module.headgate_step(Number(begun.text), 1 << 20, 0));
    if (status === 206) continue;
    const { done, error } = JSON.parse(text);
    if (!done) throw new Error(error.message);
    console.log(JSON.stringify({ digest: done.digest, seconds: (performance.now() - start) / 1000 }));
    break;
  }
}
