// Requests that are sent as messages: to the kernel of a notebook, or to the worker of a page without a server.

/** What answers a request: its head, and then the parts of its body. */
export type Message = { answer?: string; status?: number; type?: string; part?: string; last?: boolean };

/** Number of parts of a response after which their arrival is acknowledged. */
const PARTS_PER_ACK = 10;

interface PendingRequest {
  resolve(response: Response): void;
  reject(error: unknown): void;
  body: ReadableStreamDefaultController<Uint8Array> | null;
  parts: number;
}

export class Messages {
  private readonly pending = new Map<string, PendingRequest>();
  private count = 0;

  /** `send` sends a message, and the names of requests begin with `prefix`. */
  constructor(
    private readonly send: (message: { [key: string]: string | null }) => void,
    private readonly prefix: string,
  ) {}

  /** Requests that are not answered yet. */
  get size(): number {
    return this.pending.size;
  }

  /** Sends a request, as the browser's fetch does. */
  fetch(path: string, init: RequestInit): Promise<Response> {
    this.count += 1;
    const name = `${this.prefix}-${this.count}`;
    const { signal } = init;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const entry: PendingRequest = { resolve, reject, body: null, parts: 0 };
      this.pending.set(name, entry);
      this.send({
        ask: name,
        method: init.method ?? "GET",
        path,
        body: typeof init.body === "string" ? init.body : null,
      });
      signal?.addEventListener("abort", () => {
        if (!this.pending.delete(name)) return;
        this.send({ stop: name });
        entry.body?.error(signal.reason);
        reject(signal.reason);
      });
    });
  }

  /** Takes a message that has arrived. Returns whether a request waits for it. */
  receive(message: Message, data?: DataView | ArrayBuffer): boolean {
    const name = message.answer ?? message.part ?? "";
    const entry = this.pending.get(name);
    if (!entry) return false;
    if (message.answer !== undefined) {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          entry.body = controller;
        },
      });
      entry.resolve(
        new Response(body, { status: message.status ?? 500, headers: { "Content-Type": message.type ?? "" } }),
      );
      return true;
    }
    if (data?.byteLength)
      entry.body?.enqueue(
        data instanceof ArrayBuffer
          ? new Uint8Array(data)
          : new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
      );
    entry.parts += 1;
    if (message.last) {
      this.pending.delete(name);
      entry.body?.close();
    } else if (entry.parts % PARTS_PER_ACK === 0) this.send({ heard: name });
    return true;
  }

  /** Answers all requests that wait with an error: a line for those whose answer has begun, else a whole answer. */
  fail(message: string): void {
    const text = `${JSON.stringify({ error: { message, path: null, line: null } })}\n`;
    for (const [name, entry] of [...this.pending]) {
      if (!entry.body) this.receive({ answer: name, status: 500, type: "application/json" });
      this.receive({ part: name, last: true }, new TextEncoder().encode(text).buffer);
    }
  }

  clear(): void {
    this.pending.clear();
  }
}
