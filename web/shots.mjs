// Takes the pictures of the explorer for the documentation: `make shots`, which runs this by docs/shots.py with the
// folder for them.

import { join } from "node:path";
import { launch, open, serve, settled } from "./tests/browser.mjs";

const folder = process.argv[2];

/** `end`: the time at which the picture of the network is shown. */
async function shot(page, name, end = "") {
  // Charts draw when they come into sight, and queues fill when their numbers are there.
  await page.waitForFunction(() =>
    [...document.querySelectorAll("figure")]
      .filter((each) => each.getBoundingClientRect().top < innerHeight)
      .every((each) => each.querySelector("canvas")),
  );
  await page.waitForFunction(
    (until) =>
      [...document.querySelectorAll(".network + .note")].every((each) =>
        each.textContent.includes(`waiting at ${until}`),
      ),
    end,
  );
  await page.evaluate(() => document.activeElement?.blur());
  await page.screenshot({ path: join(folder, name), animations: "disabled" });
}

const browser = await launch();
const server = await serve("scenarios/game.toml");
try {
  const page = await open(browser, server.address, { width: 1000, height: 1200 });
  await settled(page);
  await shot(page, "explore.png", "30.00 s");
  await page.setViewportSize({ width: 1000, height: 760 });
  await page.getByRole("button", { name: "Compare with a second variant" }).click();
  await page.locator('select[data-path$="queue.kind"]').first().selectOption({ label: "fcfs" });
  await settled(page);
  await page.locator(".compare summary").waitFor();
  await page.locator(".tools").scrollIntoViewIfNeeded();
  await page.evaluate(() => document.querySelector(".tools").scrollIntoView());
  await shot(page, "explore-variants.png", "30.00 s");
} finally {
  await server.stop();
}
const start = await serve(null);
try {
  const page = await open(browser, start.address, { width: 1280, height: 960 });
  await page.locator(".builder .sentences li").first().waitFor();
  await shot(page, "explore-start.png");
} finally {
  await start.stop();
}
const replay = await serve("scenarios/office.csv", {
  more: ["--queue", "fcfs", "--queue", "fq", "--rate", "2Mbit/s", "--buffer", "64KB"],
});
try {
  const page = await open(browser, replay.address, { width: 1000, height: 900 });
  await page.locator(".compare summary").waitFor();
  await settled(page);
  await page.evaluate(() => document.querySelector(".tools").scrollIntoView());
  await shot(page, "explore-replay.png");
} finally {
  await browser.close();
  await replay.stop();
}
