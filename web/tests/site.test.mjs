// The page without a server, from a host of files.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { deflateRawSync, gzipSync, inflateRawSync } from "node:zlib";
import { axe, launch, missing, open, ROOT, settled } from "./browser.mjs";
import { build, faulty, host, pinned } from "./host.mjs";

const site = missing ? { missing, remove: () => undefined } : build();
const skip = site.missing;
let browser;
let files;

before(async () => {
  if (skip) return;
  browser = await launch();
  files = await host(site.folder);
});
after(async () => {
  await browser?.close();
  await files?.stop();
  site.remove();
});

/** Waits for lines in the first chart. */
async function drawn(page) {
  await page.locator(".chart").first().scrollIntoViewIfNeeded();
  await page.waitForFunction(
    () => document.querySelector(".chart canvas") && document.querySelector(".chart .legend *"),
  );
}

async function opened(options = {}) {
  const page = await open(browser, files.address, options);
  await page.getByRole("button", { name: /^two sources/ }).click();
  await settled(page);
  await drawn(page);
  return page;
}

test("the page runs a scenario from a path of its own, and asks nobody else", { skip }, async () => {
  const elsewhere = [];
  const context = await browser.newContext();
  context.on("request", (request) => {
    if (!request.url().startsWith(files.address)) elsewhere.push(request.url());
  });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await page.goto(files.address);
  await page.getByRole("button", { name: /^two sources/ }).click();
  await settled(page);
  await drawn(page);
  assert.deepEqual([elsewhere, faults], [[], []]);
  await context.close();
});

test("a changed value is run, and a shared link opens it with the command that it stands for", { skip }, async () => {
  const page = await opened();
  const before = await page.locator(".sentences").innerText();
  const slider = page.locator('[data-path$=" slider"]').first();
  await slider.focus();
  await page.keyboard.press("PageUp");
  await page.waitForFunction((text) => document.querySelector(".sentences").innerText !== text, before);
  await settled(page);
  await page.getByText("Save and share").click();
  await page.getByRole("button", { name: "Copy link" }).click();
  const link = page.getByLabel("Open a link that holds a scenario");
  await page.waitForFunction((input) => input.value !== "", await link.elementHandle());
  const address = await link.inputValue();
  assert.ok(address.startsWith(`${files.address}#s=`), address);
  assert.equal(await page.getByLabel("Command line").textContent(), `headgate run '#${address.split("#")[1]}'`);
  const shown = await page.getByRole("region", { name: "Flows" }).first().textContent();
  const other = await open(browser, address);
  await settled(other);
  await drawn(other);
  assert.equal(await other.getByRole("region", { name: "Flows" }).first().textContent(), shown);
  await other.context().close();
  await page.context().close();
});

test("the check of the phase runs unasked, and names a share that depends on it", { skip }, async () => {
  const flow = (i, more = {}) => ({ name: "ab"[i - 1], from: `s${i}`, to: `d${i}`, control: "reno", ...more });
  const topology = {
    kind: "dumbbell",
    hosts: 2,
    line: { rate: "20Mbit/s", delay: "10ms", queue: { kind: "fcfs", buffer: "1BDP" } },
    access: { rate: "200Mbit/s", delay: ["0s", "10ms"] },
    exit: { rate: "200Mbit/s" },
  };
  const scenario = {
    duration: "60s",
    hosts: { noise: "1pkt" },
    flows: [flow(1), flow(2, { start: "100ms" })],
    topology,
  };
  const page = await open(
    browser,
    `${files.address}#s=${deflateRawSync(JSON.stringify(scenario)).toString("base64url")}`,
  );
  await page.locator(".phase .warns").waitFor();
  assert.match(
    await page.locator(".phase .warns").innerText(),
    /^The share of a depends on the phase of arrivals: 0\.9\d without host noise/,
  );
  await page.context().close();
});

