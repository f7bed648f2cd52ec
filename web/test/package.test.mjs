// The package and the command line read each other's files; refusals say what and what to do.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { limited } from "./memory.mjs";
import { LIES, fleet, lie, sum } from "./proofs.mjs";
import { BUILT, PASSPHRASE, ROOT, decrypted, folder, isopod as cli, package_, write } from "./setting.mjs";

const { DeviceKey, IsopodError, StoredAccount, describe, keyFiles, load, readDescription, readTagPeriods } = package_;
const isopod = await load();
const README = "web/package/README.md";
const READINGS = {
  columns: ["a", "b", "c"],
  rows: [
    [1.5, -0.25, 2],
    [0.5, 1, -1],
  ],
};
const WHOLE = {
  columns: ["a", "b", "c"],
  rows: [
    [1, -3, 2],
    [5, 1, -1],
  ],
};

const near = (found, wanted, error) => {
  assert.equal(found.length, wanted.length);
  wanted.forEach((value, at) =>
    assert.ok(Math.abs(found[at] - value) <= error, `${found[at]} is not within ${error} of ${value}`),
  );
};

/** Keys of this package in a folder, frames of it, and the sum that the command line made of them. */
async function story(set, readings) {
  const pair = isopod.makeKeys(set);
  const [into, frames] = [folder(), isopod.encrypt(pair.publicKey, pair.owner.device(7), readings, { rowsPerFrame: 1 })];
  write(into, await keyFiles(pair, [6n, 7n, 9n]));
  writeFileSync(join(into, "frames.bin"), frames.bytes);
  writeFileSync(join(into, "columns.json"), describe(frames.description));
  cli(into, "evaluate", "--keys", "server", "--job", "sum", "--in", "frames.bin", "--out", "results.bin");
  return { pair, into, frames, results: readFileSync(join(into, "results.bin")) };
}

for (const [set, readings] of [
  ["ckks-2048x1-air", READINGS],
  ["ckks-1024x1-sum", READINGS],
  ["ckks-8192x3w-sum", READINGS],
  ["bfv-2048x1-count", WHOLE],
  ["bfv-2048x2-air", WHOLE],
]) {
  test(`frames under ${set} are summed by the command line, and the sum is opened here and there`, async () => {
    const { pair, into, frames, results } = await story(set, readings);
    const answer = isopod.open(pair.owner, results, { description: frames.description });
    const wanted = readings.columns.map((_, column) => readings.rows.reduce((sum, row) => sum + row[column], 0));
    const [item] = answer.items;
    near(Array.from(item.values), wanted, item.error);
    assert.deepEqual(
      decrypted(into, "--keys", "owner", "--in", "results.bin", "--packing", "columns.json"),
      Array.from(item.values),
    );
    assert.deepEqual([answer.job, answer.sequence, answer.columns], ["sum", 0n, ["a", "b", "c"]]);
    assert.deepEqual(
      item.manifest?.map((range) => [range.device, range.last - range.first, range.rows]),
      [[7n, 1n, 1n]],
    );
  });
}

test("keys of the command line encrypt and open here, as many bytes as there", async () => {
  const into = folder();
  cli(into, "keygen", "--set", "ckks-2048x1-air", "--no-evaluation-keys", "--out", "keys");
  const read = (path) => new Uint8Array(readFileSync(join(into, path)));
  const owner = await isopod.openOwner(read("keys/owner/owner.key.age"), PASSPHRASE);
  const [publicKey, device] = [
    isopod.openPublicKey(read("keys/public/public.key")),
    DeviceKey.open(read("keys/device-1/frame.key")),
  ];
  assert.equal(owner.device(1).secrets.frameKey.toString(), device.secrets.frameKey.toString());
  writeFileSync(join(into, "values.csv"), "a,b,c\n1.5,-0.25,2\n0.5,1,-1\n");
  cli(into, "encrypt", "--keys", "keys/device-1", "--values", "values.csv", "--out", "theirs.bin");
  const frames = isopod.encrypt(publicKey, device, READINGS, { epoch: Math.floor(Date.now() / 1000) + 60 });
  assert.equal(frames.bytes.length, read("theirs.bin").length);
  writeFileSync(join(into, "ours.bin"), frames.bytes);
  cli(into, "evaluate", "--keys", "keys/server", "--job", "total", "--in", "ours.bin", "theirs.bin", "--out", "results.bin");
  const answer = isopod.open(owner, read("results.bin"));
  assert.equal(answer.items.length, 2);
  for (const item of answer.items) {
    near(Array.from(item.values), [3.25, 0.5], item.error);
    assert.equal(item.frame?.device, 1n);
  }
});

