// Keys, frames and results of every earlier version (spec/compatibility) are opened by the package.
import assert from "node:assert/strict";
import { chmodSync, cpSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ROOT, decrypted, folder, isopod as cli, package_ } from "./setting.mjs";

const { DeviceKey, load } = package_;
const isopod = await load();
const KEPT = join(ROOT, "spec/compatibility");
const folders = readdirSync(KEPT, { withFileTypes: true })
  .filter((version) => version.isDirectory())
  .flatMap((version) => readdirSync(join(KEPT, version.name)).map((set) => join(version.name, set)))
  .filter((name) => existsSync(join(KEPT, name, "values.json")));

/** A copy whose secrets are their holder's only. */
function copied(name) {
  const into = join(folder(), "kept");
  cpSync(join(KEPT, name), into, { recursive: true });
  for (const entry of readdirSync(into, { recursive: true, withFileTypes: true })) {
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
  }
  return into;
}

test("there are earlier versions", () => assert.ok(folders.length >= 3, folders.join()));

for (const name of folders) {
  test(`what version ${name} wrote is opened`, async () => {
    const into = copied(name);
    const read = (path) => new Uint8Array(readFileSync(join(into, path)));
    const wanted = JSON.parse(readFileSync(join(into, "values.json"), "utf8"));
    const owner = await isopod.openOwner(read("owner/owner.key"));
    const publicKey = isopod.openPublicKey(read("public/public.key"));
    const device = DeviceKey.open(read("device-1/frame.key"));
    assert.deepEqual([publicKey.keyId, device.keyId, publicKey.set.name], [owner.keyId, owner.keyId, owner.set.name]);
    assert.deepEqual(owner.device(1).secrets, device.secrets);
    const [item] = isopod.open(owner, read("results.bin")).items;
    assert.deepEqual(Array.from(item.values), wanted);
    cli(into, "evaluate", "--keys", "server", "--job", "sum", "--in", "frames.bin", "--out", "again.bin");
    const [again] = isopod.open(owner, read("again.bin")).items;
    Array.from(again.values).forEach((value, at) => assert.ok(Math.abs(value - wanted[at]) <= 2 * again.error + 1e-9));
    assert.deepEqual(Array.from(again.values), decrypted(into, "--keys", "owner", "--in", "again.bin"));
  });
}
