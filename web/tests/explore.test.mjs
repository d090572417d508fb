// The page in a real browser, against the real server.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
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
  await page.locator(".fold summary").click();
  for (const view of ["throughput", "rtt", "queueing", "backlog", "drops", "window", "pacing", "estimates"]) {
    const charts = page.locator(`[data-view^="${view}"]`);
    assert.ok((await charts.count()) > 0 || ["pacing", "estimates"].includes(view), `there is no chart of ${view}`);
    if ((await charts.count()) === 0) continue;
    await charts.first().scrollIntoViewIfNeeded();
    await charts.first().locator("canvas").waitFor();
  }
  // The scenario is about the delay of the game, so that comes first; what explains it is folded.
  assert.deepEqual(
    (await page.locator("figure h3").allInnerTexts()).slice(0, 2).map((each) => each.replace(/,.*(?= \()/, "")),
    ["Queueing delay (ms)", "Goodput (Mbit/s)"],
  );
  assert.ok((await page.locator(".fold [data-view=window]").count()) === 1);
  assert.match(
    await page.locator(".delay").innerText(),
    /Sparse flows\s+0\.\d+ ms\s+game\s+Bulk flows\s+2\d\d ms\s+download/,
  );
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
  await page.waitForFunction(() =>
    /^(8|9)\.\d+ s to 1[45]\.\d+ s of 30 s/.test(document.querySelector(".tools .range").textContent),
  );
  await page.mouse.move(box.x + box.width * 0.5, box.y + 50);
  // The second chart says its values at the cursor of the first, in units.
  await page.waitForFunction(() =>
    /\d [kM]?bit\/s$/.test(document.querySelectorAll("figure")[1].querySelector(".value").textContent),
  );
  const starts = await page
    .locator("[role=slider][data-view]")
    .evaluateAll((all) =>
      all.filter((each) => each.querySelector("canvas")).map((each) => each.getAttribute("aria-valuemin")),
    );
  assert.equal(new Set(starts).size, 1, `the charts begin at ${starts}`);
  await over.nth(0).dblclick();
  await page.waitForFunction(() => document.querySelector(".tools .range").textContent === "0 s to 30 s");
  await page.context().close();
});

test("the keyboard alone changes a value and zooms a chart", { skip }, async () => {
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
  await page.waitForFunction(() => /\ds$|\d (µs|ms|s)$/.test(document.querySelector("figure .value").textContent));
  assert.match(await chart.getAttribute("aria-valuetext"), / s: .*(µs|ms)/);
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
  assert.ok(await page.locator(".delay .big").first().isVisible());
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
      for (const details of await page.locator("details").all())
        await details.evaluate((element) => {
          element.open = true;
        });
      await page.locator(".charts figure").first().scrollIntoViewIfNeeded();
      await page.locator(".charts canvas").first().waitFor();
      const [inner, outer] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.clientWidth,
      ]);
      assert.ok(inner <= outer, `the page is ${inner} px wide in a window of ${outer} px`);
      await page.evaluate(readFileSync(AXE, "utf8"));
      const found = await page.evaluate(() => window.axe.run());
      assert.deepEqual(
        found.violations.map(
          (each) => `${each.id}: ${each.nodes[0].html.slice(0, 120)} ${each.nodes[0].failureSummary}`,
        ),
        [],
      );
      assert.deepEqual(page.faults, []);
      await page.context().close();
    });

