// `make bench-owner`: sizes of the modules, and the time of opening a result in browsers beside the same C on this machine, in
// one run. Writes records of `case` and `value` into bench/out/owner.json, beside those of others, and fails beyond a limit.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { engines } from "../test/browsers.mjs";
import { BUILT, ROOT, folder, isopod as cli, package_, write } from "../test/setting.mjs";

const OUT = join(ROOT, "bench/out/owner.json");
const LIMITS = { "wasm-bytes-gzip-decrypt": 50_000, "wasm-bytes-gzip-all": 90_000, "browser-decrypt-ratio": 1.6 };
const [SET, COUNT, ROUNDS, REPEATS] = ["ckks-4096x2-linear", 2048, 60, 3];

/** A key pair's secret blob, link key, and a sealed sum of 2,048 values. */
async function sealed(into) {
  const isopod = await package_.load();
  const pair = isopod.makeKeys(SET);
  const columns = Array.from({ length: COUNT }, (_, at) => `c${at}`);
  const frames = isopod.encrypt(pair.publicKey, pair.owner.device(1), { columns, rows: [columns.map((_, at) => at / COUNT)] });
  write(into, await package_.keyFiles(pair, [1n]));
  writeFileSync(join(into, "frames.bin"), frames.bytes);
  cli(into, "evaluate", "--keys", "server", "--job", "sum", "--in", "frames.bin", "--out", "item");
  writeFileSync(join(into, "blob"), pair.owner.secrets.blob);
  writeFileSync(join(into, "link"), pair.owner.secrets.link);
  return pair.owner.set.number;
}

/** The same sources by the same compiler for this machine. */
function native(into) {
  const files = (under) =>
    readdirSync(join(ROOT, under), { recursive: true })
      .filter((name) => name.endsWith(".c"))
      .map((name) => join(under, name));
  const ours = ["web/module/results.c", "web/module/sets.c", "web/bench/native.c"];
  const flags = [
    "-std=c11",
    "-D_POSIX_C_SOURCE=199309L",
    "-O2",
    "-DISOPOD_BACKEND=portable",
    "-DISOPOD_ALLOW_DEVICE_SECRET_KEY=1",
    "-Idevice/include",
  ];
  const quiet = ["-Wno-pointer-to-int-cast", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"];
  execFileSync("clang-14", [...flags, ...quiet, ...files("device/src"), ...ours, "-o", join(into, "native")], { cwd: ROOT });
}

/** Runs in a browser or in Node: the least nanoseconds of one opening. */
const OPENING = `(async (text, set, rounds, count) => {
  const bytes = text.map((one) => Uint8Array.from(atob(one), (letter) => letter.charCodeAt(0)));
  const { exports: calls } = await WebAssembly.instantiate(await WebAssembly.compile(bytes[0]));
  const give = (some) => {
    const at = calls.memory_take(some.length);
    new Uint8Array(calls.memory.buffer, at, some.length).set(some);
    return at;
  };
  const [blob, link, item] = bytes.slice(1).map(give);
  const owner = calls.owner_open(set, blob, bytes[1].length, calls.memory_take(4));
  const values = calls.memory_take(8 * count);
  let least = Infinity;
  for (let batch = 0; batch < 8; batch++) {
    const start = performance.now();
    for (let i = 0; i < rounds; i++) {
      const status = calls.owner_result(owner, link, item, bytes[3].length) || calls.owner_values(owner, 127, values, count);
      if (status !== 0) throw new Error("not opened: " + status);
    }
    least = Math.min(least, (performance.now() - start) * 1e6 / rounds);
  }
  return least;
})`;

async function times() {
  const into = folder();
  const set = await sealed(into);
  native(into);
  const text = [join(BUILT, "isopod-decrypt.wasm"), ...["blob", "link", "item"].map((name) => join(into, name))];
  const words = JSON.stringify(text.map((path) => readFileSync(path).toString("base64")));
  const code = `${OPENING}(${words}, ${set}, ${ROUNDS}, ${COUNT})`;
  const least = { native: Infinity, node: Infinity };
  const open = await Promise.all(
    engines()
      .filter((engine) => engine.start)
      .map((engine) => engine.start()),
  );
  const pages = await Promise.all(
    open.map(async (browser) => [browser.name.toLowerCase(), await browser.page("about:blank", "light")]),
  );
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const given = ["blob", "link", "item", String(set), String(ROUNDS), String(COUNT)];
    least.native = Math.min(least.native, Number(execFileSync(join(into, "native"), given, { cwd: into })));
    least.node = Math.min(least.node, await (0, eval)(code));
    for (const [name, page] of pages) {
      least[name] = Math.min(least[name] ?? Infinity, await page.evaluate(code));
    }
  }
  await Promise.all(open.map((browser) => browser.close()));
  return least;
}

/** Bytes of a module after gzip -9. */
const gzip = (name) => gzipSync(readFileSync(join(BUILT, name)), { level: 9 }).length;

const least = await times();
const ratio = (name) => Number((least[name] / least.native).toFixed(3));
const found = {
  "wasm-bytes-gzip-decrypt": gzip("isopod-decrypt.wasm"),
  "wasm-bytes-gzip-all": gzip("isopod-everything.wasm"),
  "wasm-bytes-gzip-package": gzip("isopod.wasm"),
  "page-bytes-gzip": gzip("isopod.html"),
  "native-decrypt-us": Math.round(least.native / 1000),
  "browser-decrypt-ratio": ratio("chromium"),
  ...Object.fromEntries(
    Object.keys(least)
      .filter((name) => !["native", "chromium"].includes(name))
      .map((name) => [`${name}-decrypt-ratio`, ratio(name)]),
  ),
};
const kept = existsSync(OUT) ? JSON.parse(readFileSync(OUT, "utf8")).filter((record) => !(record.case in found)) : [];
mkdirSync(dirname(OUT), { recursive: true });
writeFileSync(
  OUT,
  `${JSON.stringify([...kept, ...Object.entries(found).map(([name, value]) => ({ case: name, value }))], null, 1)}\n`,
);
const beyond = Object.entries(LIMITS).filter(([name, most]) => !(found[name] <= most));
Object.entries(found).forEach(([name, value]) =>
  console.log(`${name.padEnd(26)} ${String(value).padStart(9)}${name in LIMITS ? `  at most ${LIMITS[name]}` : ""}`),
);
beyond.forEach(([name]) => console.error(`${name} is beyond its limit`));
process.exit(beyond.length === 0 ? 0 : 1);