test("packets are listed with their stories, and the backlog of the port is drawn by flow", { skip }, async () => {
  const page = await opened();
  await page.getByText("Packets and what became of them").click();
  await page.locator("#packets-kind").selectOption("all");
  await page.locator(".packets tbody button").first().click();
  await page.locator(".packets .story h4").waitFor();
  assert.match(
    await page.locator(".packets .story li").first().innerText(),
    /^Packet \d+ of \w+, [\d]+ bytes, arrived at/,
  );
  assert.match(await page.locator(".packets .numbers").first().innerText(), /its wait/);
  const backlog = page.locator(".chart", { has: page.locator('[data-view="backlog"]') });
  await backlog.scrollIntoViewIfNeeded();
  await backlog.locator(".legend button").first().waitFor();
  assert.match(await backlog.locator("h3").innerText(), /^Backlog of .+ by flow/);
  await page.waitForFunction(() => /Packets waiting at/.test(document.body.textContent));
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a flow control that is written on the page is run in its own frame, tested and shared", { skip }, async () => {
  const page = await open(browser, files.address);
  await page.getByRole("button", { name: "Your own control" }).click();
  const status = page.locator(".own [role=status]");
  const said = (words) =>
    page.waitForFunction((text) => document.querySelector(".own [role=status]").textContent.includes(text), words);
  const editor = page.getByLabel("The text of the flow control");
  // Each step of the lesson holds with its text, and the first text fails the second step.
  for (const [at, step] of (await page.locator(".own .steps li").all()).entries()) {
    if (at === 1) {
      await step.getByRole("button", { name: "Check it" }).click();
      await said("Not yet");
    }
    await step.getByRole("button", { name: "Write this" }).click();
    await step.getByRole("button", { name: "Check it" }).click();
    await said("packets a second");
    assert.match(await status.textContent(), /^Right/, `step ${at + 1}`);
  }
  await page.getByRole("button", { name: "Run all tests" }).click();
  await said("tests passed");
  assert.equal(await page.locator(".own .checks .fails").count(), 0);
  // TypeScript is run without its types. What it does wrong is said with its line, and another run begins it again.
  const wrong =
    "export class Mine {\n  private window: number = 4;\n  on_ack(ack: { rtt: number | null }): void {\n    this.window = ack.none.deeper;\n  }\n}\n";
  await editor.fill(wrong);
  await page.getByRole("button", { name: "Run all tests" }).click();
  await said("tests failed");
  assert.match(
    await page.locator(".own .checks .fails").first().textContent(),
    /on_ack at .* s: TypeError: .*\(line 4\)/,
  );
  await editor.fill("export class Mine {");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.locator(".own [role=alert]").getByText("(line 1)").waitFor();
  await axe(page);
  // A link brings the text and the scenario, and the run is the same.
  const [, block] = /```js\n(.*?)```/s.exec(readFileSync(join(ROOT, "docs/how-to/site.md"), "utf8"));
  await editor.fill(block);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await settled(page);
  await drawn(page);
  // Its parameter is a value of the page as those of the engine's controls are.
  await page.locator('[data-path$="control.increase slider"]').waitFor({ state: "attached" });
  const shares = await page.getByRole("region", { name: "Flows" }).first().textContent();
  assert.match(shares, /mine/);
  await page.getByText("Save and share").click();
  await page.getByRole("button", { name: "Copy link" }).click();
  const link = page.getByLabel("Open a link that holds a scenario");
  await page.waitForFunction((input) => input.value !== "", await link.elementHandle());
  assert.match(await link.inputValue(), /#own=.*&s=/);
  const other = await open(browser, await link.inputValue());
  await settled(other);
  await drawn(other);
  assert.equal(await other.getByRole("region", { name: "Flows" }).first().textContent(), shares);
  assert.deepEqual([page.faults, other.faults], [[], []]);
  await other.context().close();
  await page.context().close();
});

test("a flow control that does not return ends its run", { skip }, async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.clock.install();
  await page.goto(files.address);
  await page.getByRole("button", { name: "Your own control" }).click();
  await page.getByLabel("The text of the flow control").fill("export class Mine { on_ack() { for (;;); } }");
  await page.getByRole("button", { name: "Run all tests" }).click();
  await page.getByText("Test 1 of").waitFor();
  // Nobody waits here: the clock of the page goes on.
  const fails = page.locator(".own .checks .fails");
  while ((await fails.count()) === 0) await page.clock.fastForward(1100);
  assert.match(await fails.first().textContent(), /did not return within 10 s\. The next run begins it again/);
  await page.getByRole("button", { name: "Stop" }).click();
  await context.close();
});

