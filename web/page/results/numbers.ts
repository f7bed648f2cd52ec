/** Numbers in words of a page: as many digits as the error leaves. */
import type { Estimate } from "../../package/src/index.js";

const [MOST_DIGITS, EXACT_DIGITS] = [17, 9];

/** A value with its error, both to the digits that the error leaves; nothing where nothing is known. Exact fractions are cut. */
export function stated({ value, error }: Estimate): { readonly value: string; readonly error: string } | undefined {
  if (!Number.isFinite(error)) {
    return undefined;
  }
  if (error === 0) {
    return { value: Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(EXACT_DIGITS))), error: "" };
  }
  const digits = Math.max(0, Math.min(MOST_DIGITS, 1 - Math.floor(Math.log10(error))));
  const unit = 10 ** -digits;
  // rounded up, and by what rounding the value adds, so that it stays a bound
  const shown = Math.ceil(error / unit + 0.5) * unit;
  return { value: value.toFixed(digits), error: shown.toFixed(digits) };
}

/** Edges of buckets, in digits that tell them apart. */
export function edgeTexts(edges: readonly number[]): string[] {
  const width = Math.min(...edges.slice(1).map((edge, at) => edge - (edges[at] as number)));
  const digits = Math.max(0, Math.min(MOST_DIGITS, 1 - Math.floor(Math.log10(width))));
  return edges.map((edge) => (Number.isFinite(width) ? edge.toFixed(digits) : short(edge)));
}

/** A bound in few digits, rounded up. */
export function bound(error: number): string {
  let [text, more] = [short(error), error];
  while (Number(text) < error) {
    more *= 1.0001;
    text = short(more);
  }
  return text;
}

/** A number in few digits. */
export function short(value: number): string {
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(1) : String(Number(value.toPrecision(4)));
}
