/** A text file as a table of readings: a header of names, then rows of numbers, as the command line reads them. */
import { IsopodError, type Readings } from "../package/src/index.js";
import type { Slices } from "./slices.js";

/** The mark before the decimals of a number. */
export type Decimal = "point" | "comma";

/** How cells are read: their decimals, and whether one without a number is a missing reading, NaN. */
export interface Format {
  readonly decimal: Decimal;
  readonly missing: boolean;
}

const NUMBERS = {
  point: /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i,
  comma: /^[+-]?(\d+,?\d*|,\d+)(e[+-]?\d+)?$/i,
} as const;
const SEPARATORS = new Map([
  [",", "comma"],
  [";", "semicolon"],
  ["\t", "tab"],
]);
const BYTE_ORDERS = [
  [0xff, 0xfe, "utf-16le"],
  [0xfe, 0xff, "utf-16be"],
] as const;
const MISSING = /^(nan|na|null)?$/i;
const LINES_AT_ONCE = 64;
/** Most letters of the header and of a cell in quotes, and most cells of a line: beyond, a mark is missing or it is no table. */
const MOST = 1 << 20;

/** The text of a file: UTF-8, or UTF-16 behind its byte order mark. */
export function decoded(bytes: Uint8Array, name: string): string {
  const [, , encoding] = BYTE_ORDERS.find(([first, second]) => bytes[0] === first && bytes[1] === second) ?? [0, 0, "utf-8"];
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new IsopodError("values", `${name}: is no text in UTF-8; save it again as “CSV UTF-8”`, name);
  }
}

/** Reads named columns of numbers, in slices. Every refusal names row and column. */
export async function readings(text: string, name: string, format: Format, slices: Slices): Promise<Readings> {
  const records = new Records(text, name, format.decimal);
  const columns = header(records.header(), name);
  const rows: number[][] = [];
  let [lines, empty]: [number, number | undefined] = [0, undefined];
  for (let cells = records.next(); cells !== undefined; cells = records.next()) {
    lines += 1;
    if (lines % LINES_AT_ONCE === 0) {
      await slices.turn(() => `Reading ${name}: ${rows.length.toLocaleString("en")} rows…`);
    }
    const number = rows.length + 1;
    if (isBlank(cells)) {
      continue;
    }
    if (cells.every((cell) => cell === "")) {
      empty ??= number; // the end of a spreadsheet; refused if a row follows
      continue;
    }
    if (empty !== undefined) {
      throw new IsopodError("values", `row ${empty}: is empty; give every column a value, or leave the row out`, `row ${empty}`);
    }
    rows.push(values(cells, columns, `row ${number}`, format));
  }
  if (rows.length === 0) {
    throw new IsopodError("values", `${name}: needs a row of names and a row of numbers at least`, name);
  }
  return { columns, rows };
}

/** A line without cells, which counts nowhere. */
function isBlank(cells: readonly string[]): boolean {
  return cells.length === 1 && cells[0] === "";
}

/** Names of columns, each once. Separators behind the last name make no column. */
function header(cells: string[] | undefined, name: string): string[] {
  const columns = (cells ?? []).slice(0, 1 + (cells ?? []).findLastIndex((cell) => cell !== ""));
  const refused = (problem: string): never => {
    throw new IsopodError("values", `${name}: ${problem}`, "header");
  };
  if (columns.length > 0 && columns.every((column) => NUMBERS.point.test(column) || NUMBERS.comma.test(column))) {
    refused("its first row holds numbers; put the names of the columns there");
  }
  const places = new Map<string, number>();
  columns.forEach((column, index) => {
    if (column === "") {
      refused(`column ${index + 1} has no name; write one into the first row, or take the column out`);
    }
    const first = places.get(column);
    if (first !== undefined) {
      refused(`columns ${first + 1} and ${index + 1} are both called “${column}”; allowed is each name once`);
    }
    places.set(column, index);
  });
  return columns;
}

/** The numbers of a row; what stands behind the last column must be empty. */
function values(cells: string[], columns: string[], row: string, format: Format): number[] {
  const count = Math.max(columns.length, 1 + cells.findLastIndex((cell) => cell !== ""));
  if (cells.length < columns.length || count > columns.length) {
    const found = `${row} has ${Math.min(cells.length, count)} values, the header ${columns.length}`;
    throw new IsopodError("values", `${found}; give every column a value`, row);
  }
  return columns.map((column, index) => value(cells[index] ?? "", `${row}, column ${column}`, format));
}