test("a flow control of the page reaches no host, no storage and no document", { skip }, async () => {
  const page = await open(browser, files.address);
  await page.getByRole("button", { name: "Your own control" }).click();
  const leak = `${files.address}leak`;
  // What must throw, and what must not reach the host.
  const attempts = [
    `importScripts(${JSON.stringify(leak)})`,
    "indexedDB.open('x')",
    "document.title",
    "localStorage.x",
  ];
  const asks = [`fetch("${leak}").catch(() => {})`, `new WebSocket("${leak.replace("http", "ws")}")`];
  const text = [
    "let reached = '';",
    ...attempts.map((each) => `try { ${each}; reached += ${JSON.stringify(`${each} `)}; } catch {}`),
    ...asks.map((each) => `try { ${each}; } catch {}`),
    "export class Mine { on_start() { if (reached) throw new Error(reached); this.window = 2; } on_ack() {} }",
  ];
  await page.getByLabel("The text of the flow control").fill(text.join("\n"));
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.locator(".sentences li, .problem:not([hidden])").first().waitFor();
  assert.equal(await page.locator(".problem").textContent(), "");
  assert.ok(!files.asked.some((path) => path.includes("leak")));
  await page.context().close();
});

test("the digests of all pinned runs are equal in the worker of the page", { skip }, async () => {
  const page = await open(browser, files.address);
  const all = pinned();
  const found = await page.evaluate(
    async (scenarios) => {
      const worker = new Worker("assets/worker.js", { type: "module" });
      const texts = new Map();
      const done = new Promise((resolve, reject) => {
        let ended = 0;
        worker.onmessage = ({ data }) => {
          if (data.fault) reject(new Error(data.fault));
          if (!data.part) return;
          texts.set(data.part, (texts.get(data.part) ?? "") + new TextDecoder().decode(data.data));
          if (data.last && ++ended === scenarios.length) resolve();
        };
      });
      scenarios.forEach((scenario, at) => {
        worker.postMessage({ ask: String(at), path: "/api/digest", body: JSON.stringify({ scenario }) });
      });
      await done;
      return scenarios.map((_, at) => JSON.parse(texts.get(String(at)).trim().split("\n").at(-1)).done?.digest);
    },
    all.map((each) => each.scenario),
  );
  assert.ok(all.length > 95, `${all.length} pinned runs`);
  assert.deepEqual(
    all.filter((each, at) => each.digest !== found[at]).map((each) => each.name),
    [],
  );
  await page.context().close();
});

test("after the first visit the page needs no host", { skip }, async () => {
  const own = await host(site.folder);
  const page = await open(browser, own.address);
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await own.stop();
  await page.reload();
  await page.getByRole("button", { name: /^two sources/ }).click();
  await settled(page);
  await drawn(page);
  await page.context().close();
});

test("a fault of the simulator is reported, and the next run begins it again", { skip }, async () => {
  const context = await browser.newContext({ serviceWorkers: "block" });
  const page = await context.newPage();
  let requests = 0;
  await page.route("**/headgate.wasm.gz", (route) => {
    requests += 1;
    return requests > 1 ? route.continue() : route.fulfill({ body: gzipSync(faulty("a planted fault")) });
  });
  await page.goto(files.address);
  await page.getByRole("button", { name: /^two sources/ }).click();
  await page
    .getByText(/which is a fault of headgate: a planted fault/)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Run again" }).click();
  await settled(page);
  await drawn(page);
  assert.equal(requests, 2);
  await context.close();
});