test("sums with linear tags are verified, and lies are counted before they are told", async () => {
  const into = fleet();
  const read = (path) => new Uint8Array(readFileSync(join(into, path)));
  const owner = await isopod.openOwner(read("fleet/owner/owner.key.age"), PASSPHRASE);
  const stored = new Map();
  const storage = { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => void stored.set(key, value) };
  const tags = new StoredAccount(storage, owner.keyId);
  const honest = sum(into);
  const { items, verified } = isopod.open(owner, honest, { tags });
  assert.deepEqual([...items[0].values], [6, -9]);
  assert.deepEqual([verified.frames, verified.devices, verified.period, verified.bits], [3n, 3, 0, 50]);
  const refuses = (bytes, code, options = { tags }) =>
    assert.throws(() => isopod.open(owner, bytes, options), (error) => error instanceof IsopodError && error.code === code);
  refuses(honest, "proof", {});
  LIES.forEach((change, at) => {
    refuses(lie(into, honest, change), "unproved");
    assert.deepEqual([...stored.values()], [`[${at + 1}]`]);
  });
  refuses(lie(into, honest, (tag) => tag ^ (1n << 61n)), "proof"); // of a period that is not yet
  const forgetful = { getItem: () => null, setItem: () => undefined };
  refuses(lie(into, honest, LIES[0]), "proof", { tags: new StoredAccount(forgetful, owner.keyId) });
  const ended = { getItem: () => "[60]", setItem: () => undefined };
  refuses(honest, "proof", { tags: new StoredAccount(ended, owner.keyId, [{ group: 0, refusals: 4 }]) });
  assert.equal(isopod.open(owner, honest, { tags }).verified.period, 0);
  cli(into, "device", "tag-key", "1-3", "--keys", "fleet", "--new-group");
  const periods = readTagPeriods(read("fleet/owner/linear"), owner.keyId);
  assert.deepEqual(periods.map(({ group }) => group), [0, 1]);
  assert.equal(isopod.open(owner, sum(into), { tags: new StoredAccount(storage, owner.keyId, periods) }).verified.period, 1);
  assert.throws(() => readTagPeriods(read("fleet/owner/linear"), "00".repeat(16)), /of another key pair/);
});

test("a model with three outputs gives each frame a row of three values", () => {
  const pair = isopod.makeKeys("ckks-2048x2-air");
  const [into, frames] = [folder(), isopod.encrypt(pair.publicKey, pair.owner.device(7), READINGS, { rowsPerFrame: 1 })];
  return keyFiles(pair, [7n]).then((files) => {
    write(into, files);
    writeFileSync(join(into, "frames.bin"), frames.bytes);
    const weights = [
      [1, 0, 0],
      [0, 2, 0],
      [1, 1, -1],
    ];
    const model = { kind: "classifier", features: ["a", "b", "c"], weights, bias: [0, 1, -2], outputs: ["x", "y", "z"] };
    writeFileSync(join(into, "model.json"), JSON.stringify(model));
    const words = ["--keys", "server", "--job", "linear", "--model", "model.json", "--in", "frames.bin", "--out", "results.bin"];
    cli(into, "evaluate", ...words);
    const answer = isopod.open(pair.owner, readFileSync(join(into, "results.bin")), { description: frames.description });
    assert.deepEqual(answer.columns, ["output 1", "output 2", "output 3"]);
    assert.equal(answer.items.length, 2);
    for (const [row, item] of answer.items.entries()) {
      const values = READINGS.rows[row];
      const scores = weights.map((line, output) => line.reduce((sum, one, at) => sum + one * values[at], model.bias[output]));
      assert.deepEqual([item.rows, item.columns, item.frame?.first], [1, 3, BigInt(row)]);
      near(Array.from(item.values), scores, item.error);
    }
    const values = answer.items.flatMap((item) => Array.from(item.values));
    assert.deepEqual(decrypted(into, "--keys", "owner", "--in", "results.bin"), values);
  });
});

