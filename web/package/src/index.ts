/**
 * Homomorphic encryption for the owner of data, by the device library's own C in WebAssembly: keys, frames, results.
 *
 *     const isopod = await load(fetch("isopod.wasm"));        // in Node: import { load } from "@isopod/owner/node"
 *     const { owner, publicKey } = isopod.makeKeys("ckks-2048x1-air");
 *     const frames = isopod.encrypt(publicKey, owner.device(1), { columns: ["a"], rows: [[1.5]] });
 *     const answer = isopod.open(owner, results);             // what `isopod evaluate` or the server made of them
 */
import {
  encrypt,
  encryptInSlices,
  plan,
  type EncryptOptions,
  type Frames,
  type Plan,
  type Readings,
  type Slice,
} from "./frames.js";
import { DeviceKey, OwnerKey, PublicKey, keyFiles, makeKeys, type KeyFile, type KeyPair } from "./keys.js";
import { Module, type ParameterSet, type Source } from "./module.js";
import { open, type Answer, type OpenOptions } from "./results.js";

export { IsopodError, type Code } from "./error.js";
export { bucketName, type DerivedChoice, type Moments } from "./columns/derivation.js";
export { describe, packing, readDescription, type Description } from "./columns/description.js";
export type { Estimate } from "./columns/estimate.js";
export { OF_COLUMNS, summarise, type ColumnSummary, type GroupSummary, type Histogram } from "./columns/summary.js";
export {
  Holder,
  Holders,
  loadHolders,
  type Agreement,
  type Ask,
  type ChangeOptions,
  type ChangeStage,
  type Count,
  type HolderFacts,
  type SentFile,
  type Stage,
} from "./holders/index.js";
export { isProtected } from "./passphrase.js";
export { DeviceKey, OwnerKey, PublicKey, keyFiles };
export type { Answer, EncryptOptions, Frames, KeyFile, KeyPair, OpenOptions, ParameterSet, Plan, Readings, Slice, Source };
export type { Item, Proof, Range } from "./results.js";
export { StoredAccount, readTagPeriods, type TagAccount, type TagPeriod } from "./tags.js";

/** The library, loaded. */
export class Isopod {
  constructor(private readonly module: Module) {}

  /** All parameter sets, without those of TFHE. */
  get sets(): readonly ParameterSet[] {
    return this.module.sets;
  }

  /** Makes a key pair under a set of label 128. */
  makeKeys(set: string): KeyPair {
    return makeKeys(this.module, set);
  }

  /** Opens the owner's file, owner.key or owner.key.age. */
  openOwner(bytes: Uint8Array, passphrase?: string, name?: string): Promise<OwnerKey> {
    return OwnerKey.open(this.module, bytes, passphrase, name);
  }

  /** Opens and checks a public.key. */
  openPublicKey(bytes: Uint8Array, name?: string): PublicKey {
    return PublicKey.open(this.module, bytes, name);
  }

  /** Encrypts readings as a device; frames go to the server as they are. */
  encrypt(publicKey: PublicKey, device: DeviceKey, readings: Readings, options?: EncryptOptions): Frames {
    return encrypt(this.module, publicKey, device, readings, options);
  }

  /** The same in slices, between which a page stays alive; the last value of the generator is that of `encrypt` without bytes. */
  encryptInSlices(
    publicKey: PublicKey,
    device: DeviceKey,
    readings: Readings,
    options?: EncryptOptions,
  ): Generator<Slice, Omit<Frames, "bytes">> {
    return encryptInSlices(this.module, publicKey, device, readings, options);
  }

  /** Frames, bytes and time of an encryption of that many rows and columns, before it is made; names are compared with `like`. */
  plan(publicKey: PublicKey, rows: number, columns: number | readonly string[], options?: EncryptOptions): Plan {
    return plan(this.module, publicKey, rows, columns, options);
  }

  /** Opens an answer of the server. */
  open(owner: OwnerKey, results: Uint8Array, options?: OpenOptions): Answer {
    return open(this.module, owner, results, options);
  }
}

/** Starts the module. isopod-decrypt.wasm is enough to open results. */
export async function load(source: Source | PromiseLike<Source>): Promise<Isopod> {
  return new Isopod(await Module.load(source));
}
