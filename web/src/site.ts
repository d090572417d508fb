// The page without a server: what depends on no input lies in files beside the page, and a worker answers the rest.

import { isReplay } from "./link";
import { type Message, Messages } from "./messages";
import { setPlace } from "./place";
import type { Json, Scenario } from "./types";
import { inWindow } from "./window";

/** The answers to a lesson, which are known beforehand: those to its question, and the one to any other value. */
interface LessonAnswers {
  scenario: Json;
  answers: { [answer: string]: Json };
  other: Json;
}

/** What answers some requests in the place of the worker. */
interface Other {
  takes(path: string, body: string): boolean;
  fetch(path: string, init: RequestInit): Promise<Response>;
}

let other: Other | null = null;

export function answerBy(next: Other): void {
  other = next;
}

/** A module in a worker, which is begun with the first request that needs it. */
class Simulator implements Other {
  private worker: Worker | null = null;
  private readonly requests = new Messages((message) => this.begun().postMessage(message), "page");

  constructor(
    private readonly begin: () => Worker,
    /** Whether a request is one for this module. */
    readonly takes: (path: string, body: string) => boolean,
  ) {}

  fetch(path: string, init: RequestInit): Promise<Response> {
    return this.requests.fetch(path, init);
  }

  /** Hands over a file that the request after it opens. */
  give(file: File): void {
    this.begun().postMessage({ file });
  }

  private begun(): Worker {
    if (this.worker) return this.worker;
    const own = this.begin();
    own.onmessage = ({ data }: MessageEvent<Message & { data?: ArrayBuffer; fault?: string }>) => {
      if (data.fault === undefined) this.requests.receive(data, data.data);
      else this.ended(own, data.fault);
    };
    own.onerror = (event) => this.ended(own, event.message || "its worker ended");
    this.worker = own;
    return own;
  }

  /** Reports a fault of the worker to all that wait for it. The next request begins another one. */
  private ended(own: Worker, fault: string): void {
    own.terminate();
    if (this.worker !== own) return;
    this.worker = null;
    this.requests.fail(
      `The simulator has ended, which is a fault of headgate: ${fault}. The next run begins it again.`,
    );
  }
}

const runs = new Simulator(
  () => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" }),
  () => true,
);
/** A module with replays is larger, and is loaded when there is a capture. Its worker has the name of the module. */
const replays = new Simulator(
  () => new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "headgate-replay" }),
  ofReplay,
);

/** Whether a request is about a replay: it opens a capture, has settings of a replay, or asks for one that was run. */
function ofReplay(path: string, body: string): boolean {
  if (/^\/api\/(replay|run\/replay-)/.test(path)) return true;
  if (!body.includes('"replay":')) return false;
  const { scenario } = JSON.parse(body) as { scenario?: Scenario };
  return isReplay(scenario);
}

function file(path: string): Promise<Response> {
  return fetch(new URL(`data/${path}.json`, document.baseURI));
}

async function answered(name: string, body: string): Promise<Response> {
  const response = await file(`answers/${name}`);
  if (!response.ok) return response;
  const known = (await response.json()) as LessonAnswers;
  const { scenario, answer } = JSON.parse(body) as { scenario: Json; answer: string };
  const same = JSON.stringify(scenario) === JSON.stringify(known.scenario);
  return new Response(`${JSON.stringify({ done: (same && known.answers[answer]) || known.other })}\n`);
}

function send(path: string, init: RequestInit): Promise<Response> {
  const body = typeof init.body === "string" ? init.body : "{}";
  const [, answer] = /^\/api\/lessons\/([\w-]+)\/answer$/.exec(path) ?? [];
  if (answer !== undefined) return answered(answer, body);
  const [, fixed] = /^\/api\/(start|front(?:\/files)?|lessons\/[\w-]+)$/.exec(path) ?? [];
  if (fixed !== undefined) return file(fixed);
  if (path === "/api/own/paths") return file("own-paths");
  const by = [replays, other].find((each) => each?.takes(path, body)) ?? runs;
  if (path !== "/api/front/open") return by.fetch(path, init);
  const { kind, name } = JSON.parse(body) as { kind: string; name: string };
  return file(`open/${kind}/${encodeURIComponent(name)}`);
}

setPlace({
  ...inWindow,
  fetch: send,
  give: (file) => replays.give(file),
  lacks: new Set(["compare", "replayed packets", "tables"]),
  documentation: "../index.html",
});
