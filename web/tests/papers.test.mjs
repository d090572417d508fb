// Reports and papers: tables, the run behind a number, and the way back to the tables.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axe, launch, missing, open, scratch, serve, settled } from "./browser.mjs";

const skip = missing;
let browser;
let server;
let place;

before(async () => {
  if (skip) return;
  place = scratch();
  const reproduce = (...args) =>
    execFileSync(process.env.HEADGATE ?? "headgate", ["reproduce", ...args], { stdio: "ignore" });
  reproduce("demers1989", "scenario-1", "section-2.2", "--report", join(place.folder, "report/demers1989"));
  reproduce("linux-tcp", "table", "--report", join(place.folder, "report/linux-tcp"));
  browser = await launch();
  server = await serve(join(place.folder, "report"));
});
after(async () => {
  await browser?.close();
  await server?.stop();
  place?.remove();
});

/** The tables of the first paper. */
async function tables(page, paper = "demers1989") {
  await page.getByRole("button", { name: paper, exact: true }).click();
  await page.locator(".numbers table").waitFor();
}

const said = (page) => page.locator(".paper-run").innerText();
/** Waits until the value of the number in the run that is shown is there. */
const measured = (page) => page.locator(".paper-run .state .note, .paper-run .state .warn").first().waitFor();

for (const scheme of ["light", "dark"])
  for (const width of [400, 1600])
    test(`papers, tables and runs pass axe and stay within the page, ${scheme}, ${width} px`, { skip }, async () => {
      const page = await open(browser, server.address, { width, scheme });
      await page.getByRole("button", { name: "demers1989", exact: true }).waitFor();
      await axe(page);
      await tables(page);
      for (const details of await page.locator(".papers details > summary").all()) await details.click();
      await axe(page);
      await page.locator(".numbers button").first().click();
      await settled(page);
      await measured(page);
      await axe(page);
      assert.deepEqual(page.faults, []);
      await page.context().close();
    });

test("a number opens its run, and back leads to the number", { skip }, async () => {
  const page = await open(browser, server.address);
  await tables(page);
  const number = page.locator(".numbers button").nth(9);
  const ours = await number.innerText();
  const name = await number.getAttribute("aria-label");
  await number.click();
  await settled(page);
  await measured(page);
  assert.match(
    await said(page),
    new RegExp(
      `In this run: ${ours.replace(".", "\\.")} .*\\. The report has ${ours.replace(".", "\\.")} .* for (the base run|run 1)\\.`,
    ),
  );
  assert.match(
    await said(page),
    /The setting is the paper's, and the run is that of the report: digest [0-9a-f]{16}\./,
  );
  // The flow that the number is about is marked, in words too.
  assert.equal(await page.locator(".shares tr.marked").count(), 1);
  assert.match(await page.locator(".shares tr.marked").innerText(), /◂ this number/);
  assert.match(name, new RegExp(await page.locator(".paper-run .filters strong").innerText()));
  await page.goBack();
  await page.locator(".numbers table").waitFor();
  await page.waitForFunction((label) => document.activeElement?.getAttribute("aria-label") === label, name);
  await page.goForward();
  await measured(page);
  // After a reload the same run is there, and what is said of it.
  const before = await said(page);
  await page.reload();
  await settled(page);
  await measured(page);
  assert.equal(await said(page), before);
  await page.getByRole("button", { name: "Back to the tables" }).click();
  await page.locator(".numbers table").waitFor();
  assert.equal(await page.locator(".paper-run").isVisible(), false);
  await page.context().close();
});

test("the keyboard alone reaches a number, another run and the page before", { skip }, async () => {
  const page = await open(browser, server.address);
  await page.getByRole("button", { name: "demers1989", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".numbers table").waitFor();
  const inside = (selector) => page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector);
  const reached = async (selector) => {
    for (let presses = 0; presses < 200; presses += 1) {
      if (await inside(selector)) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`Tab does not reach ${selector}`);
  };
  await reached(".numbers button");
  for (const key of ["ArrowDown", "ArrowDown", "ArrowUp", "End", "Home", "ArrowDown"]) await page.keyboard.press(key);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.number), "1");
  await page.keyboard.press("Enter");
  await settled(page);
  await measured(page);
  await reached("#about-run");
  // The base run is the first of the starts.
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => location.hash.includes("run=2"));
  await page.waitForFunction(() => /for run 2\./.test(document.querySelector(".paper-run").innerText));
  await settled(page);
  await measured(page);
  assert.match(await said(page), /In this run: (\S+) .* The report has \1 .* for run 2\./);
  await page.context().close();
});