test("the README's code runs as it stands, with the command line between its halves", async () => {
  const text = readFileSync(join(ROOT, README), "utf8").match(/^```js\n(.*?)^```/ms)[1];
  const code = text.replace(/^import .*$/m, "");
  const whole = code.replace("const answer", "const results = serve(files, frames);\nconst answer");
  const run = new Function("load", "keyFiles", "serve", `return (async () => {${whole}\nreturn answer.items[0]; })()`);
  const serve = (files, frames) => {
    const into = folder();
    write(into, files);
    writeFileSync(join(into, "frames.bin"), frames.bytes);
    cli(into, "evaluate", "--keys", "server", "--job", "sum", "--in", "frames.bin", "--out", "results.bin");
    return new Uint8Array(readFileSync(join(into, "results.bin")));
  };
  const item = await run(load, keyFiles, serve);
  near(Array.from(item.values), [41.75, 1], item.error);
});

test("a passphrase of this package opens in the command line, and more devices can be added", async () => {
  const pair = isopod.makeKeys("bfv-1024x1-count");
  const into = folder();
  write(into, await keyFiles(pair, [1n], PASSPHRASE));
  cli(into, "device", "add", "2", "--keys", ".");
  const added = DeviceKey.open(new Uint8Array(readFileSync(join(into, "device-2/frame.key"))));
  assert.deepEqual(added.secrets, { ...pair.owner.device(2).secrets });
  assert.throws(() => cli(into, "device", "add", "1", "--keys", "."), /was given|given/);
});

