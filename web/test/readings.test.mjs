// Text files become tables: separators, quotes, line ends and encodings as programs write them; what is unclear is refused.
import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";
import { build } from "esbuild";
import { ROOT } from "./setting.mjs";

const bundled = await build({
  entryPoints: [join(ROOT, "web/page/readings.ts"), join(ROOT, "web/page/results/chart.ts")],
  bundle: true,
  write: false,
  format: "esm",
  outdir: "nowhere",
});
const [readings_, chart_] = await Promise.all(
  ["readings", "chart"].map((name) => {
    const { text } = bundled.outputFiles.find((file) => file.path.endsWith(`${name}.js`));
    return import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`);
  }),
);
const { decoded, readings } = readings_;
const { ticks } = chart_;
const utf8 = (text) => new TextEncoder().encode(text);
const read = (bytes, decimal = "point", { turn = async () => {}, missing = false } = {}) =>
  readings(decoded(typeof bytes === "string" ? utf8(bytes) : bytes, "t.csv"), "t.csv", { decimal, missing }, { turn });
const utf16 = (text, isBig) => {
  const bytes = Buffer.from(`\uFEFF${text}`, "utf16le");
  return new Uint8Array(isBig ? bytes.swap16() : bytes);
};

const TABLE = {
  columns: ["a", "b"],
  rows: [
    [1, -2.5],
    [3000, 0.25],
  ],
};

for (const [what, content, decimal] of [
  ["line feeds", "a,b\n1,-2.5\n3e3,.25\n"],
  ["carriage returns and line feeds", "a,b\r\n1,-2.5\r\n3e3,.25\r\n"],
  ["carriage returns", "a,b\r1,-2.5\r3e3,.25"],
  ["mixed line ends and no last one", "a,b\r\n1,-2.5\n3e3,.25"],
  ["a byte order mark", "\uFEFFa,b\n1,-2.5\n3e3,.25\n"],
  ["a byte order mark before a quoted name", '\uFEFF"a",b\n1,-2.5\n3e3,.25\n'],
  ["UTF-16, low byte first", utf16("a\tb\r\n1\t-2.5\r\n3e3\t.25\r\n", false)],
  ["UTF-16, high byte first", utf16("a\tb\r\n1\t-2.5\r\n3e3\t.25\r\n", true)],
  ["tabs", "a\tb\n1\t-2.5\n3e3\t.25\n"],
  ["semicolons", "a;b\n1;-2.5\n3e3;.25\n"],
  ["commas behind the last column", "a,b,,\n1,-2.5,,\n3e3,.25,,\n"],
  ["commas behind the last column of rows only", "a,b\n1,-2.5,\n3e3,.25,,,\n"],
  ["quoted names and numbers", '"a","b"\n"1","-2.5"\n"3e3",".25"\n'],
  ["quoted names and a comma at the end, with CRLF", '"a","b",\r\n"1","-2.5",\r\n3e3,.25,\r\n'],
  ["blanks around cells and quotes", ' a , "b" \n 1 , -2.5\n3e3 , ".25" \n'],
  ["blank lines", "\n\na,b\n\n1,-2.5\n   \n3e3,.25\n\n"],
  ["empty rows at the end, as spreadsheets leave them", "a,b\n1,-2.5\n3e3,.25\n,\n , \n"],
  ["decimal commas and semicolons", "a;b\n1;-2,5\n3e3;,25\n", "comma"],
  ["decimal commas and tabs", "a\tb\n1,0\t-2,5\n3e3\t,25\n", "comma"],
  ["decimal commas in quotes between commas", 'a,b\n"1,0","-2,5"\n3e3,",25"\n', "comma"],
]) {
  test(`a table with ${what}`, async () => assert.deepEqual(await read(content, decimal), TABLE));
}

test("a cell without a number is a missing reading by choice, and nothing else is", async () => {
  const { rows } = await read("a;b\n1,5;\nNaN;-2\nna;null\n", "comma", { missing: true });
  assert.deepEqual(rows, [
    [1.5, NaN],
    [NaN, -2],
    [NaN, NaN],
  ]);
  await assert.rejects(read("a,b\n1,x\n", "point", { missing: true }), /row 1, column b: “x” is no number/);
  await assert.rejects(read("a,b\n1,\n"), /column b: is empty.*or have empty cells counted as missing/);
  await assert.rejects(read("a,b\n1,2\n,\n3,4\n", "point", { missing: true }), /row 2: is empty/);
});

test("names in quotes hold separators, quotation marks and lines", async () => {
  const { columns, rows } = await read('"a, b","c ""d""","two\nlines",5" pipe\r\n1,2,3,4\r\n');
  assert.deepEqual(columns, ["a, b", 'c "d"', "two\nlines", '5" pipe']);
  assert.deepEqual(rows, [[1, 2, 3, 4]]);
});

test("one column needs no separator", async () => {
  assert.deepEqual(await read("a\n1.5\n2\n"), { columns: ["a"], rows: [[1.5], [2]] });
  assert.deepEqual(await read("a\n1,5\n2\n", "comma"), { columns: ["a"], rows: [[1.5], [2]] });
});

for (const [what, content, wanted, decimal] of [
  ["no file content", "", /needs a row of names and a row of numbers/],
  ["names alone", "a,b\n", /needs a row of names and a row of numbers/],
  ["separators alone", ",,\n,,\n", /needs a row of names and a row of numbers/],
  ["numbers in the first row", "1,2.5\n3,4\n", /its first row holds numbers/],
  ["decimal commas in the first row", "1,0;2,5\n3;4\n", /stand between names/, "comma"],
  ["two separators", "a,b;c\n1,2,3\n", /line 1: two marks stand between names; allowed is one of comma, semicolon, tab/],
  ["doubled names", "a,b, a\n1,2,3\n", /columns 1 and 3 are both called “a”/],
  ["a column without a name", "a,,b\n1,2,3\n", /column 2 has no name/],
  ["a value behind the last column", "a,b\n1,2\n3,4,5\n", /row 2 has 3 values, the header 2/],
  ["a row that is too short", "a,b\n1,2\n3\n", /row 2 has 1 values, the header 2/],
  ["an empty cell", "a,b\n1,2\n3,\n", /row 2, column b: is empty/],
  ["an empty row before others", "a,b\n1,2\n,\n3,4\n", /row 2: is empty/],
  ["a decimal comma where a point is meant", "a;b\n1,5;2\n", /row 1, column a: “1,5” is no number.*Choose “comma” for decimals/],
  ["a point where a decimal comma is meant", "a;b\n1.500;2\n", /“1.500” is no number.*Choose “point” for decimals/, "comma"],
  ["both marks", "a;b\n1.234,5;2\n", /“1.234,5” is no number.*Correct the cell/, "comma"],
  ["words", "a,b\n1,x\n", /row 1, column b: “x” is no number/],
  ["NaN", "a,b\n1,NaN\n", /“NaN” is no number/],
  ["a hexadecimal number", "a,b\n1,0x10\n", /“0x10” is no number/],
  ["a quotation mark that stays open", 'a,b\n1,"2\n', /line 2: a quotation mark is missing/],
  ["a quotation mark that stays open in a name", 'a,"b\n1,2\n', /line 1: a quotation mark is missing/],
  ["letters behind a quotation mark", 'a,b\n"1"x,2\n', /line 2: something stands behind a closing quotation mark/],
  ["another encoding", Uint8Array.of(0x47, 0x72, 0xf6, 0xdf, 0x65, 10, 49, 10), /t.csv: is no text in UTF-8/],
  ["half a letter of UTF-16", Uint8Array.of(0xff, 0xfe, 0x61), /is no text in UTF-8/],
  ["a picture", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10), /is no text in UTF-8/],
]) {
  test(`refuses ${what}`, () =>
    assert.rejects(
      async () => read(content, decimal),
      (error) => {
        assert.equal(error.name, "IsopodError", String(error));
        assert.match(error.message, wanted);
        return true;
      },
    ));
}

test("long tables give the page its turn, which can end the reading", async () => {
  const text = `a\n${"1\n".repeat(1000)}`;
  let turns = 0;
  assert.equal((await read(text, "point", { turn: async () => void (turns += 1) })).rows.length, 1000);
  assert.ok(turns >= 10, `${turns} turns`);
  await assert.rejects(
    read(text, "point", {
      turn: async () => {
        throw new Error("enough");
      },
    }),
    /enough/,
  );
});

for (const [what, text, wanted] of [
  ["a name without end", "a".repeat(2e7), /too many letters before the first row of numbers; allowed are 1,048,576/],
  ["names without end", `a${",b".repeat(1e7)}`, /line 1: too many cells/],
  ["blank lines before the names", `${"\n".repeat(2e7)}a\n1\n`, /too many letters before the first row/],
  ["a quotation mark that stays open over a whole file", `a,b\n"${'""'.repeat(1e7)}`, /line 2: a quotation mark is missing/],
  ["a row without end", `a,b\n1${",1".repeat(1e7)}`, /line 2: too many cells; allowed are 1,048,576 in a line/],
  ["many names, two of them the same", `${Array.from({ length: 1e5 }, (_, at) => `c${at}`)},c7\n1\n`, /8 and 100001 are both/],
]) {
  test(`refuses ${what}`, () => assert.rejects(read(text), wanted));
}

test("blank lines give the page its turn, too", async () => {
  let turns = 0;
  const read_ = await read(`a\n1\n${"\n".repeat(10_000)}2\n`, "point", { turn: async () => void (turns += 1) });
  assert.deepEqual([read_.rows, turns > 100], [[[1], [2]], true]);
});

test("the axis begins at zero, and holds every value with its error", () => {
  for (const [values, error, lowest] of [
    [[1, 2, 3], 0.01, 0],
    [[0, 5], 0.001, 0],
    [[0, 0], 0, 0],
    [[1e-9], 0, 0],
    [[-1, 2], 0.5, -1.5],
    [[-3, -2], 0, -3],
    [[0.1], 5, -5],
  ]) {
    const marks = ticks(values, error);
    const said = `${values} ± ${error}: ${marks}`;
    assert.ok(marks.includes(0) && marks.length > 1 && marks.length < 12, said);
    assert.ok(lowest === 0 ? marks[0] === 0 : marks[0] <= lowest, said);
    assert.ok(marks.at(-1) >= Math.max(0, ...values) + error, said);
  }
});
