// The phase check: unasked, beside the shares and the waits, and off by one control.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axe, launch, missing, open, scratch, serve, settled } from "./browser.mjs";

const skip = missing;
const place = scratch();
let browser;
let server;

before(async () => {
  if (skip) return;
  const file = join(place.folder, "in-step.toml");
  writeFileSync(
    file,
    `duration = "60s"
hosts = { noise = "1pkt" }
flows = [{ name = "a", from = "s1", to = "d1", control = "reno" }, { name = "b", from = "s2", to = "d2", control = "reno", start = "100ms" }]
[topology]
kind = "dumbbell"
hosts = 2
line = { rate = "20Mbit/s", delay = "10ms", queue = { kind = "fcfs", buffer = "1BDP" } }
access = { rate = "200Mbit/s", delay = ["0s", "10ms"] }
exit = { rate = "200Mbit/s" }
`,
  );
  browser = await launch();
  server = await serve(file);
});
after(async () => {
  await browser?.close();
  await server?.stop();
  place.remove();
});

test("a share that the phase decides is named, beside the shares and the waits and in a sentence", {
  skip,
}, async () => {
  const page = await open(browser, server.address, { width: 400, scheme: "dark" });
  await page.locator(".phase .warns").waitFor();
  assert.match(
    await page.locator(".phase .warns").innerText(),
    /^The share of a depends on the phase of arrivals: 0\.9\d without host noise/,
  );
  assert.match(
    await page.locator(".phase").innerText(),
    /host noise: each packet leaves its host later by 0 to 1 packet time/,
  );
  assert.match(
    await page.locator(".shares tbody tr").first().innerText(),
    /moves by 3\d(\.\d)? % ![\s\S]*moves by \d(\.\d+)? ms/,
  );
  await page.locator(".phase summary").click();
  assert.equal(await page.locator(".phase tbody tr").count(), 2);
  await axe(page);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("one box switches it off and on; a fair queue needs none", { skip }, async () => {
  const page = await open(browser, server.address);
  const asked = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api/phase")) asked.push(request.postDataJSON().scenario.topology.line.queue.kind);
  });
  await page.locator(".phase .warns").waitFor();
  const box = page.getByLabel(/Check whether shares depend/);
  await box.uncheck();
  await page.locator(".phase .warns").waitFor({ state: "detached" });
  assert.equal(await page.locator(".moves").count(), 0);
  const queue = page.locator('[data-path="topology.line.queue.kind"]');
  await queue.selectOption("random_drop");
  await page.waitForFunction(() => /random_drop/.test(document.querySelector(".sentences").innerText));
  await queue.selectOption("fcfs");
  await page.waitForFunction(() => /\(fcfs\)/.test(document.querySelector(".sentences").innerText));
  await settled(page);
  await box.check();
  await page.locator(".phase .warns").waitFor();
  assert.ok(!asked.includes("random_drop"), "the check was made while it was off");
  await queue.selectOption("fq");
  await page.locator(".phase .warns").waitFor({ state: "detached" });
  await box.waitFor({ state: "hidden" });
  assert.equal(asked.at(-1), "fq");
  await page.context().close();
});
