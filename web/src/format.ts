// Numbers with units.

const PREFIXES: readonly [number, string][] = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
];
const BASE = new Set([
  "bit/s",
  "bps",
  "bit",
  "s",
  "B",
  "bytes",
  "byte",
  "packets",
  "packet",
  "packets/s",
  "B/s",
  "pkt",
]);

export interface Scale {
  factor: number;
  unit: string;
}

/** The prefix with which the largest magnitude reads best. A unit that has a prefix already is left alone. */
export function scaleFor(largest: number, unit: string): Scale {
  const name = unit === "bps" ? "bit/s" : unit;
  if (!BASE.has(unit) || !(largest > 0) || !Number.isFinite(largest)) return { factor: 1, unit: name };
  const counted = /^(packet|pkt|byte|B$)/.test(unit);
  for (const [factor, prefix] of PREFIXES) {
    if (unit === "s" && factor > 1) continue;
    if (counted && (factor < 1 || (/^p/.test(unit) && factor > 1))) continue;
    if (largest >= factor) return { factor, unit: prefix + (unit === "bytes" || unit === "byte" ? "B" : name) };
  }
  return { factor: 1, unit: name };
}

/** A quantity of a scenario with a space before its unit: "80kbit/s" becomes "80 kbit/s", "0ps" becomes "0 s". */
export function spaced(text: string): string {
  return text.replace(/^0[pnmuµ]s$/, "0 s").replace(/^(-?\d+(?:\.\d+)?)([a-zA-Zµ].*)$/, "$1 $2");
}

/** A number with four significant digits at most, and with an exponent only if it is very large or small. */
export function plain(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 1e7 || size < 1e-4) return value.toPrecision(4).replace(/\.?0+e/, "e");
  if (size >= 1000) return value.toFixed(0);
  return String(Number(value.toPrecision(4)));
}

export function quantity(value: number | null | undefined, unit: string | null): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const scale = value === 0 ? scaleFor(1, unit ?? "") : scaleFor(Math.abs(value), unit ?? "");
  if (value === 1 && (unit === "packets" || unit === "pkt")) return "1 packet";
  return `${plain(value / scale.factor)}${scale.unit ? ` ${scale.unit}` : ""}`;
}

/** A wait or a round trip in ms. Nobody reads nanoseconds: below a microsecond it says only that. */
export function milliseconds(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "–";
  return ms > 0 && ms < 1e-3 ? "<0.001" : plain(ms);
}

/** A number of a decision. Bits keep all their digits, since virtual times are compared with each other. */
export function amount(value: number | string | null, unit: string | null): string {
  if (typeof value === "string") return spaced(value);
  if (unit === "bit" && value !== null) return `${value.toLocaleString("en", { maximumFractionDigits: 1 })} bit`;
  return quantity(value, unit);
}

/** The time of a cursor, with enough digits to tell two pixels apart. */
export function seconds(value: number, span: number): string {
  const digits = Math.min(6, Math.max(0, Math.ceil(-Math.log10(Math.max(span, 1e-6) / 1000))));
  return `${value.toFixed(digits)} s`;
}

export function percent(value: number | null): string {
  return value === null ? "–" : `${(100 * value).toFixed(1)} %`;
}
