// The page in two browsers: the whole story with the command line as the server, refusals, no request, axe, the keyboard.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { engines } from "./browsers.mjs";
import { limited } from "./memory.mjs";
import { proofs } from "./proofs.mjs";
import { BUILT, PASSPHRASE, decrypted, folder, isopod as cli, unzip } from "./setting.mjs";
import { large, narrowChart, narrowSummary, summaries, tables } from "./tables.mjs";
import { refused, serve, user } from "./user.mjs";

const PICTURES = join(BUILT, "pictures");
mkdirSync(PICTURES, { recursive: true });

/** Keys, frames, results; the command line is the server. */
async function story(page, me, into) {
  const put = async (id, name, content) => {
    writeFileSync(join(into, name), content);
    await page.choose(id, join(into, name));
  };
  await me.fill("passphrase", PASSPHRASE);
  await refused(me, "make", "keys-message", /two passphrases differ/);
  await me.fill("passphrase-again", PASSPHRASE);
  await me.fill("devices", "3-1");
  await refused(me, "make", "keys-message", /allowed are numbers and ranges such as 1-20, 40/);
  await me.fill("devices", "1-2, 7");
  assert.match((await me.send("make", "keys-message"))[1], /Key pair [0-9a-f]{32} is made/);
  assert.equal(await me.text("plan"), "");
  for (const name of ["owner.zip", "server.zip", "public.zip", "devices.zip"]) {
    writeFileSync(join(into, name), await me.saved("downloads", name));
    unzip(join(into, name), into);
  }
  await refused(me, "encrypt-form", "encrypt-message", /No file is chosen: choose a CSV file/);
  await put("csv", "bad.csv", "a,b\n1,2\n3,NaN\n");
  await refused(me, "encrypt-form", "encrypt-message", /row 2, column b: “NaN” is no number/);
  await put("csv", "large.csv", "a,b\n1,2\n99,3\n");
  await refused(me, "encrypt-form", "encrypt-message", /row 2, column a: 99 is beyond the bound; allowed is -16 to 16/);
  await put("csv", "readings.csv", "kitchen,cellar,attic\n1.5,-0.25,2\n0.5,1,-1\n2.25,-4,3\n");
  await me.until("/3 rows of 3 columns. Encrypted: 1 frame, about /.test(document.getElementById('plan').textContent)", "a plan");
  await columnMeans(page, me, into);
  await me.pick("per-frame", "1");
  assert.match(await me.text("command"), /--job mean --in frames.bin/);
  assert.match(
    (await me.send("encrypt-form", "encrypt-message"))[1],
    /3 rows are encrypted in 3 frames of device 1, 21,\d{3} bytes, for key pair [0-9a-f]{32}\.$/,
  );
  writeFileSync(join(into, "frames.bin"), await me.saved("frames", "frames.bin"));
  writeFileSync(join(into, "columns.json"), await me.saved("frames", "columns.json"));
  cli(into, "evaluate", "--keys", "server", "--job", "sum", "--in", "frames.bin", "--out", "results.bin", "--force");
  const wanted = decrypted(into, "--keys", "owner", "--in", "results.bin", "--packing", "columns.json");
  await page.choose("results-file", join(into, "results.bin"));
  await page.choose("columns-file", join(into, "columns.json"));
  assert.equal((await me.send("results-form", "results-message"))[1], "Authentic, whole, and opened.");
  assert.match(
    await me.value("document.getElementById('facts').textContent"),
    /^sum: 3 values, of 3 frames, each within ± [\d.]+; answer 1/,
  );
  const [header, row] = (await me.saved("values", "values.csv")).toString().trim().split("\n");
  assert.equal(header, "row,kitchen,cellar,attic");
  assert.deepEqual(row.split(",").slice(1).map(Number), wanted);
  assert.equal(await me.value("document.querySelectorAll('#chart rect').length"), 3);
}

