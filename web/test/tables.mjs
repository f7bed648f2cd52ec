// Tables in the page: text files as programs write them, frames that would be large, what is told of columns, and all of it on a
// telephone.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PASSPHRASE, isopod as cli } from "./setting.mjs";
import { refused } from "./user.mjs";

/** A file of this content, chosen. */
async function put(page, into, name, content) {
  writeFileSync(join(into, name), content);
  await page.choose("csv", join(into, name));
}

/** A spreadsheet's decimal commas by choice; columns of one name are refused, at once and when the button is pressed. */
export async function tables(page, me, into) {
  await page.choose("public-file", join(into, "public/public.key"));
  await put(page, into, "twice.csv", "a,b,a\n1,2,3\n");
  await me.until("/both called “a”/.test(document.getElementById('plan').textContent)", "a refusal without the button");
  await refused(me, "encrypt-form", "encrypt-message", /twice.csv: columns 1 and 3 are both called “a”; allowed is each/);
  await put(page, into, "commas.csv", '\uFEFF“warm”;"cold; outside"\r\n21,5;-3\r\n,5;+4e-1\r\n;\r\n');
  await refused(me, "encrypt-form", "encrypt-message", /row 1, column “warm”: “21,5” is no number.*Choose “comma” for decimals/);
  await me.pick("decimal", "comma");
  await me.until("/^2 rows of 2 columns\\./.test(document.getElementById('plan').textContent)", "a plan");
  await me.pick("bound", "7");
  await me.pick("per-frame", "all");
  assert.match((await me.send("encrypt-form", "encrypt-message"))[1], /^2 rows are encrypted in 1 frame of device 1/);
  const names = JSON.parse((await me.saved("frames", "columns.json")).toString()).names;
  assert.deepEqual(names, ["“warm”", "cold; outside"]);
  await me.pick("decimal", "point");
}

const ROWS = 10_000;

/** One row a frame of 10,000 rows: 71 MB, which are announced, asked about, made in slices and left in the middle. */
export async function large(page, me, into) {
  const rows = Array.from({ length: ROWS }, (_, row) => `${row % 16},${row % 7}`);
  await me.pick("per-frame", "all");
  await put(page, into, "large.csv", `a,b\n${rows.join("\n")}\n`);
  await me.until("/10,000 rows of 2 columns/.test(document.getElementById('plan').textContent)", "a plan");
  assert.match(await me.text("plan"), /^10,000 rows of 2 columns\. Encrypted: 10 frames, about \d+ KB and [^;]+\.$/);
  await me.pick("per-frame", "1");
  await me.until("/10,000 frames/.test(document.getElementById('plan').textContent)", "another plan");
  assert.match(await me.text("plan"), /10,000 frames, about \d+ MB and [^;]+; with all rows that fit in each frame, 10 frames/);
  assert.equal(await me.value("document.getElementById('plan').className"), "message heavy");
  const asked = me.send("encrypt-form", "encrypt-message");
  await me.answer("careful");
  assert.deepEqual(await asked, ["message note", "Nothing was encrypted."]);
  await me.value("void (window.turns = 0, window.ticking = setInterval(() => { window.turns += 1; }, 1))");
  const started = me.send("encrypt-form", "encrypt-message");
  await me.answer("anyway");
  await me.until("/g: [\\d,]+ of 10,000 frames/.test(document.getElementById('encrypt-message').textContent)", "progress");
  const seen = await me.value("window.turns");
  await me.until(`window.turns > ${seen} + 5`, "a page that answers meanwhile");
  await me.value("document.querySelector('#encrypt-form .stop').click()");
  assert.deepEqual(await started, ["message note", "Stopped. Nothing of it is kept."]);
  assert.equal(await me.value("document.querySelectorAll('#frames a').length"), 0);
  assert.equal(await me.value("document.querySelector('#encrypt-form .stop').checkVisibility()"), false);
  await me.value("clearInterval(window.ticking)");
  await page.choose("csv", join(into, "readings.csv"));
}

const CHART = `(() => {
  const [area, ...texts] = ["#chart", "#chart .mark", "#chart .name"].map((one) => [...document.querySelectorAll(one)]);
  const box = (one) => one.getBoundingClientRect();
  const [marks, names] = texts;
  const axis = document.querySelector("#chart .axis");
  return {
    wide: box(area[0].querySelector("svg")).width - area[0].clientWidth,
    sizes: texts.flat().map((one) => parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a),
    zero: Math.abs(box(axis).top - box(marks.find((one) => one.textContent === "0")).bottom),
    overlaps: names.slice(1).filter((one, at) => box(one).left < box(names[at]).right).length,
    names: names.map((one) => one.textContent),
  };
})()`;

