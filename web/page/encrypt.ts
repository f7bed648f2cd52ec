/** A table of a text file becomes frames: what they will take is shown before, and the work is done in slices. */
import {
  DeviceKey,
  IsopodError,
  describe,
  readDescription,
  type EncryptOptions,
  type Frames,
  type Isopod,
  type Moments,
  type OwnerKey,
  type Plan,
  type PublicKey,
  type Readings,
} from "../package/src/index.js";
import { ask, bytesOf, download, element, file, list, made, problemOf, say, type Kind, type Question } from "./dom.js";
import { decoded, readings, type Decimal, type Format } from "./readings.js";
import { Slices, Stopped } from "./slices.js";

/** Frames beyond either are asked about before they are made. */
const [MANY_BYTES, LONG_MS] = [5e7, 1e4];
const JOINED_AT = 1 << 24;

/** Keys that are open, and the names of frames. */
export interface Session {
  owner?: OwnerKey;
  publicKey?: PublicKey;
  epoch: number;
  sequence: bigint;
}

/** A table that was read, or is being read. */
interface Reading {
  readonly file: File;
  readonly format: Format;
  readonly table: Promise<Readings>;
  readonly stop: AbortController;
}

/** The frames of a table as chosen, and with all rows that fit in each. */
interface Foreseen {
  readonly chosen: Plan;
  readonly dense: Plan;
}

/** The form that encrypts. */
export class Encryption {
  private reading: Reading | undefined;
  private choice = 0;

  constructor(
    private readonly isopod: Isopod,
    private readonly session: Session,
  ) {
    element("encrypt-form").addEventListener("change", () => void this.foresee());
    void this.foresee();
  }

  /** Shows rows, frames, bytes and time of what is chosen. */
  async foresee(): Promise<void> {
    const choice = (this.choice += 1);
    const tell = (text: string, kind: Kind = "note"): void => {
      if (this.choice === choice) {
        say("plan", text, kind);
      }
    };
    tell("");
    try {
      const options = await optionsChosen();
      tellCommand(options);
      if (file("csv") === undefined) {
        return;
      }
      const [table, key] = [await this.table(), await this.publicKey()];
      if (key === undefined) {
        tell(`${sizeOf(table)}. Make keys, or choose public.key, to see what its frames take.`);
      } else {
        const foreseen = this.foreseen(table, key, options);
        const lack = lackOf(table, foreseen.chosen, key.set.name);
        const kind = isHeavy(foreseen.chosen) || lack !== "" ? "heavy" : "note";
        tell(`${sizeOf(table)}. Encrypted: ${takes(foreseen.chosen)}${remedy(foreseen)}.${lack}`, kind);
      }
    } catch (error) {
      tell(...problemOf(error));
    }
  }

  /** Encrypts the chosen table, and gives what shows its frames. */
  async run(slices: Slices): Promise<() => void> {
    const [table, options] = [await slices.unless(this.table()), await optionsChosen()];
    const { publicKey, device } = await this.sender();
    const foreseen = this.foreseen(table, publicKey, options);
    if (isHeavy(foreseen.chosen) && !(await ask(question(table, foreseen)))) {
      throw new Stopped("Nothing was encrypted.");
    }
    const made = await this.frames(publicKey, device, table, options, slices);
    return () => {
      list("frames", [
        download("frames.bin", made.bytes, "For the server, by any way."),
        download("columns.json", describe(made.frames.description), "Stays with you: names the columns of results."),
      ]);
      const { count } = made.frames;
      say(
        "encrypt-message",
        `${rowsOf(table)} are encrypted in ${counted(count, "frame")} of device ${device.number}, ` +
          `${made.bytes.size.toLocaleString("en")} bytes, for key pair ${publicKey.keyId}.`,
      );
    };
  }

  private async frames(
    publicKey: PublicKey,
    device: DeviceKey,
    table: Readings,
    options: EncryptOptions,
    slices: Slices,
  ): Promise<{ bytes: Blob; frames: Omit<Frames, "bytes"> }> {
    const { epoch, sequence } = this.session;
    const work = this.isopod.encryptInSlices(publicKey, device, table, { ...options, epoch, sequence });
    let [parts, size]: [BlobPart[], number] = [[], 0];
    for (;;) {
      const step = work.next();
      if (step.done) {
        return { bytes: new Blob(parts), frames: step.value };
      }
      const { frames, done, all } = step.value;
      this.session.sequence = sequence + BigInt(done); // a name is used once, whether its frame is kept or not
      parts.push(...frames.map((frame) => frame as BlobPart));
      size += frames.reduce((sum, frame) => sum + frame.length, 0);
      if (size > JOINED_AT) {
        [parts, size] = [[new Blob(parts)], 0];
      }
      await slices.turn(() => `Encrypting: ${done.toLocaleString("en")} of ${counted(all, "frame")}…`);
    }
  }

  /** The chosen table, read once. */
  private table(): Promise<Readings> {
    const [chosen, format] = [file("csv"), { decimal: selected("decimal") as Decimal, missing: selected("missing") === "count" }];
    if (chosen === undefined || this.reading?.file !== chosen || !isSame(this.reading.format, format)) {
      this.reading?.stop.abort(new Stopped("Another choice was made meanwhile; press the button again."));
      const stop = new AbortController();
      const slices = new Slices(stop.signal, (progress) => say("plan", progress, "note"));
      const read = async (): Promise<Readings> => {
        const [bytes, name] = [await bytesOf("csv", "a CSV file"), chosen?.name ?? ""];
        return readings(decoded(bytes, name), name, format, slices);
      };
      const table = read();
      if (chosen === undefined) {
        return table;
      }
      this.reading = { file: chosen, format, table, stop };
    }
    return this.reading.table;
  }

