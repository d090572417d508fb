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
export class Unreachable extends Error {}

/** In a notebook the kernel is `busy` while it leaves requests unanswered, and then `free`. */
type State = "up" | "down" | "forbidden" | "busy" | "free";
type Listener = (state: State) => void;
const listeners: Listener[] = [];
let up = true;

export function onConnection(listener: Listener): void {
  listeners.push(listener);
}

export function notify(state: State): void {
  for (const listener of listeners) listener(state);
}

async function watch(): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    try {
      const response = await place.fetch("/api/start", {});
      await response.arrayBuffer();
      if (response.ok) {
        up = true;
        notify("up");
        return;
      }
      if (response.status === 403) notify("forbidden");
    } catch {
      // The server is still away.
    }
  }
}

function unreachable(): Unreachable {
  if (up) {
    up = false;
    notify("down");
    void watch();
  }
  return new Unreachable("The server does not answer.");
}

async function errorOf(response: Response): Promise<ApiError> {
  try {
    const body = (await response.json()) as { error?: ErrorBody };
    if (body.error) return new ApiError(body.error, response.status);
  } catch {
    // The body is not JSON, so that the error has the status only.
  }
  return new ApiError(
    { message: `The server answered with status ${response.status}.`, path: null, line: null },
    response.status,
  );
}

async function send(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await place.fetch(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw unreachable();
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await send(path, signal ? { signal } : {})).json()) as T;
}

export async function blob(path: string): Promise<Blob> {
  return (await send(path, {})).blob();
}

function postInit(body: unknown, signal?: AbortSignal): RequestInit {
  const init: RequestInit = {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json" },
  };
  return signal ? { ...init, signal } : init;
}

export async function post<T>(path: string, body: object, signal?: AbortSignal): Promise<T> {
  return (await (await send(path, postInit(body, signal))).json()) as T;
}

/**
 * Posts a request, and reads the lines of the response until one has the result. Rejects with an ApiError if a line has
 * an error.
 */
export async function stream<T>(
  path: string,
  body: object,
  signal: AbortSignal,
  progress: (part: number) => void,
  preview?: (part: T) => void,
): Promise<T> {
  const response = await send(path, postInit(body, signal));
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    let step: { done: boolean; value?: Uint8Array | undefined };
    try {
      step = await reader.read();
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      throw unreachable();
    }
    rest += step.done ? "\n" : decoder.decode(step.value, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.trim()) continue;
      const message = JSON.parse(line) as { progress?: number; preview?: T; done?: T; error?: ErrorBody };
      if (message.error) throw new ApiError(message.error, 422);
      if (message.done !== undefined) return message.done;
      if (message.preview !== undefined) preview?.(message.preview);
      if (message.progress !== undefined) progress(message.progress);
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
