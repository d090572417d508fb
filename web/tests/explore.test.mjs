// The page in a real browser, against the real server.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, missing, open, ROOT, scratch, serve, settled } from "./browser.mjs";

const AXE = join(ROOT, "web/node_modules/axe-core/axe.min.js");
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

/** The first sentence of the results: it changes with what was simulated. */
const sentences = (page) => page.locator(".sentences").innerText();

test("each view has its chart, in units", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  for (const view of ["throughput", "rtt", "queueing", "backlog", "drops", "window", "pacing", "estimates"]) {
    const charts = page.locator(`[data-view^="${view}"]`);
    assert.ok((await charts.count()) > 0 || ["pacing", "estimates"].includes(view), `there is no chart of ${view}`);
    if ((await charts.count()) === 0) continue;
    await charts.first().scrollIntoViewIfNeeded();
    await charts.first().locator("canvas").waitFor();
  }
  assert.match(await page.locator("figure h3").first().innerText(), /\(Mbit\/s\)/);
  assert.match(await page.locator(".delay .big").innerText(), /\d+(\.\d+)? ms/);
  assert.equal(await page.locator(".shares tbody tr").count(), 2);
  assert.ok((await page.locator(".network svg line").count()) >= 5);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("charts share their zoom and their cursor", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  const over = page.locator("figure .u-over");
  await over.nth(1).waitFor();
  const box = await over.nth(0).boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.waitForFunction(() => /^(8|9)\.\d+ s to 1[45]\.\d+ s of 30 s/.test(document.querySelector(".tools .range").textContent));
  await page.mouse.move(box.x + box.width * 0.5, box.y + 50);
  // The second chart says its values at the cursor of the first, in units.
  await page.waitForFunction(() => /\d (ms|µs|s)$/.test(document.querySelectorAll("figure")[1].querySelector(".value").textContent));
  const starts = await page.locator("[role=slider][data-view]").evaluateAll((all) => all.filter((each) => each.querySelector("canvas")).map((each) => each.getAttribute("aria-valuemin")));
  assert.equal(new Set(starts).size, 1, `the charts begin at ${starts}`);
  await over.nth(0).dblclick();
  await page.waitForFunction(() => document.querySelector(".tools .range").textContent === "0 s to 30 s");
  await page.context().close();
});

test("the keyboard alone turns a control and zooms a chart", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  const first = await sentences(page);
  const slider = page.locator('[data-path="topology.line.rate slider"]');
  const reached = async (wanted) => {
    for (let presses = 0; presses < 300; presses += 1) {
      await page.keyboard.press("Tab");
      if (await wanted.evaluate((element) => element === document.activeElement)) return;
    }
    assert.fail("Tab does not reach the control");
  };
  await reached(slider);
  await page.keyboard.press("PageDown");
  await page.waitForFunction((before) => document.querySelector(".sentences").innerText !== before, first);
  await settled(page);
  assert.ok(await slider.evaluate((element) => element === document.activeElement), "the slider lost the focus");
  assert.match(await slider.getAttribute("aria-valuetext"), /bit\/s/);
  const chart = page.locator("[role=slider][data-view]").first();
  await reached(chart);
  await page.keyboard.press("+");
  await page.waitForFunction(() => /of 30 s$/.test(document.querySelector(".tools .range").textContent));
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => /bit\/s/.test(document.querySelector("figure .value").textContent));
  assert.match(await chart.getAttribute("aria-valuetext"), / s: .*bit\/s/);
  await page.keyboard.press("0");
  await page.waitForFunction(() => document.querySelector(".tools .range").textContent === "0 s to 30 s");
  await page.context().close();
});

test("a value that the engine refuses is reported beside its control", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  const box = page.locator('[data-path="topology.line.rate"]');
  await box.fill("fast");
  await box.press("Enter");
  const field = page.locator(".field", { has: box });
  await field.locator(".error").waitFor();
  assert.match(await field.locator(".error").innerText(), /fast/);
  assert.equal(await box.getAttribute("aria-invalid"), "true");
  // The picture of the last finished run stays.
  assert.ok(await page.locator(".delay .big").isVisible());
  await box.fill("10Mbit/s");
  await box.press("Enter");
  await field.locator(".error").waitFor({ state: "hidden" });
  await page.context().close();
});

for (const scheme of ["light", "dark"])
  for (const width of [400, 1600])
    test(`axe finds nothing and nothing runs out of the page, ${scheme}, ${width} px`, { skip }, async () => {
      const page = await open(browser, server.address, { width, scheme });
      await settled(page);
      await page.getByRole("button", { name: "Compare with a second variant" }).click();
      await page.getByRole("button", { name: "Variant B" }).waitFor();
      await settled(page);
      for (const details of await page.locator("details").all()) await details.evaluate((element) => { element.open = true; });
      await page.locator(".charts figure").first().scrollIntoViewIfNeeded();
      await page.locator(".charts canvas").first().waitFor();
      const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(inner <= outer, `the page is ${inner} px wide in a window of ${outer} px`);
      await page.evaluate(readFileSync(AXE, "utf8"));
      const found = await page.evaluate(() => window.axe.run());
      assert.deepEqual(found.violations.map((each) => `${each.id}: ${each.nodes[0].html.slice(0, 120)} ${each.nodes[0].failureSummary}`), []);
      assert.deepEqual(page.faults, []);
      await page.context().close();
    });

