/** Key blobs (spec/wire.md, section 5), checked as a host checks them before it uses them. */
import { sha3_256 } from "@noble/hashes/sha3.js";
import { concat, hex, same } from "./bytes.js";
import { IsopodError, fileError } from "./error.js";
import type { Module, ParameterSet } from "./module.js";

export const PUBLIC = 1;
export const PUBLIC_SEEDED = 2;
export const SECRET = 3;
const MAGIC = "ISOPODK2";
const HEADER = 80;
const DIGEST_AT = 48;
const MASK_SEED = 32;

/** What the header of a blob says. */
export interface Blob {
  readonly set: ParameterSet;
  readonly kind: number;
  readonly keyId: Uint8Array;
}

/** The set of this id. */
export function setOf(module: Module, setId: Uint8Array, name: string): ParameterSet {
  const found = module.sets.find((set) => same(set.setId, setId));
  if (found === undefined) {
    const hint = "keys of TFHE, and of sets newer than this program, are opened by the command line";
    throw new IsopodError("key", `${name}: of set ${hex(setId)}, which is not known here; ${hint}`, name);
  }
  return found;
}

/** Checks magic, kind, set, length and digest. */
export function checkedBlob(module: Module, bytes: Uint8Array, kinds: readonly number[], name: string): Blob {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < HEADER || new TextDecoder("latin1").decode(bytes.subarray(0, 8)) !== MAGIC) {
    throw fileError(name, "is not a key; allowed is the file of this name from the folder that was made with the keys");
  }
  const kind = view.getUint32(8, true);
  if (!kinds.includes(kind)) {
    throw fileError(name, `is a key of kind ${kind}; allowed here are kinds ${kinds.join(" and ")} (spec/wire.md, section 5)`);
  }
  const set = setOf(module, bytes.subarray(16, 24), name);
  if (bytes.length !== module.call("keys_blob_bytes", set.number, kind)) {
    throw fileError(name, `has ${bytes.length} bytes, not those of a key of ${set.name}: it was cut off, or joined with another`);
  }
  const digest = sha3_256(concat(bytes.subarray(0, DIGEST_AT), bytes.subarray(HEADER)));
  if (!same(digest, bytes.subarray(DIGEST_AT, HEADER))) {
    throw fileError(name, "its digest does not match: the file was changed or damaged; take the original");
  }
  return { set, kind, keyId: bytes.slice(24, 40) };
}

/** Checks a public key in full: its name by its content, and that half of it is the mask of its seed. */
export function checkedPublic(module: Module, bytes: Uint8Array, name: string): Blob {
  const blob = checkedBlob(module, bytes, [PUBLIC, PUBLIC_SEEDED], name);
  module.scope(() => {
    const payload = module.give(bytes.subarray(HEADER));
    const id = module.take(16);
    module.checked("keys_identify", blob.set.number, blob.kind, payload, id);
    if (!same(module.bytes(id, 16), blob.keyId)) {
      throw forged(name, "its content is that of another key pair than it names");
    }
    if (blob.kind === PUBLIC) {
      checkMask(module, blob.set, payload, name);
    }
  });
  return blob;
}

function forged(name: string, problem: string): IsopodError {
  return new IsopodError("key", `${name}: ${problem}; do not encrypt with it, and ask its owner for the file again`, name);
}

/** Refuses a public key whose pk1 is not the mask of its seed: whoever chose it otherwise could read what it encrypts. */
function checkMask(module: Module, set: ParameterSet, payload: number, name: string): void {
  const bytes = set.degree * set.wordBytes;
  const [words, refill] = [module.take(bytes), module.take(4)];
  const bits = BigInt(8 * set.wordBytes);
  const read = (at: number): bigint => {
    const view = module.view();
    return set.wordBytes === 8 ? view.getBigUint64(at, true) : BigInt(view.getUint32(at, true));
  };
  set.primes.forEach((prime, number) => {
    module.checked("keys_mask", set.number, number, payload, words, refill);
    const stored = payload + MASK_SEED + (2 * number + 1) * bytes;
    for (let at = 0; at < bytes; at += set.wordBytes) {
      if ((read(words + at) << bits) % prime !== read(stored + at)) {
        throw forged(name, "its second half is not the mask of its seed");
      }
    }
  });
}
