// node examples/three-browsers-and-a-board/demo.mjs [PICTURES]: three holders in browsers and one on a microcontroller make a
// key; devices encrypt, a server adds, and a browser and the board open the answer. Exit status 1 if anything is wrong.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { engines } from "../../web/test/browsers.mjs";
import { PASSPHRASE, ROOT, folder, isopod, unzip } from "../../web/test/setting.mjs";
import { refused, serve, user } from "../../web/test/user.mjs";

const BROWSERS = ["alice", "bob", "carol"];
const BOARD = "valve";
const ALL = [...BROWSERS, BOARD];
const ANSWERING = ["alice", BOARD];
const READINGS = [
  [120, 45, 80],
  [95, 60, 77],
];
const PICTURES = process.argv[2];
const say = (text) => console.log(text);

/** A holder in a browser: a profile of its own, and a folder for files that come and go. */
async function browserHolder(browser, address, name, place) {
  const page = await browser.page(address, "light");
  const me = user(page);
  await me.ready();
  mkdirSync(join(place, name));
  const save = async (list, file) => writeFileSync(join(place, name, file), await me.saved(list, file));
  return { name, page, me, save, picture: (what) => PICTURES && page.screenshot(join(PICTURES, `${what}.png`)) };
}

async function begin(holders, place) {
  const [alice, ...others] = holders;
  await alice.picture("begin");
  await alice.me.axe("a page without a holder");
  const chosen = { names: ALL.join(", "), threshold: "2", passphrase: PASSPHRASE, again: PASSPHRASE };
  for (const [id, text] of Object.entries(chosen)) {
    await alice.me.fill(`begin-${id}`, text);
  }
  await alice.me.send("begin-form", "you-message");
  assert.match(await alice.me.text("agreed"), /^2 of alice, bob, carol, valve open an answer; at most 1,000 frames in it, 64/);
  await alice.save("sent", "invitation");
  for (const { me, page, name } of others) {
    await page.choose("join-file", join(place, "alice/invitation"));
    await me.fill("join-passphrase", PASSPHRASE);
    await me.fill("join-again", PASSPHRASE);
    await me.fill("join-name", "eve");
    await refused(me, "join-form", "you-message", /eve is not invited; allowed are alice, bob, carol, valve/);
    await me.fill("join-name", name);
    assert.match((await me.send("join-form", "you-message"))[1], /Your share is drawn/);
  }
  isopod(place, "owner", "join", "--invitation", "alice/invitation", "--as", BOARD, "--out", BOARD, "--insecure-plaintext-key");
  for (const { name, save } of holders) {
    await save("sent", `announcement-${name}`);
  }
}

/** Each holder takes the files of one kind of all others. */
async function exchange(holders, place, kinds) {
  const of = (other) => kinds.map((kind) => join(place, other, `${kind}-${other}`));
  const files = (name) => ALL.filter((other) => other !== name).flatMap(of);
  for (const { me, page, name } of holders) {
    await page.native.setInputFiles("#received", files(name));
    const [kind, text] = await me.send("ceremony-form", "ceremony-message");
    assert.notEqual(kind, "message error", text);
  }
  isopod(place, "owner", "finish", "--keys", BOARD, "--in", ...files(BOARD));
}

async function ceremony(holders, place) {
  await begin(holders, place);
  await exchange(holders, place, ["announcement"]);
  assert.match(await holders[0].me.text("ceremony-message"), /^Send opening-alice to the others. Waiting for openings of bob, /);
  await holders[0].picture("ceremony");
  for (const { name, save } of holders) {
    await save("sent", `opening-${name}`);
  }
  await exchange(holders, place, ["announcement", "opening"]);
  const fingerprints = await Promise.all(holders.map(({ me }) => me.text("fingerprint")));
  const { fingerprint } = JSON.parse(isopod(place, "owner", "finish", "--keys", BOARD, "--json"));
  assert.deepEqual([...fingerprints, fingerprint], Array(4).fill(fingerprint));
  say(`four holders have the key ${fingerprint}`);
}

/** Devices encrypt, the server adds. */
async function ask({ me, save, picture }, place) {
  await me.fill("devices", "1-2");
  assert.match((await me.send("devices-form", "devices-message"))[1], /Folders of 2 devices/);
  await refused(me, "devices-form", "devices-message", /device 1: given before/);
  await picture("made");
  await me.fill("devices", "3");
  await me.send("devices-form", "devices-message");
  await me.fill("devices", "4-5");
  await me.send("devices-form", "devices-message");
  for (const name of ["server.zip", "public.zip", "devices.zip"]) {
    await save("folders", name);
    unzip(join(place, "alice", name), join(place, "fleet"));
  }
  READINGS.forEach((row, at) => {
    writeFileSync(join(place, "row.csv"), `water,power,heat\n${row.join(",")}\n`);
    const files = ["--values", "row.csv", "--out", `frame-${at}`, "--write-packing", "columns.json", "--force"];
    isopod(place, "encrypt", "--keys", `fleet/device-${at + 4}`, "--bound-bits", "10", ...files);
  });
  isopod(place, "evaluate", "--keys", "fleet/server", "--job", "sum", "--in", "frame-0", "frame-1", "--out", "sum");
}

