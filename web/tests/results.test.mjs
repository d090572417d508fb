// What the page shows of a given result: delays, completion times, and the verdict on a prediction.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { answer, editRun, launch, missing, open, serve, settled } from "./browser.mjs";

const skip = missing;
let browser;
let server;

before(async () => {
  if (skip) return;
  browser = await launch();
  server = await serve("scenarios/game.toml");
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const text = async (locator) => (await locator.innerText()).replaceAll(/\s+/g, " ").trim();

test("delays stand with three digits, beside the worst flow of each class", { skip }, async () => {
  const page = await open(browser, server.address);
  let bulk = { name: "bulk", flows: 1, queueing_ms: null, worst: null };
  await editRun(page, (run) => {
    run.delays = [{ name: "sparse", flows: 2, queueing_ms: 1.2345, worst: "game" }, bulk].filter(Boolean);
  });
  await page.reload();
  await settled(page);
  const shown = await text(page.locator(".delay"));
  assert.match(shown, /Sparse flows 1\.23 ms game, the worst of 2 Bulk flows – no packet arrived/);
  assert.match(shown, /Sparse flows ask for no more than their fair share; .* The number is the mean time/);
  bulk = null;
  await page.reload();
  await settled(page);
  assert.doesNotMatch(await text(page.locator(".delay")), /Sparse flows ask for/);
  await page.context().close();
});

test("completion times stand under their headings, with the variant in the name of the table", { skip }, async () => {
  const page = await open(browser, server.address);
  await editRun(page, (run) => {
    const times = { started: 5, finished: 4, mean_s: 1, p50_s: 2, p95_s: 3, p99_s: 4 };
    run.transfers = [
      { ...times, name: "web", slowdown: 1.5 },
      { ...times, name: "mail", slowdown: null },
    ];
  });
  await page.reload();
  await page.locator(".transfers tbody tr").first().waitFor();
  assert.deepEqual(await page.locator(".transfers tr").allInnerTexts(), [
    "Transfers\tStarted\tFinished\tMean\tMedian\t95 %\t99 %\tSlowdown",
    "web\t5\t4\t1 s\t2 s\t3 s\t4 s\t1.5",
    "mail\t5\t4\t1 s\t2 s\t3 s\t4 s\t–",
  ]);
  assert.equal(await page.locator(".transfers .scroll").getAttribute("aria-label"), "Completion times");
  await page.getByRole("button", { name: "Compare with a second variant" }).click();
  await page.getByRole("region", { name: "B: Completion times", exact: true }).waitFor();
  await page.getByRole("region", { name: "A: Completion times", exact: true }).waitFor();
  await page.context().close();
});

test("the delays of a replay are marked with their variants, and say what 99 % of the packets wait", {
  skip,
}, async (t) => {
  const other = await serve("scenarios/office.csv", {
    more: ["--rate", "2Mbit/s", "--buffer", "64KB", "--queue", "fcfs", "--queue", "fq"],
  });
  t.after(() => other.stop());
  const page = await open(browser, other.address);
  await editRun(page, (run) => {
    run.delay_under_load_ms = 1.2345;
    run.p99_ms = 250;
  });
  await page.reload();
  await page.locator(".delay .which").nth(1).waitFor();
  assert.equal(
    await text(page.locator(".delay")),
    "Delay under load A 1.23 ms B 1.23 ms The number is the mean time that a packet waits before it is sent. " +
      "A: 99 % of the packets wait at most 250 ms. B: 99 % of the packets wait at most 250 ms.",
  );
  await page.context().close();
});

test("a lesson judges finished runs only, shows errors, and leads on to the next one and to its scenario", {
  skip,
}, async () => {
  const page = await open(browser, server.address);
  const wrong = { error: { message: "This does not work.", path: null, line: null } };
  await page.getByRole("button", { name: "Lessons", exact: true }).click();
  const entries = page.locator(".lesson-list button");
  await entries.first().waitFor();
  const titles = await entries.allInnerTexts();
  await answer(page, "**/api/lessons/*", 500, wrong);
  await entries.nth(5).click();
  await page.locator(".lessons .error", { hasText: "This does not work." }).waitFor();
  await page.unroute("**/api/lessons/*");
  await page.getByRole("button", { name: "Explore", exact: true }).click();
  await page.getByRole("button", { name: "Lessons", exact: true }).click();
  await page.locator(".lessons canvas").waitFor();
  assert.equal(await page.locator(".lessons h2").innerText(), `6. ${titles[5]}`);
  assert.match(await page.locator(".task").innerText(), /It can be changed when/);
  await page.getByRole("button", { name: "A third" }).click();
  assert.doesNotMatch(await page.locator(".task").innerText(), /It can be changed when/);
  const asked = [];
  page.on("request", (request) => request.url().endsWith("/answer") && asked.push(request.url()));
  await answer(page, "**/api/lessons/*/answer", 500, wrong);
  await page.locator(".lessons select").selectOption("fq");
  await page.locator(".why .error", { hasText: "This does not work." }).waitFor();
  await page.unroute("**/api/lessons/*/answer");
  await page.locator(".lessons select").selectOption("fcfs");
  await editRun(page, () => undefined, { preview: true });
  asked.length = 0;
  await page.locator(".lessons select").selectOption("fq");
  await page.locator(".wrong").waitFor();
  assert.equal(asked.length, 1, "a run that was not finished was judged");
  assert.match(await page.locator(".wrong").innerText(), /Your prediction does not hold\. The run shows/);
  await page.getByRole("button", { name: "At least" }).click();
  assert.equal(await page.locator(".right").innerText(), "✓ Your prediction is right.");
  await page.locator(".lessons select").selectOption("drr");
  await page.locator(".why", { hasText: "The question is about" }).waitFor();
  await page.getByRole("button", { name: "Change other values of this scenario" }).click();
  await page.waitForFunction(() => /\(drr\)/.test(document.querySelector(".explore .sentences")?.innerText ?? ""));
  await page.getByRole("button", { name: "Lessons", exact: true }).click();
  await answer(page, "**/api/lessons/*", 500, wrong);
  await page.getByRole("button", { name: `Next: ${titles[6]}` }).click();
  await page.locator(".lessons > .error").waitFor();
  await page.unroute("**/api/lessons/*");
  await page.goBack();
  await page.getByRole("heading", { name: `6. ${titles[5]}` }).waitFor();
  await page.getByRole("button", { name: `Next: ${titles[6]}` }).click();
  await page.getByRole("heading", { name: `7. ${titles[6]}` }).waitFor();
  await page.context().close();
});