/** Opens the owner's key, and a file of results. */
async function opened(page, me, into, [results, columns]) {
  await page.choose("owner-file", join(into, "owner/owner.key.age"));
  await me.fill("owner-passphrase", PASSPHRASE);
  await me.send("open", "keys-message");
  await page.choose("results-file", join(into, results));
  await page.choose("columns-file", join(into, columns));
  assert.equal((await me.send("results-form", "results-message"))[1], "Authentic, whole, and opened.");
}

/** On a telephone the page is no wider than the screen, and the chart's letters are as large as others. */
export async function narrowChart(page, me, into) {
  const scrolled = "document.documentElement.scrollWidth <= 390";
  assert.ok(await me.value(scrolled), "the page is wider than a telephone");
  await opened(page, me, into, ["results.bin", "columns.json"]);
  const chart = await me.value(CHART);
  assert.ok(chart.wide <= 0, `the chart is ${chart.wide} wider than its place`);
  assert.ok(Math.min(...chart.sizes) >= 12, `letters of ${Math.min(...chart.sizes)} pixels`);
  assert.ok(chart.zero < 10, "zero is not at the axis");
  assert.deepEqual([chart.overlaps, chart.names], [0, ["kitchen", "cellar", "attic"]]);
  assert.ok(await me.value(scrolled), "results are wider than a telephone");
}

/** Forty rows of a room: one sensor is constant, another misses every seventh reading. */
const ROOM = Array.from({ length: 40 }, (_, row) => [((row * 11) % 17) / 2, 2.9, row % 7 ? ((row * row) % 23) / 4 - 3 : ""]);
const ROOM_FILE = `warm,constant,"a long, long name"\n${ROOM.map((row) => `${row}\n`).join("")}`;

/** The cells of all summaries, as texts. */
const SUMMARY = `[...document.querySelectorAll('#summary table.summary tbody tr')]
  .map((row) => [...row.cells].map((cell) => cell.textContent.replace('± ', '±')))`;
const TITLES = "[...document.querySelectorAll('#summary h3')].map((one) => one.textContent)";

/** The lines of \`isopod describe\` that begin with a column, cell by cell; its dash is a short one. */
function told(into, results, columns) {
  const text = cli(into, "describe", "--keys", "owner", "--in", results, "--packing", columns);
  const lines = text.split("\n").filter((line) => /^(warm|constant|a long, long name) /.test(line));
  return lines.map((line) =>
    line
      .trim()
      .split(/ {2,}/)
      .map((cell) => (cell === "-" ? "–" : cell)),
  );
}

/** Squares, buckets and indicators are encrypted here, added up by the command line, and told by both in the same digits. */
export async function summaries(page, me, into) {
  await put(page, into, "room.csv", ROOM_FILE);
  await me.until("/column a long, long name: is empty/.test(document.getElementById('plan').textContent)", "a refusal");
  await me.pick("missing", "count");
  await me.pick("per-frame", "all");
  await me.pick("quantiles", "8");
  await me.pick("moments", "squares");
  await me.pick("bound", "7");
  await me.until(
    "/up to 128 have squares up to 16384, which leave the modulus/.test(document.getElementById('plan').textContent)",
    "another refusal",
  );
  await me.pick("bound", "6");
  await me.until("/has room for the sums of 3 rows: choose/.test(document.getElementById('plan').textContent)", "a warning");
  await me.pick("bound", "4");
  await me.until("/^40 rows of 3 columns. Enc/.test(document.getElementById('plan').textContent)", "a plan");
  assert.equal(await me.value("document.getElementById('plan').className"), "message note");
  assert.match(await me.text("command"), /--job column-sum --in/);
  assert.match((await me.send("encrypt-form", "encrypt-message"))[1], /^40 rows are encrypted in 1 frame of device 1/);
  writeFileSync(join(into, "room.bin"), await me.saved("frames", "frames.bin"));
  writeFileSync(join(into, "room.json"), await me.saved("frames", "columns.json"));
  cli(into, "evaluate", "--keys", "server", "--job", "column-sum", "--in", "room.bin", "--out", "room-sums.bin");
  await page.choose("results-file", join(into, "room-sums.bin"));
  await page.choose("columns-file", join(into, "room.json"));
  assert.equal((await me.send("results-form", "results-message"))[1], "Authentic, whole, and opened.");
  const found = await me.value(SUMMARY);
  assert.deepEqual(found, told(into, "room-sums.bin", "room.json"));
  assert.deepEqual(
    found.map((row) => row[1]),
    ["40", "40", "34"],
  );
  assert.deepEqual(await me.value(TITLES), ["40 rows"]);
  await histograms(me);
  await me.axe("with a summary");
  await summaryFile(me, found);
  await alike(page, me, into);
  await groups(page, me, into);
  const before = { missing: "refuse", "per-frame": "1", quantiles: "0", moments: "none" };
  for (const [id, choice] of Object.entries(before)) await me.pick(id, choice);
  await page.choose("csv", join(into, "readings.csv"));
  await page.choose("columns-file", join(into, "columns.json"));
  assert.equal(await me.value("document.querySelectorAll('#summary *').length"), 0);
}

