// The page without a server: what depends on no input lies in files beside the page, and a worker answers the rest.

import { type Message, Messages } from "./messages";
import { setPlace } from "./place";
import type { Json } from "./types";
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

let worker: Worker | null = null;
const requests = new Messages((message) => begun().postMessage(message), "page");

/** The worker, which is begun with the first request that needs it. */
function begun(): Worker {
  if (worker) return worker;
  const own = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  own.onmessage = ({ data }: MessageEvent<Message & { data?: ArrayBuffer; fault?: string }>) => {
    if (data.fault === undefined) requests.receive(data, data.data);
    else ended(own, data.fault);
  };
  own.onerror = (event) => ended(own, event.message || "its worker ended");
  worker = own;
  return own;
}

/** Reports a fault of the worker to all that wait for it. The next request begins another one. */
function ended(own: Worker, fault: string): void {
  own.terminate();
  if (worker !== own) return;
  worker = null;
  requests.fail(`The simulator has ended, which is a fault of headgate: ${fault}. The next run begins it again.`);
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
  if (path !== "/api/front/open") return (other?.takes(path, body) ? other : requests).fetch(path, init);
  const { kind, name } = JSON.parse(body) as { kind: string; name: string };
  return file(`open/${kind}/${encodeURIComponent(name)}`);
}

setPlace({
  ...inWindow,
  fetch: send,
  lacks: new Set(["compare", "tables"]),
  documentation: "../index.html",
});