for (const [width, scheme] of [
  [390, "light"],
  [1280, "dark"],
])
  test(`axe finds nothing at ${width} px in ${scheme} colours`, { skip }, async () => {
    const page = await open(browser, files.address, { width, scheme });
    await page.getByRole("button", { name: /^two sources/ }).waitFor();
    await axe(page);
    await page.getByRole("button", { name: /^two sources/ }).click();
    await settled(page);
    await drawn(page);
    await axe(page);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  });

test("the keyboard alone opens an example and moves the cursor of a chart", { skip }, async () => {
  const page = await open(browser, files.address);
  await page.getByRole("button", { name: /^two sources/ }).focus();
  await page.keyboard.press("Enter");
  await settled(page);
  await drawn(page);
  const chart = page.locator(".chart [role=slider]").first();
  await chart.focus();
  const before = await chart.getAttribute("aria-valuetext");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(
    ([element, text]) => element.getAttribute("aria-valuetext") !== text,
    [await chart.elementHandle(), before],
  );
  await page.context().close();
});

test("a live example of the documentation is loaded when it is opened, and runs again when a value changes", {
  skip,
}, async () => {
  const root = new URL("..", files.address).href;
  const page = await open(browser, "about:blank", { width: 800 });
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`${root}reference/aqms.html`);
  await page.waitForLoadState("networkidle");
  assert.ok(!asked.some((url) => /live|wasm/.test(url)), asked.join());
  const example = page.locator("details.live", { hasText: /^Try codel here/ });
  await example.locator("summary").focus();
  await page.keyboard.press("Enter");
  const frame = await (await example.locator("iframe").elementHandle()).contentFrame();
  await frame.waitForSelector(".told p");
  // The first part of a run comes with sentences of its own.
  await frame.locator("progress").waitFor({ state: "hidden" });
  await frame.waitForSelector(".chart .legend .entry");
  const paths = await frame
    .locator(".controls [data-path]:not([data-path$=' slider'])")
    .evaluateAll((found) => found.map((each) => each.dataset.path));
  const at = "topology.line.queue.aqm";
  assert.deepEqual(
    paths,
    ["interval", "mark", "max_packet", "target"].map((name) => `${at}.${name}`),
  );
  const target = frame.locator(".field", { has: frame.locator(`[data-path="${at}.target"]`) });
  assert.match(await target.innerText(), /^target\s*default 5 ms$/);
  await page.setViewportSize({ width: 390, height: 1000 });
  await axe(frame);
  const told = await frame.locator(".told").innerText();
  await frame.locator(`[data-path="${at}.target slider"]`).focus();
  for (let press = 0; press < 3; press += 1) await page.keyboard.press("PageUp");
  await frame.waitForFunction((words) => document.querySelector(".told").innerText !== words, told);
  const whole = await frame.getByRole("link", { name: /whole page/ }).getAttribute("href");
  const { topology } = JSON.parse(inflateRawSync(Buffer.from(whole.split("#s=")[1], "base64url")));
  assert.notEqual(topology.line.queue.aqm.target ?? "5ms", "5ms");
  await page.evaluate(() => {
    document.body.dataset.theme = "dark";
  });
  await frame.waitForFunction(() => document.documentElement.style.colorScheme === "dark");
  await axe(frame);
  assert.equal(await example.locator("iframe").getAttribute("title"), "Try codel here");
  await frame.getByRole("button", { name: "Reset" }).click();
  await frame.waitForFunction((words) => document.querySelector(".told").innerText === words, told);
  await example.locator("summary").click();
  await example.locator("iframe").waitFor({ state: "detached" });
  assert.deepEqual([asked.filter((url) => !url.startsWith(root)), page.faults], [[], []]);
  await page.context().close();
});

test("the service worker keeps the page, its module, its worker and its data", { skip }, () => {
  const words = readFileSync(join(site.folder, "explore/offline.js"), "utf8");
  for (const name of ["index.html", "headgate.wasm.gz", "assets/worker.js", "data/start.json"])
    assert.match(words, new RegExp(`[\`",]${name}[\`",]`));
  // The module with replays is kept when a capture was opened.
  assert.doesNotMatch(words, /[`",]headgate-replay\.wasm\.gz[`",]/);
});
