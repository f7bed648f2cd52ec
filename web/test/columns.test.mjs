// Columns that are derived here, and what their sums tell, are those of the command line: the same bytes under the tag, and
// every number of `isopod describe`.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { BUILT, decrypted, folder, isopod as cli, package_, write } from "./setting.mjs";

const { describe, keyFiles, load, packing, readDescription, summarise } = package_;
const { blockOf, columnsOf, derivedRow, mostReadings, namesOf, NOTHING } = await import(
  join(BUILT, "package/columns/derivation.js")
);
const arithmetic = await import(join(BUILT, "package/columns/estimate.js"));
const isopod = await load();

/** A table with a constant column, a missing reading, ends of the bound, and readings that lie on edges. */
const ROWS = Array.from({ length: 60 }, (_, row) => [((row * 7) % 16) - 8, 3, row === 59 ? -16 : ((row * row) % 13) / 8]);
const READINGS = { columns: ["a", "constant", "c"], rows: ROWS };
const csv = ({ columns, rows }) =>
  [columns, ...rows.map((row) => row.map((value) => (Number.isNaN(value) ? "" : value)))].map((row) => `${row}\n`).join("");

/** Keys of the package in a folder, with the rows as a file. */
async function keys(set, readings) {
  const [pair, into] = [isopod.makeKeys(set), folder()];
  write(into, await keyFiles(pair, [1n, 2n]));
  writeFileSync(join(into, "rows.csv"), csv(readings));
  return { pair, into };
}

/** The package encrypts as device 1, the command line as device 2, and both become one answer. */
async function story(set, readings, options, words) {
  const { pair, into } = await keys(set, readings);
  const frames = isopod.encrypt(pair.publicKey, pair.owner.device(1), readings, options);
  writeFileSync(join(into, "ours.bin"), frames.bytes);
  writeFileSync(join(into, "columns.json"), describe(frames.description));
  cli(
    into,
    "encrypt",
    "--keys",
    "device-2",
    "--values",
    "rows.csv",
    "--out",
    "theirs.bin",
    "--write-packing",
    "theirs.json",
    ...words,
  );
  return { pair, into, description: frames.description };
}

const CASES = [
  [
    "squares and buckets",
    "ckks-2048x1-air",
    { columns: READINGS.columns, rows: ROWS.slice(0, 30) },
    { moments: "squares", quantiles: 8 },
    ["--squares", "--quantiles", "8"],
  ],
  ["products", "ckks-2048x2-air", READINGS, { moments: "products" }, ["--moments"]],
  [
    "products, buckets and missing readings",
    "ckks-2048x2-air",
    { columns: READINGS.columns, rows: ROWS.map((row, at) => row.map((value, column) => ((at + column) % 5 ? value : NaN))) },
    { moments: "products", quantiles: 5, missing: true },
    ["--moments", "--quantiles", "5", "--missing", "count"],
  ],
  [
    "a column without a reading",
    "ckks-2048x2-air",
    {
      columns: ["a", "empty"],
      rows: [
        [1.5, NaN],
        [2.5, NaN],
        [-1, NaN],
      ],
    },
    { moments: "squares", quantiles: 4, missing: true },
    ["--squares", "--quantiles", "4", "--missing", "count"],
  ],
  [
    "readings far below one, beside indicators of one",
    "ckks-2048x2-air",
    { columns: ["a"], rows: Array.from({ length: 20 }, (_, row) => [row / 64]) },
    { moments: "squares", quantiles: 4, log2Bound: -1 },
    ["--squares", "--quantiles", "4", "--bound-bits", "-1"],
  ],
  ...["bfv-4096x3-sum", "bfv-2048x2-air"].map((set) => [
    `integers under ${set}`,
    set,
    {
      columns: ["a", "b"],
      rows: [
        [3, -2],
        [-7, 2],
        [16, 0],
      ],
    },
    { moments: "squares", quantiles: 3 },
    ["--squares", "--quantiles", "3"],
  ]),
];

