// The range of time and the cursor, which all charts share.

export type Change = "range" | "cursor";

export class Timeline {
  duration = 1;
  from = 0;
  to = 1;
  cursor: number | null = null;
  /** The time that is shown first, once the run's duration is known. */
  private first: number | null = null;
  private readonly listeners = new Set<(change: Change) => void>();
  private readonly waiting = new Set<Change>();

  on(listener: (change: Change) => void): void {
    this.listeners.add(listener);
  }

  get span(): number {
    return this.to - this.from;
  }

  get whole(): boolean {
    return this.from <= 0 && this.to >= this.duration;
  }

  /** Shows a tenth of the next run, from shortly before a time on. */
  openAt(at: number): void {
    this.first = at;
  }

  /** Sets the duration of the run. A range that still fits is kept. */
  setDuration(duration: number): void {
    const whole = this.whole;
    const changed = duration !== this.duration;
    this.duration = duration;
    if (whole || this.from >= duration) this.zoom(0, duration);
    else if (changed) this.zoom(this.from, Math.min(this.to, duration));
    if (this.first === null) return;
    const at = Math.min(this.first, duration);
    this.first = null;
    this.zoom(at - 0.02 * duration, at + 0.08 * duration);
    this.setCursor(at);
  }

  zoom(from: number, to: number): void {
    const shortest = Math.max(this.duration * 1e-7, 1e-7);
    const wide = Math.max(to - from, shortest);
    const start = Math.min(Math.max(0, from), Math.max(0, this.duration - wide));
    const end = Math.min(this.duration, start + wide);
    if (start === this.from && end === this.to) return;
    this.from = start;
    this.to = end;
    this.emit("range");
  }

  reset(): void {
    this.zoom(0, this.duration);
  }

  /** Zooms by a factor about the cursor, or about the middle where the cursor is out of sight. */
  scale(factor: number, about?: number): void {
    const at =
      about ??
      (this.cursor !== null && this.cursor >= this.from && this.cursor <= this.to
        ? this.cursor
        : (this.from + this.to) / 2);
    this.zoom(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  pan(part: number): void {
    this.zoom(this.from + part * this.span, this.to + part * this.span);
  }

  setCursor(at: number | null): void {
    const next = at === null ? null : Math.min(this.to, Math.max(this.from, at));
    if (next === this.cursor) return;
    this.cursor = next;
    this.emit("cursor");
  }

  /** Calls the listeners once for all changes of a frame. */
  private emit(change: Change): void {
    if (this.waiting.size === 0)
      requestAnimationFrame(() => {
        const changes = [...this.waiting];
        this.waiting.clear();
        for (const each of changes) for (const listener of this.listeners) listener(each);
      });
    this.waiting.add(change);
  }
}
