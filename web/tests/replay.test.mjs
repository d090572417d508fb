// Replays of traces in the page.

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
  server = await serve("scenarios/office.csv", { more: ["--rate", "2Mbit/s", "--buffer", "64KB", "--queue", "fcfs"] });
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const delay = (page) => page.locator(".delay .big").first().innerText();

test("a trace has its views, its table and its picture", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  assert.match(await page.locator(".about").innerText(), /office\.csv has 845 packets of 3 flows in 2\.97971 s/);
  for (const view of ["offered", "throughput", "queueing", "backlog", "drops"]) {
    const chart = page.locator(`[data-view="${view}"]`);
    await chart.scrollIntoViewIfNeeded();
    await chart.locator("canvas").waitFor();
  }
  assert.deepEqual(
    await page
      .locator("figure:visible h3")
      .evaluateAll((all) => all.map((each) => /\(([^()]*)\)$/.exec(each.textContent)?.[1])),
    ["Mbit/s", "Mbit/s", "ms", "packets", "packets"],
  );
  // A line whose first point is where the range begins is drawn from there: something at the left edge has the colour
  // of a line.
  await page.locator("figure").first().scrollIntoViewIfNeeded();
  await page.waitForFunction(() => {
    const [over, canvas] = ["u-over", "u-wrap canvas"].map((name) => document.querySelector(`figure .${name}`));
    const scale = canvas.width / canvas.clientWidth;
    const { data } = canvas
      .getContext("2d")
      .getImageData(Math.round((over.offsetLeft + 3) * scale), 0, 1, canvas.height);
    for (let at = 0; at < data.length; at += 4)
      if (
        data[at + 3] > 200 &&
        Math.max(data[at], data[at + 1], data[at + 2]) - Math.min(data[at], data[at + 1], data[at + 2]) > 60
      )
        return true;
    return false;
  });
  assert.match(
    await page.locator("figure:visible .note").first().innerText(),
    /^Values are means of intervals of \d+ ms\.$/,
  );
  const head = await page.locator(".shares thead th").allInnerTexts();
  assert.deepEqual(head, [
    "Flow",
    "Packets",
    "Dropped",
    "Mean wait",
    "p99 wait",
    "Sent rate",
    "Share",
    "Fair",
    "Bytes",
  ]);
  // The numbers of docs/how-to/replay.md.
  const voice = await page.locator(".shares tbody tr").first().locator("td.num").allInnerTexts();
  assert.deepEqual(voice.slice(0, 3), ["150", "1", "165.1 ms"]);
  assert.match(await delay(page), /166\.\d|167 ms/);
  assert.equal(await page.locator(".network svg .queue").count(), 1);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("the keyboard alone changes a replay, and the address holds its settings", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  const first = await delay(page);
  const slider = page.locator('[data-path="rate slider"]');
  for (let presses = 0; presses < 300; presses += 1) {
    await page.keyboard.press("Tab");
    if (await slider.evaluate((element) => element === document.activeElement)) break;
  }
  await page.waitForFunction(() => location.hash.includes("s="));
  const { hash } = new URL(page.url());
  await page.keyboard.press("PageUp");
  await page.waitForFunction((before) => document.querySelector(".delay .big").innerText !== before, first);
  await settled(page);
  assert.match(await slider.getAttribute("aria-valuetext"), /Mbit\/s/);
  await page.waitForFunction((old) => location.hash !== old, hash);
  const changed = await page.locator('[data-path="rate"]').inputValue();
  await page.reload();
  await settled(page);
  await page.waitForFunction((value) => document.querySelector('[data-path="rate"]')?.value === value, changed);
  await page.locator('[data-path="queue.kind"]').selectOption("red");
  await page.locator('[data-path="queue.max_p"]').waitFor();
  const box = page.locator('[data-path="queue.buffer"]');
  await box.fill("much");
  await box.press("Enter");
  const field = page.locator(".field", { has: box });
  await field.locator(".error").waitFor();
  assert.match(await field.locator(".error").innerText(), /much/);
  await page.context().close();
});

