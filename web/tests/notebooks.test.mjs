// The explorer as a widget in JupyterLab and in marimo, in a real browser. NOTEBOOKS is the folder `bin` of an
// environment that has jupyterlab, marimo and headgate with its extra explore; without it nothing is tried.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { freePort, launch, missing, open, ROOT, scratch } from "./browser.mjs";

const BIN = process.env.NOTEBOOKS ?? "";
const skip =
  missing ||
  (["jupyter-lab", "marimo"].every((each) => existsSync(join(BIN, each)))
    ? false
    : "NOTEBOOKS names no folder with jupyter-lab and marimo");
const SHOTS = process.env.SHOTS ?? "";
const GAME = join(ROOT, "scenarios/game.toml");
let browser;

before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

/** Starts a server of notebooks in a folder and waits for a line that matches. */
async function begin(command, args, cwd, ready) {
  const child = spawn(join(BIN, command), args, {
    cwd,
    env: {
      ...process.env,
      PATH: `${BIN}:${process.env.PATH}`,
      JUPYTERLAB_SETTINGS_DIR: join(cwd, ".settings"),
      JUPYTERLAB_WORKSPACES_DIR: join(cwd, ".workspaces"),
    },
  });
  let output = "";
  await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (data) => {
        output += data;
        if (ready.test(output)) resolve();
      });
    child.on("exit", (code) => reject(new Error(`${command} ended with ${code}: ${output}`)));
    child.on("error", reject);
  });
  return () =>
    new Promise((resolve) => {
      child.removeAllListeners("exit");
      child.on("exit", resolve);
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), 10_000).unref();
    });
}

