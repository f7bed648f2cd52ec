// The module gives the known answers of spec/vectors: keys from entropy, sealed results to the bit.
import assert from "node:assert/strict";
import { join } from "node:path";
import { readFileSync } from "node:fs";
import test from "node:test";
import { sha3_256 } from "@noble/hashes/sha3.js";
import { BUILT, vectors } from "./setting.mjs";

const { Module } = await import(join(BUILT, "package/module.js"));
const { makeBlobs } = await import(join(BUILT, "package/keys.js"));
const load = (name) => Module.load(readFileSync(join(BUILT, name)));
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const whole = await load("isopod.wasm");

test("keys from the bytes 0, 1, 2, ... are those of the contract", () => {
  const kinds = [2, 1, 3];
  let compared = 0;
  const records = vectors("keys").generated_blobs.filter((record) => kinds.includes(record.blob_kind));
  for (const record of records) {
    const { blobs } = makeBlobs(
      whole,
      whole.set(record.set),
      Uint8Array.from({ length: 32 }, (_, at) => at),
    );
    const blob = blobs[kinds.indexOf(record.blob_kind)];
    assert.equal(hex(blob.subarray(0, 80)), record.header, `${record.set}, kind ${record.blob_kind}`);
    assert.equal(hex(sha3_256(blob)), record.sha3, `${record.set}, kind ${record.blob_kind}`);
    compared += 1;
  }
  assert.ok(compared >= 12, `${compared} blobs compared`);
});

for (const name of ["isopod.wasm", "isopod-decrypt.wasm"]) {
  test(`${name} reads sealed results to the bit`, async () => {
    const module = await load(name);
    const items = vectors("rounded").rounded_items;
    assert.ok(items.length >= 3);
    for (const { set, secret, link_key, item, log2_bound, f64_bits, s32 } of items) {
      const [blob, link, bytes] = [secret, link_key, item].map((text) => Uint8Array.from(Buffer.from(text, "hex")));
      const [count, width] = s32 ? [s32.length, 4] : [f64_bits.length, 8];
      const values = module.scope(() => {
        const owner = module.opened("owner_open", module.set(set).number, module.give(blob), blob.length);
        module.checked("owner_result", owner, module.give(link), module.give(bytes), bytes.length);
        const out = module.take(count * width);
        module.checked("owner_values", owner, log2_bound, out, count);
        return module.copy(out, count * width).buffer;
      });
      const found = s32
        ? Array.from(new Int32Array(values))
        : Array.from(new BigUint64Array(values), (word) => word.toString(16).padStart(16, "0"));
      assert.deepEqual(found, s32 ?? f64_bits, set);
    }
  });
}

test("out of memory is said, and nothing is lost by it", () => {
  assert.throws(() => whole.scope(() => whole.take(2 ** 32 - 2 ** 16)), {
    code: "memory",
    message: /no more memory; close other tabs/,
  });
  assert.equal(whole.scope(() => whole.copy(whole.take(16), 16)).length, 16);
});
