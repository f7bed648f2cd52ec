/**
 * One of several owners of a key, none of whom can read alone: ceremony, contribution, opening.
 *
 *     const holders = await loadHolders(fetch("isopod-holders.wasm"), isopod);   // in Node: loadHolders() of "@isopod/owner/node"
 *     const { holder, files } = holders.begin({ holders: ["alice", "bob"], threshold: 2 });
 *     holder.goOn(received);                                                     // files of the others, until the key is made
 *     const contribution = await holder.contribute(results, ["alice", "bob"], count);
 *     const answer = holder.combine(results, [contribution, another]);
 */
import { IsopodError } from "../error.js";
import type { Isopod } from "../index.js";
import { OwnerKey, keyFiles, type KeyFile } from "../keys.js";
import type { Source } from "../module.js";
import { isProtected, protect, unprotect } from "../passphrase.js";
import type { Answer, OpenOptions } from "../results.js";
import { stageOf, type ChangeOptions, type ChangeStage, type ToldChange } from "./changes.js";
import type { SentFile } from "./files.js";
import { HolderModule } from "./module.js";

export type { ChangeOptions, ChangeStage } from "./changes.js";
export type { SentFile } from "./files.js";

/** The agreement of all holders. */
export interface Agreement {
  /** Names of 1 to 32 letters a to z, digits and hyphens, 2 to 10 of them; whoever begins is the first. */
  readonly holders: readonly string[];
  /** Holders who open an answer together, from 2 on. */
  readonly threshold: number;
  /** Parameter set; integers by default. */
  readonly set?: string;
  /** Most frames of an answer, 1,000 by default. */
  readonly frames?: number;
  /** Answers that the key opens, 64 by default. */
  readonly queries?: number;
  /** Bits of statistical security of all answers together, 30 to 64; 40 by default. */
  readonly statisticalBits?: number;
}

/** Facts about a holder, and about the key once it is made. */
export interface HolderFacts {
  /** Name of the holder. */
  readonly holder: string;
  readonly holders: readonly string[];
  readonly threshold: number;
  readonly set: string;
  /** Most frames of an answer. */
  readonly frames: number;
  readonly queries: number;
  readonly statisticalBits: number;
  /** Name of the key. */
  readonly key?: string;
  /** To be compared by voice: 20 digits in groups of 4. */
  readonly fingerprint?: string;
  /** Contributions made. */
  readonly used?: number;
  /** How often the shares were refreshed. */
  readonly generation?: number;
  /** Holders who did not end their shares. */
  readonly current?: readonly string[];
  /** Whether this holder's share is wiped. */
  readonly ended?: boolean;
}

/** How far a ceremony is. */
export interface Stage {
  /** Kind of the files that are missing; undefined once the key is made. */
  readonly waitingFor?: "announcements" | "openings";
  /** Holders whose files are missing. */
  readonly missing: readonly string[];
  /** To be sent to all others, once all announcements are there. */
  readonly opening?: SentFile;
}

/** Everything that a holder agrees to. It is the server's word, sealed for the owners. */
export interface Ask {
  readonly job: string;
  /** Each of them counts as a query. */
  readonly results: number;
  /** Most frames that entered a result. */
  readonly entered: number;
  /** Numbers of the devices whose frames entered; empty where the server left them out. */
  readonly devices: readonly number[];
  /** Error that values stay within; 0 for integers. */
  readonly error: number;
  readonly used: number;
  readonly queries: number;
}

/** The count of contributions outside of the holder's file, so that an old copy of the file does not set it back. */
export interface Count {
  /** Contributions that are known to be made. */
  least(): Promise<number>;
  /** Keeps the holder's new file and its count, durably before it returns. Throws where that is not possible. */
  keep(holder: Holder, used: number): Promise<void>;
}

interface Told {
  readonly statistical_bits: number;
  readonly waiting_for?: "announcements" | "openings";
  readonly missing?: readonly string[];
}

type Facts = Omit<HolderFacts, "statisticalBits"> & Told;

function factsOf(told: Facts & Partial<ToldChange>): HolderFacts {
  const { statistical_bits, waiting_for: _, missing: __, files: ___, step: ____, ...facts } = told;
  return { ...facts, statisticalBits: statistical_bits };
}

/** The library of several owners. */
export class Holders {
  constructor(
    private readonly module: HolderModule,
    private readonly isopod: Isopod,
  ) {}