/** All rows in one frame, and the command that the page shows, word by word. */
async function columnMeans(page, me, into) {
  await me.send("encrypt-form", "encrypt-message");
  writeFileSync(join(into, "frames.bin"), await me.saved("frames", "frames.bin"));
  writeFileSync(join(into, "columns.json"), await me.saved("frames", "columns.json"));
  const [program, ...words] = (await me.text("command")).split(" ");
  assert.equal(program, "isopod");
  cli(into, ...words);
  await page.choose("results-file", join(into, "results.bin"));
  await page.choose("columns-file", join(into, "columns.json"));
  assert.equal((await me.send("results-form", "results-message"))[1], "Authentic, whole, and opened.");
  assert.match(await me.text("facts"), /^column-mean: 3 values, of 1 frame, each within ± [\d.]+; answer 0/);
  const [header, row] = (await me.saved("values", "values.csv")).toString().trim().split("\n");
  assert.equal(header, "row,kitchen,cellar,attic");
  const error = Number(/± ([\d.]+)/.exec(await me.text("facts"))[1]);
  const means = row.split(",").slice(1).map(Number);
  [4.25 / 3, -3.25 / 3, 4 / 3].forEach((mean, at) => assert.ok(Math.abs(means[at] - mean) <= error, `${means[at]}: ${mean}`));
}

/** What an earlier file gave goes when another one is chosen, when its action starts, and when another key is open. */
async function leftovers(page, me, into) {
  const links = (list) => me.value(`document.querySelectorAll('#${list} a').length`);
  const isHidden = (id) => me.value(`!document.getElementById('${id}').checkVisibility()`);
  const isEmpty = async (list) => {
    assert.equal(await links(list), 0);
    assert.equal(await isHidden(list), true);
  };
  assert.equal(await links("frames"), 2);
  const first = await me.value("document.querySelector('#frames a').href");
  await page.choose("csv", join(into, "bad.csv"));
  await isEmpty("frames");
  assert.equal(await me.value("document.getElementById('encrypt-message').textContent"), "");
  assert.equal(await me.value(`fetch('${first}').then(() => 'there', () => 'gone')`), "gone");
  await page.choose("csv", join(into, "readings.csv"));
  assert.match((await me.send("encrypt-form", "encrypt-message"))[1], /3 rows are encrypted/);
  await me.fill("device-number", "x");
  await refused(me, "encrypt-form", "encrypt-message", /No device: give the number/);
  await isEmpty("frames");
  await page.screenshot(join(PICTURES, "refused.png"));
  await me.fill("device-number", "1");
  assert.equal(await isHidden("opened"), false);
  await page.choose("results-file", join(into, "frames.bin"));
  assert.equal(await isHidden("opened"), true);
  await isEmpty("values");
  assert.equal(await me.value("document.querySelectorAll('#chart *, #table *').length"), 0);
  assert.equal(await me.value("document.getElementById('facts').textContent"), "");
  await archives(me, { links, isHidden, isEmpty });
}

/** Archives of keys go before other keys are made, and come back by a button, since they may not be saved. */
async function archives(me, { links, isHidden, isEmpty }) {
  assert.equal(await links("downloads"), 4);
  const title = await me.value("document.getElementById('folders-title').textContent");
  assert.match(title, /^Key pair [0-9a-f]{32}: give each holder theirs, and nothing else$/);
  await me.fill("devices", "3-1");
  await refused(me, "make", "keys-message", /allowed are numbers and ranges/);
  await isEmpty("downloads");
  assert.equal(await isHidden("folders"), true);
  assert.equal(
    await me.value("document.getElementById('again').textContent"),
    title.replace("Key pair", "Show the archives of key pair").replace(/:.*/, ""),
  );
  await me.axe("with a refusal and a button for the archives");
  await me.value("document.getElementById('again').click()");
  assert.equal(await links("downloads"), 4);
  assert.equal(await isHidden("again"), true);
  assert.equal(await me.value("document.activeElement.download"), "owner.zip");
  await me.fill("devices", "1");
}