test("a changed value is reported, and can be undone", { skip }, async () => {
  const page = await open(browser, server.address);
  await tables(page);
  await page.locator(".numbers button").first().click();
  await settled(page);
  await measured(page);
  const first = await page.locator(".paper-run .values").innerText();
  const box = page.locator('[data-path="links.slow.rate"]');
  await box.fill("20kbit/s");
  await box.press("Enter");
  await page.locator(".paper-run .warn").waitFor();
  assert.match(
    await page.locator(".paper-run .warn").innerText(),
    /Changed from the paper's setting: links\.slow\.rate 56kbit\/s → 20kbit\/s/,
  );
  assert.notEqual(await page.locator(".paper-run .values").innerText(), first);
  await page.getByRole("button", { name: "Undo the changes" }).click();
  await page.locator(".paper-run .warn").waitFor({ state: "detached" });
  await measured(page);
  assert.equal(await page.locator(".paper-run .values").innerText(), first);
  await page.context().close();
});

test("verdicts, tables and rows filter the numbers", { skip }, async () => {
  const page = await open(browser, server.address);
  await tables(page, "linux-tcp");
  const lines = page.locator(".numbers tbody tr:not(.title)");
  const all = await lines.count();
  await page.getByRole("group", { name: "Verdict" }).getByRole("button", { name: /miss/ }).click();
  const misses = await lines.count();
  assert.ok(misses > 0 && misses < all, `${misses} of ${all}`);
  assert.equal(await page.locator(".numbers .verdict.miss").count(), misses);
  assert.match(await page.locator(".filters [role=status]").innerText(), new RegExp(`^${misses} of ${all} numbers`));
  await page.getByLabel("Row").selectOption({ index: 1 });
  assert.ok((await lines.count()) < misses);
  // The head stays in sight while the numbers scroll.
  await page.getByLabel("Row").selectOption({ index: 0 });
  await page.getByRole("group", { name: "Verdict" }).getByRole("button", { name: /All/ }).click();
  const top = async () =>
    page
      .locator(".numbers thead th")
      .first()
      .evaluate((head) => head.getBoundingClientRect().top - head.closest(".numbers").getBoundingClientRect().top);
  const before = await top();
  await page.locator(".numbers").evaluate((part) => {
    part.scrollTop = 600;
  });
  assert.ok(Math.abs((await top()) - before) < 2);
  await page.context().close();
});

test("a claim opens as a choice of runs", { skip }, async () => {
  const page = await open(browser, server.address);
  await tables(page);
  await page
    .getByRole("button", { name: /^Runs of / })
    .first()
    .click();
  await page.locator(".claims form select").first().selectOption({ index: 0 });
  await page.locator(".claims form button").first().click();
  await settled(page);
  await measured(page);
  assert.match(await said(page), /Claim \w+: /);
  await page.goBack();
  await page.locator(".claims").waitFor();
  await page.context().close();
});

test("an item is reproduced on the page, and stops", { skip }, async (t) => {
  const here = await serve("demers1989");
  t.after(() => here.stop());
  const page = await open(browser, here.address);
  await page.locator(".items button", { hasText: "scenario-2" }).click();
  await page.getByRole("button", { name: "Reproduce this item" }).click();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped.").waitFor();
  await page.locator(".items button", { hasText: "scenario-1" }).click();
  await page.locator(".item h3", { hasText: "scenario-1" }).first().waitFor();
  // The one that was stopped ends within a moment; until then the page says that it is busy.
  await page.getByRole("button", { name: "Reproduce this item" }).waitFor();
  await page.waitForFunction(
    () => {
      const button = [...document.querySelectorAll(".item button")].find(
        (each) => each.textContent === "Reproduce this item",
      );
      if (button && !button.hidden) button.click();
      return (
        document.querySelector(".numbers .verdict.match, .numbers .verdict.not-tested:not(.soft)") !== null && !button
      );
    },
    undefined,
    { polling: 300 },
  );
  await axe(page);
  await page.locator(".numbers button").first().click();
  await settled(page);
  await measured(page);
  assert.match(await said(page), /that of the report: digest/);
  assert.deepEqual(page.faults, []);
});

test("names full of markup stay text", { skip }, async (t) => {
  const evil = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>';
  const folder = join(place.folder, "evil");
  mkdirSync(folder, { recursive: true });
  const file = JSON.parse(readFileSync(join(place.folder, "report/demers1989/reproduction.json"), "utf8"));
  const change = (part) => {
    for (const [key, value] of Object.entries(part))
      if (typeof value === "object" && value !== null) {
        if (!["where", "scenario", "phases", "metrics"].includes(key)) change(value);
      } else if (
        typeof value === "string" &&
        ["title", "note", "text", "measured", "why", "mechanism", "table", "authors", "unit", "id", "paper"].includes(
          key,
        )
      )
        part[key] = `${evil}${value}`;
  };
  change(file);
  writeFileSync(join(folder, "reproduction.json"), JSON.stringify(file));
  const here = await serve(folder);
  t.after(() => here.stop());
  const page = await open(browser, here.address);
  await page.locator(".numbers table").waitFor();
  assert.match(await page.locator(".papers").innerText(), /<script>/);
  await page
    .getByRole("button", { name: /^Runs of / })
    .first()
    .click();
  await page.locator(".numbers button").first().click();
  await settled(page);
  await measured(page);
  assert.match(await said(page), /<script>/);
  assert.equal(await page.evaluate(() => window.hit), undefined);
  assert.equal(await page.locator("img[src=x]").count(), 0);
});
