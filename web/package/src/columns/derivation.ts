/** Columns that a device derives from each row of readings before it encrypts (spec/columns.md, sections 1 and 3). */
import { IsopodError } from "../error.js";

/** Squares and products of the columns, by the numbers of the packing. */
export const MOMENTS = ["none", "squares", "products"] as const;
export type Moments = (typeof MOMENTS)[number];

/** Columns of a row besides its readings. */
export interface Derivation {
  /** Name of what the categories are; empty without them. */
  readonly group: string;
  /** Categories, each with a block of its own. */
  readonly categories: readonly string[];
  /** Whether an indicator beside each reading tells whether it is there. */
  readonly missing: boolean;
  readonly moments: Moments;
  /** Name of the column that the others are to explain; empty without. */
  readonly target: string;
  /** Ascending edges of the buckets of each column; empty without. */
  readonly buckets: readonly (readonly number[])[];
}

/** Rows hold their readings and nothing else. */
export const NOTHING: Derivation = { group: "", categories: [], missing: false, moments: "none", target: "", buckets: [] };

/** What is derived, by choice; the same as the command line's options. */
export interface DerivedChoice {
  /** Squares of the columns, for spread; or the products of every two as well, for correlation. Default: none. */
  readonly moments?: Moments;
  /** Buckets of each column between its least and largest reading, for quantiles. Default: none. */
  readonly quantiles?: number;
  /** NaN is a reading that is not there, and is counted as such. Default: it is refused. */
  readonly missing?: boolean;
}

/** Share of a bucket by which the last edge lies beyond the largest reading, so that it is in the bucket below. */
const BEYOND = 1e-6;
const QUANTILES = [2, 1024] as const;

/** A factor of a derived column: a reading, zero if it is missing, or one if it is there. */
export interface Factor {
  readonly of: "reading" | "present";
  readonly at: number;
}

/** A column of a block: a number of rows, a factor, a product of two, or one if a reading is in a bucket. */
export type Column =
  | { readonly kind: "rows" }
  | { readonly kind: "single"; readonly one: Factor }
  | { readonly kind: "product"; readonly one: Factor; readonly other: Factor }
  | { readonly kind: "bucket"; readonly at: number; readonly bucket: number };

const reading = (at: number): Factor => ({ of: "reading", at });
const present = (at: number): Factor => ({ of: "present", at });

/** Name of a column of a block, by which it is found. */
export function keyOf(column: Column): string {
  return JSON.stringify(column);
}

/** Whether rows hold their readings and nothing else. */
export function isNothing(derived: Derivation): boolean {
  const { group, categories, missing, moments, target, buckets } = derived;
  return moments === "none" && !missing && group === "" && target === "" && categories.length + buckets.length === 0;
}

/** The columns of a block of rows with this number of readings. */
export function blockOf(derived: Derivation, readings: number): Column[] {
  const places = Array.from({ length: readings }, (_, at) => at);
  const single = (one: Factor): Column => ({ kind: "single", one });
  return [
    ...(derived.categories.length > 0 ? [{ kind: "rows" } as const] : []),
    ...places.map((at) => single(reading(at))),
    ...(derived.missing ? places.map((at) => single(present(at))) : []),
    ...places.flatMap((one) => pairsOf(derived.moments, one, readings).flatMap((other) => products(derived.missing, one, other))),
    ...derived.buckets.flatMap((edges, at) =>
      Array.from({ length: edges.length + 1 }, (_, bucket) => ({ kind: "bucket", at, bucket }) as const),
    ),
  ];
}

/** The columns that one is multiplied with. */
function pairsOf(moments: Moments, one: number, readings: number): number[] {
  const count = { none: 0, squares: 1, products: readings - one }[moments];
  return Array.from({ length: count }, (_, more) => one + more);
}

/** Products of two columns. An indicator times itself, or times its own reading, is nothing new. */
function products(missing: boolean, one: number, other: number): Column[] {
  const product = (first: Factor, second: Factor): Column => ({ kind: "product", one: first, other: second });
  const plain = product(reading(one), reading(other));
  return missing && one !== other
    ? [plain, product(reading(one), present(other)), product(present(one), reading(other)), product(present(one), present(other))]
    : [plain];
}

/** Columns of a row with this number of readings: as many as all blocks have, without making one. */
export function columnsOf({ categories, missing, moments, buckets }: Derivation, readings: number): number {
  const pairs = { none: 0, squares: 0, products: (readings * (readings - 1)) / 2 }[moments];
  const squares = moments === "none" ? 0 : readings;
  const inBuckets = buckets.reduce((sum, edges) => sum + edges.length + 1, 0);
  const block = readings * (missing ? 2 : 1) + squares + pairs * (missing ? 4 : 1) + inBuckets;
  return categories.length === 0 ? block : categories.length * (block + 1);
}

