// The bundle of the widget, drawn for a kernel that this test plays: no notebook is needed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { launch, missing, open, ROOT } from "./browser.mjs";

test("the widget draws the page and sends its requests to the kernel", { skip: missing }, async (t) => {
  const browser = await launch();
  t.after(() => browser.close());
  const page = await open(browser, "about:blank");
  const bundle = readFileSync(join(ROOT, "python/headgate/explore/static/widget.js"), "utf8");
  await page.evaluate(async (code) => {
    const listeners = {};
    window.sent = [];
    window.receive = (message) => listeners["msg:custom"](message, []);
    const model = {
      get: () => null,
      set: () => undefined,
      save_changes: () => undefined,
      send: (message) => window.sent.push(message),
      on: (event, listener) => {
        listeners[event] = listener;
      },
      off: (event) => {
        delete listeners[event];
      },
    };
    const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const { default: widget } = await import(url);
    window.leave = widget.render({ model, el: document.body });
  }, bundle);
  await page.getByRole("heading", { name: "headgate" }).waitFor();
  const [request] = await page.evaluate(() => window.sent);
  assert.deepEqual({ ...request, ask: "" }, { ask: "", method: "GET", path: "/api/start", body: null });
  await page.evaluate((name) => {
    window.receive({ answer: name, status: 500, type: "application/json" });
    window.receive({ part: name, last: true });
  }, request.ask);
  await page.getByText("The server answered with status 500.").waitFor();
  await page.evaluate(() => window.leave());
  assert.deepEqual(Object.keys(await page.evaluate(() => window.sent.at(-1))), ["leave"]);
  assert.deepEqual(page.faults, []);
});
