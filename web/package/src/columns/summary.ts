/**
 * Summaries of tables from the sums of their columns (spec/columns.md, section 5): those of `isopod describe`, by the same rules
 * (crates/workflow, owner/summary.rs). A test compares every number of both.
 */
import { IsopodError } from "../error.js";
import type { Answer } from "../results.js";
import { blockOf, columnsOf, keyOf, type Column, type Factor } from "./derivation.js";
import { derivedOf, type Description } from "./description.js";
import { between, exact, integer, minus, over, plus, root, scaled, times, type Estimate } from "./estimate.js";

/** The jobs whose answers are sums of columns. */
export const OF_COLUMNS: readonly string[] = ["column-sum", "column-mean"];

/** Readings in buckets: those below the first edge, between every two, and from the last one on. */
export interface Histogram {
  readonly edges: readonly number[];
  /** Readings of each bucket, one more than edges. */
  readonly counts: readonly Estimate[];
}

/** Summary of a column, in the unit of its readings. What needs columns that were not derived, or more rows, is not there. */
export interface ColumnSummary {
  readonly name: string;
  readonly count: Estimate;
  readonly mean?: Estimate;
  /** Divided by one less than the count. */
  readonly std?: Estimate;
  readonly standardError?: Estimate;
  readonly min?: Estimate;
  readonly quartiles?: readonly [Estimate, Estimate, Estimate];
  readonly max?: Estimate;
  readonly histogram?: Histogram;
}

/** Summary of the rows of a category, or of all rows. */
export interface GroupSummary {
  readonly category?: string;
  /** Number of rows; an empty group has no mean. */
  readonly rows: Estimate;
  readonly columns: readonly ColumnSummary[];
  /** Covariance of every two columns over the rows that have both; empty without their products. */
  readonly covariance: readonly (readonly Estimate[])[];
}

/** The summary of an answer about columns, one for each category. Rows are what the manifest or indicators tell. */
export function summarise(answer: Answer, description: Description): GroupSummary[] {
  const [item] = answer.items;
  const [derived, readings] = [derivedOf(description), description.names.length];
  const wanted = columnsOf(derived, readings);
  if (item === undefined || !OF_COLUMNS.includes(answer.job) || item.rows * item.columns !== wanted) {
    const found = `${answer.job} of ${item === undefined ? 0 : item.rows * item.columns} columns`;
    throw new IsopodError("result", `${found}; allowed are ${OF_COLUMNS.join(" and ")} of ${wanted}`, "results");
  }
  const block = blockOf(derived, readings);
  const factor = answer.job === "column-mean" ? Number(rowsOf(answer)) : 1;
  const names = derived.categories.length === 0 ? [undefined] : derived.categories;
  return names.map((category, at) => {
    const values = item.values.subarray(at * block.length, (at + 1) * block.length);
    const sums = new Map(
      block.map((column, place) => [keyOf(column), scaled({ value: values[place] ?? 0, error: item.error }, factor)]),
    );
    return new Group(answer, description, sums).summary(category);
  });
}

function rowsOf({ rows }: Answer): bigint {
  if (rows === undefined) {
    const problem = "the rows are not known: some were selected, or the server left out the frames that entered";
    throw new IsopodError("result", `${problem}; allowed are answers over all rows that name their frames`, "manifest");
  }
  return rows;
}

/** Sums of the columns of one block. */
class Group {
  constructor(
    private readonly answer: Answer,
    private readonly description: Description,
    private readonly sums: ReadonlyMap<string, Estimate>,
  ) {}

  summary(category?: string): GroupSummary {
    const places = this.description.names.map((_, at) => at);
    const all = this.answer.rows === undefined ? undefined : exact(Number(this.answer.rows));
    const rows = this.sum({ kind: "rows" });
    const hasProducts = derivedOf(this.description).moments === "products";
    return {
      ...(category !== undefined && { category }),
      rows: rows === undefined ? (all ?? this.count(0)) : integer(rows),
      columns: places.map((at) => this.column(at)),
      covariance: hasProducts ? places.map((one) => places.map((other) => this.covarianceInUnit(one, other))) : [],
    };
  }

