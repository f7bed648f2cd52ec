// node bundle.mjs OUT: joins a page, page.css, its scripts and the modules in OUT into one file each, OUT/isopod.html for an
// owner and OUT/isopod-holder.html for one of several. Its security policy allows these by their hashes, and no request at all.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname;
const out = process.argv[2];
const MODULES = ["isopod.wasm", "isopod-holders.wasm"];
const PAGES = { "isopod.html": ["page.ts", "page.html"], "isopod-holder.html": ["holder/page.ts", "holder/page.html"] };

async function bundle(name) {
  const made = await build({
    entryPoints: [join(here, name)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["es2022"],
    charset: "utf8",
    legalComments: "inline",
    loader: { ".wasm": "binary" },
    alias: Object.fromEntries(MODULES.map((module) => [module, join(out, module)])),
    logLevel: "warning",
  });
  return made.outputFiles[0].text.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
}

function source(content) {
  return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
}

const style = await bundle("page.css");
for (const [name, [entry, document]] of Object.entries(PAGES)) {
  const script = await bundle(entry);
  const policy = [
    "default-src 'none'",
    `script-src ${source(script)} 'wasm-unsafe-eval'`,
    `style-src ${source(style)}`,
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const page = readFileSync(join(here, document), "utf8")
    .replace("@policy@", () => policy)
    .replace("@style@", () => style)
    .replace("@script@", () => script);
  writeFileSync(join(out, name), page);
}
