/** The owner's account of linear tags (spec/verify.md, section 6): periods, their groups, and refusals, which end a period. */
import { sha3_256 } from "@noble/hashes/sha3.js";
import { hex, same, utf8 } from "./bytes.js";
import { IsopodError, fileError } from "./error.js";

/** Refusals that end a period. */
const MOST_REFUSALS = 64;
/** Periods that a tag tells apart. */
const PERIODS = 8;
const MAGIC = "ISOPODL2";
const DIGEST = 32;

/** One period of tags. */
export interface TagPeriod {
  /** Group of its devices. */
  readonly group: number;
  readonly refusals: number;
}

/** An account of periods, from 0 on. */
export interface TagAccount {
  readonly periods: readonly TagPeriod[];
  /** Counts a refusal, durably before it returns. Throws where that is not possible. */
  refuse(period: number): void;
}

/** Reads the file `linear` of an owner's folder; `keyId` in hexadecimal is that of the owner's key. */
export function readTagPeriods(bytes: Uint8Array, keyId: string, name = "linear"): TagPeriod[] {
  const end = bytes.length - DIGEST;
  const start = MAGIC.length + 16;
  const isWhole = end >= start + 8 && (end - start) % 8 === 0 && same(bytes.subarray(0, MAGIC.length), utf8(MAGIC));
  if (!isWhole || !same(sha3_256(bytes.subarray(0, end)), bytes.subarray(end))) {
    throw fileError(name, "is not the account of linear tags, or damaged; take the file `linear` beside owner.key");
  }
  if (hex(bytes.subarray(MAGIC.length, start)) !== keyId) {
    throw new IsopodError("key", `${name}: of another key pair than ${keyId}; take the file of this one`, name);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: (end - start) / 8 }, (_, period) => ({
    group: view.getUint32(start + 8 * period, true),
    refusals: view.getUint32(start + 8 * period + 4, true),
  }));
}

/** An account whose refusals are in a browser's storage, beside those that the folder's file counts. */
export class StoredAccount implements TagAccount {
  private readonly key: string;

  /** `folder`: the periods of the file `linear`; without it there is the first period alone. */
  constructor(
    private readonly storage: Pick<Storage, "getItem" | "setItem">,
    keyId: string,
    private readonly folder: readonly TagPeriod[] = [{ group: 0, refusals: 0 }],
  ) {
    this.key = `isopod-linear-${keyId}`;
  }

  get periods(): TagPeriod[] {
    const counts = this.counts();
    return this.folder.map(({ group, refusals }, period) => ({ group, refusals: refusals + (counts[period] ?? 0) }));
  }

  refuse(period: number): void {
    const counts = this.counts();
    while (counts.length <= period) {
      counts.push(0);
    }
    counts[period] = (counts[period] ?? 0) + 1;
    const text = JSON.stringify(counts);
    this.storage.setItem(this.key, text);
    if (this.storage.getItem(this.key) !== text) {
      throw new IsopodError("proof", "this browser keeps no count of refusals; open the results with isopod decrypt", "linear");
    }
  }

  /** Refusals of each period that were counted here. */
  private counts(): number[] {
    const counts: unknown = JSON.parse(this.storage.getItem(this.key) ?? "[]");
    if (!Array.isArray(counts) || !counts.every((count) => Number.isSafeInteger(count) && count >= 0)) {
      throw new IsopodError("proof", `${this.key} in the browser's storage is no count of refusals; use isopod decrypt`, "linear");
    }
    return counts as number[];
  }
}

/** Number and group of the period that a tag is of. Throws for one that is not yet, and for one that ended. */
export function openPeriod(account: TagAccount | undefined, tag: bigint, where: string): { group: number; period: number } {
  if (account === undefined) {
    throw new IsopodError("proof", `${where}: has a linear tag; give an account of refusals, which proves it`, "tags");
  }
  const { periods } = account;
  const ofTag = Number(tag >> 61n);
  const period = periods.findLastIndex((_, at) => at % PERIODS === ofTag && at >= periods.length - PERIODS);
  const found = periods[period];
  if (found === undefined) {
    const remedy = "choose the file `linear` beside owner.key, which says the periods";
    throw new IsopodError("proof", `${where}: its linear tag is of a period that is not known here; ${remedy}`, "linear");
  }
  if (found.refusals >= MOST_REFUSALS) {
    const remedy = "begin the next one with isopod device tag-key --next-period";
    throw new IsopodError("proof", `${where}: period ${period} ended after ${MOST_REFUSALS} refusals; ${remedy}`, "linear");
  }
  return { group: found.group, period };
}
