// The start page: the builder, and the cards of lessons, examples, papers and files.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axe, launch, missing, open, ROOT, scratch, serve, settled } from "./browser.mjs";

const skip = missing;
const place = scratch();
let browser;
let server;

before(async () => {
  if (skip) return;
  cpSync(join(ROOT, "scenarios/game.toml"), join(place.folder, "game.toml"));
  cpSync(join(ROOT, "scenarios/office.csv"), join(place.folder, "office.csv"));
  writeFileSync(join(place.folder, "wrong.toml"), 'name = "<b>wrong</b>"\nflows = 5\n');
  browser = await launch();
  server = await serve(null, { folder: place.folder });
});
after(async () => {
  await browser?.close();
  await server?.stop();
  place.remove();
});

/** Waits until the builder has shown a run: charts are drawn after the sentences, and where they come into sight. */
const built = async (page) => {
  await page.locator(".builder .sentences li").first().waitFor();
  await page.locator(".builder .charts figure").nth(1).scrollIntoViewIfNeeded();
  await page.locator(".builder canvas").nth(1).waitFor();
};
const box = (page, path) => page.locator(`.builder [data-path="${path}"]`);
const command = (page) => page.locator(".builder .command").innerText();

test("the builder runs while one changes it, and gives the command and the file", { skip }, async () => {
  const page = await open(browser, server.address, { width: 1200 });
  await built(page);
  assert.equal(await command(page), "headgate quick --rate 20Mbit/s --rtt 30ms --flows bulk,call --queue fcfs");
  assert.equal(await page.locator(".builder canvas").count(), 2);
  await box(page, "queue").selectOption("fq");
  await page.waitForFunction(() => /\(fq\)/.test(document.querySelector(".builder .sentences").innerText));
  await page.getByRole("button", { name: "far download" }).click();
  await page.waitForFunction(() => /cubic got/.test(document.querySelector(".builder .sentences").innerText));
  await box(page, "rate slider").focus();
  await page.keyboard.press("PageDown");
  await page.waitForFunction(() => !/--rate 20Mbit/.test(document.querySelector(".builder .command").textContent));
  assert.match(await command(page), /--flows bulk,call,cubic:rtt=200ms --queue fq$/);
  // By the keyboard: an answer that comes in between may move what a pointer aims at.
  await page.locator(".builder summary").last().focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("Scenario file").waitFor();
  const other = scratch();
  const file = join(other.folder, "built.toml");
  writeFileSync(file, await page.getByLabel("Scenario file").innerText());
  assert.match(
    execFileSync(process.env.HEADGATE ?? "headgate", ["run", file], { encoding: "utf8" }),
    /host noise: each packet/,
  );
  other.remove();
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("in a narrow window the questions and the buttons that add flows are seen without scrolling in their box", {
  skip,
}, async () => {
  const page = await open(browser, server.address, { width: 390, height: 844 });
  await built(page);
  const side = page.locator(".built > .side");
  assert.ok(
    await side.evaluate((element) => element.scrollHeight <= element.clientHeight + 1),
    "the box of the questions scrolls",
  );
  const { y, height } = await side.boundingBox();
  const last = await page.locator(".added button").last().boundingBox();
  assert.ok(
    last.y + last.height <= y + height,
    `the last button ends at ${last.y + last.height}, the box at ${y + height}`,
  );
  await page.context().close();
});

test("copy buttons fill the clipboard; where that is not allowed, the text is selected", { skip }, async () => {
  const page = await open(browser, server.address);
  await built(page);
  await page.evaluate(() =>
    Object.defineProperty(navigator.clipboard, "writeText", {
      configurable: true,
      value: async (text) => {
        window.copied = text;
      },
    }),
  );
  await page.clock.install();
  await page.getByRole("button", { name: "Copy the command" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => window.copied), await command(page));
  await page.clock.fastForward(2000);
  await page.getByRole("button", { name: "Copy the command" }).waitFor();
  await page.evaluate(() =>
    Object.defineProperty(navigator.clipboard, "writeText", {
      value: async () => {
        throw new Error("no");
      },
    }),
  );
  await page.getByText("The same as a scenario file").click();
  await page.getByRole("button", { name: "Copy the file" }).click();
  await page.waitForFunction(() => /^name = "quick"/.test(getSelection().toString()));
  await page.context().close();
});

test("a wrong answer is reported beside its box, with what was expected", { skip }, async () => {
  const page = await open(browser, server.address, { width: 390 });
  await built(page);
  for (const [path, value, expected] of [
    ["rate", "fast", "rate: found 'fast'; expected a rate such as 20Mbit/s"],
    ["flows", "cubik", 'Did you mean "cubic"?'],
    ["buffer", "10B", "at least one packet"],
  ]) {
    const before = await box(page, path).inputValue();
    await box(page, path).fill(value);
    await box(page, path).press("Enter");
    const field = page.locator(".builder .field", { has: page.locator(`[data-path="${path}"]`) });
    await field.locator(".error").waitFor();
    assert.ok(
      (await field.locator(".error").innerText()).includes(expected),
      await field.locator(".error").innerText(),
    );
    assert.equal(await box(page, path).getAttribute("aria-invalid"), "true");
    // The picture of the last finished run stays.
    assert.ok(await page.locator(".builder .shares tbody tr").first().isVisible());
    await box(page, path).fill(before.replace(" ", ""));
    await box(page, path).press("Enter");
    await field.locator(".error").waitFor({ state: "hidden" });
  }
  await page.context().close();
});

test("the keyboard alone changes the builder and opens a card", { skip }, async () => {
  const page = await open(browser, server.address);
  await built(page);
  const reached = async (wanted) => {
    for (let presses = 0; presses < 120; presses += 1) {
      await page.keyboard.press("Tab");
      if (await wanted.evaluate((element) => element === document.activeElement)) return;
    }
    assert.fail("Tab does not reach it");
  };
  await reached(box(page, "rtt slider"));
  await page.keyboard.press("PageUp");
  await page.waitForFunction(() => !/--rtt 30ms/.test(document.querySelector(".builder .command").textContent));
  await reached(page.getByRole("button", { name: /^5\. A game beside a download/ }));
  await page.keyboard.press("Enter");
  await page.locator(".lessons canvas").waitFor();
  await page.goBack();
  await built(page);
  assert.doesNotMatch(await command(page), /--rtt 30ms/);
  await page.context().close();
});

test("cards open examples and files here, traces and papers on pages of their own", { skip }, async () => {
  const page = await open(browser, server.address);
  await built(page);
  await page.getByRole("button", { name: /^game\.toml/ }).click();
  await settled(page);
  assert.ok(page.url().includes("s="));
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByRole("button", { name: /^parking lot/ }).click();
  await page.waitForFunction(() => /long got/.test(document.querySelector(".explore .sentences").innerText));
  await page.getByRole("button", { name: "Start", exact: true }).click();
  const wrong = page.getByRole("button", { name: /^wrong\.toml/ });
  await wrong.click();
  await wrong.locator(".error").waitFor();
  assert.match(await wrong.locator(".error").innerText(), /flows/);
  assert.match(await wrong.innerText(), /<b>wrong<\/b>/);
  await page.getByRole("button", { name: /^Congestion control by bandwidth-delay/ }).click();
  await page.locator("nav.items button").first().waitFor();
  assert.notEqual(new URL(page.url()).origin, new URL(server.address).origin);
  await page.goBack();
  await page.getByRole("button", { name: /^office\.csv.*Trace/ }).click();
  await page.getByRole("heading", { name: "The trace" }).waitFor();
  await page.goBack();
  await built(page);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

for (const scheme of ["light", "dark"])
  for (const width of [390, 1200])
    test(`axe finds nothing on the start page and nothing runs out of it, ${scheme}, ${width} px`, {
      skip,
    }, async () => {
      const page = await open(browser, server.address, { width, scheme });
      await built(page);
      await page.getByRole("button", { name: /^game\.toml/ }).waitFor();
      await page.locator(".builder canvas").first().waitFor();
      for (const details of await page.locator("details").all())
        await details.evaluate((element) => {
          element.open = true;
        });
      await axe(page);
      assert.equal(
        await page.locator(".tile .spark").count(),
        (await page.locator(".tile").count()) - 3,
        "a card but those of files has no picture",
      );
      await page.getByRole("button", { name: "Papers", exact: true }).click();
      await page.waitForFunction(() => document.activeElement.textContent === "Papers");
      assert.deepEqual(page.faults, []);
      await page.context().close();
    });
