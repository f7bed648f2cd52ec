/** Numbers with a bound on their error, and arithmetic that keeps the bound (crates/workflow, owner/estimate.rs). */

/** A value and the distance that it is off by at most; infinite where nothing is known. */
export interface Estimate {
  readonly value: number;
  readonly error: number;
}

/** Nothing is known. */
const UNKNOWN: Estimate = { value: 0, error: Infinity };

/** A value that is exact. */
export function exact(value: number): Estimate {
  return { value, error: 0 };
}

/** The value between two numbers that hold it. */
export function between(least: number, most: number): Estimate {
  if (Number.isFinite(least) && Number.isFinite(most)) {
    return { value: (least + most) / 2, error: (most - least) / 2 };
  }
  const end = [least, most].find(Number.isFinite);
  return end === undefined ? UNKNOWN : { value: end, error: Infinity };
}

/** The value of an integer: exact where the error leaves only one. */
export function integer(one: Estimate): Estimate {
  return one.error < 0.5 ? exact(Math.round(one.value) + 0) : one; // zero without a sign
}

/** The square root of what is not negative but for its error. */
export function root({ value, error }: Estimate): Estimate {
  const [least, middle, most] = [value - error, value, value + error].map((of) => Math.sqrt(Math.max(of, 0))) as [
    number,
    number,
    number,
  ];
  return { value: middle, error: Math.max(most - middle, middle - least) };
}

/** The value times an exact number, plus another. */
export function scaled({ value, error }: Estimate, factor: number, addend = 0): Estimate {
  return { value: value * factor + addend, error: error * Math.abs(factor) };
}

/** The sum of two. */
export function plus(one: Estimate, other: Estimate): Estimate {
  return { value: one.value + other.value, error: one.error + other.error };
}

/** The first without the second. */
export function minus(one: Estimate, other: Estimate): Estimate {
  return plus(one, scaled(other, -1));
}

/** The product of two. */
export function times(one: Estimate, other: Estimate): Estimate {
  const error = Math.abs(one.value) * other.error + Math.abs(other.value) * one.error;
  return { value: one.value * other.value, error: error + one.error * other.error };
}

/** The quotient; nothing is known if the divisor may be zero. */
export function over(one: Estimate, other: Estimate): Estimate {
  const least = Math.abs(other.value) - other.error;
  const value = one.value / other.value;
  return least > 0 ? { value, error: (one.error + Math.abs(value) * other.error) / least } : UNKNOWN;
}