/** The most readings of a row whose columns are within `places`, each with as many buckets as the first. */
export function mostReadings(derived: Derivation, places: number): number {
  const [edges] = derived.buckets;
  const columns = (readings: number): number =>
    columnsOf({ ...derived, buckets: edges ? Array.from({ length: readings }, () => edges) : [] }, readings);
  let [fits, beyond] = [0, places + 1];
  while (beyond - fits > 1) {
    const middle = (fits + beyond) >> 1;
    [fits, beyond] = columns(middle) <= places ? [middle, beyond] : [fits, middle];
  }
  return fits;
}

/** The bound of all columns if that of the readings is 2^log2Bound. */
export function boundOf(derived: Derivation, log2Bound: number): number {
  const withSquares = derived.moments === "none" ? log2Bound : Math.max(log2Bound, 2 * log2Bound);
  const hasIndicators = derived.missing || derived.categories.length + derived.buckets.length > 0;
  return hasIndicators ? Math.max(withSquares, 0) : withSquares;
}

/** Names of the columns of all blocks. */
export function namesOf(derived: Derivation, readings: readonly string[]): string[] {
  const factor = ({ of, at }: Factor): string => `${readings[at]}${of === "present" ? " present" : ""}`;
  const name = (column: Column): string => {
    switch (column.kind) {
      case "rows":
        return "rows";
      case "single":
        return factor(column.one);
      case "product":
        return `${factor(column.one)} * ${factor(column.other)}`;
      case "bucket":
        return `${readings[column.at]} ${bucketName(derived.buckets[column.at] ?? [], column.bucket)}`;
    }
  };
  const names = blockOf(derived, readings.length).map(name);
  return derived.categories.length === 0
    ? names
    : derived.categories.flatMap((category) => names.map((one) => `${category}: ${one}`));
}

/** What is in a bucket. */
export function bucketName(edges: readonly (number | string)[], bucket: number): string {
  const [first, end] = [edges[bucket - 1], edges[bucket]];
  if (first === undefined) {
    return `below ${end}`;
  }
  return end === undefined ? `${first} and above` : `${first} to ${end}`;
}

/** What is derived from these rows as chosen: the edges of their buckets are found in them. */
export function derivationOf(choice: DerivedChoice, columns: number, rows: readonly (readonly number[])[]): Derivation {
  const { moments = "none", quantiles = 0, missing = false } = choice;
  const [least, most] = QUANTILES;
  if (quantiles !== 0 && !(Number.isInteger(quantiles) && quantiles >= least && quantiles <= most)) {
    throw new IsopodError("argument", `${quantiles} buckets; allowed are ${least} to ${most}`, "quantiles");
  }
  const buckets = quantiles === 0 ? [] : Array.from({ length: columns }, (_, at) => edgesOf(rows, at, quantiles));
  return { ...NOTHING, moments, missing, buckets };
}

/** Edges of buckets of equal width between the least and the largest reading of a column. */
function edgesOf(rows: readonly (readonly number[])[], at: number, buckets: number): number[] {
  let [least, most] = [Infinity, -Infinity];
  for (const row of rows) {
    const value = row[at] as number;
    [least, most] = [value < least ? value : least, value > most ? value : most];
  }
  const range = most - least;
  let [first, width] = [0, 1 / buckets];
  if (range > 0 && Number.isFinite(range)) {
    [first, width] = [least, range / buckets];
  } else if (Number.isFinite(least)) {
    first = least - 0.5;
  }
  const edge = (number: number): number => first + width * number;
  return [...Array.from({ length: buckets }, (_, number) => edge(number)), edge(buckets) + width * BEYOND];
}

/** The columns of a row. A reading that is missing is NaN; `category` is the number of its category. */
export function derivedRow(
  derived: Derivation,
  block: readonly Column[],
  readings: readonly number[],
  category: number,
): Float64Array {
  const isThere = (at: number): boolean => !Number.isNaN(readings[at]);
  const factor = ({ of, at }: Factor): number => (isThere(at) ? (of === "present" ? 1 : (readings[at] as number)) : 0);
  const value = (column: Column): number => {
    switch (column.kind) {
      case "rows":
        return 1;
      case "single":
        return factor(column.one);
      case "product":
        return factor(column.one) * factor(column.other);
      case "bucket":
        return isThere(column.at) && placeOf(derived.buckets[column.at] ?? [], readings[column.at] as number) === column.bucket
          ? 1
          : 0;
    }
  };
  const row = new Float64Array(Math.max(derived.categories.length, 1) * block.length);
  block.forEach((column, at) => (row[category * block.length + at] = value(column)));
  return row;
}

/** The bucket of a reading: the number of edges that are not above it. */
function placeOf(edges: readonly number[], value: number): number {
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    [low, high] = (edges[middle] as number) <= value ? [middle + 1, high] : [low, middle];
  }
  return low;
}
