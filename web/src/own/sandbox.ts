// The frame of a control that is written on the page, and what it answers.

import { bytes } from "../engine";
import { FRAME } from "./frame";

/** Milliseconds without an answer after which a control is taken for one that never returns. */
const PATIENCE_MS = 10_000;

/** What the worker in the frame says besides its answers. */
interface Said {
  ready?: string[];
  refused?: string;
  fault?: string;
}

/** A control that was begun. */
export class Sandbox {
  /** The names of its classes. */
  names: readonly string[] = [];
  private heard = performance.now();
  private waits = 0;
  private readonly watch: number;

  private constructor(
    private readonly frame: HTMLIFrameElement,
    private readonly port: MessagePort,
    private readonly ended: (fault: string) => void,
  ) {
    this.watch = window.setInterval(() => {
      if (this.waits === 0 || document.hidden) this.heard = performance.now();
      else if (performance.now() - this.heard > PATIENCE_MS) this.fail("a call of it did not return within 10 s");
    }, 1000);
  }

  /**
   * Begins a control.
   *
   * @param body its text, as the body of a function (language.ts).
   * @param receive takes the answers.
   * @param ended hears of a fault, after which nothing more is answered.
   */
  static async begin(body: string, receive: (said: object) => void, ended: (fault: string) => void): Promise<Sandbox> {
    const base = new URL(".", document.baseURI).href;
    const [module, runtime] = await Promise.all([
      bytes(base, "headgate-own.wasm.gz"),
      fetch(new URL("own-worker.js", base)).then((response) => response.text()),
    ]);
    // The text comes first, so that the lines of what goes wrong are its own.
    const script = `self.own = function (exports, require) { ${body}\n};\nself.lines = ${body.split("\n").length};\n${runtime}`;
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.hidden = true;
    frame.title = "The flow control that is written here";
    frame.srcdoc = FRAME;
    const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
    document.body.append(frame);
    await loaded;
    const { port1, port2 } = new MessageChannel();
    const sandbox = new Sandbox(frame, port1, ended);
    return new Promise((resolve, reject) => {
      const refuse = (words: string): void => {
        sandbox.end();
        reject(new Error(words));
      };
      sandbox.waits = 1;
      sandbox.refuse = refuse;
      port1.onmessage = ({ data }: MessageEvent<Said>) => {
        sandbox.heard = performance.now();
        if (data.refused !== undefined) refuse(data.refused);
        else if (data.ready) {
          sandbox.waits = 0;
          sandbox.refuse = null;
          sandbox.names = data.ready;
          resolve(sandbox);
        } else if (data.fault !== undefined) sandbox.fail(data.fault);
        else receive(data);
      };
      // Its origin is none that could be named.
      frame.contentWindow?.postMessage({ script, module }, "*", [port2, module]);
    });
  }

  private refuse: ((words: string) => void) | null = null;

  post(message: object): void {
    this.port.postMessage(message);
  }

  /** So many requests wait for an answer. */
  waiting(requests: number): void {
    if (this.waits === 0 && requests > 0) this.heard = performance.now();
    this.waits = requests;
  }

  /** Removes it with all that it holds. */
  end(): void {
    window.clearInterval(this.watch);
    this.port.close();
    this.frame.remove();
  }

  private fail(fault: string): void {
    this.end();
    if (this.refuse) this.refuse(fault);
    else this.ended(fault);
  }
}