/** A file that is chosen while another is at work: nothing is shown of either until the button is pressed again. */
async function meanwhile(page, me, into) {
  await page.choose("csv", join(into, "readings.csv"));
  await me.value(`void (() => {
    const input = document.getElementById('csv');
    document.querySelector('#encrypt-form button').click();
    input.dispatchEvent(new Event('change', { bubbles: true }));
  })()`);
  await me.until("!document.querySelector('#encrypt-form button').disabled", "the end");
  assert.match(await me.value("document.getElementById('encrypt-message').textContent"), /Another file was chosen meanwhile/);
  assert.equal(await me.value("document.querySelectorAll('#frames a').length"), 0);
  assert.match((await me.send("encrypt-form", "encrypt-message"))[1], /3 rows are encrypted/);
  await page.choose("results-file", join(into, "results.bin"));
  assert.equal((await me.send("results-form", "results-message"))[1], "Authentic, whole, and opened.");
}

/** What was encrypted and opened under one key goes when another one is open. */
async function anotherKey(page, me, into) {
  await page.choose("public-file", join(into, "theirs/public/public.key"));
  assert.match((await me.send("encrypt-form", "encrypt-message"))[1], /3 rows are encrypted/);
  assert.equal(await me.value("document.querySelectorAll('#frames a, #values a').length"), 3);
  await withoutPassphrase(me);
  assert.equal(await me.value("document.querySelectorAll('#frames a, #values a').length"), 0);
  assert.equal(await me.value("document.getElementById('opened').checkVisibility()"), false);
  assert.equal(await me.value("document.getElementById('results-message').textContent"), "");
}

/** Keys without a passphrase are made only when their owner says so again. */
async function withoutPassphrase(me) {
  const asked = me.send("make", "keys-message");
  await me.answer("careful");
  assert.deepEqual(await asked, ["message note", "No keys were made: give a passphrase."]);
  assert.equal(await me.value("document.activeElement.id"), "passphrase");
  const again = me.send("make", "keys-message");
  await me.until("document.getElementById('ask').open", "a question");
  await me.axe("with a question");
  await me.answer("anyway");
  assert.match((await again)[1], /is made/);
}

/** Files that do not open, each with what to do; what was shown before is gone. */
async function refusals(page, me, into) {
  const results = readFileSync(join(into, "results.bin"));
  results[results.length - 300] ^= 1;
  writeFileSync(join(into, "damaged.bin"), results);
  await page.choose("results-file", join(into, "damaged.bin"));
  await refused(
    me,
    "results-form",
    "results-message",
    /damaged.bin, result 0: not sealed by the server of key pair .*fetch it again/,
  );
  assert.equal(await me.value("document.getElementById('opened').hidden"), true);
  await page.choose("results-file", join(into, "frames.bin"));
  await refused(me, "results-form", "results-message", /holds frames; they go to the server/);
  await page.choose("results-file", join(into, "readings.csv"));
  await refused(me, "results-form", "results-message", /is not a file of results; allowed is/);
  await page.choose("owner-file", join(into, "owner/owner.key.age"));
  await refused(me, "open", "keys-message", /is under a passphrase; give it/);
  await me.fill("owner-passphrase", "another");
  await refused(me, "open", "keys-message", /does not open it, or the file is damaged/);
  await page.choose("public-file", join(into, "server/server.key"));
  await refused(me, "encrypt-form", "encrypt-message", /server.key: is not a key; allowed is/);
}

/** Keys of the command line, opened in the page. */
async function theirs(page, me, into) {
  cli(into, "keygen", "--set", "ckks-2048x1-air", "--no-evaluation-keys", "--out", "theirs");
  cli(into, "encrypt", "--keys", "theirs/device-1", "--values", "readings.csv", "--out", "theirs.bin");
  cli(
    into,
    "evaluate",
    "--keys",
    "theirs/server",
    "--job",
    "dot",
    "--weights",
    "1,1,1",
    "--in",
    "theirs.bin",
    "--out",
    "theirs-results.bin",
  );
  await page.choose("results-file", join(into, "results.bin"));
  await page.choose("owner-file", join(into, "theirs/owner/owner.key.age"));
  await me.fill("owner-passphrase", PASSPHRASE);
  assert.match((await me.send("open", "keys-message"))[1], /is open/);
  await refused(me, "results-form", "results-message", /open it with the key of its own fleet/);
  await page.choose("results-file", join(into, "theirs-results.bin"));
  assert.equal((await me.send("results-form", "results-message"))[1], "Authentic, whole, and opened.");
}