/** A small histogram for each column, and the same numbers as a table that opens below it. */
async function histograms(me) {
  const figures = await me.value(`[...document.querySelectorAll('#summary figure')].map((one) => ({
    name: one.querySelector('figcaption').textContent,
    label: one.querySelector('svg').getAttribute('aria-label'),
    heights: [...one.querySelectorAll('rect')].map((bar) => Number(bar.getAttribute('height'))),
    counts: [...one.querySelectorAll('tbody td')].map((cell) => Number(cell.textContent)),
  }))`);
  assert.deepEqual(
    figures.map(({ name }) => name),
    ["warm", "constant", "a long, long name"],
  );
  for (const [at, { name, label, heights, counts }] of figures.entries()) {
    const values = ROOM.map((row) => row[at]).filter((value) => value !== "");
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const [first, width] = most > least ? [least, (most - least) / 8] : [least - 0.5, 1 / 8];
    const wanted = Array.from(
      { length: 8 },
      (_, bucket) => values.filter((value) => Math.min(7, Math.floor((value - first) / width)) === bucket).length,
    );
    assert.deepEqual(counts, [0, ...wanted, 0], name);
    const highest = Math.max(...wanted);
    assert.equal(heights.length, 8, name);
    heights.forEach((height, bucket) => assert.ok(Math.abs(height - Math.max(0.5, (84 * wanted[bucket]) / highest)) < 1, name));
    assert.match(label, new RegExp(`^Histogram of ${name} in 8 buckets, the fullest of ${highest}; the table below`));
  }
  assert.equal(await me.value("document.querySelectorAll('#chart svg').length"), 0);
  assert.equal(await me.value("document.getElementById('values-table').checkVisibility()"), false);
}

/** The file has what the table shows, in all digits. */
async function summaryFile(me, found) {
  const lines = (await me.saved("values", "summary.csv")).toString().trim().split("\n");
  assert.match(lines[0], /^group,column,count,count error,mean,mean error,std,/);
  assert.match(lines[3], /^,"a long, long name",34,0,/);
  const mean = Number(lines[1].split(",")[4]);
  assert.ok(Math.abs(mean - Number.parseFloat(found[0][2])) < 1e-3, lines[1]);
}

/** Another table is encrypted like the first, with its edges, and frames of both are added up. */
async function alike(page, me, into) {
  await put(page, into, "cold.csv", ROOM_FILE.replace("warm", "cold"));
  await page.choose("like-file", join(into, "room.json"));
  await me.until(
    "/the columns are cold, .* in their order: warm,/.test(document.getElementById('plan').textContent)",
    "a refusal",
  );
  await put(page, into, "room-2.csv", ROOM_FILE.split("\n").slice(0, 11).join("\n"));
  await me.until("/^10 rows of 3 columns. Enc/.test(document.getElementById('plan').textContent)", "a plan");
  const disabled = "['moments', 'quantiles'].map((id) => document.getElementById(id).disabled)";
  assert.deepEqual(await me.value(disabled), [true, true]);
  assert.match(await me.text("command"), /--job column-sum --in/);
  assert.match((await me.send("encrypt-form", "encrypt-message"))[1], /^10 rows are encrypted in 1 frame of device 1/);
  assert.deepEqual(await me.saved("frames", "columns.json"), readFileSync(join(into, "room.json")));
  writeFileSync(join(into, "room-2.bin"), await me.saved("frames", "frames.bin"));
  const files = ["--in", "room.bin", "room-2.bin", "--again", "--out", "room-both.bin"];
  cli(into, "evaluate", "--keys", "server", "--job", "column-sum", ...files);
  await page.choose("results-file", join(into, "room-both.bin"));
  assert.equal((await me.send("results-form", "results-message"))[1], "Authentic, whole, and opened.");
  assert.deepEqual(await me.value(SUMMARY), told(into, "room-both.bin", "room.json"));
  await without(page, me, into);
  await me.value(`void (() => {
    const input = document.getElementById('like-file');
    input.value = '';
    input.dispatchEvent(new Event('change', { bubbles: true }));
  })()`);
  await me.until(`!(${disabled}).includes(true)`, "choices again");
}

