// Flow controls written on the page: the classes of a text, and the functions that the module calls them by
// (crates/browser/src/own/host.rs). This file is loaded in the sandbox only.

/** What the module says of a field: its name, and how its number reads. */
interface Field {
  name: string;
  reads: "number" | "maybe" | "truth" | "cause";
}

/** The fields of what a control is told, as `/api/own/fields` gives them. */
export interface Fields {
  ack: Field[];
  loss: Field[];
  sent: Field[];
  causes: string[];
}

/** An object of a class: its calls are those of a control in Python. */
interface Own {
  [name: string]: unknown;
}

type OwnClass = (new () => Own) & {
  parameters?: { [name: string]: { default: number } };
  every?: string;
  ecn?: string;
  gauges?: string[];
  summary?: string;
};

/** Reads the numbers of a record by the names of its fields. */
type Record = { [name: string]: unknown };

const CALLS = ["on_start", "on_seed", "on_ack", "on_loss", "on_packet_sent", "on_packet_lost", "on_idle", "on_undo"];

/** A class of objects whose properties read the numbers that were written last. */
function reader(fields: readonly Field[], causes: readonly string[]): { numbers: Float64Array; record: Record } {
  const numbers = new Float64Array(fields.length);
  const record: Record = {};
  fields.forEach(({ name, reads }, at) => {
    const get = {
      number: () => numbers[at],
      truth: () => numbers[at] === 1,
      maybe: () => (Number.isNaN(numbers[at]) ? null : numbers[at]),
      cause: () => causes[numbers[at] ?? 0],
    }[reads];
    Object.defineProperty(record, name, { get, enumerable: true });
  });
  return { numbers, record };
}

/** A text as a function, which sandbox.ts makes of it: it is given where its exports go, and what imports. */
export type Text = (exported: { [name: string]: unknown }, imported: (name: string) => never) => void;

/** What went wrong, and in which line of the text, with which the worker's script begins. */
export function words(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const line = /^(?:.*@| *at .*)blob:\S*?:(\d+):\d+\)?$/m.exec(error.stack ?? "")?.[1];
  const { lines } = globalThis as unknown as { lines: number };
  const place = line !== undefined && Number(line) <= lines ? ` (line ${line})` : "";
  return `${error.name}: ${error.message}${place}`;
}

/** The name of a class in scenarios: `MyControl` is `my_control`. */
export function nameOf(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
}

export class Classes {
  private classes: OwnClass[] = [];
  private readonly objects = new Map<number, { object: Own; gauges: readonly string[] }>();
  private made = 0;
  private failure = "";
  private memory: WebAssembly.Memory | null = null;
  private ack = reader([], []);
  private loss = reader([], []);
  private sent = reader([], []);

  /** What the module imports. */
  readonly imports = {
    headgate: {
      own_make: (number: number, values: number, length: number): number =>
        this.guarded(0, () => {
          const text = new TextDecoder().decode(new Uint8Array(this.buffer(), values, length));
          const OwnClass = this.classes[number] as OwnClass;
          const object = Object.assign(new OwnClass(), JSON.parse(text) as object) as Own;
          this.made += 1;
          this.objects.set(this.made, { object, gauges: OwnClass.gauges ?? [] });
          return this.made;
        }),
      own_call: (handle: number, event: number, numbers: number, count: number, answer: number): number =>
        this.guarded(0, () => {
          const { object } = this.objects.get(handle) as { object: Own };
          this.tell(object, event, new Float64Array(this.buffer(), numbers, count));
          new Float64Array(this.buffer(), answer, 4).set([
            bound(object, "window"),
            bound(object, "rate"),
            object.burst === undefined ? 1 : number(object, "burst"),
            object.in_slow_start ? 1 : 0,
          ]);
          return 1;
        }),
      own_gauge: (handle: number, place: number): number => {
        const found = this.objects.get(handle);
        const value = found?.object[found.gauges[place] ?? ""];
        return typeof value === "number" ? value : Number.NaN;
      },
      own_release: (handle: number): void => {
        this.objects.delete(handle);
      },
      own_fault: (room: number, most: number): number =>
        new TextEncoder().encodeInto(this.failure, new Uint8Array(this.buffer(), room, most)).written,
    },
  };

  /** Takes the memory of the module, and the fields that it has. */
  begin(memory: WebAssembly.Memory, fields: Fields): void {
    this.memory = memory;
    this.ack = reader(fields.ack, fields.causes);
    this.loss = reader(fields.loss, fields.causes);
    this.sent = reader(fields.sent, fields.causes);
  }

  /** Runs a text: what is to be registered of each of its classes that is a flow control. */
  read(text: Text): object[] {
    const exported: { [name: string]: unknown } = {};
    text(exported, (name) => {
      throw new Error(`import of ${name}: expected a text without imports`);
    });
    const controls = Object.entries(exported).filter(([, each]) => isControl(each)) as [string, OwnClass][];
    if (controls.length === 0)
      throw new Error("The text exports no class with a method on_ack; expected such as: export class Mine { ... }");
    return controls.map(([name, OwnClass]) => {
      this.classes.push(OwnClass);
      return {
        name: nameOf(name === "default" ? OwnClass.name || "mine" : name),
        class: this.classes.length - 1,
        summary: OwnClass.summary ?? "",
        calls: CALLS.filter((call) => typeof OwnClass.prototype[call] === "function"),
        parameters: OwnClass.parameters ?? {},
        every: OwnClass.every ?? "ack",
        ecn: OwnClass.ecn ?? "none",
        gauges: OwnClass.gauges ?? [],
      };
    });
  }

  private tell(object: Own, event: number, told: Float64Array): void {
    const call = (name: string, ...words: unknown[]): void => {
      const method = object[name];
      if (typeof method === "function") method.apply(object, words);
    };
    const [first = 0, second = 0, third = 0, fourth = 0] = told;
    if (event === 2) {
      this.ack.numbers.set(told);
      call("on_ack", this.ack.record);
    } else if (event === 3) {
      this.loss.numbers.set(told);
      call("on_loss", this.loss.record);
    } else if (event === 0) {
      object.window = first;
      call("on_start", first);
    } else if (event === 1) call("on_seed", first);
    else if (event === 4) call("on_packet_sent", first, second, third === 1, fourth);
    else if (event === 5) {
      this.sent.numbers.set(told.subarray(1));
      call("on_packet_lost", first, this.sent.record);
    } else if (event === 6) call("on_idle", first === 1 ? "halved" : "initial", second, third);
    else call("on_undo");
  }

  /** Does work of the text, whose errors the module is told. */
  private guarded(otherwise: number, work: () => number): number {
    try {
      return work();
    } catch (error) {
      this.failure = words(error);
      return otherwise;
    }
  }

  private buffer(): ArrayBuffer {
    return (this.memory as WebAssembly.Memory).buffer;
  }
}

function isControl(found: unknown): boolean {
  return typeof found === "function" && typeof (found.prototype as Own | undefined)?.on_ack === "function";
}

/** A number, of which none and infinity mean that there is no bound. */
function bound(object: Own, name: string): number {
  const value = object[name];
  return value === undefined || value === null ? Number.POSITIVE_INFINITY : number(object, name);
}

function number(object: Own, name: string): number {
  const value = object[name];
  if (typeof value !== "number") throw new TypeError(`${name}: found ${String(value)}; expected a number`);
  return value;
}