/** No request leaves: the policy refuses each kind. */
async function silence(me, asked) {
  await me.value(`void (window.loaded = (one, from) => new Promise((done) => {
    one.onload = () => done('sent');
    one.onerror = () => done('refused');
    one.src = from;
  }))`);
  const [fetched, loaded, script] = await me.value(`Promise.all([
    fetch('/elsewhere').then(() => 'sent', () => 'refused'),
    loaded(new Image(), '/image.png'),
    loaded(document.head.appendChild(document.createElement('script')), '/one.js'),
  ])`);
  assert.deepEqual([fetched, loaded, script], ["refused", "refused", "refused"]);
  assert.deepEqual(asked, ["/"]);
}

/** Tab reaches every control in the order of the page, and Enter sends a form. */
async function keyboard(page, me) {
  await me.value("(document.activeElement.blur(), window.scrollTo(0, 0))");
  const reach =
    "[...document.querySelectorAll('a[href], summary, input, select, button, [tabindex=\"0\"]')]" +
    ".filter((one) => one.checkVisibility()).length";
  const [wanted, seen] = [await me.value(reach), []];
  for (let tabs = 0; tabs < wanted + 2; tabs++) {
    await page.press("Tab");
    seen.push(
      await me.value(
        "(() => { const one = document.activeElement; return one.id || one.textContent.slice(0, 24) || one.tagName; })()",
      ),
    );
  }
  const distinct = new Set(seen);
  const answers = ["results-file", "columns-file", "linear-file"];
  for (const id of ["set", "devices", "passphrase", "owner-file", "csv", "bound", "per-frame", ...answers]) {
    assert.ok(distinct.has(id), `Tab does not reach ${id}: ${seen}`);
  }
  await me.value("document.getElementById('devices').focus()");
  await me.fill("devices", "");
  await page.press("Enter");
  await me.until("/allowed are numbers/.test(document.getElementById('keys-message').textContent)", "an answer to Enter");
  await me.fill("devices", "1");
}

for (const { name, start } of engines()) {
  test(
    `the page in ${name}`,
    { skip: start ? false : `${name} is not installed; ./bootstrap.sh web installs it` },
    async (context) => {
      const [server, browser, into] = [await serve(), await start(), folder()];
      try {
        const page = await browser.page(server.address, "light");
        const me = user(page);
        await me.ready();
        await context.test("has no fault that axe finds, before", () => me.axe("at the beginning"));
        await context.test("is reached by the keyboard", () => keyboard(page, me));
        await context.test("makes keys, encrypts and opens results with the command line as the server", () =>
          story(page, me, into),
        );
        await context.test("has no fault that axe finds, after", () => me.axe("with results"));
        await page.screenshot(join(PICTURES, `${name}-light.png`));
        await context.test("keeps nothing of an earlier file below a later one", () => leftovers(page, me, into));
        await context.test("shows nothing of a file that was exchanged meanwhile", () => meanwhile(page, me, into));
        await context.test("describes the columns of an answer as the command line does", () => summaries(page, me, into));
        await page.screenshot(join(PICTURES, `${name}-summary.png`));
        await context.test("says what to do about files that do not open", () => refusals(page, me, into));
        await context.test("reads tables as they come, and refuses others", () => tables(page, me, into));
        await context.test("asks before large frames, stays alive, and stops", () => large(page, me, into));
        await context.test("opens keys of the command line", () => theirs(page, me, into));
        await context.test("sends nothing", () => silence(me, server.asked));
        await context.test("shows a sum that its linear tag proves, and counts the others", () =>
          proofs(browser, server.address, join(PICTURES, `${name}-proof.png`)),
        );
        if (name === "Chromium") {
          await context.test("takes files that are dropped, and says what is wrong with them", () => drops(page, me, into));
        }
        if (name === "Firefox") {
          await context.test("keeps one of several owners, who comes back", () => comesBack(browser));
        } else {
          await context.test("refreshes and ends shares of several owners", () => holdersChange(browser));
        }
        await context.test("keeps nothing of an earlier key", () => anotherKey(page, me, into));
        if (name === "Chromium") {
          await context.test("says what to do without memory", () => withoutMemory(browser, server.address));
          await context.test("in the dark", () => dark(browser, server.address, into));
        }
      } finally {
        await browser.close();
        server.close();
      }
    },
  );
}

