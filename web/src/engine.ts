// The module of WebAssembly (crates/browser): requests in, replies out.

interface Exports {
  memory: WebAssembly.Memory;
  headgate_room(length: number): number;
  headgate_ask(): number;
  headgate_step(work: number, events: number, seconds: number): number;
  headgate_stop(work: number): void;
  headgate_fault(): number;
}

/** The statuses of replies that no server gives: work was begun, or work that ends with the whole answer; more is to come. */
export const BEGUN = 202;
export const WHOLE = 203;
export const MORE = 206;

/** A reply: its status and JSON. */
export interface Reply {
  status: number;
  text: Uint8Array<ArrayBuffer>;
}

/** The files lie beside the page. They are compressed, since not every host compresses what it sends. */
export type File = "headgate.wasm.gz" | "headgate-own.wasm.gz";

/** A module as it is compiled, whatever the host says of it. */
async function plain(folder: string, file: File): Promise<Response> {
  const response = await fetch(new URL(file, folder));
  if (!response.ok || !response.body) throw new Error(`${file}: the host answers with status ${response.status}`);
  // A host that says how the file is compressed has the browser unpack it.
  const packed = response.headers.get("Content-Encoding") === null;
  const body = packed ? response.body.pipeThrough(new DecompressionStream("gzip")) : response.body;
  return new Response(body, { headers: { "Content-Type": "application/wasm" } });
}

/** The bytes of a module. */
export async function bytes(folder: string, file: File): Promise<ArrayBuffer> {
  return (await plain(folder, file)).arrayBuffer();
}

export class Engine {
  private constructor(private readonly module: Exports) {}

  /** The module that imports nothing. */
  static async load(folder: string): Promise<Engine> {
    const { instance } = await WebAssembly.instantiateStreaming(plain(folder, "headgate.wasm.gz"));
    return new Engine(instance.exports as unknown as Exports);
  }

  /** A module with what it imports. */
  static async of(module: ArrayBuffer, imports: WebAssembly.Imports): Promise<Engine> {
    const { instance } = await WebAssembly.instantiate(module, imports);
    return new Engine(instance.exports as unknown as Exports);
  }

  get memory(): WebAssembly.Memory {
    return this.module.memory;
  }

  ask(request: string): Reply {
    const bytes = new TextEncoder().encode(request);
    const room = this.module.headgate_room(bytes.length);
    new Uint8Array(this.module.memory.buffer, room, bytes.length).set(bytes);
    return this.reply(this.module.headgate_ask());
  }

  /** Does about `events` events of some work, which began `seconds` ago. */
  step(work: number, events: number, seconds: number): Reply {
    return this.reply(this.module.headgate_step(work, events, seconds));
  }

  stop(work: number): void {
    this.module.headgate_stop(work);
  }

  /** What was wrong, after the module has ended by a fault. */
  fault(): string {
    return new TextDecoder().decode(this.reply(this.module.headgate_fault()).text);
  }

  private reply(at: number): Reply {
    const { buffer } = this.module.memory;
    const [status, length] = new Uint32Array(buffer, at, 2) as unknown as [number, number];
    return { status, text: new Uint8Array(buffer, at + 8, length).slice() };
  }
}