test("names full of markup are shown as text", { skip }, async (t) => {
  const place = scratch();
  t.after(() => place.remove());
  const file = join(place.folder, "script.toml");
  const markup = "<img src=x onerror=window.hit=1><script>window.hit=1</script>";
  let count = 0;
  const name = () => {
    count += 1;
    return `name = ${JSON.stringify(`${markup}${count}`)}`;
  };
  writeFileSync(file, readFileSync(join(ROOT, "scenarios/game.toml"), "utf8").replaceAll(/^name = .*$/gm, name));
  assert.ok(count >= 3);
  const other = await serve(file);
  t.after(() => other.stop());
  const page = await open(browser, other.address);
  await settled(page);
  await page.locator("figure canvas").first().waitFor();
  await page.getByText("Packets and what became of them").click();
  await page.locator(".packets tbody button").first().click();
  await page.locator(".story ol li").first().waitFor();
  assert.equal(await page.evaluate(() => window.hit), undefined);
  assert.equal(await page.locator("img, main script").count(), 0);
  for (const place of ["h1", ".shares tbody th", ".legend", ".controls", ".story"])
    assert.ok(
      (await page.locator(place).first().innerText()).includes("<img src=x"),
      `${place} does not show the name`,
    );
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("reload and back restore changed values", { skip }, async () => {
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
  await page.waitForFunction(
    (value) => document.querySelector('[data-path="topology.line.rate"]')?.value === value,
    before,
  );
  await page.goForward();
  await page.waitForFunction(() => document.querySelector('[data-path="topology.line.rate"]')?.value === "7 Mbit/s");
  await page.context().close();
});

test("a bare number keeps the unit of the box", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  for (const [path, typed, becomes] of [
    ["topology.line.rate", "50", "50 Mbit/s"],
    ["topology.line.delay", "7.5", "7.5 ms"],
    ["topology.line.queue.buffer", "64", "64 KB"],
    ["topology.line.rate", "8000kbit/s", "8000 kbit/s"],
    ["topology.line.queue.buffer", "2BDP", "2 BDP"],
    ["topology.line.queue.buffer", "3", "3 BDP"],
  ]) {
    const box = page.locator(`[data-path="${path}"]`);
    await box.fill(typed);
    await box.press("Enter");
    await page.waitForFunction(
      ([place, value]) => document.querySelector(`[data-path="${place}"]`).value === value,
      [path, becomes],
    );
  }
  await page.context().close();
});

test("losses, jitter and the transport can be set, and transfers say how long they took", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  const control = (path) => page.locator(`[data-path="${path}"]`);
  await control("topology.line.loss.kind").selectOption({ label: "bernoulli" });
  await control("topology.line.loss.probability").waitFor();
  for (const details of await page.locator(".controls details").all())
    await details.evaluate((element) => {
      element.open = true;
    });
  await control("topology.line.jitter.mean").fill("2ms");
  await control("topology.line.jitter.mean").press("Enter");
  await control("flows.download.transport.preset").selectOption({ label: "linux" });
  await control("flows.download.receiver.every").fill("2");
  await control("flows.download.receiver.every").press("Enter");
  await page.waitForFunction(() => document.querySelector('[data-path="flows.download.receiver.every"]').value === "2");
  await control("topology.line.loss.kind").selectOption({ label: "none" });
  await control("topology.line.loss.probability").waitFor({ state: "detached" });
  assert.ok(await page.locator(".transfers").isHidden());
  await control("flows.download.start").fill("6");
  await control("flows.download.start").press("Enter");
  await control("flows.download.workload.kind").selectOption({ label: "transfer" });
  await page.locator(".transfers tbody td").first().waitFor();
  assert.match(await page.locator(".transfers tbody tr").innerText(), /download\s+1\s+1\s+[\d.]+ m?s/);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

for (const [width, height] of [
  [1440, 900],
  [1000, 760],
])
  test(`with two variants the charts begin in the first screen, ${width} px`, { skip }, async () => {
    const page = await open(browser, server.address, { width, height });
    await settled(page);
    await page.getByRole("button", { name: "Compare with a second variant" }).click();
    await page.locator('[data-path="topology.line.queue.kind"]').selectOption("fcfs");
    await page.locator(".changed li").first().waitFor();
    await settled(page);
    const { y } = await page.locator("figure .plot").first().boundingBox();
    assert.ok(y < height - 100, `the first chart begins at ${y} of ${height}`);
    // Of each class both variants, the sparse flows first.
    assert.match(
      (await page.locator(".delay").innerText()).replaceAll(/\s+/g, " "),
      /Sparse flows A 0\.\d+ ms B 2\d\d ms game Bulk flows A 2\d\d ms B 2\d\d ms download/,
    );
    await page.context().close();
  });

test("on paper the pictures fit, and there are no controls", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  await page.locator("figure canvas").first().waitFor();
  await page.setViewportSize({ width: 700, height: 1000 });
  await page.emulateMedia({ media: "print" });
  for (const gone of [".explore > .side", "nav", ".tools", ".runbar", ".saves"])
    assert.ok(await page.locator(gone).first().isHidden(), `${gone} is printed`);
  const [plot, canvas] = await page.evaluate(() =>
    ["figure .plot", "figure canvas"].map((each) => document.querySelector(each).getBoundingClientRect().width),
  );
  assert.ok(canvas > 100 && canvas <= plot + 1, `the picture is ${canvas} px wide in ${plot} px`);
  await page.context().close();
});

test("two variants are drawn over one another and side by side", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  await page.getByRole("button", { name: "Compare with a second variant" }).click();
  await page.locator('[data-path="topology.line.queue.kind"]').selectOption("fcfs");
  await page.locator(".changed li").first().waitFor();
  assert.match(await page.locator(".changed").innerText(), /fq in A, fcfs in B/);
  assert.match(await page.locator("figure").first().locator(".legend").innerText(), /A: game[\s\S]*B: game/);
  const together = await page.locator("figure:visible").count();
  await page.getByLabel("in the same charts").uncheck();
  await page.waitForFunction(
    (count) => document.querySelectorAll("figure:not([hidden])").length >= 2 * count - 3,
    together,
  );
  await page.reload();
  await page.getByRole("button", { name: "Variant B" }).waitFor();
  await page.context().close();
});

