// Lessons and studies.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { axe, launch, missing, open, ROOT, scratch, serve, settled } from "./browser.mjs";

const skip = missing;

test("without a file the page begins with lessons, and each opens, turns and answers", { skip }, async () => {
  const browser = await launch();
  const server = await serve(null);
  const page = await open(browser, server.address, { width: 400 });
  await page.locator(".lesson-list button").first().waitFor();
  const count = await page.locator(".lesson-list button").count();
  assert.ok(count >= 10, `there are ${count} lessons`);
  await axe(page);
  for (let at = 0; at < count; at += 1) {
    await page.locator(".lesson-list button").nth(at).click();
    await page.locator(".lessons canvas").waitFor();
    assert.ok((await page.locator(".lessons .field").count()) >= 1, `lesson ${at + 1} has nothing to turn`);
    await page.locator(".answers button").first().click();
    await page.waitForFunction(() => /\S/.test(document.querySelector(".answer").innerText) && !/The run answers/.test(document.querySelector(".answer").innerText));
    assert.equal(await page.locator(".answer .error").count(), 0, await page.locator(".answer").innerText());
    if (at === 0) await axe(page);
    await page.getByRole("button", { name: "All lessons" }).click();
    await page.locator(".lesson-list").waitFor();
  }
  // A step back leads into the lesson again.
  await page.goBack();
  await page.locator(".lessons canvas").waitFor();
  assert.deepEqual(page.faults, []);
  await browser.close();
  await server.stop();
});

test("a study is a heat map, and a cell opens its run", { skip }, async () => {
  const place = scratch();
  const file = join(place.folder, "study.toml");
  writeFileSync(file, readFileSync(join(ROOT, "scenarios/queues-and-rates.toml"), "utf8").replaceAll(/^#:schema.*$/gm, ""));
  const folder = join(place.folder, "out");
  execFileSync(process.env.HEADGATE ?? "headgate", ["sweep", file, "--out", folder, "--workers", "1", "--set", "sweep.replications=2"], { stdio: "ignore" });
  const browser = await launch();
  const server = await serve(folder);
  const page = await open(browser, server.address, { scheme: "dark" });
  await page.locator(".heat button").first().waitFor();
  assert.match(await page.locator(".heat button").first().innerText(), /bit\/s/);
  await axe(page);
  await page.getByLabel("Measure").selectOption({ index: 2 });
  await page.waitForFunction(() => / (ms|s)/.test(document.querySelector(".heat button")?.innerText ?? ""));
  await page.locator(".heat button").nth(1).click();
  await settled(page);
  assert.ok(page.url().includes("s="));
  assert.deepEqual(page.faults, []);
  await browser.close();
  await server.stop();
  place.remove();
});