for (const scheme of ["light", "dark"])
  for (const width of [400, 1600])
    test(`axe finds nothing in a replay and nothing runs out of the page, ${scheme}, ${width} px`, {
      skip,
    }, async () => {
      const page = await open(browser, server.address, { width, scheme });
      await settled(page);
      await page.getByRole("button", { name: "Compare with a second variant" }).click();
      await page.getByRole("button", { name: "Variant B" }).waitFor();
      await page.locator('[data-path="queue.kind"]').selectOption("fq");
      await page.locator(".changed li").first().waitFor();
      await settled(page);
      for (const details of await page.locator("details").all())
        await details.evaluate((element) => {
          element.open = true;
        });
      await page.locator(".packets tbody button").first().click();
      await page.locator(".story ol li").first().waitFor();
      await page.getByRole("button", { name: "Command line" }).click();
      await page.locator(".export pre:visible").waitFor();
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

test("two disciplines stand side by side, and seeds are offered only where something is random", {
  skip,
}, async (t) => {
  const other = await serve("scenarios/office.csv", {
    more: ["--rate", "2Mbit/s", "--buffer", "64KB", "--queue", "fcfs", "--queue", "fq"],
  });
  t.after(() => other.stop());
  const page = await open(browser, other.address);
  await page.locator(".changed li").first().waitFor();
  assert.match(await page.locator(".changed").innerText(), /queue\.kind: fcfs in A, fq in B/);
  assert.match(await page.locator(".compare").innerText(), /mean queueing delay of voice is 163 ms lower in B/);
  assert.match(await page.locator(".compare").innerText(), /neither discipline drew a random number/);
  assert.equal(await page.getByRole("button", { name: "Compare over seeds" }).isVisible(), false);
  // The offered load is that of the trace for both.
  await page.locator('[data-view="offered"] canvas').waitFor();
  assert.equal(
    await page
      .locator("figure", { has: page.locator('[data-view="offered"]') })
      .locator(".legend li")
      .count(),
    3,
  );
  await page.getByRole("button", { name: "Variant B" }).click();
  await page.locator('[data-path="queue.kind"]').selectOption("red");
  await page.getByRole("button", { name: "Compare over seeds" }).click();
  await page.getByText("Numbers, paired over 10 seeds").waitFor();
  assert.match(await page.locator(".compare").innerText(), /only the random numbers of the disciplines differ/);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a replay can be taken along", { skip }, async () => {
  const page = await open(browser, server.address);
  await settled(page);
  await page.getByText("Save and share").click();
  await page.getByRole("button", { name: "Command line" }).click();
  await page.getByText("headgate replay office.csv --queue fcfs --rate 2Mbit/s --buffer 64KB").waitFor();
  await page.getByRole("button", { name: "Python code" }).click();
  await page.getByText("headgate.replay(").waitFor();
  const [packets] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Table (CSV)" }).click(),
  ]);
  const text = readFileSync(await packets.path(), "utf8");
  assert.equal(text.split("\n").length, 847);
  assert.ok(text.startsWith("packet,flow,size_bytes,arrival_s"));
  await page.getByLabel("Data of").selectOption({ label: "Sent rate by flow" });
  const [view] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Table (CSV)" }).click(),
  ]);
  assert.ok(readFileSync(await view.path(), "utf8").startsWith("series,time_s,value"));
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.locator(".export .note", { hasText: /settings, not the trace/ }).waitFor();
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
  await page.context().close();
});

test("a link to a replay says on another page that the trace is missing", { skip }, async (t) => {
  const page = await open(browser, server.address);
  await settled(page);
  await page.waitForFunction(() => location.hash.includes("s="));
  const { hash } = new URL(page.url());
  const other = await serve("scenarios/game.toml");
  t.after(() => other.stop());
  await page.goto(other.address + hash);
  await page.getByText("a link does not hold the trace").first().waitFor();
  assert.match(await page.locator(".problem").innerText(), /headgate explore office\.csv/);
  await page.context().close();
});

test("names of flows that are full of markup are shown as text", { skip }, async (t) => {
  const place = scratch();
  t.after(() => place.remove());
  const file = join(place.folder, "markup.csv");
  const markup = "<img src=x onerror=window.hit=1><script>window.hit=1</script>";
  const rows = Array.from({ length: 60 }, (_, at) => `${at / 1000},${markup}${at % 2},500`);
  writeFileSync(file, ["time_s,flow,size_bytes", ...rows, ""].join("\n"));
  const other = await serve(file, { more: ["--buffer", "6KB", "--rate", "1Mbit/s"] });
  t.after(() => other.stop());
  const page = await open(browser, other.address);
  await settled(page);
  await page.locator("figure canvas").first().waitFor();
  await page.getByText("Packets and what became of them").click();
  await page.locator(".packets tbody button").first().click();
  await page.locator(".story ol li").first().waitFor();
  assert.equal(await page.evaluate(() => window.hit), undefined);
  assert.equal(await page.locator("img, main script").count(), 0);
  for (const where of [".shares tbody th", ".legend", ".sentences", ".story"])
    assert.ok(
      (await page.locator(where).first().innerText()).includes("<img src=x"),
      `${where} does not show the name`,
    );
  assert.deepEqual(page.faults, []);
  await page.context().close();
});
