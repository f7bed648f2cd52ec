// node bundle.mjs OUT: joins page.html, page.css, the scripts and the module in OUT into one file, OUT/isopod.html, whose
// security policy allows these by their hashes, and no request at all.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname;
const out = process.argv[2];

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
    alias: { "isopod.wasm": join(out, "isopod.wasm") },
    logLevel: "warning",
  });
  return made.outputFiles[0].text.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
}

function source(content) {
  return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
}

const [script, style] = [await bundle("page.ts"), await bundle("page.css")];
const policy = [
  "default-src 'none'",
  `script-src ${source(script)} 'wasm-unsafe-eval'`,
  `style-src ${source(style)}`,
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const page = readFileSync(join(here, "page.html"), "utf8")
  .replace("@policy@", () => policy)
  .replace("@style@", () => style)
  .replace("@script@", () => script);
writeFileSync(join(out, "isopod.html"), page);