/** A holder's share lies in the browser under its passphrase. The example of several owners has the rest, in Chromium. */
async function comesBack(browser) {
  const server = await serve("isopod-holder.html");
  try {
    const page = await browser.page(server.address);
    const me = await begins(page);
    await page.native.reload();
    await me.ready();
    assert.equal(await me.text("kept"), "alice, of alice, bob");
    await opensKept(me);
  } finally {
    server.close();
  }
}

async function begins(page) {
  const me = user(page);
  await me.ready();
  for (const [id, text] of Object.entries({ names: "alice, bob", passphrase: PASSPHRASE, again: PASSPHRASE })) {
    await me.fill(`begin-${id}`, text);
  }
  assert.match((await me.send("begin-form", "you-message"))[1], /Your share is drawn/);
  return me;
}

async function opensKept(me) {
  await me.fill("kept-passphrase", PASSPHRASE);
  assert.equal((await me.send("kept-form", "you-message"))[1], "Your share is open.");
}

/** Two holders in two profiles refresh their shares, one of them over a reload, and end one. */
async function holdersChange(browser) {
  const server = await serve("isopod-holder.html");
  const place = folder();
  try {
    const pages = [await browser.page(server.address), await browser.page(server.address)];
    const alice = await begins(pages[0]);
    const bob = user(pages[1]);
    const pass = async (from, to, input, ...names) => {
      for (const name of names) writeFileSync(join(place, name), await from.saved("sent", name));
      await pages[to].native.setInputFiles(`#${input}`, names.map((name) => join(place, name)));
    };
    await bob.ready();
    await pass(alice, 1, "join-file", "invitation");
    for (const [id, text] of Object.entries({ name: "bob", passphrase: PASSPHRASE, again: PASSPHRASE })) {
      await bob.fill(`join-${id}`, text);
    }
    await bob.send("join-form", "you-message");
    for (const kind of ["announcement", "opening"]) {
      await pass(alice, 1, "received", `${kind}-alice`);
      await bob.send("ceremony-form", "ceremony-message");
      await pass(bob, 0, "received", ...(kind === "opening" ? ["opening-bob"] : ["announcement-bob", "opening-bob"]));
      await alice.send("ceremony-form", "ceremony-message");
    }
    await pages[0].evaluate("document.querySelectorAll('#changes details').forEach((one) => (one.open = true))");
    await alice.axe("a page with forms of changes");
    await pages[0].screenshot(join(PICTURES, "holders-change.png"));
    const refresh = async (me) => (await me.send("refresh-form", "refresh-message"))[1];
    assert.equal(await refresh(alice), "Send refresh-1-alice to the others. Waiting for refresh-1-* of bob.");
    await pass(alice, 1, "refresh-files", "refresh-1-alice");
    const waiting = await refresh(bob);
    assert.match(waiting, /^Send refreshed-1-bob .* Waiting for refreshed-1-\* of alice\. Fingerprint of the refresh: /);
    assert.match(waiting, /: ([0-9a-f]{4} ?){5}\.$/);
    // What came before a reload is there after it.
    await pages[1].native.reload();
    await bob.ready();
    await opensKept(bob);
    await pass(bob, 0, "refresh-files", "refresh-1-bob", "refreshed-1-bob");
    const confirmed = await refresh(alice);
    assert.match(confirmed, /All have confirmed\./);
    assert.equal(confirmed.slice(-26), waiting.slice(-26));
    await alice.value("document.getElementById('refresh-agree').checked = true");
    assert.match(await refresh(alice), /^Generation 1: the old share is wiped\./);
    await pass(alice, 1, "refresh-files", "refreshed-1-alice");
    await bob.value("document.getElementById('refresh-agree').checked = true");
    assert.match(await refresh(bob), /^Generation 1/);
    await refused(alice, "end-form", "end-message", /Nothing was wiped/);
    await alice.value("document.getElementById('end-agree').checked = true");
    await alice.send("end-form", "end-message");
    assert.equal(await alice.text("you-message"), "Your share is wiped. Send ended-alice to the others.");
    await pass(alice, 1, "ended-files", "ended-alice");
    assert.equal((await bob.send("ended-form", "ended-message"))[1], "Who holds the key still: bob.");
  } finally {
    server.close();
  }
}

