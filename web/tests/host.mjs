// The page without a server: built for tests, and a host of files that gives it from a path of its own.

import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { ROOT, scratch } from "./browser.mjs";

const python = process.env.PYTHON ?? "python";
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json" };
/** Where the page lies on its host. */
const PATH = "/a/path/of its own/";

/** Builds the page, unless SITE names a folder that was built; gives the folder, or why it cannot be built here. */
export function build() {
  if (process.env.SITE) return { folder: process.env.SITE, remove: () => undefined, missing: false };
  const { folder, remove } = scratch();
  execFileSync(python, [join(ROOT, "web/tests/documentation.py"), join(folder, "documentation")]);
  const more = ["--quick", "--documentation", join(folder, "documentation"), "--out", join(folder, "site")];
  const done = spawnSync(python, [join(ROOT, "web/make_site.py"), ...more], { encoding: "utf8" });
  if (done.status === 0) return { folder: join(folder, "site"), remove, missing: false };
  remove();
  if (/is not installed/.test(done.stderr)) return { missing: done.stderr.trim(), remove: () => undefined };
  throw new Error(done.stderr);
}

/** Gives the files of a folder, as simple hosts do: without headers, and without compression. */
export async function host(folder) {
  const asked = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://host").pathname);
    asked.push(path);
    const file = normalize(path.slice(PATH.length - 1));
    try {
      const data = readFileSync(join(folder, file.endsWith("/") ? `${file}index.html` : file));
      response.writeHead(200, { "Content-Type": TYPES[extname(file) || ".html"] ?? "application/octet-stream" });
      response.end(data);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { address: `http://127.0.0.1:${server.address().port}${encodeURI(PATH)}explore/`, asked, stop };
}

/** Pinned scenarios with their digests: files, and lines of `headgate quick`. */
export function pinned() {
  const folder = join(ROOT, "tests/digests");
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const lines = execFileSync(python, [join(ROOT, "web/tests/lines.py")], { encoding: "utf8" });
  return [
    ...files.map((name) => ({ name, ...JSON.parse(readFileSync(join(folder, name), "utf8")) })),
    ...lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ];
}

/** A module with the exports of ours that ends with each request, and says `words` as its fault. */
export function faulty(words) {
  const text = Buffer.from(words);
  const data = Buffer.concat([Buffer.from(new Uint32Array([500, text.length]).buffer), text]);
  const size = (n) => (n < 128 ? [n] : [(n & 127) | 128, n >> 7]);
  const section = (id, bytes) => [id, ...size(bytes.length), ...bytes];
  const name = (word) => [word.length, ...Buffer.from(word)];
  const body = (code) => [code.length + 2, 0, ...code, 0x0b];
  const functions = ["headgate_room", "headgate_ask", "headgate_step", "headgate_stop", "headgate_fault"];
  return Buffer.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    // Two types: of a number, and of nothing, to a number.
    ...section(1, [2, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 0, 1, 0x7f]),
    ...section(3, [5, 0, 1, 0, 0, 1]),
    ...section(5, [1, 0, 2]),
    ...section(7, [6, ...name("memory"), 2, 0, ...functions.flatMap((each, at) => [...name(each), 0, at])]),
    ...section(10, [
      5,
      // The request is written at 32768, and the fault stands at 1024.
      ...body([0x41, 0x80, 0x80, 0x02]),
      ...[body([0x00]), body([0x00]), body([0x00])].flat(),
      ...body([0x41, 0x80, 0x08]),
    ]),
    ...section(11, [1, 0, 0x41, 0x80, 0x08, 0x0b, ...size(data.length), ...data]),
  ]);
}