for (const [what, set, readings, options, words] of CASES) {
  test(`${what}: frames of the package and of the command line are one table, which both describe alike`, async () => {
    const { pair, into, description } = await story(set, readings, options, words);
    const [ours, theirs] = ["columns.json", "theirs.json"].map((name) => readFileSync(join(into, name), "utf8"));
    assert.deepEqual(JSON.parse(ours), JSON.parse(theirs));
    assert.deepEqual(readDescription(theirs), { means: [], scales: [], edges: [], ...description });
    const job = set.endsWith("-air") ? "column-sum" : "sum";
    cli(into, "evaluate", "--keys", "server", "--job", job, "--in", "ours.bin", "theirs.bin", "--out", "sums.bin");
    const answer = isopod.open(pair.owner, readFileSync(join(into, "sums.bin")), { description });
    assert.deepEqual(answer.columns, namesOf(description.derived, description.names));
    assert.deepEqual(
      decrypted(into, "--keys", "owner", "--in", "sums.bin"),
      answer.items.flatMap((item) => [...item.values]),
    );
    if (job === "column-sum") {
      assert.equal(answer.rows, 2n * BigInt(readings.rows.length));
      compare(summarise(answer, description), described(into, "sums.bin", "columns.json"));
      truth(summarise(answer, description), readings);
    }
  });
}

/** What the command line describes. */
function described(into, file, packing_) {
  return JSON.parse(cli(into, "describe", "--json", "--keys", "owner", "--in", file, "--packing", packing_)).groups;
}

/** Every number of both; one that is not known is absent or without a bound. */
function compare(ours, theirs) {
  const near = (one, other, place) => {
    const [known, wanted] = [one, other].map((each) => each && Number.isFinite(each.error ?? Infinity));
    assert.equal(Boolean(known), Boolean(wanted), place);
    if (known) {
      for (const part of ["value", "error"]) {
        const [found, expected] = [one[part], other[part]];
        assert.ok(Math.abs(found - expected) <= 1e-9 * (Math.abs(expected) + 1e-6), `${place}, ${part}: ${found}, ${expected}`);
      }
    }
  };
  let compared = 0;
  const figure = (one, other, place) => {
    near(one ?? undefined, other ?? undefined, place);
    compared += 1;
  };
  assert.deepEqual(
    ours.map((group) => group.category),
    theirs.map((group) => group.category),
  );
  ours.forEach((group, at) => {
    const other = theirs[at];
    figure(group.rows, other.rows, "rows");
    assert.deepEqual(
      group.columns.map(({ name }) => name),
      other.columns.map(({ name }) => name),
    );
    group.columns.forEach((column, place) => {
      const wanted = other.columns[place];
      const where = `${group.category}, ${column.name}`;
      for (const name of ["count", "mean", "std", "min", "max"]) figure(column[name], wanted[name], `${where}, ${name}`);
      figure(column.standardError, wanted.standard_error, `${where}, standard error`);
      [0, 1, 2].forEach((quarter) => figure(column.quartiles?.[quarter], wanted.quartiles?.[quarter], `${where}, quartile`));
      const buckets = wanted.histogram?.counts ?? [];
      assert.equal(column.histogram?.counts.length ?? 0, buckets.length, where);
      buckets.forEach((bucket, number) => figure(column.histogram.counts[number], bucket, `${where}, bucket ${number}`));
      (wanted.histogram?.edges ?? []).forEach((edge, number) =>
        assert.ok(Math.abs(edge - column.histogram.edges[number]) < 1e-9, `${where}, edge ${number}`),
      );
    });
    const covariance = other.covariance ?? [];
    assert.equal(group.covariance.length, covariance.length);
    covariance.forEach((row, one) =>
      row.forEach((cell, two) => figure(group.covariance[one][two], cell, `covariance ${one} ${two}`)),
    );
  });
  assert.ok(compared > 8, `${compared} numbers`);
}

/** The rows in the clear, twice, since both devices sent them. */
function truth([group], { rows }) {
  group.columns.forEach((column, at) => {
    const values = [...rows, ...rows].map((row) => row[at]).filter((value) => !Number.isNaN(value));
    values.sort((one, other) => one - other);
    assert.deepEqual(column.count, { value: values.length, error: 0 });
    if (values.length === 0) {
      assert.deepEqual([column.mean, column.std, column.min, column.histogram], [undefined, undefined, undefined, undefined]);
      return;
    }
    const { edges = [], counts = [] } = column.histogram ?? {};
    counts.forEach((count, bucket) => {
      const isIn = (value) => value >= (edges[bucket - 1] ?? -Infinity) && value < (edges[bucket] ?? Infinity);
      const there = values.filter(isIn).length;
      assert.ok(Math.abs(count.value - there) <= count.error, `${column.name}, bucket ${bucket}: ${count.value}, not ${there}`);
    });
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const std = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
    const order = (share) => values[Math.round(share * (values.length - 1))];
    const all = { mean, std, min: values[0], max: values.at(-1), median: order(0.5) };
    const found = { mean: column.mean, std: column.std, min: column.min, max: column.max, median: column.quartiles?.[1] };
    for (const [name, estimate] of Object.entries(found)) {
      const room = name === "median" ? values.at(values.length / 2) - values.at(values.length / 2 - 1) : 0;
      if (estimate !== undefined) {
        assert.ok(
          Math.abs(estimate.value - all[name]) <= estimate.error + room + 1e-9,
          `${column.name}: ${name} ${estimate.value}`,
        );
      }
    }
  });
}

