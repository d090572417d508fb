// What the start page shows of given answers of the server.

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { answer, edit, launch, missing, open, ROOT, scratch, serve, settled } from "./browser.mjs";

const skip = missing;
const place = scratch();
let browser;
let server;

before(async () => {
  if (skip) return;
  cpSync(join(ROOT, "scenarios/game.toml"), join(place.folder, "game.toml"));
  browser = await launch();
  server = await serve(null, { folder: place.folder });
});
after(async () => {
  await browser?.close();
  await server?.stop();
  place.remove();
});

const jump = (page) => page.locator(".jumps").getByText("Files of this folder");
const spoken = (page) => page.locator(".hidden[aria-live]").last().innerText();

test("pictures of cards are drawn from their numbers, and all notes are shown", { skip }, async () => {
  const page = await open(browser, server.address);
  await edit(page, "**/api/front", (front) => {
    front.examples = [{ name: "one", title: "One line", about: "", lines: [[0, 100]] }];
    front.papers = [
      { ...front.papers[0], title: "With numbers", tested: 4, match: 3, trivial: 1 },
      { ...front.papers[0], title: "With claims", tested: 0, claims: 2, hold: 1 },
    ];
    front.builder.notes = ["The first note.", "The second note."];
  });
  await page.reload();
  const card = (title) => page.locator(".tile", { hasText: title });
  assert.equal(await card("One line").locator("polyline").getAttribute("points"), "0.0,46.0 160.0,2.0");
  const part = card("With numbers").locator("rect").nth(1);
  assert.deepEqual([await part.getAttribute("width"), await part.getAttribute("fill")], ["120", "#009E73"]);
  assert.equal(await card("With numbers").locator("line").getAttribute("x1"), "40");
  assert.equal(await card("With claims").locator("rect").nth(1).getAttribute("width"), "80");
  assert.equal(await card("With claims").locator("line").count(), 0);
  const notes = await page.locator(".builder .sentences .note").allInnerTexts();
  assert.deepEqual(notes.slice(0, 2), ["The first note.", "The second note."]);
  await page.context().close();
});

test("the list of files is shown where there are files, and the page is loaded again after an error", {
  skip,
}, async () => {
  const page = await open(browser, server.address);
  await page.getByRole("heading", { name: "Files of this folder" }).waitFor();
  assert.ok(await jump(page).isVisible());
  await jump(page).click();
  assert.deepEqual(await page.evaluate(() => [document.activeElement.tagName, document.activeElement.textContent]), [
    "H2",
    "Files of this folder",
  ]);
  await edit(page, "**/api/front/files", (found) => {
    found.files = [];
  });
  const listed = page.waitForResponse("**/api/front/files");
  await page.reload();
  await listed;
  await page.locator(".builder .sentences li").first().waitFor();
  assert.ok(await jump(page).isHidden());
  assert.ok(await page.getByRole("heading", { name: "Files of this folder" }).isHidden());
  await answer(page, "**/api/front", 500, { error: { message: "There is no front page.", path: null, line: null } });
  await page.reload();
  await page.locator(".start > .error", { hasText: "There is no front page." }).waitFor();
  await page.unroute("**/api/front");
  await page.getByRole("button", { name: "Lessons", exact: true }).click();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.locator(".builder .sentences li").first().waitFor();
  await page.context().close();
});

test("a card says what became of it: a command, an error, or nothing once it is open", { skip }, async () => {
  const page = await open(browser, server.address);
  const card = page.locator(".tile", { hasText: "game.toml" });
  const status = card.locator(".note, .error").last();
  const path = "**/api/front/open";
  await answer(page, path, 200, { scenario: null, address: null, command: "headgate explore game.toml" });
  await card.click();
  await status.getByText("On the command line: headgate explore game.toml").waitFor();
  await answer(page, path, 422, { error: { message: "The file is gone.", path: null, line: null } });
  await card.click();
  await card.locator(".error", { hasText: "The file is gone." }).waitFor();
  assert.equal(await spoken(page), "The file is gone.");
  await page.unroute(path);
  await card.click();
  await settled(page);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  assert.ok(await status.isHidden());
  await page.context().close();
});

test("the builder shows its run under way, stops it, and hands the changed scenario on", { skip }, async () => {
  const page = await open(browser, server.address);
  await page.locator(".builder .sentences li").first().waitFor();
  const running = page.locator(".builder .running");
  await running.locator("progress").waitFor({ state: "hidden" });
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  await page.route("**/api/run", async (route) => {
    await held;
    await route.continue().catch(() => undefined);
  });
  await page.locator('.builder [data-path="queue"]').selectOption("fq");
  await running.locator("progress").waitFor();
  await running.getByRole("button", { name: "Stop" }).click();
  await running.locator("progress").waitFor({ state: "hidden" });
  release();
  await page.unroute("**/api/run");
  await page.getByRole("button", { name: "Change everything in this scenario" }).click();
  await page.waitForFunction(() => /\(fq\)/.test(document.querySelector(".explore .sentences")?.innerText ?? ""));
  await page.context().close();
});
