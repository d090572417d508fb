// A server and a browser for the tests.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
/** The one without a window takes half of the processor time of the other, which draws its tool bar for nobody. */
const INSTALLED = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
export const CHROMIUM = process.env.CHROMIUM ?? INSTALLED.find((path) => existsSync(path)) ?? "/usr/bin/chromium";
/** Why no browser test can run here, or false. */
export const missing = existsSync(CHROMIUM) ? false : `${CHROMIUM} is not installed`;
/** No test waits for a time to pass; this only ends a test that hangs. */
export const PATIENCE = Number(process.env.PATIENCE_MS ?? 180_000);

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A page's own folder, so that nothing of another test is left in it. */
export async function launch() {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

export async function open(browser, address, { width = 1600, height = 1000, scheme = "light" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, acceptDownloads: true });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && /Content Security Policy/.test(message.text())) page.faults.push(message.text());
  });
  // Answers that are still being edited when the page closes are nobody's: without this they fail a test that passed.
  const close = context.close.bind(context);
  context.close = async () => {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await close();
  };
  await page.goto(address);
  return page;
}

export async function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer()
      .on("error", reject)
      .listen(0, "127.0.0.1", () => {
        const { port } = probe.address();
        probe.close(() => resolve(port));
      });
  });
}

/** Starts `headgate explore` and waits for its address. */
export async function serve(file, options = {}) {
  const { port = 0, environment = {}, more = [], folder = ROOT } = options;
  const args = ["explore", ...(file ? [file] : []), "--no-browser", "--port", String(port), ...more];
  const child = spawn(process.env.HEADGATE ?? "headgate", args, {
    cwd: folder,
    env: { ...process.env, ...environment },
  });
  let output = "";
  let errors = "";
  child.stderr.on("data", (data) => {
    errors += data;
  });
  const address = await new Promise((resolve, reject) => {
    child.stdout.on("data", (data) => {
      output += data;
      const found = /http:\/\/\S+\?t=\S+/.exec(output);
      if (found) resolve(found[0]);
    });
    child.on("exit", (code) => reject(new Error(`headgate explore ended with ${code}: ${output}${errors}`)));
    child.on("error", reject);
  });
  const stop = () =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      child.removeAllListeners("exit");
      child.on("exit", resolve);
      child.kill("SIGINT");
      setTimeout(() => child.kill("SIGKILL"), 10_000).unref();
    });
  return { address, stop, child };
}

export function scratch() {
  const folder = mkdtempSync(join(tmpdir(), "headgate-web-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Waits until no run is under way and a picture is there. */
export async function settled(page) {
  await page.waitForSelector(".delay .big");
  await page.waitForFunction(() => !document.querySelector(".explore.running"));
}

/** Changes what the server answers to requests of a path: `change` edits the JSON. */
export async function edit(page, path, change) {
  await page.route(path, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    change(json);
    await route.fulfill({ response, json });
  });
}

/** Answers requests of a path in place of the server. */
export async function answer(page, path, status, json) {
  await page.unroute(path);
  await page.route(path, (route) => route.fulfill({ status, json }));
}

/** Changes the results of runs: `change` edits one. With `preview` it is sent first as the preview of an unfinished run. */
export async function editRun(page, change, { preview = false } = {}) {
  await page.route("**/api/run", async (route) => {
    const response = await route.fetch().catch(() => null);
    if (!response) return route.abort();
    const lines = (await response.text()).trim().split("\n");
    const { done } = JSON.parse(lines.at(-1));
    change(done);
    const parts = preview ? [{ preview: done }, { done }] : [{ done }];
    await route.fulfill({ response, body: parts.map((part) => `${JSON.stringify(part)}\n`).join("") });
  });
}

/** What axe finds on the page, and whether something reaches beyond its width. */
export async function axe(page) {
  await page.evaluate(readFileSync(join(ROOT, "web/node_modules/axe-core/axe.min.js"), "utf8"));
  const found = await page.evaluate(() => window.axe.run());
  assert.deepEqual(
    found.violations.map((each) => `${each.id}: ${each.nodes[0].html.slice(0, 120)} ${each.nodes[0].failureSummary}`),
    [],
  );
  const [inner, outer] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  assert.ok(inner <= outer, `the page is ${inner} px wide in a window of ${outer} px`);
}