test("categories of the command line, one of them empty, are described alike; the mean of columns says the same", async () => {
  const { pair, into } = await keys("ckks-2048x2-air", READINGS);
  const rooms = ["hall", "cellar"];
  writeFileSync(join(into, "rooms.csv"), `t,h,room\n${ROWS.map(([t, , h], at) => `${t},${h},${rooms[at % 2]}\n`).join("")}`);
  const words = ["--standardise", "--moments", "--quantiles", "6", "--group-by", "room", "--categories", "hall,cellar,attic"];
  cli(into, "encrypt", "--keys", "device-1", "--values", "rooms.csv", "--out", "f.bin", "--write-packing", "c.json", ...words);
  const description = readDescription(readFileSync(join(into, "c.json"), "utf8"));
  for (const job of ["column-sum", "column-mean"]) {
    cli(into, "evaluate", "--keys", "server", "--job", job, "--in", "f.bin", "--out", `${job}.bin`, "--force");
    const groups = summarise(isopod.open(pair.owner, readFileSync(join(into, `${job}.bin`)), { description }), description);
    compare(groups, described(into, `${job}.bin`, "c.json"));
    assert.deepEqual(
      groups.map(({ category, rows }) => [category, rows.value]),
      [
        ["hall", 30],
        ["cellar", 30],
        ["attic", 0],
      ],
    );
    assert.ok(groups[2].columns.every((column) => column.count.value === 0 && column.mean === undefined));
  }
});

test("a selection of rows leaves their number unknown, and the summary says so", async () => {
  const { pair, into } = await keys("ckks-2048x2-air", READINGS);
  const frames = isopod.encrypt(pair.publicKey, pair.owner.device(1), READINGS);
  writeFileSync(join(into, "f.bin"), frames.bytes);
  cli(into, "evaluate", "--keys", "server", "--job", "column-sum", "--rows", "1,0", "--in", "f.bin", "--out", "r.bin");
  const { description } = frames;
  const answer = isopod.open(pair.owner, readFileSync(join(into, "r.bin")), { description });
  assert.equal(answer.rows, undefined);
  assert.throws(() => summarise(answer, description), { code: "result", field: "manifest", message: /some were selected/ });
  cli(into, "evaluate", "--keys", "server", "--job", "sum", "--in", "f.bin", "--out", "s.bin");
  const sum = isopod.open(pair.owner, readFileSync(join(into, "s.bin")), { description });
  assert.throws(() => summarise(sum, description), {
    message: /^sum of 180 columns; allowed are column-sum and column-mean of 3/,
  });
});

