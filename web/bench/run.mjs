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
const [SET, COUNT, ROUNDS, REPEATS] = ["ckks-4096x2-linear", 2048, 2000, 3];

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

/** Opens the result `rounds` times, in a browser or in Node; the instance stays for the next call. */
const OPENING = `(async (text, set, rounds, count) => {
  globalThis.opened ??= await (async () => {
    const bytes = text.map((one) => Uint8Array.from(atob(one), (letter) => letter.charCodeAt(0)));
    const { exports: calls } = await WebAssembly.instantiate(await WebAssembly.compile(bytes[0]));
    const give = (some) => {
      const at = calls.memory_take(some.length);
      new Uint8Array(calls.memory.buffer, at, some.length).set(some);
      return at;
    };
    const [blob, link, item] = bytes.slice(1).map(give);
    const owner = calls.owner_open(set, blob, bytes[1].length, calls.memory_take(4));
    return { calls, owner, link, item, length: bytes[3].length, values: calls.memory_take(8 * count) };
  })();
  const { calls, owner, link, item, length, values } = globalThis.opened;
  for (let i = 0; i < rounds; i++) {
    const status = calls.owner_result(owner, link, item, length) || calls.owner_values(owner, 127, values, count);
    if (status !== 0) throw new Error("not opened: " + status);
  }
})`;

/** Processor seconds of the processes that this one started, and of what they started; ticks are 10 ms. */
function processorOfChildren() {
  const found = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*[)] /s, "").split(" ");
      found.set(Number(pid), { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) });
    } catch {
      // ended meanwhile
    }
  }
  const isOurs = (pid) => pid === process.pid || (found.has(pid) && isOurs(found.get(pid).parent));
  const ours = [...found].filter(([pid, { parent }]) => pid !== process.pid && isOurs(parent));
  return ours.reduce((sum, [, { ticks }]) => sum + ticks, 0) / 100;
}

/** Nanoseconds of processor time of one opening by `work`, which does as many as it is told. */
async function each(work, clock) {
  const start = clock();
  await work(ROUNDS);
  return ((clock() - start) * 1e9) / ROUNDS;
}

async function times() {
  const into = folder();
  const set = await sealed(into);
  native(into);
  const names = [join(BUILT, "isopod-decrypt.wasm"), ...["blob", "link", "item"].map((name) => join(into, name))];
  const text = JSON.stringify(names.map((path) => readFileSync(path).toString("base64")));
  const code = (rounds) => `${OPENING}(${rounds === 0 ? text : "[]"}, ${set}, ${rounds}, ${COUNT})`;
  const own = () => process.cpuUsage().user / 1e6;
  const machines = { node: [(rounds) => (0, eval)(code(rounds)), own] };
  const open = [];
  for (const engine of engines().filter(({ start }) => start)) {
    const browser = await engine.start();
    open.push(browser);
    const page = await browser.page("about:blank", "light");
    machines[browser.name.toLowerCase()] = [(rounds) => page.evaluate(code(rounds)), processorOfChildren];
  }
  const least = { native: Infinity };
  for (const [work] of Object.values(machines)) {
    await work(0); // starts the module
    await work(ROUNDS / 2); // and lets the second compiler have it
  }
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const given = ["blob", "link", "item", String(set), String(ROUNDS), String(COUNT)];
    least.native = Math.min(least.native, Number(execFileSync(join(into, "native"), given, { cwd: into })));
    for (const [name, [work, clock]] of Object.entries(machines)) {
      least[name] = Math.min(least[name] ?? Infinity, await each(work, clock));
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
  "wasm-bytes-gzip-holders": gzip("isopod-holders.wasm"),
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