/** Without columns.json, and over rows whose number is not known, the values are shown, and what is missing. */
async function without(page, me, into) {
  const said = "document.querySelector('#summary p').textContent";
  await me.value("void (document.getElementById('columns-file').value = '')");
  assert.equal((await me.send("results-form", "results-message"))[1], "Authentic, whole, and opened.");
  assert.match(await me.value(said), /^With columns.json, the file of the frames, this answer is told/);
  assert.equal(await me.value("document.querySelectorAll('#table td').length"), 1 + 39);
  cli(into, "encrypt", "--keys", "device-2", "--values", "readings.csv", "--out", "some.bin", "--write-packing", "some.json");
  const words = ["--job", "column-mean", "--rows", "1,0", "--in", "some.bin", "--out", "some-means.bin"];
  cli(into, "evaluate", "--keys", "server", ...words);
  await page.choose("results-file", join(into, "some-means.bin"));
  await page.choose("columns-file", join(into, "some.json"));
  assert.equal((await me.send("results-form", "results-message"))[1], "Authentic, whole, and opened.");
  assert.match(await me.value(said), /^There is no summary: the rows are not known: some were selected/);
  assert.equal(await me.value("document.querySelectorAll('#table td').length"), 1 + 3);
}

/** Categories of the command line; the one without rows is told as such, and has no mean. */
async function groups(page, me, into) {
  const rooms = ROOM.map(([warm], row) => `${warm},${row % 3 ? "hall" : "cellar"}\n`);
  writeFileSync(join(into, "groups.csv"), `warm,room\n${rooms.join("")}`);
  const words = ["--squares", "--quantiles", "4", "--group-by", "room", "--categories", "hall,attic,cellar"];
  const files = ["--values", "groups.csv", "--out", "groups.bin", "--write-packing", "groups.json"];
  cli(into, "encrypt", "--keys", "device-2", ...files, ...words);
  cli(into, "evaluate", "--keys", "server", "--job", "column-sum", "--in", "groups.bin", "--out", "groups-sums.bin");
  await page.choose("results-file", join(into, "groups-sums.bin"));
  await page.choose("columns-file", join(into, "groups.json"));
  assert.equal((await me.send("results-form", "results-message"))[1], "Authentic, whole, and opened.");
  assert.deepEqual(await me.value(TITLES), ["hall: 26 rows", "attic: no rows", "cellar: 14 rows"]);
  assert.deepEqual(await me.value(SUMMARY), told(into, "groups-sums.bin", "groups.json"));
  assert.equal(await me.value("document.querySelectorAll('#summary figure').length"), 2);
}

const FITS = `(() => {
  const box = (one) => one.getBoundingClientRect();
  const [letters, figures] = ["#summary svg text", "#summary figure"].map((one) => [...document.querySelectorAll(one)]);
  const all = [...document.querySelectorAll("#summary .summary td, #summary .summary th")];
  const cells = all.filter((one) => one.checkVisibility());
  return {
    wide: document.documentElement.scrollWidth,
    sizes: letters.map((one) => parseFloat(getComputedStyle(one).fontSize) * one.getScreenCTM().a),
    beyond: [...cells, ...figures].filter((one) => box(one).right > innerWidth || box(one).left < 0).map((one) => one.innerText),
    labels: cells.map((one) => getComputedStyle(one, "::before").content).filter((one) => one.startsWith('"')).length,
    overlaps: figures.flatMap((one) => [...one.querySelectorAll("text.name")].map((text) => box(text)).filter(
      (text, at, all) => at > 0 && text.left < all[at - 1].right)).length,
  };
})()`;

/** A summary fits a screen of this width, with letters as large as others; on a telephone each figure says what it is. */
export async function narrowSummary(page, me, into, width) {
  await opened(page, me, into, ["room-sums.bin", "room.json"]);
  await me.until("document.querySelectorAll('#summary svg text').length >= 9", "letters of the summary");
  const { wide, sizes, beyond, labels, overlaps } = await me.value(FITS);
  assert.deepEqual([wide <= width, beyond, overlaps], [true, [], 0], `${wide} of ${width}`);
  assert.ok(sizes.length >= 9 && Math.min(...sizes) >= 12, `letters of ${Math.min(...sizes)} pixels`);
  assert.equal(labels, width < 640 ? 24 : 0);
  await me.axe(`with a summary, ${width} wide`);
  await me.value("void document.querySelectorAll('#summary figure details').forEach((one) => (one.open = true))");
  assert.ok((await me.value("document.documentElement.scrollWidth")) <= width, "opened tables are too wide");
  await me.axe(`with tables of buckets, ${width} wide`);
}
