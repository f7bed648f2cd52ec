/** Changes of the holders of one key: what is asked, and how far it is. */
import type { SentFile } from "./files.js";

/** What a holder gives to a step of a change. */
export interface ChangeOptions {
  /** Names of own files of this change that were kept and sent before. */
  readonly sent?: readonly string[];
  /** Whether the holder agrees: in a refresh, that all see the same fingerprint, so that the old share is wiped. */
  readonly agree?: boolean;
}

/** How far a change is. */
export interface ChangeStage {
  /**
   * dealt: sharings of others are missing; confirmed: the new share is there, beside the old one; refreshed: the old one is wiped.
   * asked: nothing happened yet; noted: contributions go to the newcomer; masked: masks of other helpers are missing; given: the
   * newcomer's piece is made. taken over: the newcomer has a share. ended: the share is wiped.
   */
  readonly step: "dealt" | "confirmed" | "refreshed" | "asked" | "noted" | "masked" | "given" | "taken over" | "ended";
  /** Holders whose files are missing. */
  readonly missing: readonly string[];
  /** To be compared by voice: 20 digits in groups of 4. */
  readonly fingerprint?: string;
  /** Name of the lost holder and of the newcomer. */
  readonly newcomer?: string;
  /** For the others. Keep the holder's file first. */
  readonly files: readonly SentFile[];
}

/** A change as the module tells it. */
export interface ToldChange {
  readonly files: readonly string[];
  readonly step: Omit<ChangeStage, "files" | "step"> & { readonly name: ChangeStage["step"] };
}

/** The stage of a change, with the bytes of its files. */
export function stageOf({ files, step: { name, ...rest } }: ToldChange, bytes: readonly Uint8Array[]): ChangeStage {
  return { ...rest, step: name, files: files.map((file, at) => ({ name: file, bytes: bytes[at] as Uint8Array })) };
}
