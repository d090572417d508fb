// A scenario in the fragment of the page's address: JSON, deflated without a header, in base64url. No server is needed
// to read it.

import type { Scenario } from "./types";

/** Whether these are the settings of a replay, whose trace only the server has. */
export function isReplay(scenario: Scenario | null | undefined): boolean {
  return scenario !== null && scenario !== undefined && "replay" in scenario;
}

/** The name of the trace of such settings. */
export function traceOf(settings: Scenario | null | undefined): string | undefined {
  return settings?.["replay" as never];
}

// As in python/headgate/scenario/links.py, which says where they come from; tests/tool/test_links.py compares them.
/** The longest fragment that is read, and the most text that it may unpack to: a link is input from strangers. */
export const LONGEST = 2_000_000;
export const LONGEST_TEXT = 8_000_000;
/** The longest link that is made, and the longest one that fits into an address bar. */
export const MOST = 1_000_000;
export const TYPED = 32_000;

/** A part of the input small enough that what it unpacks to takes little memory: at most 1032 times as much. */
const PART = 1024;

async function through(
  data: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  // In parts, each of which waits until the text of those before it was read: a browser unpacks what it is given whole.
  const writing = (async () => {
    for (let at = 0; at < data.length; at += PART) {
      await writer.ready;
      await writer.write(data.subarray(at, at + PART));
    }
    await writer.close();
  })();
  // A broken stream rejects here as well as at the reader, which reports it.
  writing.catch(() => undefined);
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > LONGEST_TEXT) {
      reader.cancel().catch(() => undefined);
      throw new LinkError(`This link holds more than ${LONGEST_TEXT / 1_000_000} MB, which no scenario has.`);
    }
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

/** What is wrong with a link, for people. */
class LinkError extends Error {}

export async function pack(scenario: object): Promise<string> {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(scenario)), new CompressionStream("deflate-raw"));
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function unpack(fragment: string): Promise<Scenario> {
  if (fragment.length > LONGEST)
    throw new LinkError(`This link has more than ${LONGEST / 1_000_000} million characters, which no scenario has.`);
  let scenario: unknown;
  try {
    if (!/^[\w-]*$/.test(fragment)) throw new LinkError(DAMAGED);
    const packed = Uint8Array.from(atob(fragment.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream("deflate-raw"));
    scenario = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), exact);
  } catch (error) {
    throw error instanceof LinkError ? error : new LinkError(DAMAGED);
  }
  if (typeof scenario !== "object" || scenario === null || Array.isArray(scenario))
    throw new LinkError("This link does not hold a scenario.");
  return scenario as Scenario;
}

const DAMAGED = "This link does not hold a scenario: it was cut short or changed.";

/** The value, unless it is a whole number that this browser would round: the run would not be that of the link. */
function exact(key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? ""))
    throw new LinkError(`This link has ${key} = ${context?.source}, which no browser holds exactly: at most 2^53-1.`);
  return value;
}

/** The command that gives the run of a link, of replication `number`, in a shell. */
export function command(fragment: string, number: number): string {
  return `headgate run '#s=${fragment}'${number > 0 ? ` --replications ${number + 1}` : ""}`;
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