  /** The public key of the chosen file, or of the session. */
  private async publicKey(): Promise<PublicKey | undefined> {
    const chosen = file("public-file");
    return chosen === undefined
      ? this.session.publicKey
      : this.isopod.openPublicKey(await bytesOf("public-file", "public.key"), chosen.name);
  }

  /** The sender: of the files, or of the session. */
  private async sender(): Promise<{ publicKey: PublicKey; device: DeviceKey }> {
    const publicKey = await this.publicKey();
    if (publicKey === undefined) {
      throw new IsopodError("key", "No public key: make keys above, or choose the file public.key.", "public-file");
    }
    const frameFile = file("frame-file");
    if (frameFile !== undefined) {
      return { publicKey, device: DeviceKey.open(await bytesOf("frame-file", "frame.key"), frameFile.name) };
    }
    const number = /^\s*(\d{1,18})\s*$/.exec(element<HTMLInputElement>("device-number").value)?.[1];
    if (this.session.owner === undefined || number === undefined) {
      throw new IsopodError(
        "key",
        "No device: give the number of one of the keys above, or choose the file frame.key.",
        "frame-file",
      );
    }
    return { publicKey, device: this.session.owner.device(BigInt(number)) };
  }

  private foreseen({ rows, columns }: Readings, key: PublicKey, options: EncryptOptions): Foreseen {
    const plan = (options: EncryptOptions): Plan => this.isopod.plan(key, rows.length, columns, options);
    const { rowsPerFrame: _, ...dense } = options;
    return { chosen: plan(options), dense: plan(dense) };
  }
}

function selected(id: string): string {
  return element<HTMLSelectElement>(id).value;
}

function isSame(one: Format, other: Format): boolean {
  return one.decimal === other.decimal && one.missing === other.missing;
}

/** What is chosen in the form. A description of other devices takes the place of what is asked of the columns. */
async function optionsChosen(): Promise<EncryptOptions> {
  const [log2Bound, like] = [Number(selected("bound")), file("like-file")];
  const common = { log2Bound, ...(selected("per-frame") === "1" && { rowsPerFrame: 1 }) };
  ["moments", "quantiles"].forEach((id) => (element<HTMLSelectElement>(id).disabled = like !== undefined));
  if (like !== undefined) {
    return { ...common, like: readDescription(await like.text(), like.name) };
  }
  const [moments, quantiles] = [selected("moments") as Moments, Number(selected("quantiles"))];
  return { ...common, moments, quantiles, missing: selected("missing") === "count" };
}

/** Shows the command of the server that answers what the frames are for. */
function tellCommand({ moments = "none", quantiles = 0, missing, like, rowsPerFrame }: EncryptOptions): void {
  const isDerived = moments !== "none" || quantiles !== 0 || missing || like?.derived !== undefined;
  const job = isDerived ? "column-sum" : rowsPerFrame === 1 ? "mean" : "column-mean";
  const words = ["isopod evaluate", "--keys server", `--job ${job}`, "--in frames.bin", "--out results.bin"];
  element("command").replaceChildren(...words.flatMap((word) => [" ", made("span", word)]).slice(1));
}

function question(table: Readings, foreseen: Foreseen): Question {
  const size = amount(foreseen.chosen.bytes);
  return {
    title: `Make ${size} of frames?`,
    text: `${rowsOf(table)} become ${takes(foreseen.chosen)}${remedy(foreseen)}. The page stays usable, and “Stop” ends the work.`,
    careful: "Back",
    anyway: `Encrypt ${size}`,
  };
}

/** Names the choice that takes less, if there is one. */
function remedy({ chosen, dense }: Foreseen): string {
  return dense.bytes < chosen.bytes ? `; with all rows that fit in each frame, ${takes(dense)}` : "";
}

/** What keeps a server from adding up the columns of these rows, and the choice that has it. */
function lackOf({ rows }: Readings, { mostRows }: Plan, set: string): string {
  if (mostRows === 0) {
    return ` No server adds up columns under ${set}: make keys of a set that ends with -air for sums and means of columns.`;
  }
  const most = counted(mostRows, "row");
  const remedy = "choose a smaller largest reading, or make keys of a set for more digits";
  return rows.length > mostRows ? ` ${set} has room for the sums of ${most}: ${remedy}.` : "";
}

function isHeavy(plan: Plan): boolean {
  return plan.bytes > MANY_BYTES || plan.milliseconds > LONG_MS;
}

function takes(plan: Plan): string {
  return `${counted(plan.frames, "frame")}, about ${amount(plan.bytes)} and ${duration(plan.milliseconds)}`;
}

function sizeOf(table: Readings): string {
  return `${rowsOf(table)} of ${counted(table.columns.length, "column")}`;
}

function rowsOf(table: Readings): string {
  return counted(table.rows.length, "row");
}

function counted(count: number, name: string): string {
  return `${count.toLocaleString("en")} ${name}${count === 1 ? "" : "s"}`;
}

/** Bytes in two or three digits. */
function amount(bytes: number): string {
  const [unit, name] = (
    [
      [1e9, "GB"],
      [1e6, "MB"],
      [1e3, "KB"],
    ] as const
  ).find(([least]) => bytes >= least) ?? [1, "bytes"];
  return `${Number((bytes / unit).toPrecision(bytes / unit >= 100 ? 3 : 2)).toLocaleString("en")} ${name}`;
}

function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 1) {
    return "less than a second";
  }
  return seconds < 100 ? counted(Math.ceil(seconds), "second") : counted(Math.ceil(seconds / 60), "minute");
}
