// Links that hold a scenario, without a browser: Node has the same streams.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { constants, deflateRawSync, inflateRawSync } from "node:zlib";
import { transformWithOxc } from "vite";

const file = new URL("../src/link.ts", import.meta.url);
const { code } = await transformWithOxc(readFileSync(file, "utf8"), file.pathname);
const { command, LONGEST, LONGEST_TEXT, pack, unpack } = await import(
  `data:text/javascript,${encodeURIComponent(code)}`
);

const packed = (text, options) => deflateRawSync(text, options).toString("base64url");

/** Numbers from a seed (mulberry32), so that a failure comes again. */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function value(next, depth) {
  const kind = Math.floor(next() * (depth > 0 ? 6 : 4));
  const word = () =>
    String.fromCodePoint(
      ...Array.from({ length: next() * 12 }, () => [97, 34, 92, 10, 0, 228, 0x1f600][Math.floor(next() * 7)]),
    );
  if (kind === 0) return word();
  if (kind === 1) return Math.floor((next() - 0.5) * Number.MAX_SAFE_INTEGER);
  if (kind === 2) return next() * 10 ** Math.floor(next() * 40 - 20);
  if (kind === 3) return next() < 0.5;
  const many = Array.from({ length: next() * 5 }, () => value(next, depth - 1));
  return kind === 4 ? many : Object.fromEntries(many.map((each) => [word(), each]));
}

test("what goes into a link comes out, and other programs read it", async () => {
  const next = random(1);
  for (let i = 0; i < 200; i += 1) {
    const scenario = { duration: "1s", any: value(next, 4) };
    const fragment = await pack(scenario);
    assert.match(fragment, /^[\w-]+$/);
    assert.deepEqual(await unpack(fragment), scenario);
    assert.deepEqual(JSON.parse(inflateRawSync(Buffer.from(fragment, "base64url"))), scenario);
    assert.deepEqual(await unpack(packed(JSON.stringify(scenario))), scenario);
  }
});

test("a damaged link is an error in words", async () => {
  const good = packed('{"a": 1}');
  const wrong = [
    "!",
    "a",
    "AAAA",
    "ü",
    "a b",
    packed("[]"),
    packed("{"),
    packed("null"),
    packed("[".repeat(100_000)),
    packed(Buffer.from([255])),
    packed('{"a": NaN}'),
    good.slice(0, -3),
    packed('{"a": 1}', { finishFlush: constants.Z_SYNC_FLUSH }),
    "",
  ];
  for (const fragment of wrong)
    await assert.rejects(unpack(fragment), { message: /^This link does not hold a scenario/ }, fragment.slice(0, 12));
  for (let at = 0; at < good.length - 1; at += 1) await assert.rejects(unpack(good.slice(0, at)));
  await assert.rejects(unpack("x".repeat(LONGEST + 1)), { message: /more than 2 million characters/ });
});

test("a whole number that a browser would round is an error where the browser tells its digits", async () => {
  const seed = 2n ** 64n - 1n;
  // Node 20 does not give the text of a number to what reads it; Chromium 114 and Firefox 135 do.
  let told = false;
  JSON.parse("1", (_, found, context) => {
    told = context?.source === "1";
    return found;
  });
  const found = unpack(packed(`{"seed": ${seed}}`));
  if (told) await assert.rejects(found, { message: /seed = 18446744073709551615/ });
  else assert.equal((await found).seed, Number(seed));
  assert.equal((await unpack(packed(`{"seed": ${2 ** 53 - 1}}`))).seed, 2 ** 53 - 1);
});

test("a link that unpacks to gigabytes takes a few megabytes", async () => {
  // Deflate packs at most 1032 to 1 (RFC 1951): blocks of 10 MB each, flushed so that they can stand behind each other.
  const block = deflateRawSync(Buffer.alloc(10_000_000, " "), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const many = Buffer.concat([...Array(120).fill(block), deflateRawSync("")]).toString("base64url");
  assert.ok(many.length > 1_200_000 && many.length < LONGEST);
  const before = process.memoryUsage();
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().arrayBuffers);
  }, 1);
  await assert.rejects(unpack(many), { message: /more than 8 MB/ });
  clearInterval(watch);
  most = Math.max(most, process.memoryUsage().arrayBuffers);
  assert.ok(most - before.arrayBuffers < 4 * LONGEST_TEXT, `${most - before.arrayBuffers} bytes`);
});

test("the command of a link is one word for the shell", () => {
  assert.equal(command("abc-_", 0), "headgate run '#s=abc-_'");
  assert.equal(command("abc", 2), "headgate run '#s=abc' --replications 3");
});