test("names full of markup are shown as text", { skip }, async () => {
  const place = scratch();
  const file = join(place.folder, "script.toml");
  const markup = "<img src=x onerror=window.hit=1><script>window.hit=1</script>";
  let count = 0;
  const name = () => `name = ${JSON.stringify(`${markup}${(count += 1)}`)}`;
  writeFileSync(file, readFileSync(join(ROOT, "scenarios/game.toml"), "utf8").replaceAll(/^name = .*$/gm, name));
  assert.ok(count >= 3);
  const other = await serve(file);
  const page = await open(browser, other.address);
  await settled(page);
  await page.locator("figure canvas").first().waitFor();
  await page.getByText("Packets and what became of them").click();
  await page.locator(".packets tbody button").first().click();
  await page.locator(".story ol li").first().waitFor();
  assert.equal(await page.evaluate(() => window.hit), undefined);
  assert.equal(await page.locator("img, main script").count(), 0);
  for (const place of ["h1", ".shares tbody th", ".legend", ".controls", ".story"]) assert.ok((await page.locator(place).first().innerText()).includes("<img src=x"), `${place} does not show the name`);
  assert.deepEqual(page.faults, []);
  await page.context().close();
  await other.stop();
  place.remove();
});

test("reload and back bring back what was turned", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  assert.ok(!page.url().includes("t="), "the token is in the address bar");
  await page.waitForFunction(() => location.hash.includes("s="));
  const box = page.locator('[data-path="topology.line.rate"]');
  const before = await box.inputValue();
  await box.fill("7Mbit/s");
  await box.press("Enter");
  await page.waitForFunction((old) => location.hash !== old, new URL(page.url()).hash);
  await page.reload();
  await settled(page);
  await page.waitForFunction(() => document.querySelector('[data-path="topology.line.rate"]')?.value === "7 Mbit/s");
  await page.goBack();
  await page.waitForFunction((value) => document.querySelector('[data-path="topology.line.rate"]')?.value === value, before);
  await page.goForward();
  await page.waitForFunction(() => document.querySelector('[data-path="topology.line.rate"]')?.value === "7 Mbit/s");
  await page.context().close();
});

test("two variants are drawn over one another and side by side", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  await page.getByRole("button", { name: "Compare with a second variant" }).click();
  await page.locator('[data-path="topology.line.queue.kind"]').selectOption("fcfs");
  await page.locator(".changed li").first().waitFor();
  assert.match(await page.locator(".changed").innerText(), /fq in A, fcfs in B/);
  assert.match(await page.locator("figure").first().locator(".legend").innerText(), /A: game[^]*B: game/);
  const together = await page.locator("figure:visible").count();
  await page.getByLabel("in the same charts").uncheck();
  await page.waitForFunction((count) => document.querySelectorAll("figure:not([hidden])").length >= 2 * count - 3, together);
  await page.reload();
  await page.getByRole("button", { name: "Variant B" }).waitFor();
  await page.context().close();
});

test("a picture, the scenario and a link can be taken along", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  await page.locator("figure canvas").first().waitFor();
  for (const [form, starts] of [["SVG", "<?xml"], ["PNG", "\u{89}PNG"]]) {
    const [file] = await Promise.all([page.waitForEvent("download"), page.locator("figure").first().getByRole("button", { name: `Save as ${form}` }).click()]);
    assert.ok(readFileSync(await file.path()).toString("latin1").startsWith(starts), `${form} is none`);
  }
  await page.getByText("Take it with you").click();
  const [toml] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Scenario (TOML)" }).click()]);
  assert.match(readFileSync(await toml.path(), "utf8"), /\[topology/);
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.waitForFunction(() => document.getElementById("given-link").value.includes("#s="));
  await page.getByRole("button", { name: "Python lines" }).click();
  await page.locator(".take pre:visible").waitFor();
  assert.match(await page.locator(".take pre").innerText(), /headgate/);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a packet tells its story", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  await page.getByText("Packets and what became of them").click();
  await page.locator(".packets tbody button").first().click();
  await page.locator(".story ol li, .story .error").first().waitFor();
  assert.equal(await page.locator(".story .error").allInnerTexts().then((x) => x.join()), "");
  await page.context().close();
});

test("a long run shows its progress and can be stopped, and the last picture stays", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  const box = page.locator('[data-path="duration"]');
  await box.fill("30000s");
  await box.press("Enter");
  await page.getByRole("button", { name: "Stop", exact: true }).waitFor();
  await page.waitForFunction(() => document.querySelector(".runbar progress").value > 0);
  assert.ok(await page.locator(".delay .big").isVisible());
  // Turning on while it runs ends it: the last value wins.
  await box.fill("20000s");
  await box.press("Enter");
  await page.waitForFunction(() => document.querySelector(".runbar progress").value > 0);
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await page.getByText("Stopped").waitFor();
  await page.locator("figure canvas").first().waitFor();
  await box.fill("30s");
  await box.press("Enter");
  await page.waitForFunction(() => /^30 s simulated/.test(document.querySelector(".status").textContent));
  await page.context().close();
});