test("a picture, the scenario and a link can be taken along", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  await page.locator("figure canvas").first().waitFor();
  for (const [form, starts] of [
    ["SVG", "<?xml"],
    ["PNG", "\u{89}PNG"],
  ]) {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page
        .locator("figure")
        .first()
        .getByRole("button", { name: `Save as ${form}` })
        .click(),
    ]);
    assert.ok(
      readFileSync(await file.path())
        .toString("latin1")
        .startsWith(starts),
      `${form} is none`,
    );
  }
  await page.getByText("Save and share").click();
  const [toml] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Scenario (TOML)" }).click(),
  ]);
  assert.match(readFileSync(await toml.path(), "utf8"), /\[topology/);
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.waitForFunction(() => document.getElementById("given-link").value.includes("#s="));
  const link = await page.locator("#given-link").inputValue();
  await page.getByRole("button", { name: "Command line" }).click();
  await page.locator(".export pre:visible").waitFor();
  const line = await page.locator(".export pre").innerText();
  assert.equal(line, `headgate run '#${link.split("#")[1]}'`);
  // The terminal reads what the page wrote.
  const checked = JSON.parse(execFileSync("sh", ["-c", line.replace("run", "check")], { encoding: "utf8" }));
  assert.equal(checked.name, "a game beside a download");
  await page.getByRole("button", { name: "Python code" }).click();
  await page.locator(".export pre").getByText("import headgate").waitFor();
  assert.match(await page.locator(".export pre").innerText(), /headgate/);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a packet tells its story", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  await page.getByText("Packets and what became of them").click();
  await page.locator(".packets tbody button").first().click();
  await page.locator(".story ol li, .story .error").first().waitFor();
  assert.equal(
    await page
      .locator(".story .error")
      .allInnerTexts()
      .then((x) => x.join()),
    "",
  );
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
  assert.ok(await page.locator(".delay .big").first().isVisible());
  // A change while it runs ends it: the last value wins. One that is on its way when everything is stopped does not
  // run.
  let pass;
  const stopped = new Promise((resolve) => {
    pass = resolve;
  });
  await page.route("**/api/set", async (route) => {
    await stopped;
    await route.continue();
  });
  const runs = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api/run")) runs.push(request.url());
  });
  const asked = page.waitForRequest((request) => request.url().includes("/api/set"));
  await box.fill("20000s");
  await box.press("Enter");
  await asked;
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  const set = page.waitForResponse((response) => response.url().includes("/api/set"));
  pass();
  await set;
  await page.getByText("Stopped").waitFor();
  assert.deepEqual(runs, []);
  await page.unroute("**/api/set");
  await page.locator("figure canvas").first().waitFor();
  await box.fill("30s");
  await box.press("Enter");
  await page.waitForFunction(() => /^30 s simulated/.test(document.querySelector(".status").textContent));
  await page.context().close();
});
