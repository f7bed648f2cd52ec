/** The holder who is open, with what the browser keeps of the ceremony. */
import {
  IsopodError,
  type ChangeStage,
  type Holder,
  type HolderFacts,
  type Holders,
  type KeyFile,
  type SentFile,
  type Stage,
} from "../../package/src/index.js";
import { StoredCount, keep, type Kept } from "./storage.js";

/** A holder, the passphrase of the share, and what is kept. */
export class Session {
  private stage: Stage = { missing: [] };
  /** Revision of the holder's file that is kept: a file is encrypted anew only when it changed. */
  private keptRevision: number;

  private constructor(
    readonly holder: Holder,
    private readonly passphrase: string,
    /** As it lies in the browser. */
    public kept: Kept,
  ) {
    this.keptRevision = holder.revision;
  }

  /** Keeps a holder who is new in this browser. */
  static async begun(holder: Holder, passphrase: string, sent: readonly SentFile[]): Promise<Session> {
    const { holder: name, holders } = holder.facts;
    const file = await holder.file(passphrase);
    const kept = { id: crypto.randomUUID(), holder: name, holders, file, sent, received: [], given: [] };
    await keep(kept);
    // A browser that is asked keeps data longer. Some ask their user, and nothing waits for that.
    void navigator.storage.persist().catch(() => false);
    return new Session(holder, passphrase, kept);
  }

  /** Opens a holder who is kept. */
  static async opened(holders: Holders, kept: Kept, passphrase: string): Promise<Session> {
    const holder = await holders.open(kept.file, passphrase, `the share of ${kept.holder}`);
    const session = new Session(holder, passphrase, kept);
    if (session.facts.key === undefined && kept.received.length > 0) {
      session.stage = holder.goOn(kept.received);
    }
    return session;
  }

  get facts(): HolderFacts {
    return this.holder.facts;
  }

  /** Takes files of the others: keeps them if they fit, and goes on. */
  async take(files: readonly SentFile[]): Promise<void> {
    const received = withNew(this.kept.received, files);
    const stage = this.holder.goOn(received);
    const { opening } = stage;
    const isFirst = opening !== undefined && !this.kept.sent.some((one) => one.name === opening.name);
    const sent = isFirst ? [...this.kept.sent, opening] : this.kept.sent;
    const publicKey = this.holder.publicKey;
    this.stage = stage;
    await this.keep({ sent, received, ...(publicKey && { publicKey }) });
  }

  /** The state of the ceremony in a sentence. */
  waiting(): string {
    const { waitingFor, missing } = this.stage;
    if (this.facts.key !== undefined) {
      return `The key is made. Whoever waits for opening-${this.facts.holder} needs it still.`;
    }
    const send = waitingFor === "openings" ? `Send opening-${this.facts.holder} to the others. ` : "";
    return `${send}Waiting for ${waitingFor ?? "announcements"} of ${missing.join(", ")}.`;
  }

  /** Folders of server and devices with these numbers, which are given before anybody has them. */
  async devices(numbers: readonly bigint[]): Promise<KeyFile[]> {
    const twice = numbers.find((one, at) => this.kept.given.includes(one) || numbers.indexOf(one) !== at);
    if (twice !== undefined) {
      const problem = `device ${twice}: given before, and a number stands for one key; allowed are numbers that were never given.`;
      throw new IsopodError("argument", problem, "devices");
    }
    if (this.kept.publicKey === undefined) {
      throw new IsopodError("key", "The public key is not in this browser; let the holder do it who finished here.", "devices");
    }
    const files = await this.holder.devices(this.kept.publicKey, numbers);
    await this.keep({ given: [...this.kept.given, ...numbers] });
    return files;
  }

  /** The count of contributions, in the holder's file and in the browser's other storage. */
  count(): StoredCount {
    return new StoredCount(this.facts.key ?? "", this.facts.holder, () => this.keep({}));
  }

  /** Does work that no other window of this page does at the same time, so that each counts what the others counted. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return navigator.locks.request(`isopod-holder-${this.facts.key}-${this.facts.holder}`, work) as Promise<T>;
  }

  /**
   * Goes on with a change of holders by files of others, which are kept until the shares are of another generation, and keeps what
   * it gives, with the new share, before anything is shown.
   */
  async change(files: readonly SentFile[], step: (received: readonly SentFile[], sent: string[]) => ChangeStage): Promise<ChangeStage> {
    const before = this.facts.generation;
    const received = withNew(this.kept.changed ?? [], files);
    const own = this.kept.sent.map((one) => one.name);
    const stage = await this.alone(() => Promise.resolve(step(received, own)));
    const changed = this.facts.generation === before ? received : [];
    const isOver = ({ name }: SentFile): boolean => Number(/^refresh(?:ed)?-(\d+)-/.exec(name)?.[1]) <= (before ?? 0);
    const isNew = ({ name }: SentFile): boolean => !stage.files.some((one) => one.name === name);
    const sent = this.kept.sent.filter((one) => isNew(one) && !isOver(one));
    await this.keep({ changed, sent: [...sent, ...stage.files] });
    return stage;
  }

  /** Takes the place of a lost holder. */
  async takeOver(publicKey: Uint8Array, pieces: readonly SentFile[]): Promise<void> {
    await this.holder.takeOver(publicKey, pieces);
    await this.keep({ publicKey });
  }

  private async keep(changes: Partial<Kept>): Promise<void> {
    const { revision } = this.holder;
    const file = revision === this.keptRevision ? this.kept.file : await this.holder.file(this.passphrase);
    const kept = { ...this.kept, ...changes, file };
    await keep(kept);
    [this.kept, this.keptRevision] = [kept, revision];
  }
}

/** Files, and those of others that are not among them. */
function withNew(known: readonly SentFile[], files: readonly SentFile[]): SentFile[] {
  return [...known, ...files.filter((one) => !known.some((other) => sameBytes(one.bytes, other.bytes)))];
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
