import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "../python/headgate/explore/static");

/** The files from which the bundle is built, in the order in which tests/test_web_bundle.py reads them. Of generated types nothing is left in it. */
function sources(): string[] {
  const found: string[] = ["index.html", "package-lock.json", "vite.config.ts"];
  for (const entry of readdirSync(join(here, "src"), { recursive: true, withFileTypes: true }))
    if (entry.isFile() && !entry.parentPath.endsWith("generated")) found.push(relative(here, join(entry.parentPath, entry.name)).replaceAll("\\", "/"));
  return found.sort();
}

/** Writes the hash of the sources beside the bundle, so that a test notices a stale bundle without Node. */
const stamp: Plugin = {
  name: "stamp",
  closeBundle() {
    const hash = createHash("sha256");
    for (const file of sources()) hash.update(file).update("\0").update(readFileSync(join(here, file))).update("\0");
    writeFileSync(join(target, "STAMP"), `${hash.digest("hex")}\n`);
  },
};

/** A classic script instead of a module, so that index.html also works when it is opened as a file. */
const classic: Plugin = {
  name: "classic",
  enforce: "post",
  transformIndexHtml: (html) => html.replace(/<script type="module" crossorigin/g, "<script defer").replace(/ crossorigin/g, ""),
};

export default defineConfig({
  base: "./",
  plugins: [classic, stamp],
  build: {
    outDir: target,
    emptyOutDir: true,
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0,
    // The page allows no inline style: the styles are a file of their own.
    cssCodeSplit: false,
    rollupOptions: {
      output: { format: "iife", entryFileNames: "assets/explore.js", assetFileNames: "assets/explore[extname]" },
    },
  },
  server: { proxy: { "/api": "http://127.0.0.1:8765" } },
});
