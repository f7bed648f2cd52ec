// Several owners by the package, in Node: a key made together with the command line, contributions, and refusals by name.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { PASSPHRASE, folder, isopod, package_, write } from "./setting.mjs";

const { IsopodError, load, loadHolders } = package_;
const NAMES = ["alice", "bob", "carol"];

/** A count in memory, with what was kept. */
function count(least = 0) {
  const kept = [];
  return { kept, least: async () => kept.at(-1) ?? least, keep: async (_holder, used) => void kept.push(used) };
}

async function refuses(work, code, wanted, field) {
  await assert.rejects(async () => work(), (error) => {
    assert.ok(error instanceof IsopodError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(error.message, wanted);
    if (field !== undefined) assert.equal(error.field, field);
    return true;
  });
}

/** Alice and bob are here, carol is on the command line. */
async function ceremony(holders, place, queries) {
  const begun = holders.begin({ holders: NAMES, threshold: 2, queries });
  const [invitation, announced] = begun.files;
  writeFileSync(join(place, "invitation"), invitation.bytes);
  const joined = holders.join(invitation.bytes, "bob");
  const words = ["--invitation", "invitation", "--as", "carol", "--out", "carol", "--insecure-plaintext-key"];
  isopod(place, "owner", "join", ...words);
  const carol = (name) => ({ name, bytes: readFileSync(join(place, "carol", name)) });
  const [alice, bob] = [begun.holder, joined.holder];
  assert.deepEqual(alice.goOn([]), { missing: ["bob", "carol"], waitingFor: "announcements" });
  const announcements = [announced, joined.files[0], carol("announcement-carol")];
  const openings = [alice, bob].map((holder) => holder.goOn(announcements).opening);
  [...announcements.slice(0, 2), ...openings].forEach((file) => writeFileSync(join(place, file.name), file.bytes));
  isopod(place, "owner", "finish", "--keys", "carol", "--in", "announcement-alice", "announcement-bob");
  const all = [...announcements, ...openings, carol("opening-carol")];
  [alice, bob].forEach((holder) => assert.deepEqual(holder.goOn(all).missing, []));
  const files = ["announcement-alice", "announcement-bob", "opening-alice", "opening-bob"];
  const { fingerprint } = JSON.parse(isopod(place, "owner", "finish", "--keys", "carol", "--in", ...files, "--json"));
  assert.deepEqual([alice, bob].map((holder) => holder.facts.fingerprint), [fingerprint, fingerprint]);
  return { alice, bob, announcements };
}

/** The sum of two devices, whose folders alice made. */
async function ask(alice, place) {
  write(place, await alice.devices(alice.publicKey, [1n, 2n]));
  for (const device of [1, 2]) {
    writeFileSync(join(place, "row.csv"), `a,b\n${device},-7\n`);
    const files = ["--values", "row.csv", "--out", `frame-${device}`, "--bound-bits", "10"];
    isopod(place, "encrypt", "--keys", `device-${device}`, ...files);
  }
  isopod(place, "evaluate", "--keys", "server", "--job", "sum", "--in", "frame-1", "frame-2", "--out", "sum");
  return new Uint8Array(readFileSync(join(place, "sum")));
}

test("holders by the package and on the command line make a key and open an answer", async () => {
  const place = folder();
  process.env.XDG_STATE_HOME = join(place, "state");
  mkdirSync(process.env.XDG_STATE_HOME);
  const library = await load();
  const holders = await loadHolders(library);
  const { alice, bob, announcements } = await ceremony(holders, place, 3);
  const results = await ask(alice, place);
  const asked = alice.review(results);
  assert.deepEqual(
    [asked.job, asked.results, asked.entered, asked.devices, asked.error, asked.used, asked.queries],
    ["sum", 1, 2, [1, 2], 0, 0, 3],
  );
  const counted = count();
  const own = await alice.contribute(results, ["alice", "carol"], counted);
  assert.deepEqual(counted.kept, [1]);
  const with_ = ["--in", "sum", "--with", "alice,carol", "--agree", "--out", "from-carol"];
  isopod(place, "owner", "contribute", "--keys", "carol", ...with_);
  const theirs = new Uint8Array(readFileSync(join(place, "from-carol")));
  const answer = await alice.combine(results, [own, theirs]);
  assert.deepEqual([...answer.items[0].values], [3, -14]);
  writeFileSync(join(place, "from-alice"), own);
  const given = ["--contribution", "from-alice", "from-carol"];
  const combined = isopod(place, "owner", "combine", "--keys", "carol", "--in", "sum", ...given);
  assert.match(combined, /,3,0\n/);
  await refusals({ holders, alice, bob, announcements, results, own, theirs });
});

/** Files of a folder of the command line. */
function filesOf(place, who, ...names) {
  return names.map((name) => ({ name, bytes: new Uint8Array(readFileSync(join(place, who, name))) }));
}

function keep(place, ...files) {
  files.flat().forEach((file) => writeFileSync(join(place, file.name), file.bytes));
}

/** All shares anew, by two here and one on the command line. */
function refresh(place, holders, generation) {
  const named = (kind) => NAMES.map((name) => `${kind}-${generation}-${name}`);
  const carol = (...words) => JSON.parse(isopod(place, "owner", "refresh", "--keys", "carol", ...words, "--json"));
  carol();
  const dealt = [...holders.map((holder) => holder.refresh([])), { files: filesOf(place, "carol", named("refresh")[2]) }];
  const all = dealt.flatMap((stage) => stage.files);
  keep(place, all);
  const sent = named("refresh");
  const seen = carol("--in", ...sent);
  const confirmed = holders.map((holder) => holder.refresh(all, { sent }));
  confirmed.forEach((stage) => assert.deepEqual([stage.step, stage.fingerprint], ["confirmed", seen.fingerprint]));
  const more = [...confirmed.flatMap((stage) => stage.files), ...filesOf(place, "carol", named("refreshed")[2])];
  keep(place, more);
  const options = { sent: [...sent, ...named("refreshed")] };
  assert.equal(holders[0].refresh([...all, ...more], options).step, "confirmed");
  holders.forEach((holder) => {
    assert.equal(holder.refresh([...all, ...more], { ...options, agree: true }).step, "refreshed");
    assert.equal(holder.facts.generation, generation);
  });
  assert.equal(carol("--agree", "--in", ...sent, ...named("refreshed")).generation, generation);
}

test("holders by the package refresh, replace one who is lost, and end their shares", async () => {
  const place = folder();
  process.env.XDG_STATE_HOME = join(place, "state");
  mkdirSync(process.env.XDG_STATE_HOME);
  const holders = await loadHolders(await load());
  const { alice, bob } = await ceremony(holders, place, 8);
  const results = await ask(alice, place);
  const opens = async (one, other) => {
    const names = [one, other].map((holder) => holder.facts.holder);
    const given = [await one.contribute(results, names, count()), await other.contribute(results, names, count())];
    assert.deepEqual([...(await one.combine(results, given)).items[0].values], [3, -14]);
  };
  const old = await bob.contribute(results, ["alice", "bob"], count());
  refresh(place, [alice, bob], 1);
  await opens(alice, bob);
  await refuses(() => alice.combine(results, [old]), "holder", /generation 0; allowed is 1/, "bob");
  const spoiled = alice.refresh([]).files[0];
  spoiled.bytes[45] ^= 1;
  await refuses(() => bob.refresh([spoiled, ...alice.refresh([]).files]), "holder", /two files differ/, "alice");

  const invitation = new Uint8Array(readFileSync(join(place, "invitation")));
  const { holder: newcomer, files: [announced] } = holders.join(invitation, "carol");
  const [helpers, agree] = [["alice", "bob"], { agree: true }];
  const before = alice.replace(announced.bytes, helpers);
  assert.deepEqual([before.step, before.newcomer, before.files.length], ["asked", "carol", 0]);
  const [masks, piece] = alice.replace(announced.bytes, helpers, [], agree).files;
  assert.deepEqual(bob.replace(announced.bytes, helpers, [], agree).missing, ["alice"]);
  const other = bob.replace(announced.bytes, helpers, [masks], agree).files.at(-1);
  const thief = holders.join(invitation, "carol").holder;
  await refuses(() => thief.takeOver(alice.publicKey, [piece, other]), "holder", /another newcomer/, "alice");
  await refuses(() => newcomer.takeOver(alice.publicKey, [piece]), "argument", /1 answer; allowed are exactly 2/);
  assert.equal((await newcomer.takeOver(alice.publicKey, [piece, other])).step, "taken over");
  await opens(alice, newcomer);

  const notice = alice.end().files;
  assert.equal(alice.facts.ended, true);
  await refuses(() => alice.review(results), "argument", /the share was wiped/);
  bob.noteEnded(notice);
  assert.deepEqual(bob.facts.current, ["bob", "carol"]);
  await refuses(() => bob.contribute(results, ["alice", "bob"], count()), "argument", /alice ended this key/);
  await refuses(() => newcomer.noteEnded([{ ...notice[0], bytes: piece.bytes }]), "holder", /no notice/, "alice");
});

async function refusals({ holders, alice, bob, announcements, results, own, theirs }) {
  await refuses(() => alice.combine(results, [own]), "argument", /1 answer; allowed are exactly 2/);
  await refuses(() => alice.combine(results, [own, own]), "argument", /alice occurs twice/);
  const forBob = await bob.contribute(results, ["alice", "bob"], count());
  await refuses(() => alice.combine(results, [own, forBob]), "holder", /equal sets of holders in all/, "alice");
  await refuses(() => bob.combine(results, [forBob, theirs]), "argument", /not encrypted to this holder/);
  const changed = results.slice();
  changed[changed.length - 100] ^= 1;
  await refuses(() => alice.review(changed), "argument", /tag/);
  const other = holders.begin({ holders: NAMES, threshold: 2 }).holder;
  await refuses(() => other.goOn([announcements[1]]), "holder", /announcement-bob: bob: the announcement is of another/, "bob");
  await refuses(() => holders.begin({ holders: NAMES, threshold: 4 }), "argument", /threshold: 4 is out of range/);
  await refuses(() => holders.begin({ holders: NAMES, threshold: 2, set: "bfv-2048x2-air" }), "argument", /has no room/);
  const old = await alice.file(PASSPHRASE);
  const counted = count();
  await alice.contribute(results, ["alice", "bob"], counted);
  await alice.contribute(results, ["alice", "bob"], counted);
  await refuses(() => alice.contribute(results, ["alice", "bob"], counted), "argument", /3 of the 3 declared for this key/);
  await refuses(() => holders.open(old), "passphrase", /is under a passphrase/);
  const copy = await holders.open(old, PASSPHRASE);
  assert.equal(copy.facts.used, 1);
  await refuses(() => copy.contribute(results, ["alice", "bob"], counted), "argument", /old copy/);
  const failing = { least: async () => 0, keep: async () => assert.fail("a disk that is full") };
  await assert.rejects(() => copy.contribute(results, ["alice", "bob"], failing), /a disk that is full/);
}
