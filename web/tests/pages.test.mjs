// Lessons and studies.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { axe, launch, missing, open, ROOT, scratch, serve, settled } from "./browser.mjs";

const skip = missing;

test("each lesson opens, changes its value and answers", { skip }, async (t) => {
  const browser = await launch();
  t.after(() => browser.close());
  const server = await serve(null);
  t.after(() => server.stop());
  const page = await open(browser, server.address, { width: 400 });
  await page.getByRole("button", { name: "Lessons" }).first().click();
  await page.locator(".lesson-list button").first().waitFor();
  const count = await page.locator(".lesson-list button").count();
  assert.ok(count >= 10, `there are ${count} lessons`);
  await axe(page);
  for (let at = 0; at < count; at += 1) {
    await page.locator(".lesson-list button").nth(at).click();
    await page.locator(".lessons canvas").waitFor();
    const control = page.locator(".lessons .field select, .lessons .field input").first();
    assert.ok(await control.isDisabled(), `the value of lesson ${at + 1} can be changed before the prediction`);
    await page.locator(".answers button").first().click();
    assert.ok(await control.isEnabled());
    assert.match(await page.locator(".why").innerText(), /Change the value to see/);
    assert.equal((await page.locator(".lessons").innerText()).includes("`"), false, "a name stands in backticks");
    if (at === 0) await axe(page);
    await page.getByRole("button", { name: "All lessons" }).click();
    await page.locator(".lesson-list").waitFor();
  }
  // A step back leads into the lesson again.
  await page.goBack();
  await page.locator(".lessons canvas").waitFor();
  assert.deepEqual(page.faults, []);
});

test("the start page and a lesson run under names of their own, so that neither stops the other", {
  skip,
}, async (t) => {
  const browser = await launch();
  t.after(() => browser.close());
  const server = await serve(null);
  t.after(() => server.stop());
  const page = await open(browser, server.address);
  const names = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api/run")) names.push(request.postDataJSON().tab);
  });
  await page.reload();
  await page.locator(".builder .sentences li").first().waitFor();
  await page.getByRole("button", { name: "Lessons" }).first().click();
  await page.locator(".lesson-list button").first().click();
  await page.locator(".lessons canvas").waitFor();
  assert.equal(names.length, 2);
  assert.notEqual(names[0], names[1]);
});

test("a lesson is predicted, then its value is changed, then one reads why", { skip }, async (t) => {
  const browser = await launch();
  t.after(() => browser.close());
  const server = await serve(null);
  t.after(() => server.stop());
  for (const scheme of ["light", "dark"]) {
    const page = await open(browser, server.address, { width: 390, scheme });
    await page.getByRole("button", { name: "Lessons" }).first().click();
    await page.locator(".lesson-list button").nth(5).click();
    await page.locator(".lessons canvas").waitFor();
    // The sheet has a head and room to write, which the screen has not, and nothing that speaks to the screen's reader.
    assert.ok(await page.locator(".paper.head").isHidden());
    await page.emulateMedia({ media: "print" });
    assert.deepEqual(await page.locator(".paper.head span").allInnerTexts(), ["Name", "Date"]);
    assert.equal(
      await page.locator(".paper.room hr").evaluateAll((all) => all.filter((x) => x.offsetParent).length),
      6,
    );
    const paper = await page.locator("body").innerText();
    for (const gone of ["headgate", "Choose your prediction", "when you have chosen", "All lessons", "Print"])
      assert.equal(paper.includes(gone), false, gone);
    await page.emulateMedia({ media: "screen" });
    await page.getByRole("button", { name: "A third" }).click();
    await page.locator(".lessons select").selectOption("drr");
    // Another value than the one in question: the page says which one that is, until it is set.
    await page.locator(".why", { hasText: "The question is about “link: discipline” at fq." }).waitFor();
    await page.locator(".lessons select").selectOption("fq");
    await page.locator(".why", { hasText: "The run shows: At least your half." }).waitFor();
    assert.equal((await page.locator(".why").innerText()).includes("The question is about"), false);
    const rows = (await page.locator(".cases tbody tr").allInnerTexts()).map((each) => each.replaceAll(/\s+/g, " "));
    assert.deepEqual(rows.slice(0, 4), [
      "fcfs, before 0 bit/s 10 Mbit/s",
      "fq, after 9.98 Mbit/s 24 kbit/s",
      "fq with charge_drops off 5 Mbit/s 5 Mbit/s",
      "drr 5 Mbit/s 5 Mbit/s",
    ]);
    assert.ok((await page.locator(".why code").count()) > 5);
    await axe(page);
    await page.getByRole("button", { name: "At least" }).click();
    await page.locator(".right").waitFor();
    // The sheet: boxes instead of buttons, and no control.
    await page.emulateMedia({ media: "print" });
    assert.ok(await page.locator(".lessons select").isHidden());
    assert.equal(
      await page
        .locator(".answers button")
        .last()
        .evaluate((element) => getComputedStyle(element, "::before").content),
      '"☒ "',
    );
    assert.deepEqual(page.faults, []);
    await page.context().close();
  }
});

test("a study is a heat map, and a cell opens its run", { skip }, async (t) => {
  const place = scratch();
  t.after(() => place.remove());
  const file = join(place.folder, "study.toml");
  writeFileSync(
    file,
    readFileSync(join(ROOT, "scenarios/queues-and-rates.toml"), "utf8").replaceAll(/^#:schema.*$/gm, ""),
  );
  const folder = join(place.folder, "out");
  execFileSync(
    process.env.HEADGATE ?? "headgate",
    ["sweep", file, "--out", folder, "--workers", "1", "--set", "sweep.replications=2"],
    { stdio: "ignore" },
  );
  const browser = await launch();
  t.after(() => browser.close());
  const server = await serve(folder);
  t.after(() => server.stop());
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
});

test("names, rates and queues of a network do not cover one another", { skip }, async (t) => {
  const { folder, remove } = scratch();
  t.after(remove);
  const many = join(folder, "many.toml");
  writeFileSync(
    many,
    `duration = "5s"
topology = { kind = "dumbbell", hosts = 20, line = { rate = "10Mbit/s", delay = "10ms" } }
flows = [{ name = "f{i}", from = "s{i}", to = "d{i}", count = 20, control = "newreno" }]
`,
  );
  const browser = await launch();
  t.after(() => browser.close());
  for (const [file, node] of [
    [join(ROOT, "scenarios/islands.toml"), "s4"],
    [join(ROOT, "scenarios/parking-lot.toml"), "k3"],
    [many, "and 12 others"],
  ]) {
    const server = await serve(file);
    t.after(() => server.stop());
    const page = await open(browser, server.address);
    await settled(page);
    const svg = page.locator(".network svg");
    await svg.getByText(node, { exact: true }).first().waitFor();
    const covered = await svg.evaluate((picture) => {
      const boxes = [...picture.querySelectorAll("text, .queue > rect:first-of-type")]
        .filter((each) => each.textContent || each.tagName === "rect")
        .map((each) => ({
          name: each.textContent || each.parentNode.querySelector("title").textContent,
          box: each.getBoundingClientRect(),
        }));
      // A border may touch another one.
      const over = (a, b) =>
        Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
      return boxes.flatMap((a, at) =>
        boxes
          .slice(at + 1)
          .filter((b) => over(a.box, b.box))
          .map((b) => `${a.name} and ${b.name}`),
      );
    });
    assert.deepEqual(covered, []);
    assert.ok((await svg.locator("text").count()) > 8);
    await page.context().close();
  }
});