/** Files dropped on an input, and beside it. */
async function drops(page, me, into) {
  await page.drop("#results-file", join(into, "damaged.bin"));
  await refused(me, "results-form", "results-message", /damaged.bin, result 0: not sealed by the server.*fetch it again/);
  assert.equal(await me.value("document.getElementById('opened').hidden"), true);
  await page.drop("#results-file", join(into, "theirs-results.bin"));
  assert.equal((await me.send("results-form", "results-message"))[1], "Authentic, whole, and opened.");
  for (const beside of ["h1", "#devices"]) {
    await page.drop(beside, join(into, "damaged.bin"));
  }
  assert.equal(await me.value("document.getElementById('results-message').textContent"), "Authentic, whole, and opened.");
}

/** A page whose module gets two more pages of memory. */
async function withoutMemory(browser, address) {
  const before = `;(() => {
    ${limited}
    const compile = WebAssembly.compile;
    WebAssembly.compile = (bytes) => compile.call(WebAssembly, limited(bytes, 2));
  })()`;
  const page = await browser.page(address, "light", { before });
  const me = user(page);
  await me.ready();
  const choose = (set) => me.fill("set", set);
  await choose("ckks-4096x3-sum");
  await me.fill("passphrase", PASSPHRASE);
  await me.fill("passphrase-again", PASSPHRASE);
  await refused(me, "make", "keys-message", /no more memory; close other tabs or programs, or take fewer rows/);
  assert.equal(await me.value("document.getElementById('folders').hidden"), true);
  await choose("ckks-2048x1-air");
  assert.match((await me.send("make", "keys-message"))[1], /is made/);
}

async function dark(browser, address, into) {
  const page = await browser.page(address, "dark");
  const me = user(page);
  await me.ready();
  await me.value("document.querySelector('details').open = true");
  await page.choose("owner-file", join(into, "owner/owner.key.age"));
  await me.fill("owner-passphrase", PASSPHRASE);
  await me.send("open", "keys-message");
  await page.choose("results-file", join(into, "results.bin"));
  await me.send("results-form", "results-message");
  await refused(me, "encrypt-form", "encrypt-message", /No file is chosen/);
  await me.axe("in the dark");
  await page.screenshot(join(PICTURES, "Chromium-dark.png"));
  for (const scheme of ["dark", "light"]) {
    const narrow = await browser.page(address, scheme, { width: 390 });
    await user(narrow).ready();
    await narrowChart(narrow, user(narrow), into);
    await narrow.screenshot(join(PICTURES, `Chromium-narrow-${scheme}.png`));
    for (const width of [390, 1280]) {
      const page = await browser.page(address, scheme, { width });
      await user(page).ready();
      await narrowSummary(page, user(page), into, width);
      await page.screenshot(join(PICTURES, `Chromium-summary-${scheme}-${width}.png`));
    }
  }
}
