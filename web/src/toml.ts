// A scenario as TOML, for links that are read without a server. (A server writes its files with the order and the
// comments of headgate.)

import type { Json, Scenario } from "./types";

type Table = { [key: string]: Json };

function isTable(value: Json | undefined): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function key(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : text(name);
}

/** A basic string. Its escapes are those of JSON and that of the delete character, which JSON does not escape. */
function text(words: string): string {
  return JSON.stringify(words).replace(/\u007f/g, "\\u007f");
}

function value(given: Json): string {
  if (typeof given === "string") return text(given);
  if (Array.isArray(given))
    return `[${given
      .filter((each) => each !== null)
      .map(value)
      .join(", ")}]`;
  if (isTable(given))
    return `{ ${Object.entries(given)
      .filter(([, each]) => each !== null)
      .map(([name, each]) => `${key(name)} = ${value(each)}`)
      .join(", ")} }`;
  return String(given);
}

function write(table: Table, path: string, lines: string[]): void {
  const later: [string, Json][] = [];
  for (const [name, each] of Object.entries(table)) {
    const tables = Array.isArray(each) && each.length > 0 && each.every(isTable);
    // TOML has no null, so that a key without a value is left out.
    if (each === null) continue;
    if (isTable(each) || tables) later.push([name, each]);
    else lines.push(`${key(name)} = ${value(each)}`);
  }
  for (const [name, each] of later) {
    const inner = path ? `${path}.${key(name)}` : key(name);
    if (isTable(each)) {
      lines.push("", `[${inner}]`);
      write(each, inner, lines);
    } else
      for (const part of each as Table[]) {
        lines.push("", `[[${inner}]]`);
        for (const [under, what] of Object.entries(part))
          if (what !== null) lines.push(`${key(under)} = ${value(what)}`);
      }
  }
}

export function toml(scenario: Scenario): string {
  const lines: string[] = [];
  write(scenario, "", lines);
  return `${lines.join("\n").trim()}\n`;
}