test("another device takes the columns of the first, and its frames are added to theirs", async () => {
  const { pair, into } = await keys("ckks-2048x2-air", READINGS);
  const words = ["--squares", "--quantiles", "4", "--missing", "count"];
  cli(into, "encrypt", "--keys", "device-2", "--values", "rows.csv", "--out", "f.bin", "--write-packing", "c.json", ...words);
  const like = readDescription(readFileSync(join(into, "c.json"), "utf8"));
  const others = {
    columns: READINGS.columns,
    rows: [
      [15, NaN, -2],
      [-16, 3.5, NaN],
    ],
  };
  const frames = isopod.encrypt(pair.publicKey, pair.owner.device(1), others, { like });
  assert.deepEqual(packing(frames.description), packing(like));
  writeFileSync(join(into, "ours.bin"), frames.bytes);
  cli(into, "evaluate", "--keys", "server", "--job", "column-sum", "--in", "f.bin", "ours.bin", "--out", "r.bin");
  const groups = summarise(isopod.open(pair.owner, readFileSync(join(into, "r.bin")), { description: like }), like);
  compare(groups, described(into, "r.bin", "c.json"));
  const [{ rows, columns }] = groups;
  assert.deepEqual([rows.value, columns.map(({ count }) => count.value)], [62, [62, 61, 61]]);
  assert.deepEqual(
    columns.map(({ histogram }) => [histogram.counts[0].value, histogram.counts.at(-1).value]),
    [
      [1, 1], // 15 and -16 are beyond the edges of the first device
      [0, 0],
      [0, 0],
    ],
  );
  const refused = (readings, description, message) => {
    const given = { like: description };
    assert.throws(() => isopod.encrypt(pair.publicKey, pair.owner.device(1), readings, given), message);
  };
  refused(
    { columns: ["c", "constant", "a"], rows: others.rows },
    like,
    /are c, constant, a; allowed are those .*: a, constant, c$/,
  );
  refused({ columns: ["a"], rows: [[1]] }, like, /allowed are those of the others/);
  refused(others, { ...like, means: [1, 1, 1], scales: [1, 1, 1] }, /standardised.*isopod encrypt --like takes these/);
  refused(others, { ...like, derived: { ...like.derived, group: "g", categories: ["x"] } }, /of categories/);
  refused(others, { names: READINGS.columns }, /row 1, column constant: NaN is no finite number/);
  const { mostRows } = isopod.plan(pair.publicKey, 2, 3, { like });
  assert.equal(mostRows, isopod.plan(pair.publicKey, 2, 3, { moments: "squares", quantiles: 4, missing: true }).mostRows);
});

test("one row has a mean and no spread", async () => {
  const { pair, into } = await keys("ckks-2048x2-air", READINGS);
  const readings = { columns: ["a"], rows: [[1.5]] };
  const { bytes, description } = isopod.encrypt(pair.publicKey, pair.owner.device(1), readings, { moments: "squares" });
  writeFileSync(join(into, "f.bin"), bytes);
  cli(into, "evaluate", "--keys", "server", "--job", "column-sum", "--in", "f.bin", "--out", "r.bin");
  const [group] = summarise(isopod.open(pair.owner, readFileSync(join(into, "r.bin")), { description }), description);
  const [{ count, mean, std }] = group.columns;
  assert.deepEqual([group.rows, count, std], [{ value: 1, error: 0 }, { value: 1, error: 0 }, undefined]);
  assert.ok(Math.abs(mean.value - 1.5) <= mean.error);
});

test("a plan says how many rows the server adds up, and the server adds up as many and no more", async () => {
  const { pair, into } = await keys("ckks-2048x1-air", READINGS);
  const sum = (rows, options) => {
    const readings = { columns: ["a"], rows: Array.from({ length: rows }, () => [16]) };
    writeFileSync(join(into, "f.bin"), isopod.encrypt(pair.publicKey, pair.owner.device(1), readings, options).bytes);
    cli(into, "evaluate", "--keys", "server", "--job", "column-sum", "--in", "f.bin", "--out", "r.bin", "--force", "--again");
    const [item] = isopod.open(pair.owner, readFileSync(join(into, "r.bin"))).items;
    assert.ok(Math.abs(item.values[0] - 16 * rows) <= item.error);
  };
  let epoch = Math.floor(Date.now() / 1000);
  for (const choice of [{}, { moments: "squares" }]) {
    const { mostRows } = isopod.plan(pair.publicKey, 1, 1, choice);
    sum(mostRows, { ...choice, epoch: (epoch += 1) });
    assert.throws(() => sum(mostRows + 1, { ...choice, epoch: (epoch += 1) }), /the result needs 3\d/, `${mostRows} rows`);
  }
  const { publicKey } = isopod.makeKeys("ckks-4096x3-sum");
  assert.equal(isopod.plan(publicKey, 1, 1).mostRows, 0);
});

