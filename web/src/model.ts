// What the page shows: up to two variants of a scenario, each with its controls and its last finished run.

import { aborted, explain, post, stream, Unreachable } from "./api";
import { Timeline } from "./timeline";
import type { Control, ErrorBody, Json, RunDone, Scenario } from "./types";

export type Slot = "a" | "b";
export const SLOTS: readonly Slot[] = ["a", "b"];

export interface Variant {
  scenario: Scenario;
  /** The number of the run among those with the same seed. Each of them draws other random numbers. */
  replication: number;
  controls: Control[];
  run: RunDone | null;
  /** Whether the run is complete and is of the present scenario. */
  current: boolean;
  /** The part of the run that is done, from 0 to 1; null if none is under way. */
  progress: number | null;
  error: ErrorBody | null;
}

export type Event = "controls" | "run" | "progress" | "error" | "slots" | "committed";

export class Model {
  /** Its name for the server, which runs one scenario at a time for each name: the pictures of a page have their own. */
  private readonly tab = Math.random().toString(36).slice(2, 10);
  readonly time = new Timeline();
  readonly variants: { a: Variant | null; b: Variant | null } = { a: null, b: null };
  active: Slot = "a";
  /** Flows and a port that a number of a paper is about. */
  marked: { flows: ReadonlySet<string>; port: string | null } = { flows: new Set(), port: null };
  private readonly listeners: ((event: Event, slot: Slot) => void)[] = [];
  private readonly pending: { [S in Slot]: Map<string, Json> } = { a: new Map(), b: new Map() };
  private readonly running: { [S in Slot]: AbortController | null } = { a: null, b: null };
  /** Whether a change is final, as when a slider is released: the address changes when the server has accepted it. */
  private readonly committed: { [S in Slot]: boolean } = { a: false, b: false };
  private readonly stopped: { [S in Slot]: boolean } = { a: false, b: false };
  private readonly busy: { [S in Slot]: boolean } = { a: false, b: false };

  on(listener: (event: Event, slot: Slot) => void): void {
    this.listeners.push(listener);
  }

  emit(event: Event, slot: Slot): void {
    for (const listener of this.listeners) listener(event, slot);
  }

  get shown(): Variant | null {
    return this.variants[this.active] ?? this.variants.a;
  }

  /** Puts a scenario into a slot, requests its controls and runs it. */
  async open(slot: Slot, scenario: Scenario, controls?: Control[], replication = 0): Promise<void> {
    this.running[slot]?.abort();
    this.pending[slot].clear();
    const variant: Variant = {
      scenario,
      replication,
      controls: controls ?? [],
      run: this.variants[slot]?.run ?? null,
      current: false,
      progress: null,
      error: null,
    };
    this.variants[slot] = variant;
    this.emit("slots", slot);
    const run = this.start(slot);
    if (!controls) {
      try {
        variant.controls = (await post<{ controls: Control[] }>("/api/controls", { scenario })).controls;
        this.emit("controls", slot);
      } catch (error) {
        this.fail(slot, error);
      }
    }
    await run;
  }

  /** The second variant begins as a copy of the first. */
  async addB(): Promise<void> {
    const a = this.variants.a;
    if (!a) return;
    this.active = "b";
    await this.open("b", structuredClone(a.scenario), structuredClone(a.controls), a.replication);
  }

  dropB(): void {
    this.running.b?.abort();
    this.variants.b = null;
    this.active = "a";
    this.emit("slots", "a");
  }

  choose(slot: Slot): void {
    this.active = slot;
    this.emit("slots", slot);
  }

  /**
   * Changes one value. Changes that arrive while a request is under way are collected; of each value the last change
   * counts.
   */
  set(slot: Slot, path: string, value: Json, committed: boolean): void {
    this.pending[slot].set(path, value);
    this.committed[slot] ||= committed;
    this.stopped[slot] = false;
    void this.flush(slot);
  }

  protected requestChange(
    variant: Variant,
    path: string,
    value: Json,
  ): Promise<{ scenario: Scenario; controls?: Control[] }> {
    return post("/api/set", { scenario: variant.scenario, path, value });
  }

  private async flush(slot: Slot): Promise<void> {
    const variant = this.variants[slot];
    if (this.busy[slot] || !variant) return;
    this.busy[slot] = true;
    const waiting = this.pending[slot];
    try {
      await new Promise((resolve) => setTimeout(resolve, 30));
      while (waiting.size > 0 && this.variants[slot] === variant) {
        for (const [path, value] of [...waiting]) {
          waiting.delete(path);
          const response = await this.requestChange(variant, path, value).catch((error: unknown) => {
            // A change that was made while the server was away waits for its return.
            if (error instanceof Unreachable && !waiting.has(path)) waiting.set(path, value);
            throw error;
          });
          variant.scenario = response.scenario;
          if (response.controls) variant.controls = response.controls;
        }
        variant.current = false;
        variant.error = null;
        this.emit("controls", slot);
        if (this.stopped[slot]) this.emit("progress", slot);
        else void this.start(slot);
      }
      if (this.committed[slot]) this.emit("committed", slot);
    } catch (error) {
      this.fail(slot, error);
    } finally {
      this.busy[slot] = false;
      this.committed[slot] = false;
    }
  }

  /**
   * Runs the present scenario of a variant. An unfinished run of it is stopped; the results of the last finished run
   * stay.
   */
  async start(slot: Slot): Promise<void> {
    const variant = this.variants[slot];
    if (!variant) return;
    this.running[slot]?.abort();
    const running = new AbortController();
    this.running[slot] = running;
    // The error is cleared now and not when the run ends, so that the error of a value that is refused meanwhile stays.
    variant.error = null;
    variant.progress = 0;
    this.emit("progress", slot);
    const showRun = (run: RunDone): void => {
      if (running.signal.aborted) return;
      variant.run = run;
      this.time.setDuration(Math.max(...SLOTS.map((each) => this.variants[each]?.run?.duration ?? 0)));
      this.emit("run", slot);
    };
    try {
      const done = await stream<RunDone>(
        "/api/run",
        { scenario: variant.scenario, seed: null, replication: variant.replication, tab: `${this.tab}-${slot}` },
        running.signal,
        (part) => {
          variant.progress = part;
          this.emit("progress", slot);
        },
        showRun,
      );
      if (running.signal.aborted) return;
      variant.progress = null;
      variant.current = true;
      showRun(done);
      this.emit("progress", slot);
      this.emit("error", slot);
    } catch (error) {
      if (running.signal.aborted || aborted(error)) return;
      variant.progress = null;
      this.emit("progress", slot);
      this.fail(slot, error);
    }
  }

  /** Stops all runs. A change whose request is under way is made, but not run. */
  stop(): void {
    for (const slot of SLOTS) {
      const variant = this.variants[slot];
      this.stopped[slot] = true;
      this.running[slot]?.abort();
      if (!variant || variant.progress === null) continue;
      variant.progress = null;
      this.emit("progress", slot);
    }
  }

  /** Repeats the runs, after the server was away or has lost them. */
  async again(): Promise<void> {
    await Promise.all(
      SLOTS.map(async (slot) => {
        const variant = this.variants[slot];
        if (!variant) return;
        if (variant.controls.length === 0) await this.open(slot, variant.scenario, undefined, variant.replication);
        else if (this.pending[slot].size > 0) await this.flush(slot);
        else await this.start(slot);
      }),
    );
  }

  private fail(slot: Slot, error: unknown): void {
    if (aborted(error) || error instanceof Unreachable) return;
    const variant = this.variants[slot];
    if (!variant) return;
    variant.error = explain(error);
    this.emit("error", slot);
  }
}