const refusal = (code, message) => (error) => {
  assert.ok(error instanceof IsopodError, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
  return true;
};

test("readings that cannot be encrypted are named by row and column", () => {
  const { publicKey, owner } = isopod.makeKeys("ckks-1024x1-sum");
  const integers = isopod.makeKeys("bfv-1024x1-count");
  const refused = (rows, code, message, options) =>
    assert.throws(
      () => isopod.encrypt(publicKey, owner.device(1), { columns: ["a", "b"], rows }, options),
      refusal(code, message),
    );
  refused(
    [
      [1, 2],
      [3, NaN],
    ],
    "values",
    /row 2, column b: NaN is no finite number; correct/,
  );
  refused([[1, Infinity]], "values", /row 1, column b: Infinity/);
  refused(
    [
      [1, 2],
      [17, 0],
    ],
    "values",
    /row 2, column a: 17 is beyond the bound; allowed is -16 to 16; raise/,
  );
  refused([[1]], "values", /row 1 has 1 values, the header 2/);
  refused([], "values", /no row/);
  refused([[1, 2]], "argument", /2\^99; allowed is a whole power from -20 to 40/, { log2Bound: 99 });
  refused([[1, 2]], "argument", /0 rows in a frame; allowed are 1 to 256/, { rowsPerFrame: 0 });
  assert.throws(
    () => isopod.encrypt(integers.publicKey, integers.owner.device(1), { columns: ["a"], rows: [[0.5]] }),
    refusal("values", /0.5 is no integer/),
  );
  assert.throws(
    () => isopod.encrypt(publicKey, integers.owner.device(1), { columns: ["a"], rows: [[1]] }),
    refusal("key", /take both from one fleet/),
  );
  assert.throws(
    () => isopod.makeKeys("ckks-1024x1-seal-embedded"),
    refusal("argument", /label compat-2018; allowed here are sets of label 128/),
  );
  assert.throws(() => isopod.makeKeys("tfhe-1024-tuniform"), refusal("argument", /is no set of this module; allowed are/));
});

test("results that are damaged, foreign, mixed or of other files are refused", async () => {
  const { pair, results, frames, into } = await story("ckks-1024x1-sum", READINGS);
  const refused = (bytes, code, message, owner = pair.owner, options = {}) =>
    assert.throws(() => isopod.open(owner, bytes, { name: "r.bin", ...options }), refusal(code, message));
  const damaged = Uint8Array.from(results);
  damaged[damaged.length - 200] ^= 1;
  refused(
    damaged,
    "authentic",
    /r.bin, result 0: not sealed by the server of key pair [0-9a-f]{32}, or changed since; open it with the key of its own/,
  );
  refused(results, "authentic", /not sealed/, isopod.makeKeys("ckks-1024x1-sum").owner);
  refused(results.subarray(0, 1000), "file", /ends|bytes/);
  refused(new Uint8Array(), "file", /is empty; allowed is what `isopod evaluate --out` wrote/);
  refused(frames.bytes, "file", /holds frames; they go to the server/);
  refused(new TextEncoder().encode("a,b\n1,2\n"), "file", /is not a file of results; allowed is/);
  refused(
    Uint8Array.from([...results, ...results]),
    "result",
    /result 1: is number 0 of 1; results are missing, repeated or swapped/,
  );
  refused(results, "result", /of other columns than the description/, pair.owner, { description: { names: ["x"] } });
  cli(into, "evaluate", "--keys", "server", "--job", "mean", "--in", "frames.bin", "--out", "mean.bin");
  refused(Uint8Array.from([...results, ...readFileSync(join(into, "mean.bin"))]), "result", /its run is not that of result 0/);
  const changed = describe(frames.description).replace('"a"', '"z"');
  assert.throws(() => readDescription(changed), refusal("file", /its packing is not that of its columns/));
});

test("keys that are damaged or forged are refused", async () => {
  const { owner, publicKey } = isopod.makeKeys("ckks-1024x1-sum");
  const other = isopod.makeKeys("ckks-1024x1-sum");
  const flipped = (bytes, at) => Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ 1 : byte));
  assert.throws(() => isopod.openPublicKey(flipped(publicKey.blob, 3000)), refusal("file", /its digest does not match/));
  assert.throws(
    () => isopod.openPublicKey(publicKey.blob.subarray(0, 3000)),
    refusal("file", /has 3000 bytes, not those of a key/),
  );
  assert.throws(
    () => isopod.openPublicKey(new Uint8Array(300)),
    refusal("file", /is not a key; allowed is the file of this name/),
  );
  const { sha3_256 } = await import("@noble/hashes/sha3.js");
  const sealed = (bytes) => {
    const copy = Uint8Array.from(bytes);
    copy.set(sha3_256(Buffer.concat([copy.subarray(0, 48), copy.subarray(80)])), 48);
    return copy;
  };
  const renamed = Uint8Array.from(publicKey.blob);
  renamed.set(other.publicKey.blob.subarray(24, 40), 24);
  assert.throws(() => isopod.openPublicKey(sealed(renamed)), refusal("key", /its content is that of another key pair/));
  const half = sealed(flipped(publicKey.blob, publicKey.blob.length - 4));
  assert.throws(
    () => isopod.openPublicKey(half),
    refusal("key", /second half is not the mask of its seed; do not encrypt with it/),
  );
  const plain = (await owner.file()).bytes;
  assert.equal((await isopod.openOwner(plain)).keyId, owner.keyId);
  await assert.rejects(isopod.openOwner(flipped(plain, 200)), refusal("file", /digest does not match/));
  await assert.rejects(isopod.openOwner(new Uint8Array(40)), refusal("file", /is not an owner's key file/));
  const frame = owner.device(1).files()[0].bytes;
  assert.throws(() => DeviceKey.open(flipped(frame, 40)), refusal("file", /digest/));
});

test("a wrong passphrase opens nothing", async () => {
  const file = await isopod.makeKeys("ckks-1024x1-sum").owner.file(PASSPHRASE);
  await assert.rejects(isopod.openOwner(file.bytes), refusal("passphrase", /is under a passphrase; give it/));
  await assert.rejects(
    isopod.openOwner(file.bytes, "another"),
    refusal("passphrase", /does not open it, or the file is damaged; type it again/),
  );
});

test("out of memory is an error that says what to do, and smaller work goes on", async () => {
  const { load: loadFrom } = await import(join(BUILT, "package/index.js"));
  const small = await loadFrom(limited(readFileSync(join(BUILT, "isopod.wasm")), 4));
  const memory = refusal("memory", /no more memory; close other tabs or programs, or take fewer rows at once or a smaller/);
  assert.throws(() => small.makeKeys("ckks-16384x13-multiply"), memory);
  const pair = small.makeKeys("ckks-1024x1-sum");
  const readings = (count) => ({ columns: ["a"], rows: Array.from({ length: count }, () => [1]) });
  assert.equal(small.encrypt(pair.publicKey, pair.owner.device(1), readings(2)).description.names[0], "a");
  const { publicKey } = isopod.makeKeys("ckks-16384x13-multiply");
  assert.throws(() => small.openPublicKey(publicKey.blob), memory);
});

test("the module that opens results says that it does nothing else", async () => {
  const { load: loadFrom } = await import(join(BUILT, "package/index.js"));
  const opener = await loadFrom(readFileSync(join(BUILT, "isopod-decrypt.wasm")));
  assert.throws(() => opener.makeKeys("ckks-1024x1-sum"), refusal("argument", /opens results only; load isopod.wasm/));
});

test("slices give the frames of one call, and a plan says before what they take", () => {
  const pair = isopod.makeKeys("ckks-2048x1-air");
  const rows = Array.from({ length: 2000 }, (_, row) => [row % 16, (row % 7) / 8]);
  const [device, readings] = [pair.owner.device(1), { columns: ["a", "b"], rows }];
  for (const options of [{}, { rowsPerFrame: 1 }, { rowsPerFrame: 3 }]) {
    const plan = isopod.plan(pair.publicKey, rows.length, 2, options);
    const slices = isopod.encryptInSlices(pair.publicKey, device, readings, { ...options, epoch: 7, sequence: 5n });
    const [sizes, seen] = [[], []];
    let step = slices.next();
    for (; !step.done; step = slices.next()) {
      sizes.push(...step.value.frames.map((frame) => frame.length));
      seen.push(step.value.done);
      assert.equal(step.value.all, plan.frames);
    }
    assert.deepEqual([step.value.count, step.value.rowsPerFrame], [plan.frames, plan.rowsPerFrame]);
    assert.deepEqual([sizes.length, seen.at(-1), step.value.next], [plan.frames, plan.frames, 5n + BigInt(plan.frames)]);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(Math.abs(bytes - plan.bytes) <= 0.002 * bytes, `${bytes} bytes, foreseen ${plan.bytes}`);
    assert.ok(plan.milliseconds > 0);
    if (plan.frames > 1500) assert.ok(seen.length > 1, `${plan.frames} frames in ${seen.length} slices`);
  }
  assert.deepEqual(isopod.plan(pair.publicKey, 0, 2).bytes, 0);
  assert.throws(() => isopod.plan(pair.publicKey, 1, 5000), refusal("values", /5000 columns; allowed are 1 to 2048/));
});

test("slices refuse a value before the first frame, and can be left", () => {
  const pair = isopod.makeKeys("ckks-1024x1-sum");
  const device = pair.owner.device(1);
  const rows = Array.from({ length: 1000 }, () => [1]);
  const bad = isopod.encryptInSlices(pair.publicKey, device, { columns: ["a"], rows: [...rows, [99]] }, { rowsPerFrame: 1 });
  assert.throws(() => {
    for (let step = bad.next(); ; step = bad.next()) assert.deepEqual(step.value.frames, []);
  }, refusal("values", /row 1001, column a: 99 is beyond the bound/));
  const left = isopod.encryptInSlices(pair.publicKey, device, { columns: ["a"], rows }, { rowsPerFrame: 1 });
  while (left.next().value.frames.length === 0);
  isopod.encrypt(pair.publicKey, device, { columns: ["a"], rows: [[1]] });
  assert.ok(left.next().value.frames.length > 0);
  left.return();
  assert.equal(left.next().done, true);
});
