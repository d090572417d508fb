// The story of a packet: what its queue decided, with numbers in units, and which part of a long run is followed.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, missing, open, ROOT, scratch, serve, settled } from "./browser.mjs";

const GAME = readFileSync(join(ROOT, "scenarios/game.toml"), "utf8").replace(/^#:schema.*\n/, "");
const skip = missing;
let browser;
let files;

before(async () => {
  if (skip) return;
  browser = await launch();
  files = scratch();
});
after(async () => {
  await browser?.close();
  files?.remove();
});

/** Calls `look` with a page of the game beside a download through this queue. */
async function through(queue, change, look) {
  const file = join(files.folder, "game.toml");
  writeFileSync(file, change(GAME.replace(/queue = \{[^}]*\}/, `queue = { ${queue} }`)));
  const server = await serve(file);
  try {
    const page = await open(browser, server.address);
    await settled(page);
    await page.getByText("Packets and what became of them").click();
    await page.locator("#packets-port").selectOption({ label: "bottleneck" });
    await look(page);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  } finally {
    await server.stop();
  }
}

/** Opens the story of the first packet that is listed. */
async function told(page, kind) {
  await page.locator("#packets-kind").selectOption(kind);
  await page.locator(".packets tbody button").first().waitFor();
  await page.waitForFunction(
    (dropped) =>
      [...document.querySelectorAll(".packets .tall tbody tr")].every(
        (row) => !dropped || row.textContent.includes("dropped"),
      ),
    kind === "drop",
  );
  await page.locator(".packets tbody button").first().click();
  await page.locator(".numbers").first().waitFor();
  const rows = await page
    .locator(".numbers tbody tr")
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  assert.ok(
    rows.every(([name, value, meaning]) => name && value && meaning.endsWith(".")),
    `${rows}`,
  );
  return { numbers: Object.fromEntries(rows), story: await page.locator(".story li").allInnerTexts() };
}

const SHOTS = process.env.SHOTS;
const shot = async (page, name) => {
  if (SHOTS) await page.locator(".packets").screenshot({ path: join(SHOTS, name), animations: "disabled" });
};

test("a packet of Fair Queueing shows its finish number, in bits", { skip }, async () => {
  await through(
    'kind = "fq", buffer = "40KB"',
    (text) => text,
    async (page) => {
      const { numbers, story } = await told(page, "drop");
      assert.match(numbers["finish number"], /^[\d,]+(\.\d)? bit$/);
      assert.match(numbers.buffer, /^40 kB$/);
      assert.ok(
        story.some((line) => /finish number was [\d,.]+ bits/.test(line)),
        story.join("\n"),
      );
      assert.ok(
        story.some((line) => /^Its sender's window /.test(line)),
        story.join("\n"),
      );
      await shot(page, "fq.png");
    },
  );
});

test("a drop by RED shows the average queue and the probability", { skip }, async () => {
  await through(
    'kind = "red", buffer = "200pkt", min_threshold = "5pkt", max_threshold = "50pkt", max_p = 0.1',
    (text) => text,
    async (page) => {
      const { numbers, story } = await told(page, "drop");
      assert.match(numbers["average queue"], /^\d+(\.\d+)? packets$/);
      assert.match(numbers.probability, /^[\d.e-]+$/);
      assert.ok(
        story.some((line) =>
          /The average queue was [\d.]+ packets, (between the thresholds 5 packets and|not below)/.test(line),
        ),
        story.join("\n"),
      );
      assert.ok(
        story.some((line) => /chosen with probability/.test(line)),
        story.join("\n"),
      );
      await shot(page, "red.png");
    },
  );
});

test("a drop by CoDel says at departure how long the packet waited, and what it was at arrival", { skip }, async () => {
  await through(
    'kind = "codel", buffer = "200pkt"',
    (text) => text,
    async (page) => {
      const { numbers, story } = await told(page, "drop");
      assert.match(numbers.sojourn, / ms$/);
      assert.match(numbers.held, / packets$/);
      assert.ok(
        story.some((line) => /dropped as it left/.test(line)),
        story.join("\n"),
      );
      await shot(page, "codel.png");
    },
  );
});

test("a drop by CSFQ shows the label and the fair share", { skip }, async () => {
  await through(
    'kind = "csfq", buffer = "60KB"',
    (text) => text,
    async (page) => {
      const { numbers, story } = await told(page, "drop");
      assert.match(numbers.label, / [kM]?bit\/s$/);
      assert.ok(
        / [kM]?bit\/s$/.test(numbers["fair share"]) || numbers["fair share"] === "unlimited",
        numbers["fair share"],
      );
      assert.ok(
        story.some((line) => /label|fair share/.test(line)),
        story.join("\n"),
      );
      await shot(page, "csfq.png");
    },
  );
});

test("of a long run the part around the cursor is followed", { skip }, async () => {
  // Each packet counts at each port, and so do its acknowledgements' places: some 10,000 a second.
  const long = (text) =>
    text.replace('duration = "30s"', 'duration = "200s"').replace("20Mbit/s", "100Mbit/s").replace("640KB", "2MB");
  await through('kind = "fq", buffer = "640KB"', long, async (page) => {
    await page.locator("#packets-kind").selectOption("all");
    const note = page.locator(".packets .note").first();
    await page.waitForFunction(() =>
      /Packets are followed from 0(\.0+)? s to \d/.test(document.querySelector(".packets .note")?.textContent ?? ""),
    );
    const until = Number(/ to ([\d.]+) s, a part/.exec(await note.textContent())[1]);
    assert.ok(until < 190, `the first part ends at ${until} s`);
    // Zooming far behind it shows packets of that time.
    const over = page.locator("figure .u-over").first();
    await over.scrollIntoViewIfNeeded();
    const box = await over.boundingBox();
    await page.mouse.move(box.x + box.width * 0.96, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.97, box.y + 60, { steps: 5 });
    await page.mouse.up();
    await page.waitForFunction(() => /^19\d/.test(document.querySelector(".tools .range").textContent));
    await page.waitForFunction(() => {
      const cells = [...document.querySelectorAll(".packets .tall tbody td:nth-child(3)")].map((cell) =>
        parseFloat(cell.textContent),
      );
      return cells.length > 100 && cells.every((at) => at > 190);
    });
    const { numbers } = await told(page, "all");
    assert.match(numbers["finish number"], / bit$/);
    await shot(page, "long.png");
  });
});