/** A holder comes back on another day, from what the browser kept. */
async function comeBack(holder) {
  await holder.page.native.reload();
  await holder.me.ready();
  assert.match(await holder.me.text("kept"), /bob, of alice, bob, carol, valve/);
  await holder.me.fill("kept-passphrase", "another one");
  await refused(holder.me, "kept-form", "you-message", /the passphrase does not open it/);
  await holder.me.fill("kept-passphrase", PASSPHRASE);
  assert.equal((await holder.me.send("kept-form", "you-message"))[1], "Your share is open.");
}

async function review({ me, page }, place) {
  await page.choose("results-file", join(place, "sum"));
  const [kind, text] = await me.send("review-form", "review-message");
  assert.equal(kind, "message done", text);
  const told = /^Jobsum, 1 resultFrames2 in each resultDevices2: 4, 5ValuesexactAnswers left64 of 64, 63 after this one$/;
  assert.match(await me.text("ask-facts"), told);
}

async function contribute(holder, place) {
  await review(holder, place);
  await refused(holder.me, "agree-form", "agree-message", /1 holders are chosen; allowed are exactly 2/);
  for (const other of ANSWERING.filter((name) => name !== holder.name)) {
    await holder.me.value(`document.getElementById('with-${other}').checked = true`);
  }
  await holder.picture(`agree-${holder.name}`);
  assert.equal(await holder.me.value("document.getElementById('decline').checkVisibility()"), true);
  assert.match((await holder.me.send("agree-form", "agree-message"))[1], /^Counted: 1 of 64 answers/);
  await holder.save("contribution", `contribution-${holder.name}`);
}

/** The share goes to the board, which contributes. */
function boardContributes(place) {
  isopod(place, "owner", "move", "--keys", BOARD, "--to", "share.bin");
  const numbers = ANSWERING.map((name) => ALL.indexOf(name) + 1).join(",");
  const files = ["share.bin", "sum"].map((name) => relative(ROOT, join(place, name)));
  const [count, out] = ["count.bin", "from-the-board"].map((name) => relative(ROOT, join(place, name)));
  const program = join(import.meta.dirname, "board.py");
  say(execFileSync("python3", [program, ...files, numbers, count, out], { cwd: ROOT, encoding: "utf8" }).trim());
  const agreed = ["--with", ANSWERING.join(","), "--agree", "--from-board", "from-the-board", "--out", `contribution-${BOARD}`];
  isopod(place, "owner", "contribute", "--keys", BOARD, "--in", "sum", ...agreed);
}

async function open({ me, page, picture }, place) {
  await page.native.setInputFiles("#contributions", [join(place, "sum")]);
  await refused(me, "results-form", "results-message", /^sealed: not encrypted to this holder/);
  await page.native.setInputFiles("#contributions", [join(place, `contribution-${BOARD}`)]);
  await page.choose("columns-file", join(place, "columns.json"));
  const [kind, text] = await me.send("results-form", "results-message");
  assert.equal(kind, "message done", text);
  assert.match(await me.text("facts"), /^sum: 3 values, of 2 frames, exact/);
  const [header, row] = (await me.saved("values", "values.csv")).toString().trim().split("\n");
  assert.equal(header, "row,water,power,heat");
  const wanted = READINGS[0].map((value, at) => value + READINGS[1][at]);
  assert.deepEqual(row.split(",").slice(1).map(Number), wanted);
  await picture("opened");
  say(`opened by ${ANSWERING.join(", ")}: ${wanted.join(", ")}`);
}

/** Nothing is counted for who declines; every part of the page is accessible, on a telephone too. */
async function decline({ me, page, picture }, place) {
  await review({ me, page }, place);
  await me.axe("a holder's page");
  await page.native.setViewportSize({ width: 360, height: 800 });
  await picture("phone");
  const wide = await me.value("document.documentElement.scrollWidth");
  assert.ok(wide <= 360, `${wide} pixels on a telephone`);
  await me.value("document.getElementById('decline').click()");
  assert.match(await me.text("review-message"), /^Declined: nothing was counted/);
  assert.equal(await me.value("document.getElementById('agree-form').checkVisibility()"), false);
}

async function main() {
  const [{ start }] = engines();
  assert.ok(start, "Chromium is missing; ./bootstrap.sh web installs it");
  const place = folder();
  process.env.XDG_STATE_HOME = join(place, "state");
  const [server, browser] = [await serve("isopod-holder.html"), await start()];
  try {
    const holders = [];
    for (const name of BROWSERS) {
      holders.push(await browserHolder(browser, server.address, name, place));
    }
    const [alice, bob, carol] = holders;
    await ceremony(holders, place);
    await ask(alice, place);
    await comeBack(bob);
    await contribute(alice, place);
    await decline(carol, place);
    boardContributes(place);
    await open(alice, place);
    const others = server.asked.filter((path) => path !== "/" && path !== "/favicon.ico");
    assert.deepEqual(others, [], "the page asks for nothing");
  } finally {
    await browser.close();
    server.close();
    rmSync(place, { recursive: true, force: true });
  }
}

if (PICTURES !== undefined && !existsSync(PICTURES)) {
  mkdirSync(PICTURES, { recursive: true });
}
await main();