  /** Begins a ceremony as the first of the holders: invitation and announcement are for the others. */
  begin({ holders, threshold, ...rest }: Agreement): { holder: Holder; files: SentFile[] } {
    const { set = "bfv-4096x3-sum", frames = 1000, queries = 64, statisticalBits: statistical_bits = 40 } = rest;
    const done = this.module.run<Facts>("begin", { holders, threshold, set, frames, queries, statistical_bits });
    return this.announced(done, true);
  }

  /** Joins a ceremony under an invited name: the announcement is for the others. */
  join(invitation: Uint8Array, name: string): { holder: Holder; files: SentFile[] } {
    return this.announced(this.module.run<Facts>("join", name, invitation), false);
  }

  /** Opens a holder's file, holder.key or holder.key.age, of this library or of `isopod owner`. */
  async open(file: Uint8Array, passphrase?: string, name = "holder.key.age"): Promise<Holder> {
    if (!isProtected(file)) {
      return new Holder(this.module, this.isopod, file);
    }
    if (passphrase === undefined || passphrase === "") {
      throw new IsopodError("passphrase", `${name}: is under a passphrase; give it`, "passphrase");
    }
    return new Holder(this.module, this.isopod, await unprotect(file, passphrase, name));
  }

  private announced(
    { facts, chunks }: { facts: Facts; chunks: Uint8Array[] },
    isFirst: boolean,
  ): { holder: Holder; files: SentFile[] } {
    const [file, invitation, announcement] = chunks as [Uint8Array, Uint8Array, Uint8Array];
    const holder = new Holder(this.module, this.isopod, file);
    const files = [
      ...(isFirst ? [{ name: "invitation", bytes: invitation }] : []),
      { name: `announcement-${facts.holder}`, bytes: announcement },
    ];
    return { holder, files };
  }
}

/** A holder, in the ceremony and after it. */
export class Holder {
  private told: HolderFacts;
  /** The public key, after the step that made it. */
  private publicBlob: Uint8Array | undefined;
  private changes = 0;

  constructor(
    private readonly module: HolderModule,
    private readonly isopod: Isopod,
    /** The holder's file in the clear: the share. Not for others. */
    private bytes: Uint8Array,
  ) {
    this.told = factsOf(module.run<Facts>("facts", {}, bytes).facts);
  }

  /** Names, numbers, and the key once it is made. */
  get facts(): HolderFacts {
    return this.told;
  }

  /** The public key of all devices, `public.key`, after the step that made it. */
  get publicKey(): Uint8Array | undefined {
    return this.publicBlob;
  }

  /** Grows whenever the holder's file changes. */
  get revision(): number {
    return this.changes;
  }

  /** The holder's file under a passphrase, as `isopod owner` has it: holder.key.age. It changes with every contribution. */
  file(passphrase: string): Promise<Uint8Array> {
    return protect(this.bytes, passphrase);
  }

  /** Goes on with the ceremony as far as the files of the others allow. It may be repeated; keep and send the first opening. */
  goOn(received: readonly SentFile[]): Stage {
    const places = received.map((file) => file.name);
    const { facts, chunks } = this.module.run<Facts>("go on", places, this.bytes, ...received.map((file) => file.bytes));
    const [opening, file, blob] = chunks;
    if (file !== undefined && blob !== undefined) {
      this.take(file, facts);
      this.publicBlob = blob;
    }
    return {
      missing: facts.missing ?? [],
      ...(facts.waiting_for && { waitingFor: facts.waiting_for }),
      ...(opening && { opening: { name: `opening-${facts.holder}`, bytes: opening } }),
    };
  }

  /** The folders of server and devices. Let one holder make them, and note the numbers: each is given once. */
  async devices(publicKey: Uint8Array, numbers: readonly bigint[]): Promise<KeyFile[]> {
    const { chunks } = this.module.run<Facts>("keys", {}, this.bytes);
    const [file, invitation] = chunks as [Uint8Array, Uint8Array];
    const owner = await this.isopod.openOwner(file);
    const pair = { owner, publicKey: this.isopod.openPublicKey(publicKey) };
    if (pair.publicKey.keyId !== owner.keyId) {
      throw new IsopodError("key", "the public key is of another ceremony; allowed is the one that this made", "publicKey");
    }
    const files = await keyFiles(pair, numbers);
    const others = files.filter((one) => !one.path.startsWith("owner/"));
    return [...others, { path: "server/invitation", bytes: invitation, isSecret: true }];
  }

  /** Authenticates an answer and says what is asked. Nothing is opened or counted. */
  review(results: Uint8Array): Ask {
    return this.module.run<Ask>("review", {}, this.bytes, results).facts;
  }

