// Answers requests in a worker with the module, and does long work a piece at a time, so that other requests are
// answered and the work can be stopped meanwhile.

import { BEGUN, type Engine, MORE, WHOLE } from "./engine";

/**
 * Long work: its request, when it began and when the page heard of it last, in ms, and the events of its next piece. What
 * is `whole` has no lines: it ends with the whole answer. A `run` goes first, so that what is asked of the last one does
 * not delay it.
 */
interface Job {
  name: string;
  work: number;
  began: number;
  told: number;
  events: number;
  whole: boolean;
  run: boolean;
}

type Asked = { ask: string; path: string; body: string | null } | { stop: string } | { heard: string } | { file: File };

/** Milliseconds that a piece of work takes, and between two reports of progress. */
const PIECE_MS = 12;
const REPORT_MS = 100;

const jobs: Job[] = [];
let engine: Promise<Engine>;
/** A file that is handed over: requests wait for it. */
let given: Promise<void> = Promise.resolve();
let running = false;

/** Lets messages arrive before the next piece of work: a timer would wait longer. */
const { port1, port2 } = new MessageChannel();
port2.onmessage = () => void guarded(work);

function head(name: string, status: number, type: string): void {
  postMessage({ answer: name, status, type });
}

function part(name: string, text: Uint8Array<ArrayBuffer>, last: boolean): void {
  postMessage({ part: name, last, data: text.buffer }, { transfer: [text.buffer] });
}

function line(name: string, text: Uint8Array<ArrayBuffer>, last: boolean): void {
  const ended = new Uint8Array(text.length + 1);
  ended.set(text);
  ended[text.length] = 10;
  part(name, ended, last);
}

/** A request as the module reads it. */
function request(path: string, body: string | null): string {
  const at = new URL(path, "http://page");
  const query = JSON.stringify(Object.fromEntries(at.searchParams));
  return `{"path":${JSON.stringify(decodeURIComponent(at.pathname))},"query":${query},"body":${body ?? "null"}}`;
}

async function ask(name: string, path: string, body: string | null): Promise<void> {
  await given;
  const { status, text } = (await engine).ask(request(path, body));
  if (status !== BEGUN && status !== WHOLE) {
    head(name, status, "application/json");
    part(name, text, true);
    return;
  }
  const whole = status === WHOLE;
  if (!whole) head(name, 200, "application/x-ndjson");
  const now = performance.now();
  const [work, run] = [Number(new TextDecoder().decode(text)), path === "/api/run"];
  jobs.push({ name, work, began: now, told: now, events: 1024, whole, run });
  next();
}

function next(): void {
  if (running || jobs.length === 0) return;
  running = true;
  port1.postMessage(null);
}

async function work(): Promise<void> {
  running = false;
  const at = jobs.findIndex((each) => each.run);
  const [job] = jobs.splice(Math.max(at, 0), 1);
  if (!job) return;
  const start = performance.now();
  const { status, text } = (await engine).step(job.work, job.events, (start - job.began) / 1000);
  const end = performance.now();
  const factor = PIECE_MS / Math.max(end - start, 0.1);
  job.events = Math.round(Math.min(Math.max(job.events * Math.min(Math.max(factor, 0.25), 4), 64), 1 << 20));
  const more = status === MORE;
  if (more) jobs.push(job);
  if (job.whole) {
    if (!more) {
      head(job.name, status, "application/json");
      part(job.name, text, true);
    }
  } else if (!more || end - job.told >= REPORT_MS) {
    job.told = end;
    line(job.name, text, !more);
  }
  next();
}

async function stop(name: string): Promise<void> {
  const at = jobs.findIndex((job) => job.name === name);
  const [job] = at < 0 ? [] : jobs.splice(at, 1);
  if (job) (await engine).stop(job.work);
}

/** A fault ends the module and this worker: the page begins another one. */
async function guarded(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    let fault = error instanceof Error ? error.message : String(error);
    if (error instanceof WebAssembly.RuntimeError) fault = `${(await engine).fault()} (${fault})`;
    postMessage({ fault });
    close();
  }
}

/** Begins to answer with this module. */
export function serve(by: Promise<Engine>): void {
  engine = by;
  addEventListener("message", ({ data }: MessageEvent<Asked>) => {
    if ("ask" in data) void guarded(() => ask(data.ask, data.path, data.body));
    else if ("stop" in data) void guarded(() => stop(data.stop));
    else if ("file" in data) given = guarded(async () => (await engine).take(data.file));
  });
}
