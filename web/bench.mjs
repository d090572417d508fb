// How long the explorer takes: the server until it answers, and a page until its first picture. `npm run bench [FILE
// ...]`; one row for each file, in seconds: the median, and the least and the greatest, of 15 openings in a fresh
// profile each, after one that does not count.

import { launch, missing, serve } from "./tests/browser.mjs";

const TIMES = Number(process.env.TIMES ?? 15);
const files = process.argv.slice(2);

const middle = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  return `${sorted[sorted.length >> 1].toFixed(2)} (${sorted[0].toFixed(2)} to ${sorted.at(-1).toFixed(2)})`;
};

/**
 * Seconds from the beginning of the navigation to the first chart with lines on it; with `TRACE`, what was asked for
 * meanwhile.
 */
async function opened(browser, address) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(() => {
    const look = () => {
      const drawn = [...document.querySelectorAll("figure canvas")].some(
        (canvas) => canvas.width > 0 && canvas.offsetParent,
      );
      if (drawn) globalThis.firstPicture = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(address, { waitUntil: "commit" });
  await page.waitForFunction(() => globalThis.firstPicture);
  const [at, asked] = await page.evaluate(() => [
    globalThis.firstPicture,
    [
      ...performance.getEntriesByType("navigation"),
      ...performance.getEntriesByType("paint"),
      ...performance.getEntriesByType("resource"),
    ].map((e) => [e.name, e.startTime, e.responseEnd ?? e.startTime]),
  ]);
  if (process.env.TRACE)
    for (const [name, from, to] of asked)
      console.log(name.replace(/^http:..[^/]*/, "").padEnd(60), from.toFixed(0).padStart(5), to.toFixed(0).padStart(5));
  if (process.env.TRACE) console.log("first picture".padEnd(60), at.toFixed(0).padStart(11));
  await context.close();
  return at / 1000;
}

if (missing) throw new Error(missing);
const browser = await launch();
for (const file of files.length > 0
  ? files
  : [null, "scenarios/two-sources.toml", "scenarios/game.toml", "scenarios/office.csv"]) {
  const began = performance.now();
  const server = await serve(file);
  const start = (performance.now() - began) / 1000;
  await opened(browser, server.address);
  const times = [];
  for (let i = 0; i < TIMES; i++) times.push(await opened(browser, server.address));
  console.log(`${(file ?? "start page").padEnd(32)} server ${start.toFixed(2)}  first picture ${middle(times)}`);
  await server.stop();
}
await browser.close();
