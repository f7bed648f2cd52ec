// Sums that prove themselves: a fleet with keys of linear tags, and a server that lies under its own seal.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { xchacha20poly1305 } from "@noble/ciphers/chacha.js";
import { PASSPHRASE, folder, isopod as cli } from "./setting.mjs";
import { refused, user } from "./user.mjs";

const TAG_ITEM = 17;
const LINEAR_TAG = 8;
const NAMES = /^verified: 3 frames of 3 devices, sequences \d+ to \d+ of device 1, .* of device 3, epoch \d+; forgery 2\^-50$/;

/** A folder with the keys of three devices, which have keys of tags. */
export function fleet() {
  const into = folder();
  const devices = ["--device", "1", "--device", "2", "--device", "3"];
  cli(into, "keygen", "--set", "bfv-2048x2-air", "--no-evaluation-keys", ...devices, "--out", "fleet");
  cli(into, "device", "tag-key", "1-3", "--keys", "fleet");
  return into;
}

/** The sum of a frame of each device: 6, -9. */
export function sum(into) {
  const frames = [1, 2, 3].map((device) => {
    writeFileSync(join(into, "meter.csv"), `energy,starts\n${device},${1 - 2 * device}\n`);
    cli(into, "encrypt", "--keys", `fleet/device-${device}`, "--values", "meter.csv", "--out", "one.bin", "--force");
    return readFileSync(join(into, "one.bin"));
  });
  writeFileSync(join(into, "all.bin"), Buffer.concat(frames));
  cli(into, "evaluate", "--keys", "fleet/server", "--job", "sum", "--in", "all.bin", "--out", "sum.bin", "--force");
  return readFileSync(join(into, "sum.bin"));
}

/** An answer whose linear tag is changed, under the server's seal. */
export function lie(into, answer, change) {
  const bytes = Buffer.from(answer);
  const end = bytes.length - TAG_ITEM;
  bytes.writeBigUInt64LE(change(bytes.readBigUInt64LE(end - LINEAR_TAG)), end - LINEAR_TAG);
  const link = readFileSync(join(into, "fleet/server/server.key")).subarray(-66, -34);
  const nonce = Buffer.concat([bytes.subarray(31, 47), Buffer.from([0, 0, 0, 0, 1, 0, 0, 0])]);
  const tag = xchacha20poly1305(link, nonce, bytes.subarray(0, end)).encrypt(new Uint8Array());
  bytes.set(tag, end + 1);
  return bytes;
}

export const LIES = [(tag) => tag ^ 1n, (tag) => tag ^ (1n << 60n), (tag) => (tag * 2n) % (2n ** 61n - 1n), () => 12345n];

/** In the page: a sum that is verified, lies of which nothing is shown and each of which is counted, and the end of a period. */
export async function proofs(browser, address, picture) {
  const into = fleet();
  const page = await browser.page(address, "light");
  const me = user(page);
  const put = async (id, name, content) => {
    writeFileSync(join(into, name), content);
    await page.choose(id, join(into, name));
  };
  const open = async () => {
    await me.ready();
    await page.choose("owner-file", join(into, "fleet/owner/owner.key.age"));
    await me.fill("owner-passphrase", PASSPHRASE);
    assert.match((await me.send("open", "keys-message"))[1], /is open/);
  };
  const counts = () => me.value("Object.entries(localStorage).map(([key, value]) => [key.slice(0, 14), value])");
  await open();
  const honest = sum(into);
  await put("results-file", "sum.bin", honest);
  assert.match((await me.send("results-form", "results-message"))[1], NAMES);
  const shown = (await me.saved("values", "values.csv")).toString().trim();
  assert.equal(shown, "row,column 1,column 2\nrow 1,6,-9");
  await me.axe("with a proof");
  await page.screenshot(picture);
  for (const change of LIES) {
    await put("results-file", "lie.bin", lie(into, honest, change));
    await refused(me, "results-form", "results-message", /lie.bin, result 0: not verified: .* Keep that from the server/);
    assert.equal(await me.value("document.getElementById('opened').checkVisibility()"), false);
    assert.equal(await me.value("document.querySelectorAll('#values a, #table *').length"), 0);
  }
  assert.deepEqual(await counts(), [["isopod-linear-", "[4]"]]);
  await page.native.reload();
  await open();
  assert.deepEqual(await counts(), [["isopod-linear-", "[4]"]]);
  await me.value("void localStorage.setItem(Object.keys(localStorage)[0], '[63]')");
  await put("results-file", "lie.bin", lie(into, honest, LIES[0]));
  await refused(me, "results-form", "results-message", /not verified/);
  await put("results-file", "sum.bin", honest);
  await refused(me, "results-form", "results-message", /period 0 ended after 64 refusals; begin the next one/);
  await nextPeriod(me, put, into);
}

/** Devices of a new group: the page needs the file that says so. */
async function nextPeriod(me, put, into) {
  cli(into, "device", "tag-key", "1-3", "--keys", "fleet", "--new-group");
  await put("results-file", "sum.bin", sum(into));
  await refused(me, "results-form", "results-message", /of a period that is not known here; choose the file `linear`/);
  const periods = readFileSync(join(into, "fleet/owner/linear"));
  periods[30] ^= 1;
  await put("linear-file", "damaged", periods);
  await refused(me, "results-form", "results-message", /damaged: is not the account of linear tags, or damaged/);
  periods[30] ^= 1;
  await put("linear-file", "linear", periods);
  assert.match((await me.send("results-form", "results-message"))[1], NAMES);
}
