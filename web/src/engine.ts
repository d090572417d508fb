// The module of WebAssembly (crates/browser): requests in, replies out.

interface Exports {
  memory: WebAssembly.Memory;
  headgate_room(length: number): number;
  /** Only a module with replays has it. */
  headgate_file?(length: number): number;
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
export type ModuleFile = "headgate.wasm.gz" | "headgate-own.wasm.gz" | "headgate-replay.wasm.gz";

/** A module as it is compiled, whatever the host says of it. */
async function plain(folder: string, file: ModuleFile): Promise<Response> {
  const response = await fetch(new URL(file, folder));
  if (!response.ok || !response.body) throw new Error(`${file}: the host answers with status ${response.status}`);
  // A host that says how the file is compressed has the browser unpack it.
  const packed = response.headers.get("Content-Encoding") === null;
  const body = packed ? response.body.pipeThrough(new DecompressionStream("gzip")) : response.body;
  return new Response(body, { headers: { "Content-Type": "application/wasm" } });
}

/** The bytes of a module. */
export async function bytes(folder: string, file: ModuleFile): Promise<ArrayBuffer> {
  return (await plain(folder, file)).arrayBuffer();
}

export class Engine {
  private constructor(private readonly module: Exports) {}

  /** A module that imports nothing. */
  static async load(folder: string, file: ModuleFile = "headgate.wasm.gz"): Promise<Engine> {
    const { instance } = await WebAssembly.instantiateStreaming(plain(folder, file));
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

  /** Writes a file where the request after it finds it. That request says what is wrong with one that cannot be taken. */
  async take(file: Blob): Promise<void> {
    let at = (this.module.headgate_file?.(file.size) ?? 0) >>> 0;
    if (at === 0) return;
    try {
      const reader = file.stream().getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        // The memory may have grown meanwhile, and is another buffer then.
        new Uint8Array(this.module.memory.buffer, at, part.value.length).set(part.value);
        at += part.value.length;
      }
    } catch {
      this.module.headgate_file?.(0);
    }
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