  private sum(column: Column): Estimate | undefined {
    return this.sums.get(keyOf(column));
  }

  private reading(at: number): Estimate {
    return this.sum({ kind: "single", one: { of: "reading", at } }) ?? exact(0);
  }

  private product(one: Factor, other: Factor): Estimate | undefined {
    return this.sum({ kind: "product", one, other });
  }

  /** Readings of a column. */
  private count(at: number): Estimate {
    const found = this.sum({ kind: "single", one: { of: "present", at } }) ?? this.sum({ kind: "rows" });
    return found === undefined ? exact(Number(rowsOf(this.answer))) : integer(found);
  }

  private column(at: number): ColumnSummary {
    const [mean, scale] = this.unit(at);
    const count = this.count(at);
    const least = count.value - count.error;
    const head = { name: this.description.names[at] ?? "", count };
    if (least <= 0.5) {
      return head; // fewer than one reading: there is no mean
    }
    const variance = least > 1.5 ? this.covariance(at, at) : undefined;
    const std = variance && scaled(root(variance), scale);
    return {
      ...head,
      mean: scaled(over(this.reading(at), count), scale, mean),
      ...(std && { std, standardError: over(std, root(count)) }),
      ...this.quantiles(at, count),
    };
  }

  private quantiles(at: number, count: Estimate): Partial<ColumnSummary> {
    const edges = derivedOf(this.description).buckets[at];
    if (edges === undefined) {
      return {};
    }
    const [mean, scale] = this.unit(at);
    const counts = Array.from({ length: edges.length + 1 }, (_, bucket) =>
      integer(this.sum({ kind: "bucket", at, bucket }) ?? exact(0)),
    );
    const of = (share: number): Estimate => scaled(quantile({ edges, counts }, count, share), scale, mean);
    return {
      min: of(0),
      quartiles: [of(0.25), of(0.5), of(0.75)],
      max: of(1),
      histogram: { edges: edges.map((edge) => edge * scale + mean), counts },
    };
  }

  /** Mean and scale of the standardisation of a column. */
  private unit(at: number): readonly [number, number] {
    return [this.description.means?.[at] ?? 0, this.description.scales?.[at] ?? 1];
  }

  /** Covariance of two columns as they were encrypted, if their product was. */
  private covariance(first: number, second: number): Estimate | undefined {
    const [one, other] = [Math.min(first, second), Math.max(first, second)];
    const [readings, presents] = (["reading", "present"] as const).map((of) => [one, other].map((at) => ({ of, at }))) as [
      [Factor, Factor],
      [Factor, Factor],
    ];
    const product = this.product(...readings);
    if (product === undefined) {
      return undefined;
    }
    const both = this.product(...presents);
    const count = both === undefined ? this.count(one) : integer(both);
    const ofOne = this.product(readings[0], presents[1]) ?? this.reading(one);
    const ofOther = this.product(presents[0], readings[1]) ?? this.reading(other);
    return over(minus(product, over(times(ofOne, ofOther), count)), minus(count, exact(1)));
  }

  private covarianceInUnit(one: number, other: number): Estimate {
    return scaled(this.covariance(one, other) ?? exact(0), this.unit(one)[1] * this.unit(other)[1]);
  }
}

/** The value below which a share of the readings lies: between the order statistics beside it. */
function quantile(histogram: Histogram, count: Estimate, share: number): Estimate {
  const place = share * (count.value - 1);
  const least = holding(histogram.counts, Math.floor(place) - share * count.error, 1);
  const most = holding(histogram.counts, Math.ceil(place) + share * count.error, -1);
  return between(histogram.edges[least - 1] ?? -Infinity, histogram.edges[most] ?? Infinity);
}

/** The first bucket (sign 1), or the last one (-1), that may hold the reading of this number, from 0, in ascending order. */
function holding(counts: readonly Estimate[], number: number, sign: 1 | -1): number {
  let below = exact(0);
  const found = counts.findIndex((count) => {
    below = plus(below, count);
    return number < below.value + sign * below.error - 0.25;
  });
  return found < 0 ? counts.length - 1 : found;
}
