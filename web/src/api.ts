// Requests to the server. A failed connection is reported once and tried again until the server is back.

import { place } from "./place";
import type { ErrorBody } from "./types";

export class ApiError extends Error {
  constructor(
    readonly body: ErrorBody,
    readonly status: number,
  ) {
    super(body.message);
  }
}

/** The server cannot be reached. */
export class Gone extends Error {}

/** In a notebook the kernel is `busy` while it leaves requests unanswered, and then `free`. */
type State = "up" | "down" | "stranger" | "busy" | "free";
type Listener = (state: State) => void;
const listeners: Listener[] = [];
let up = true;

export function onConnection(listener: Listener): void {
  listeners.push(listener);
}

export function tell(state: State): void {
  for (const listener of listeners) listener(state);
}

async function watch(): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    try {
      const answer = await place.ask("/api/start", {});
      await answer.arrayBuffer();
      if (answer.ok) {
        up = true;
        tell("up");
        return;
      }
      if (answer.status === 403) tell("stranger");
    } catch {
      // Still away.
    }
  }
}

function lost(): Gone {
  if (up) {
    up = false;
    tell("down");
    void watch();
  }
  return new Gone("The server does not answer.");
}

async function failure(answer: Response): Promise<ApiError> {
  try {
    const body = (await answer.json()) as { error?: ErrorBody };
    if (body.error) return new ApiError(body.error, answer.status);
  } catch {
    // Not JSON: the status says what there is to say.
  }
  return new ApiError(
    { message: `The server answered with status ${answer.status}.`, path: null, line: null },
    answer.status,
  );
}

async function send(path: string, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await place.ask(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw lost();
  }
  if (!answer.ok) throw await failure(answer);
  return answer;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await send(path, signal ? { signal } : {})).json()) as T;
}

export async function blob(path: string): Promise<Blob> {
  return (await send(path, {})).blob();
}

function posted(body: unknown, signal?: AbortSignal): RequestInit {
  const init: RequestInit = {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json" },
  };
  return signal ? { ...init, signal } : init;
}

export async function post<T>(path: string, body: object, signal?: AbortSignal): Promise<T> {
  return (await (await send(path, posted(body, signal))).json()) as T;
}

/** Posts, and reads the answer's lines until one is done. Rejects with an ApiError where a line carries an error. */
export async function stream<T>(
  path: string,
  body: object,
  signal: AbortSignal,
  progress: (part: number) => void,
  preview?: (part: T) => void,
): Promise<T> {
  const answer = await send(path, posted(body, signal));
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    let step: { done: boolean; value?: Uint8Array | undefined };
    try {
      step = await reader.read();
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw lost();
    }
    rest += step.done ? "\n" : decoder.decode(step.value, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.trim()) continue;
      const found = JSON.parse(line) as { progress?: number; preview?: T; done?: T; error?: ErrorBody };
      if (found.error) throw new ApiError(found.error, 422);
      if (found.done !== undefined) return found.done;
      if (found.preview !== undefined) preview?.(found.preview);
      if (found.progress !== undefined) progress(found.progress);
    }
    if (step.done) throw new ApiError({ message: "The run ended without a result.", path: null, line: null }, 500);
  }
}

export function aborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

export function explain(error: unknown): ErrorBody {
  if (error instanceof ApiError) return error.body;
  return { message: error instanceof Error ? error.message : String(error), path: null, line: null };
}