function value(text: string, where: string, { decimal, missing }: Format): number {
  if (missing && MISSING.test(text)) {
    return NaN;
  }
  if (NUMBERS[decimal].test(text)) {
    return Number(text.replace(",", "."));
  }
  const [other, examples] = decimal === "point" ? (["comma", "-1.5 or 2e3"] as const) : (["point", "-1,5 or 2e3"] as const);
  const found = text === "" ? "is empty" : `“${text.slice(0, 40)}” is no number`;
  const remedy = NUMBERS[other].test(text)
    ? `Choose “${other}” for decimals if the file means it`
    : MISSING.test(text)
      ? "Correct the cell, leave the row out, or have empty cells counted as missing"
      : "Correct the cell or leave the row out";
  throw new IsopodError("values", `${where}: ${found}; allowed are finite numbers such as ${examples}. ${remedy}.`, where);
}

/** The mark between the names of the header: what stands in double quotes does not count. */
function separatorOf(text: string, decimal: Decimal): string | undefined {
  const found = new Set<string>();
  let [begun, any] = [false, false];
  for (let at = 0; at < Math.min(text.length, MOST); at += 1) {
    const letter = text.charAt(at);
    const isEnd = letter === "\n" || letter === "\r";
    if (isEnd && any) {
      break;
    }
    if (letter === '"' && !begun) {
      at = closing(text, at + 1) ?? text.length;
    }
    const isBetween = SEPARATORS.has(letter);
    if (isBetween) {
      found.add(letter);
    }
    any ||= !isEnd;
    begun = !isEnd && !isBetween && (begun || letter !== " ");
  }
  return found.size > 1 ? undefined : ([...found][0] ?? (decimal === "comma" ? ";" : ","));
}

/** Where the quotation mark is that closes a cell; two marks are one of the cell. */
function closing(text: string, start: number): number | undefined {
  let end = text.indexOf('"', start);
  while (end >= 0 && end < start + MOST && text.charAt(end + 1) === '"') {
    end = text.indexOf('"', end + 2);
  }
  return end < 0 || end >= start + MOST ? undefined : end;
}

/** Records of a text, whose cells may stand in double quotes. A line ends with LF, CR or both. */
class Records {
  private at = 0;
  private readonly separator: string;
  /** Finds the end of a cell without quotes. */
  private readonly end: RegExp;

  constructor(
    private readonly text: string,
    private readonly name: string,
    decimal: Decimal,
  ) {
    const separator = separatorOf(text, decimal);
    if (separator === undefined) {
      const allowed = `allowed is one of ${[...SEPARATORS.values()].join(", ")}`;
      throw this.fault(`two marks stand between names; ${allowed}, so put names that hold another in double quotes`);
    }
    this.separator = separator;
    this.end = new RegExp(`[${separator}\\r\\n]`, "g");
  }

  /** The cells of the first line that is not blank. */
  header(): string[] | undefined {
    let cells = this.next();
    while (cells !== undefined && isBlank(cells) && this.at <= MOST) {
      cells = this.next();
    }
    if (this.at > MOST) {
      throw this.fault(`too many letters before the first row of numbers; allowed are ${MOST.toLocaleString("en")}`);
    }
    return cells;
  }

  /** The cells of the next line, without blanks around them. */
  next(): string[] | undefined {
    if (this.at >= this.text.length) {
      return undefined;
    }
    const cells = [this.cell()];
    while (this.took(this.separator)) {
      cells.push(this.cell());
      if (cells.length > MOST) {
        throw this.fault(`too many cells; allowed are ${MOST.toLocaleString("en")} in a line`);
      }
    }
    if (this.at < this.text.length && !this.took("\r\n") && !this.took("\n") && !this.took("\r")) {
      throw this.fault("something stands behind a closing quotation mark; double the marks inside of a cell, or leave them out");
    }
    return cells;
  }

  private took(mark: string): boolean {
    const found = this.text.startsWith(mark, this.at);
    this.at += found ? mark.length : 0;
    return found;
  }

  private cell(): string {
    this.blanks();
    const start = this.at;
    if (this.took('"')) {
      const end = closing(this.text, this.at);
      if (end === undefined) {
        throw this.fault("a quotation mark is missing; close it, or leave them out");
      }
      this.at = end + 1;
      this.blanks();
      return this.text
        .slice(start + 1, end)
        .replaceAll('""', '"')
        .trim();
    }
    this.end.lastIndex = this.at;
    this.at = this.end.exec(this.text)?.index ?? this.text.length;
    return this.text.slice(start, this.at).trim();
  }

  private blanks(): void {
    while (this.text.charAt(this.at) === " ") {
      this.at += 1;
    }
  }

  private fault(problem: string): IsopodError {
    const line = this.text.slice(0, this.at).split(/\r\n?|\n/).length;
    return new IsopodError("values", `${this.name}, line ${line}: ${problem}`, this.name);
  }
}