test("what cannot be derived is refused before anything is encrypted, and says what can", () => {
  const { publicKey, owner } = isopod.makeKeys("ckks-2048x1-air");
  const refused = (readings, options, message) => {
    assert.throws(() => isopod.encrypt(publicKey, owner.device(1), readings, options), message);
    assert.throws(() => isopod.plan(publicKey, readings.rows.length, readings.columns.length, options), message);
  };
  const wide = (columns) => ({
    columns: Array.from({ length: columns }, (_, at) => `c${at}`),
    rows: [new Array(columns).fill(1)],
  });
  refused(wide(63), { moments: "products" }, /63 columns make 2079 .*allowed in a frame of 2048 places are at most 62/);
  refused(wide(9), { quantiles: 300 }, /9 columns make 2727 .*at most 6/);
  refused(wide(1), { quantiles: 1 }, /1 buckets; allowed are 2 to 1024/);
  refused(
    wide(1),
    { moments: "squares", log2Bound: 20 },
    /squares up to 1099511627776, which leave the modulus.*at most 64, or no/,
  );
  assert.throws(
    () => isopod.encrypt(publicKey, owner.device(1), { columns: ["a"], rows: [[NaN]] }, { moments: "squares" }),
    /row 1, column a: NaN is no finite number/,
  );
  // Many columns are refused at once, without making a list of their products.
  refused({ columns: new Array(1e5).fill("x"), rows: [new Array(1e5).fill(0)] }, { moments: "products" }, /at most 62/);
});

test("the number of columns is that of the blocks", () => {
  for (const missing of [false, true]) {
    for (const moments of ["none", "squares", "products"]) {
      for (const categories of [[], ["x"], ["x", "y", "z"]]) {
        for (const readings of [1, 2, 5]) {
          const buckets = Array.from({ length: readings }, (_, at) => (at % 2 ? [0] : [0, 1, 2]));
          const derived = { ...NOTHING, missing, moments, categories, group: categories.length ? "g" : "", buckets };
          const block = blockOf(derived, readings);
          assert.equal(columnsOf(derived, readings), Math.max(categories.length, 1) * block.length);
          assert.equal(derivedRow(derived, block, new Array(readings).fill(1), 0).length, columnsOf(derived, readings));
        }
      }
    }
  }
  assert.equal(mostReadings({ ...NOTHING, moments: "products" }, 2048), 62);
});

test("a changed description of derived columns is refused, and each part of it has its own packing", async () => {
  const pair = isopod.makeKeys("ckks-2048x1-air");
  const { description } = isopod.encrypt(pair.publicKey, pair.owner.device(1), READINGS, { moments: "squares", quantiles: 2 });
  const text = describe(description);
  for (const [from, to] of [
    ['"squares"', '"products"'],
    ['"missing": false', '"missing": true'],
    ['"target": ""', '"target": "a"'],
    ["-8,", "-9,"],
  ]) {
    assert.ok(text.includes(from), from);
    assert.throws(() => readDescription(text.replace(from, to)), /its packing is not that of its columns/, from);
  }
  for (const [from, to] of [
    ['"squares"', '"cubes"'],
    ['"derived": {', '"derived": [], "x": {'],
    ['"missing": false', '"missing": 0'],
    ["-8,", '"-8",'],
  ]) {
    assert.throws(() => readDescription(text.replace(from, to)), /take the file that was written with the frames/, from);
  }
  const { names, derived } = description;
  const others = [
    { group: "g", categories: ["x"] },
    { missing: true },
    { moments: "products" },
    { target: "a" },
    { buckets: [[0]] },
  ];
  const all = [{ names }, description, ...others.map((other) => ({ names, derived: { ...derived, ...other } }))];
  assert.equal(new Set(all.map((one) => Buffer.from(packing(one)).toString("hex"))).size, all.length);
});

test("errors bound what they say", () => {
  const { minus, over, plus, root, times } = arithmetic;
  const numbers = [-3, -0.5, 0, 0.25, 2, 7].flatMap((value) => [0, 0.125, 0.5, 2].map((error) => ({ value, error })));
  for (const one of numbers) {
    for (const other of numbers) {
      for (const [p, q] of [
        [-1, -1],
        [-1, 1],
        [1, -1],
        [1, 1],
        [0.3, -0.7],
      ]) {
        const [a, b] = [one.value + p * one.error, other.value + q * other.error];
        const within = (found, wanted) => assert.ok(Math.abs(found.value - wanted) <= found.error * (1 + 1e-9) + 1e-12);
        within(plus(one, other), a + b);
        within(minus(one, other), a - b);
        within(times(one, other), a * b);
        if (b !== 0) within(over(one, other), a / b);
        if (a >= 0) within(root(one), Math.sqrt(a));
      }
    }
  }
});