/** With SHOTS a picture of the page stays, also of what went wrong. */
async function shot(page, name) {
  if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

async function finish(page, name, stop, remove) {
  await shot(page, `${name}-last`);
  await page.context().close();
  await stop();
  remove();
}

/**
 * What each notebook must do: the page is there, its runs stream, changed values are in Python, and what Python sets is
 * on the page.
 */
async function tried(page, name, { python }) {
  // Playwright's selectors look into shadow roots.
  const big = page.locator(".delay .big").first();
  await big.waitFor();
  await page.locator(".explore:not(.running)").waitFor();
  await page.locator(".network + .note", { hasText: "30.00 s" }).waitFor();
  assert.match(await big.innerText(), /0\.299 ms/);
  await shot(page, `${name}-first`);
  // Nothing of the page's styles reaches the notebook, and nothing of it is outside the cell.
  assert.equal(
    await page.evaluate(() =>
      [...document.styleSheets].some((sheet) => {
        try {
          return [...sheet.cssRules].some((rule) => rule.selectorText === ".delay .big");
        } catch {
          return false;
        }
      }),
    ),
    false,
  );
  assert.equal(await page.evaluate(() => document.querySelectorAll("body > .banner, body > .skip").length), 0);
  // Turned in the page: it is in Python.
  await page.locator('input[data-path="topology.line.rate"]').fill("40 Mbit/s");
  await page.locator('input[data-path="topology.line.rate"]').press("Enter");
  await page
    .locator(".shares td", { hasText: /39\.\d+ Mbit/ })
    .first()
    .waitFor();
  assert.match(await python('print("rate", shown.scenario.data["topology"]["line"]["rate"])'), /rate 40 ?Mbit\/s/);
  assert.match(
    await python('print("got", round(sum(f.goodput_bps.mean for f in shown.results().flow_summaries()) / 1e6))'),
    /got 40/,
  );
  // Set in Python: it is on the page.
  await python('shown.scenario = shown.scenario.set("topology.line.rate", "10Mbit/s"); print("set")');
  await page
    .locator(".shares td", { hasText: /9\.\d+ Mbit/ })
    .first()
    .waitFor();
  assert.equal(await page.locator('input[data-path="topology.line.rate"]').inputValue(), "10 Mbit/s");
  // A long run streams its progress and stops.
  await page.locator('input[data-path="duration"]').fill("30000 s");
  await page.locator('input[data-path="duration"]').press("Enter");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Run again" }).waitFor();
  await page.locator('input[data-path="duration"]').fill("20 s");
  await page.locator('input[data-path="duration"]').press("Enter");
  await page.locator(".status", { hasText: /^20 s simulated/ }).waitFor();
  // Files, lines and links.
  await page.locator(".export > summary").click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Scenario (TOML)" }).click();
  assert.match(readFileSync(await (await download).path(), "utf8"), /a game beside a download/);
  await page.getByRole("button", { name: "Python code" }).click();
  await page.locator(".export pre", { hasText: "import headgate" }).waitFor();
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.locator(".export .note", { hasText: "link" }).waitFor();
  assert.match(await page.locator("#given-link").inputValue(), /^#s=[\w-]{50,}$/);
  // Lessons.
  await page.getByRole("button", { name: "Lessons", exact: true }).click();
  await page.locator(".lesson-list button").nth(5).click();
  await page.locator(".lessons canvas").waitFor();
  await page.locator(".answers button").last().click();
  await page.locator(".answer p", { hasText: "Change the value" }).waitFor();
  await shot(page, `${name}-lesson`);
  assert.deepEqual(page.faults, []);
}

test("JupyterLab shows the explorer in a cell", { skip }, async () => {
  const { folder, remove } = scratch();
  const made = (source) => ({
    cell_type: "code",
    id: Math.random().toString(36).slice(2, 10),
    metadata: {},
    execution_count: null,
    outputs: [],
    source,
  });
  const cells = [made(`import headgate\n\nshown = headgate.widget("game.toml")\nshown`), made("")];
  const about = {
    kernelspec: { name: "python3", display_name: "Python 3", language: "python" },
    language_info: { name: "python" },
  };
  writeFileSync(join(folder, "game.toml"), readFileSync(GAME));
  writeFileSync(join(folder, "a.ipynb"), JSON.stringify({ cells, metadata: about, nbformat: 4, nbformat_minor: 5 }));
  // It does not ask whether news are wanted.
  mkdirSync(join(folder, ".settings/@jupyterlab/apputils-extension"), { recursive: true });
  writeFileSync(
    join(folder, ".settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings"),
    '{"fetchNews": "false", "checkForUpdates": false}',
  );
  const port = await freePort();
  const stop = await begin(
    "jupyter-lab",
    [
      "--no-browser",
      "--allow-root",
      `--port=${port}`,
      "--ServerApp.token=none",
      `--notebook-dir=${folder}`,
      "--expose-app-in-browser",
    ],
    folder,
    /is running at|http:\/\/127/,
  );
  const page = await open(browser, `http://127.0.0.1:${port}/lab/tree/a.ipynb?token=none`, {
    width: 1160,
    height: 1000,
  });
  try {
    const cell = (at) => page.locator(".jp-Notebook .jp-Cell").nth(at);
    const run = async (at, source) => {
      await cell(at).locator(".cm-content").click();
      if (source) {
        await page.keyboard.press("Control+a");
        await page.keyboard.insertText(source);
      }
      await page.evaluate(
        () =>
          window.jupyterapp.commands.execute("notebook:run-cell").then(
            () => undefined,
            () => undefined,
          ) && undefined,
      );
    };
    await page.getByText(/Python 3 \(ipykernel\) \| Idle/).waitFor();
    await page.locator(".jp-SideBar.jp-mod-left .lm-mod-current").click();
    await run(0);
    let done = 0;
    const python = async (source) => {
      done += 1;
      await run(1, `${source}; print("done ${done}")`);
      await cell(1)
        .locator(".jp-OutputArea-output", { hasText: `done ${done}` })
        .waitFor();
      return cell(1).locator(".jp-OutputArea").innerText();
    };
    await tried(page, "jupyterlab", { python });
    // The cell is run again: another widget, and the first one's requests have ended.
    await run(0);
    await page.locator(".delay .big", { hasText: "0.299" }).waitFor();
    // While a cell works the page goes on: JupyterLab hands its messages to another thread of the kernel.
    await run(1, "import os, time\nwhile not os.path.exists('go'): time.sleep(0.1)");
    await page.locator('input[data-path="topology.line.rate"]').fill("40 Mbit/s");
    await page.locator('input[data-path="topology.line.rate"]').press("Enter");
    await page
      .locator(".shares td", { hasText: /39\.\d+ Mbit/ })
      .first()
      .waitFor();
    writeFileSync(join(folder, "go"), "");
    // The colours are those of the notebook.
    await page.evaluate(
      () => void window.jupyterapp.commands.execute("apputils:change-theme", { theme: "JupyterLab Dark" }),
    );
    await page.waitForFunction(() => document.body.dataset.jpThemeLight === "false");
    await page.waitForFunction(() =>
      [...document.querySelectorAll("*")].some((each) => each.shadowRoot && each.style.colorScheme === "dark"),
    );
    await page.locator(".jp-Notebook").evaluate((each) => each.scrollTo(0, 0));
    await page.locator(".jp-Notebook figure canvas").first().scrollIntoViewIfNeeded();
    await page.waitForFunction(() =>
      [...document.querySelectorAll("*")].every(
        (each) =>
          !each.shadowRoot ||
          [...each.shadowRoot.querySelectorAll(".uplot")].every(
            (chart) =>
              chart.offsetWidth > 300 ||
              chart.getBoundingClientRect().top > innerHeight ||
              chart.getBoundingClientRect().bottom < 0,
          ),
      ),
    );
    await shot(page, "jupyterlab-dark");
  } finally {
    await finish(page, "jupyterlab", stop, remove);
  }
});

test("marimo shows the explorer in a cell", { skip }, async () => {
  const { folder, remove } = scratch();
  writeFileSync(
    join(folder, "a.py"),
    `import marimo

app = marimo.App(width="full")


@app.cell
def _():
    import headgate
    import marimo as mo

    shown = headgate.widget(${JSON.stringify(GAME)})
    mo.ui.anywidget(shown)
    return headgate, mo, shown


@app.cell
def _(mo):
    lines = mo.ui.text_area(label="lines", debounce=True)
    lines
    return (lines,)


@app.cell
def _(lines, mo, shown):
    import contextlib
    import io

    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(lines.value)
    mo.md("output: " + output.getvalue())
    return


if __name__ == "__main__":
    app.run()
`,
  );
  const port = await freePort();
  const stop = await begin(
    "marimo",
    ["run", "a.py", "--headless", "--no-token", "--port", String(port)],
    folder,
    new RegExp(`:${port}`),
  );
  const page = await open(browser, `http://127.0.0.1:${port}/`, { width: 1400, height: 1000 });
  try {
    let done = 0;
    const python = async (source) => {
      const box = page.locator("marimo-text-area textarea");
      done += 1;
      await box.fill(`${source}; print("done ${done}")`);
      await box.blur();
      const output = page
        .locator(".markdown p, .markdown .paragraph", { hasText: new RegExp(`output:[\\s\\S]*done ${done}\\s*$`) })
        .last();
      await output.waitFor();
      return output.innerText();
    };
    await tried(page, "marimo", { python });
    // A cell that works keeps the kernel busy: the page says so, and goes on afterwards.
    await page.getByRole("button", { name: "Explore", exact: true }).click();
    const box = page.locator("marimo-text-area textarea");
    await box.fill("import os, time\nwhile not os.path.exists('go'): time.sleep(0.1)");
    await box.blur();
    await page.locator('input[data-path="topology.line.rate"]').fill("40 Mbit/s");
    await page.locator('input[data-path="topology.line.rate"]').press("Enter");
    await page.locator(".banner", { hasText: "The kernel does not answer" }).waitFor();
    await shot(page, "marimo-busy");
    writeFileSync(join(folder, "go"), "");
    await page
      .locator(".shares td", { hasText: /39\.\d+ Mbit/ })
      .first()
      .waitFor();
    assert.equal(await page.locator(".banner").isVisible(), false);
  } finally {
    await finish(page, "marimo", stop, remove);
  }
});
