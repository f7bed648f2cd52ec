// Tables in the page: text files as programs write them, frames that would be large, and a chart on a telephone.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PASSPHRASE } from "./setting.mjs";
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
  await put(page, into, "commas.csv", "\uFEFF“warm”;\"cold; outside\"\r\n21,5;-3\r\n,5;+4e-1\r\n;\r\n");
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

/** On a telephone the page is no wider than the screen, and the chart's letters are as large as others. */
export async function narrowChart(page, me, into) {
  const scrolled = "document.documentElement.scrollWidth <= 390";
  assert.ok(await me.value(scrolled), "the page is wider than a telephone");
  await page.choose("owner-file", join(into, "owner/owner.key.age"));
  await me.fill("owner-passphrase", PASSPHRASE);
  await me.send("open", "keys-message");
  await page.choose("results-file", join(into, "results.bin"));
  await page.choose("columns-file", join(into, "columns.json"));
  await me.send("results-form", "results-message");
  const chart = await me.value(CHART);
  assert.ok(chart.wide <= 0, `the chart is ${chart.wide} wider than its place`);
  assert.ok(Math.min(...chart.sizes) >= 12, `letters of ${Math.min(...chart.sizes)} pixels`);
  assert.ok(chart.zero < 10, "zero is not at the axis");
  assert.deepEqual([chart.overlaps, chart.names], [0, ["kitchen", "cellar", "attic"]]);
  assert.ok(await me.value(scrolled), "results are wider than a telephone");
}