  /**
   * Agrees: counts each result as a query, in the holder's file and in `count`, and only then gives the contribution. `answering`
   * are the names of all who answer, as many as the threshold; only they can read it.
   */
  async contribute(results: Uint8Array, answering: readonly string[], count: Count): Promise<Uint8Array> {
    const parameters = { with: answering, least: await count.least() };
    const { facts, chunks } = this.module.run<Facts>("contribute", parameters, this.bytes, results);
    const [file, contribution] = chunks as [Uint8Array, Uint8Array];
    this.take(file, facts);
    await count.keep(this, facts.used ?? 0);
    return contribution;
  }

  /**
   * Goes on with a refresh of all shares under the same public key, with files refresh-* and refreshed-* of the others. Keep the
   * holder's file before anything is sent: it has the new share.
   */
  refresh(received: readonly SentFile[], options: ChangeOptions = {}): ChangeStage {
    return this.change("refresh", { ...options, places: placesOf(received) }, received.map((file) => file.bytes));
  }

  /**
   * Goes on with the replacement of a lost holder by the newcomer of an announcement, with files masks-* of other helpers. `helpers`
   * are as many names as the threshold. Whoever wrote the announcement gets the share: compare its fingerprint before `agree`.
   */
  replace(
    newcomer: Uint8Array,
    helpers: readonly string[],
    received: readonly SentFile[] = [],
    options: ChangeOptions = {},
  ): ChangeStage {
    const parameters = { ...options, with: helpers, places: placesOf(received) };
    return this.change("replace", parameters, [newcomer, ...received.map((file) => file.bytes)]);
  }

  /** Takes the place of a lost holder, with the pieces of all helpers and the public key of any holder or device. */
  async takeOver(publicKey: Uint8Array, pieces: readonly SentFile[]): Promise<ChangeStage> {
    const bytes = pieces.map((file) => file.bytes);
    const { facts, chunks } = this.module.run<Facts & ToldChange>("take over", { places: placesOf(pieces) }, this.bytes, ...bytes);
    const file = chunks[0] as Uint8Array;
    const owner = await new Holder(this.module, this.isopod, file).zeroOwner();
    if (this.isopod.openPublicKey(publicKey).keyId !== owner.keyId) {
      throw new IsopodError("key", "the public key is another one; allowed is that of these holders", "publicKey");
    }
    this.take(file, facts);
    this.publicBlob = publicKey;
    return stageOf(facts, []);
  }

  /** Wipes the share for good. The file is a notice for the others. */
  end(): ChangeStage {
    return this.change("end", {}, []);
  }

  /** Takes notices of others who ended their shares: nothing is sealed for them from now on. */
  noteEnded(notices: readonly SentFile[]): ChangeStage {
    return this.change("note ended", { places: placesOf(notices) }, notices.map((file) => file.bytes));
  }

  private change(step: string, parameters: object, received: readonly Uint8Array[]): ChangeStage {
    const { facts, chunks } = this.module.run<Facts & ToldChange>(step, parameters, this.bytes, ...received);
    const [file, ...files] = chunks;
    this.take(file as Uint8Array, facts);
    return stageOf(facts, files);
  }

  /** Opens an answer with the contributions of all who answer; a refusal has the name of the holder whose does not fit. */
  async combine(results: Uint8Array, contributions: readonly Uint8Array[], options?: OpenOptions): Promise<Answer> {
    const { chunks } = this.module.run<Facts>("combine", {}, this.bytes, results, ...contributions);
    const owner = await this.zeroOwner();
    return this.isopod.open(owner, chunks[0] as Uint8Array, options);
  }

  /** An owner with a key of zeros, who reads what was opened together. */
  private zeroOwner(): Promise<OwnerKey> {
    const { chunks } = this.module.run<Facts>("keys", {}, this.bytes);
    return this.isopod.openOwner(chunks[0] as Uint8Array);
  }

  private take(file: Uint8Array, facts: Facts): void {
    this.bytes.fill(0);
    this.bytes = file;
    this.told = factsOf(facts);
    this.changes += 1;
  }
}

function placesOf(files: readonly SentFile[]): string[] {
  return files.map((file) => file.name);
}

/** Starts the module of several owners beside a library that is loaded. */
export async function loadHolders(source: Source | PromiseLike<Source>, isopod: Isopod): Promise<Holders> {
  return new Holders(await HolderModule.load(source), isopod);
}
