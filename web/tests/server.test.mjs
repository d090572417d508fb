// A server that dies and returns, and a page that is read without one.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { deflateRawSync } from "node:zlib";
import { freePort, launch, missing, open, ROOT, serve, settled } from "./browser.mjs";

const skip = missing;

test("a server that dies shows a banner; one that returns is found", { skip }, async (t) => {
  const browser = await launch();
  t.after(() => browser.close());
  const port = await freePort();
  const first = await serve("scenarios/game.toml", { port });
  t.after(() => first.stop());
  const page = await open(browser, first.address);
  await settled(page);
  await first.stop();
  const box = page.locator('[data-path="topology.line.rate"]');
  await box.fill("9Mbit/s");
  await box.press("Enter");
  await page.getByText("The server does not answer").waitFor();
  assert.ok(await page.locator(".delay .big").first().isVisible(), "the picture went away");
  const second = await serve("scenarios/game.toml", { port });
  t.after(() => second.stop());
  // The new server has a new token: the page says so instead of showing nothing.
  await page.getByText("Another server answers here").waitFor();
  const token = new URL(second.address).searchParams.get("t");
  await page.goto(`${second.address}${new URL(page.url()).hash}`);
  assert.ok(token);
  await settled(page);
  await page.locator(".banner").waitFor({ state: "hidden" });
});

test("the page opened as a file shows that it has no server, and breaks nowhere", { skip }, async (t) => {
  const browser = await launch();
  t.after(() => browser.close());
  const page = await open(browser, pathToFileURL(join(ROOT, "python/headgate/explore/static/index.html")).href);
  await page.locator(".banner:visible").waitFor();
  assert.deepEqual(page.faults, []);
  const scenario = {
    name: "a <b>link</b>",
    duration: "10s",
    topology: { kind: "dumbbell", line: { rate: "1Mbit/s" } },
    flows: [{ name: "one", control: { kind: "cubic" } }],
  };
  const fragment = deflateRawSync(JSON.stringify(scenario)).toString("base64url");
  await page.goto(`${pathToFileURL(join(ROOT, "python/headgate/explore/static/index.html")).href}#s=${fragment}`);
  await page.reload();
  const text = await page.locator(".reader pre").innerText();
  assert.equal(
    text.trim(),
    `name = "a <b>link</b>"
duration = "10s"

[topology]
kind = "dumbbell"

[topology.line]
rate = "1Mbit/s"

[[flows]]
name = "one"
control = { kind = "cubic" }`,
  );
  // A link that was cut short says so.
  await page.goto(
    `${pathToFileURL(join(ROOT, "python/headgate/explore/static/index.html")).href}#s=${fragment.slice(0, 20)}`,
  );
  await page.reload();
  await page.getByText("cut short or changed").waitFor();
});

test("a broken connection is restored by itself", { skip }, async (t) => {
  const browser = await launch();
  t.after(() => browser.close());
  const server = await serve("scenarios/game.toml");
  t.after(() => server.stop());
  const page = await open(browser, server.address);
  await settled(page);
  await page.context().setOffline(true);
  const box = page.locator('[data-path="topology.line.rate"]');
  await box.fill("9Mbit/s");
  await box.press("Enter");
  await page.getByText("The server does not answer").waitFor();
  await page.context().setOffline(false);
  await page.locator(".banner").waitFor({ state: "hidden" });
  await settled(page);
  // Changes made meanwhile are not lost.
  await page.waitForFunction(
    () =>
      document.querySelector('[data-path="topology.line.rate"]').value === "9 Mbit/s" &&
      /9 Mbit\/s/.test(document.querySelector(".network").textContent),
  );
});
