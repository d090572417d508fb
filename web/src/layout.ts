// Places names, queues and labels in a picture so that they do not cover one another and cross as few lines as
// possible.

export interface Point {
  x: number;
  y: number;
}

export interface Rect extends Point {
  wide: number;
  high: number;
}

/** Number of steps along a line at which its points are tested against a rectangle. */
const STEPS = 24;

export class Layout {
  private readonly occupied: Rect[] = [];
  private readonly lines: [Point, Point][] = [];

  constructor(
    private readonly wide: number,
    private readonly high: number,
  ) {}

  line(a: Point, b: Point): void {
    this.lines.push([a, b]);
  }

  occupy(rect: Rect): void {
    this.occupied.push(rect);
  }

  /** Occupies and returns the first of those free places that cross the fewest lines; null if no place is free. */
  find(places: readonly Rect[]): Rect | null {
    let best: Rect | null = null;
    let fewest = Number.POSITIVE_INFINITY;
    for (const place of places) {
      if (!this.free(place)) continue;
      const crossed = this.lines.filter(([a, b]) => crosses(place, a, b)).length;
      if (crossed >= fewest) continue;
      best = place;
      fewest = crossed;
    }
    if (best) this.occupy(best);
    return best;
  }

  private free(place: Rect): boolean {
    return (
      place.x >= 0 &&
      place.y >= 0 &&
      place.x + place.wide <= this.wide &&
      place.y + place.high <= this.high &&
      !this.occupied.some(
        (each) =>
          place.x < each.x + each.wide &&
          each.x < place.x + place.wide &&
          place.y < each.y + each.high &&
          each.y < place.y + place.high,
      )
    );
  }
}

function crosses(rect: Rect, a: Point, b: Point): boolean {
  for (let step = 0; step <= STEPS; step += 1) {
    const [x, y] = [a.x + ((b.x - a.x) * step) / STEPS, a.y + ((b.y - a.y) * step) / STEPS];
    if (x > rect.x && x < rect.x + rect.wide && y > rect.y && y < rect.y + rect.high) return true;
  }
  return false;
}

/** Places of a rectangle beside a line: above, below and to both sides of points on it. */
export function beside(a: Point, b: Point, parts: readonly number[], wide: number, high: number, gap: number): Rect[] {
  return parts.flatMap((part) => {
    const [x, y] = [a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part];
    return [
      { x: x - wide / 2, y: y - high - gap },
      { x: x - wide / 2, y: y + gap },
      { x, y: y - high - gap },
      { x: x - wide, y: y - high - gap },
      { x, y: y + gap },
      { x: x - wide, y: y + gap },
      { x: x + gap + 2, y: y - high / 2 },
      { x: x - wide - gap - 2, y: y - high / 2 },
    ].map((place) => ({ ...place, wide, high }));
  });
}
