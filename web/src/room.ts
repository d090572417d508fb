// Room in a picture: names, queues and labels that do not cover one another, and cross as few lines as possible.

export interface Point {
  x: number;
  y: number;
}

export interface Rect extends Point {
  wide: number;
  high: number;
}

/** Points along a line at which it is looked for in a rectangle. */
const STEPS = 24;

export class Room {
  private readonly taken: Rect[] = [];
  private readonly lines: [Point, Point][] = [];

  constructor(
    private readonly wide: number,
    private readonly high: number,
  ) {}

  line(a: Point, b: Point): void {
    this.lines.push([a, b]);
  }

  take(rect: Rect): void {
    this.taken.push(rect);
  }

  /** The first of the places that are free and cross the fewest lines; it is taken then. */
  find(places: readonly Rect[]): Rect | null {
    let best: Rect | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const place of places) {
      if (!this.free(place)) continue;
      const crossed = this.lines.filter(([a, b]) => crosses(place, a, b)).length;
      if (crossed >= least) continue;
      best = place;
      least = crossed;
    }
    if (best) this.take(best);
    return best;
  }

  private free(place: Rect): boolean {
    return (
      place.x >= 0 &&
      place.y >= 0 &&
      place.x + place.wide <= this.wide &&
      place.y + place.high <= this.high &&
      !this.taken.some(
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
