import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin, type UserConfig } from "vite";
import { SCRIPT } from "./src/own/frame.ts";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "../python/headgate/explore/static");

/**
 * The files from which the bundle is built, in the order in which tests/tool/test_web_bundle.py reads them. Of generated
 * types nothing is left in it.
 */
function sources(): string[] {
  const found: string[] = ["index.html", "package-lock.json", "vite.config.ts"];
  for (const entry of readdirSync(join(here, "src"), { recursive: true, withFileTypes: true }))
    if (entry.isFile() && !entry.parentPath.endsWith("generated"))
      found.push(relative(here, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
  return found.sort();
}

/** Writes the hash of the sources beside the bundle, so that a test notices a stale bundle without Node. */
const stamp: Plugin = {
  name: "stamp",
  closeBundle() {
    const hash = createHash("sha256");
    for (const file of sources())
      hash
        .update(file)
        .update("\0")
        .update(readFileSync(join(here, file)))
        .update("\0");
    writeFileSync(join(target, "STAMP"), `${hash.digest("hex")}\n`);
  },
};

/** A classic script instead of a module, so that index.html also works when it is opened as a file. */
const classic: Plugin = {
  name: "classic",
  enforce: "post",
  transformIndexHtml: (html) =>
    html.replace(/<script type="module" crossorigin/g, "<script defer").replace(/ crossorigin/g, ""),
};

/**
 * The widget's bundle as the body of a function: what its modules hold belongs to one view of it, and not to the
 * notebook.
 */
const embedded: Plugin = {
  name: "embedded",
  generateBundle(_options, bundle) {
    for (const part of Object.values(bundle))
      if (part.type === "chunk") part.code = `export default{render(context){${part.code}\nreturn leave}};\n`;
  },
};

/** The page without a server (`python web/make_site.py`): another entry, and a policy that no host has to send. */
const ofSite: Plugin = {
  name: "of-site",
  transformIndexHtml: {
    order: "pre",
    handler: (html) =>
      html
        .replace("./src/page.ts", "./src/site-page.ts")
        .replace("<title>", `<meta http-equiv="Content-Security-Policy" content="${POLICY}" />\n    <title>`),
  },
};

/** The one script that is written into a page: that of the frame of a flow control, whose worker begins as a text. */
const OF_FRAME = createHash("sha256").update(SCRIPT).digest("base64");
const POLICY =
  `default-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'sha256-${OF_FRAME}'; worker-src 'self' blob:; ` +
  "img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'";

/** Where that page is built, and its files with a hash of what is in them, for its service worker. */
const site = process.env.HEADGATE_SITE ?? join(here, "../out/site/explore");

function files(): { FILES: string; VERSION: string } {
  const found = readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "offline.js")
    .map((entry) => relative(site, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
  const hash = createHash("sha256");
  for (const file of found)
    hash
      .update(file)
      .update("\0")
      .update(readFileSync(join(site, file)));
  // The module with replays is kept when a capture was opened.
  const first = found.filter((file) => file !== "headgate-replay.wasm.gz");
  return { FILES: JSON.stringify(["./", ...first]), VERSION: JSON.stringify(hash.digest("hex").slice(0, 16)) };
}

const shared = {
  outDir: target,
  target: "es2022",
  // Colours of both schemes stand in one place, by light-dark().
  cssTarget: ["chrome123", "firefox120", "safari17.5"],
  modulePreload: false as const,
  assetsInlineLimit: 0,
  // Texts of the licences of the libraries in the bundle; tests/whole/test_licenses.py reads it.
  license: { fileName: "LICENSES.md" },
};

const modes: { [mode: string]: () => UserConfig } = {
  widget: () => ({
    plugins: [embedded, stamp],
    build: {
      ...shared,
      emptyOutDir: false,
      lib: { entry: join(here, "src/widget.ts"), formats: ["iife"], name: "leave", fileName: () => "widget.js" },
    },
  }),
  site: () => ({
    base: "./",
    plugins: [ofSite],
    worker: { format: "es", rollupOptions: { output: { entryFileNames: "assets/[name].js" } } },
    build: {
      ...shared,
      outDir: site,
      emptyOutDir: false,
      cssCodeSplit: false,
      // Pages name the parts that they share, so that a browser need not read one part to learn of another.
      modulePreload: { polyfill: false },
      rollupOptions: {
        input: {
          explore: join(here, "index.html"),
          live: join(here, "live.html"),
          // Pages of the documentation load this one.
          frames: join(here, "src/frames.ts"),
        },
        output: {
          entryFileNames: "assets/[name].js",
          chunkFileNames: "assets/[name].js",
          assetFileNames: "assets/explore[extname]",
        },
      },
    },
  }),
  own: () => ({
    build: {
      ...shared,
      outDir: site,
      emptyOutDir: false,
      license: false,
      lib: {
        entry: join(here, "src/own/own-worker.ts"),
        formats: ["iife"],
        name: "worker",
        fileName: () => "own-worker.js",
      },
    },
  }),
  offline: () => ({
    define: files(),
    build: {
      ...shared,
      outDir: site,
      emptyOutDir: false,
      license: false,
      lib: { entry: join(here, "src/offline.ts"), formats: ["iife"], name: "offline", fileName: () => "offline.js" },
    },
  }),
  production: () => ({
    base: "./",
    plugins: [classic, stamp],
    build: {
      ...shared,
      emptyOutDir: true,
      // The page allows no inline style: the styles are a file of their own.
      cssCodeSplit: false,
      rollupOptions: {
        output: {
          format: "iife",
          entryFileNames: "assets/explore.js",
          assetFileNames: "assets/explore[extname]",
        },
      },
    },
    server: { proxy: { "/api": "http://127.0.0.1:8765" } },
  }),
};

export default defineConfig(({ mode }): UserConfig => (modes[mode] ?? modes.production)());
