// A capture on the page without a server: it is replayed there, and leaves the page with no request.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { axe, launch, missing, open, ROOT, settled } from "./browser.mjs";
import { build, host } from "./host.mjs";

const site = missing ? { missing, remove: () => undefined } : build();
const skip = site.missing;
let browser;
let files;

before(async () => {
  if (skip) return;
  browser = await launch();
  files = await host(site.folder);
});
after(async () => {
  await browser?.close();
  await files?.stop();
  site.remove();
});

/** The file as the browser has it that is dropped on the page. */
async function drop(page, name, bytes) {
  const held = await page.evaluateHandle(
    ([called, data]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], called));
      return transfer;
    },
    [name, bytes.toString("base64")],
  );
  await page.dispatchEvent("#app", "drop", { dataTransfer: held });
}

const CAPTURE = join(ROOT, "tests/data/bulk-and-sparse.pcap");

/** The settings in the address of a page. */
function settings(page) {
  const [, text] = /[#&]s=([^&]+)/.exec(page.url());
  return JSON.parse(inflateRawSync(Buffer.from(text, "base64url")).toString());
}

test("a capture that is dropped on the page is replayed there, and leaves it with no request", { skip }, async () => {
  const page = await open(browser, files.address);
  await page.getByText("It is read in this browser and never leaves this machine.").waitFor();
  const sent = [];
  page.on("request", (request) => sent.push([request.method(), request.url(), request.postData()]));
  await drop(page, "a b.pcap", readFileSync(CAPTURE));
  await page.locator(".about").waitFor();
  await settled(page);
  assert.match(await page.locator(".about").innerText(), /a b\.pcap has \d+ packets of \d+ flows by 5tuple in .* s/);
  for (const view of ["offered", "throughput", "queueing", "backlog"])
    assert.equal(await page.locator(`[data-view="${view}"]`).count(), 1, view);
  assert.deepEqual(
    sent.filter(([method, url, data]) => method !== "GET" || data !== null || !url.startsWith(files.address)),
    [],
  );
  // What a page without a server does not have is not shown.
  for (const name of ["Command line", "Python code", "Table (CSV)"])
    assert.equal(await page.getByRole("button", { name }).count(), 0, name);
  const before = await page.locator(".sentences").innerText();
  await page.locator('[data-path="queue.kind"]').selectOption("fq");
  await page.waitForFunction((text) => document.querySelector(".sentences").innerText !== text, before);
  await settled(page);
  assert.equal(settings(page).queue.kind, "fq");
  await axe(page);
  assert.deepEqual(page.faults, []);
  await page.context().close();
});

test("a replay has the numbers of headgate replay", { skip }, async () => {
  const page = await open(browser, files.address);
  const found = await page.evaluate(async (data) => {
    const worker = new Worker("assets/worker.js", { type: "module", name: "headgate-replay" });
    const asked = (path, body) =>
      new Promise((resolve, reject) => {
        let text = "";
        worker.onmessage = ({ data: { fault, part, last, data: bytes } }) => {
          if (fault) reject(new Error(fault));
          if (part) text += new TextDecoder().decode(bytes);
          if (last) resolve(JSON.parse(text.trim().split("\n").at(-1)));
        };
        worker.postMessage({ ask: path, path, body: JSON.stringify(body) });
      });
    worker.postMessage({ file: new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], "x.pcap") });
    const begun = await asked("/api/replay/open", { name: "x.pcap" });
    const scenario = { ...begun.done.scenario, queue: { kind: "fq", buffer: "30KB" } };
    return { scenario, ...(await asked("/api/run", { scenario, seed: 3 })).done };
  }, readFileSync(CAPTURE).toString("base64"));
  const words = ["replay", CAPTURE, "--queue", "fq", "--buffer", "30KB", "--rate", found.scenario.rate, "--seed", "3"];
  const told = JSON.parse(execFileSync(process.env.HEADGATE ?? "headgate", [...words, "--json"], { encoding: "utf8" }));
  const [queue] = told.queues;
  assert.ok(queue.flows.length > 1);
  assert.deepEqual(
    found.flows.map((flow) => [flow.name, flow.packets, flow.bytes, flow.sent, flow.goodput_bps, flow.queueing_ms]),
    queue.flows.map((flow) => [
      flow.flow,
      flow.packets,
      flow.bytes,
      flow.sent,
      flow.throughput_bps,
      1e3 * flow.delay_s.mean,
    ]),
  );
  assert.equal(found.delay_under_load_ms, 1e3 * queue.delay_s.mean);
  assert.equal(found.jain_of_max_min, queue.jain_of_max_min);
  await page.context().close();
});

test("the keyboard opens a capture, and a file that is none is refused with what was expected", { skip }, async () => {
  const page = await open(browser, files.address);
  const chosen = async (file) => {
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Open a capture" }).focus();
    await page.keyboard.press("Enter");
    await (await chooser).setFiles(file);
  };
  await chosen({ name: "notes.zip", mimeType: "application/zip", buffer: Buffer.from("PK\x03\x04 and so on") });
  await page.getByText(/^notes\.zip: found a zip archive.*; expected a capture/).waitFor();
  await chosen(CAPTURE);
  await settled(page);
  assert.equal(await page.locator(".banner").isHidden(), true);
  const address = page.url();
  const other = await open(browser, address);
  await other
    .getByText(/a link does not hold the trace/)
    .first()
    .waitFor();
  await drop(other, "bulk-and-sparse.pcap", readFileSync(CAPTURE));
  await settled(other);
  assert.equal(other.url(), address);
  await other.context().close();
  await page.context().close();
});
