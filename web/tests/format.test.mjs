// Numbers for people, without a browser.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { transformWithOxc } from "vite";

const file = new URL("../src/format.ts", import.meta.url);
const { code } = await transformWithOxc(readFileSync(file, "utf8"), file.pathname);
const { milliseconds } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

test("a wait below a microsecond is said as such, and not in nanoseconds", () => {
  assert.deepEqual([null, 0, 1.32e-5, 0.001, 0.25, 103.9].map(milliseconds), [
    "–",
    "0",
    "<0.001",
    "0.001",
    "0.25",
    "103.9",
  ]);
});
