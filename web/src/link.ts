// A scenario in the fragment of the page's address: JSON, deflated without a header, in base64url. No server is needed
// to read it.

import type { Scenario } from "./types";

/** Whether these are the settings of a replay, whose trace only the server has. */
export function isReplay(scenario: Scenario | null | undefined): boolean {
  return scenario !== null && scenario !== undefined && "replay" in scenario;
}

/** The most text that a link may unpack to: a link is input from strangers. */
const MAX_BYTES = 4_000_000;

async function through(
  data: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = stream.writable.getWriter();
  // A broken stream rejects here as well as at the reader, which reports it.
  writer
    .write(data)
    .then(
      () => writer.close(),
      () => undefined,
    )
    .catch(() => undefined);
  const reader = stream.readable.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MAX_BYTES) throw new Error(`The link unpacks to more than ${MAX_BYTES} bytes.`);
    parts.push(value);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export async function pack(scenario: Scenario): Promise<string> {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(scenario)), new CompressionStream("deflate-raw"));
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function unpack(fragment: string): Promise<Scenario> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = Uint8Array.from(atob(fragment.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    bytes = await through(bytes, new DecompressionStream("deflate-raw"));
  } catch {
    throw new Error("This link does not hold a scenario: it was cut short or changed.");
  }
  const scenario: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (typeof scenario !== "object" || scenario === null || Array.isArray(scenario))
    throw new Error("This link does not hold a scenario.");
  return scenario as Scenario;
}

/** The fragment of an address, as names and values. */
export function fields(hash: string): Map<string, string> {
  return new Map(
    hash
      .replace(/^#/, "")
      .split("&")
      .filter(Boolean)
      .map((part) => {
        const at = part.indexOf("=");
        return at < 0 ? [part, ""] : [part.slice(0, at), decodeURIComponent(part.slice(at + 1))];
      }),
  );
}
