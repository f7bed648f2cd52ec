/** Encryption of rows of readings into frames, as `isopod encrypt` makes them. */
import { joined, random } from "./bytes.js";
import {
  blockOf,
  boundOf,
  columnsOf,
  derivationOf,
  derivedRow,
  isNothing,
  mostReadings,
  type Derivation,
  type DerivedChoice,
} from "./columns/derivation.js";
import { derivedOf, packing, type Description } from "./columns/description.js";
import { IsopodError } from "./error.js";
import type { DeviceKey, PublicKey } from "./keys.js";
import type { Module, ParameterSet } from "./module.js";

const SLICE_MS = 25;
const CHECKED_AT_ONCE = 256;
const SLOTS = 0;
const ROUNDED = 5;
/** Variances: of the error CBD(21), of a ternary coefficient, of a rounding. */
const [ERROR, TERNARY, ROUNDING] = [10.5, 2 / 3, 1 / 12];
/** Shares of the noise that the rounding of c0 and of c1 may add (crates/eval, coefficients/estimate.rs). */
const TOLERANCE = [0.1, 0.15] as const;

/** Rows of numbers under named columns. */
export interface Readings {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly number[])[];
}

/** Choices of an encryption; the defaults are those of the command line. */
export interface EncryptOptions extends DerivedChoice {
  /** The columns of other devices, whose frames these are added to. It takes the place of what else is derived by choice. */
  readonly like?: Description;
  /** Every |reading| is at most 2 to this power. Default: 4. */
  readonly log2Bound?: number;
  /** Rows in a frame; 1 for sums and means over rows. Default: all that fit. */
  readonly rowsPerFrame?: number;
  /** Counts the device's starts; with `sequence` it names a frame, and no name may occur twice. Default: the time in seconds. */
  readonly epoch?: number;
  /** Number of the first frame. Default: 0. */
  readonly sequence?: bigint;
  /** Called after each frame. */
  readonly progress?: (done: number, all: number) => void;
}

/** Frames, one after the other. */
export interface Frames {
  readonly bytes: Uint8Array;
  readonly count: number;
  readonly rowsPerFrame: number;
  readonly epoch: number;
  /** Sequence that follows. */
  readonly next: bigint;
  readonly description: Description;
}

/** How rows lie in a frame. */
interface Packing {
  readonly layout: number;
  readonly rows: number;
  readonly stride: number;
  readonly columns: number;
}

interface Settings {
  /** Of |reading|. */
  readonly bound: number;
  /** Of all columns: log2 of real numbers, and integers themselves. */
  readonly claim: { readonly log2: number; readonly integers: number };
  readonly epoch: number;
  readonly sequence: bigint;
}

/** Size of an encryption, before anything is encrypted. */
export interface Plan {
  readonly frames: number;
  readonly rowsPerFrame: number;
  /** Bytes of all frames; larger numbers of frames may take a few more. */
  readonly bytes: number;
  /** Milliseconds on this machine, from a frame of zeros. */
  readonly milliseconds: number;
  /** Most rows, of all devices, whose columns the modulus has room to add up; 0 where no server adds up columns. */
  readonly mostRows: number;
}

/** Frames of one slice, and how many of all are made. */
export interface Slice {
  readonly frames: readonly Uint8Array[];
  readonly done: number;
  readonly all: number;
}

/** Encrypts readings under the public key, as this device. Every value is checked before anything is encrypted. */
export function encrypt(
  module: Module,
  key: PublicKey,
  device: DeviceKey,
  readings: Readings,
  options: EncryptOptions = {},
): Frames {
  const slices = encryptInSlices(module, key, device, readings, options);
  const made: Uint8Array[] = [];
  for (;;) {
    const slice = slices.next();
    if (slice.done) {
      return { bytes: joined(made), ...slice.value };
    }
    made.push(...slice.value.frames);
  }
}

/**
 * Encrypts in slices of a few hundredths of a second, between which a page can paint, or leave the rest: `next()` gives the frames
 * of a slice, and at last the outcome of all. The first slices check values and hold no frame.
 */
export function* encryptInSlices(
  module: Module,
  key: PublicKey,
  device: DeviceKey,
  readings: Readings,
  options: EncryptOptions = {},
): Generator<Slice, Omit<Frames, "bytes">> {
  const { set } = key;
  if (device.keyId !== key.keyId) {
    const pairs = `device ${device.number} belongs to key pair ${device.keyId}, the public key to ${key.keyId}`;
    const problem = `${pairs}; take both from one fleet`;
    throw new IsopodError("key", problem, "device");
  }
  const derived = derivedAs(options, readings.columns, readings.rows);
  const { packed, settings, row } = shapeOf(set, readings.columns.length, derived, options);
  const all = Math.ceil(readings.rows.length / packed.rows);
  for (const _ of check(set, readings, settings.bound, derived.missing)) {
    yield { frames: [], done: 0, all };
  }
  const description: Description = { names: [...readings.columns], ...(!isNothing(derived) && { derived }) };
  const work = { key, device: device.secrets, packed, settings, row, packing: packing(description) };
  let [done, next] = [0, settings.sequence];
  while (done < all) {
    const slice = sliceOf(module, { ...work, settings: { ...settings, sequence: next } }, readings.rows, done);
    slice.frames.forEach((_, index) => options.progress?.(done + index + 1, all));
    [done, next] = [done + slice.frames.length, slice.next];
    yield { frames: slice.frames, done, all };
  }
  return { count: all, rowsPerFrame: packed.rows, epoch: settings.epoch, next, description };
}

/** The size of an encryption of that many rows of these columns: encrypts zeros as a whole frame and as the last one. */
export function plan(
  module: Module,
  key: PublicKey,
  rows: number,
  names: number | readonly string[],
  options: EncryptOptions = {},
): Plan {
  const columns = typeof names === "number" ? names : names.length;
  const known = typeof names === "number" ? options.like?.names.slice(0, columns) : names;
  const derived = derivedAs(options, known ?? new Array<string>(columns).fill(""), []);
  const { packed, settings, row } = shapeOf(key.set, columns, derived, options);
  const frames = Math.ceil(rows / packed.rows);
  const nobody = { device: 0n, frameKey: random(32) };
  const work = { key, device: nobody, packed, settings, row, packing: new Uint8Array(16) };
  const bytesOf = (count: number): number => {
    const zeros = Array.from({ length: count }, () => new Array<number>(columns).fill(0));
    return sliceOf(module, work, zeros, 0).frames[0]?.length ?? 0;
  };
  const [rowsPerFrame, mostRows] = [packed.rows, mostRowsOf(key.set, settings.claim.log2)];
  if (frames < 1) {
    return { frames: 0, rowsPerFrame, bytes: 0, milliseconds: 0, mostRows };
  }
  const last = bytesOf(rows - (frames - 1) * packed.rows);
  const start = now();
  let [whole, rounds] = [0, 0];
  do {
    whole = bytesOf(frames > 1 ? packed.rows : rows);
    rounds += 1;
  } while (now() - start < SLICE_MS / 2);
  const milliseconds = (frames * (now() - start)) / rounds;
  return { frames, rowsPerFrame, bytes: (frames - 1) * whole + last, milliseconds, mostRows };
}

/** What is derived: as chosen, or as in the columns of other devices, which must be these. */
function derivedAs(options: EncryptOptions, columns: readonly string[], rows: Readings["rows"]): Derivation {
  const { like } = options;
  if (like === undefined) {
    return derivationOf(options, columns.length, rows);
  }
  const derived = derivedOf(like);
  const others = [like.means, like.scales, like.edges, derived.categories].some((list) => list !== undefined && list.length > 0);
  if (others) {
    const problem = "the columns are standardised, counted in buckets alone, or of categories";
    throw new IsopodError("argument", `${problem}; isopod encrypt --like takes these`, "like");
  }
  if (like.names.length !== columns.length || like.names.some((name, at) => name !== columns[at])) {
    const problem = `the columns are ${columns.join(", ")}; allowed are those of the others, in their order`;
    throw new IsopodError("values", `${problem}: ${like.names.join(", ")}`, "like");
  }
  return derived;
}

/** How rows of readings lie in frames, with all that is derived from them. */
function shapeOf(
  set: ParameterSet,
  readings: number,
  derived: Derivation,
  options: EncryptOptions,
): Pick<Work, "packed" | "settings" | "row"> {
  const [columns, places] = [columnsOf(derived, readings), placesOf(set)];
  if (!isNothing(derived) && columns > places) {
    const found = `${readings} columns make ${columns} with all that is derived from them`;
    const most = mostReadings(derived, places);
    throw new IsopodError("values", `${found}; allowed in a frame of ${places} places are at most ${most}`, "columns");
  }
  const [packed, settings] = [packingOf(set, columns, options.rowsPerFrame), settingsOf(set, derived, options)];
  const block = blockOf(derived, readings);
  return { packed, settings, row: isNothing(derived) ? (row) => row : (row) => derivedRow(derived, block, row, 0) };
}

function layoutOf(set: ParameterSet): number {
  return set.name.endsWith("-air") ? ROUNDED : SLOTS;
}

function placesOf(set: ParameterSet): number {
  return layoutOf(set) === ROUNDED || set.scheme === "bfv" ? set.degree : set.degree / 2;
}

/** All rows that fit, or the wanted number: densely in coefficients, a power of two apart in slots. */
function packingOf(set: ParameterSet, columns: number, wanted?: number): Packing {
  const [layout, places] = [layoutOf(set), placesOf(set)];
  if (columns < 1 || columns > places) {
    throw new IsopodError("values", `${columns} columns; allowed are 1 to ${places} under ${set.name}`, "columns");
  }
  const stride = layout === ROUNDED ? columns : 2 ** Math.ceil(Math.log2(columns));
  const most = Math.max(1, Math.floor(places / stride));
  const rows = wanted ?? most;
  if (!Number.isInteger(rows) || rows < 1 || rows > most) {
    const problem = `${rows} rows in a frame; allowed are 1 to ${most} for ${columns} columns under ${set.name}`;
    throw new IsopodError("argument", problem, "rowsPerFrame");
  }
  return { layout, rows, stride, columns };
}

function settingsOf(set: ParameterSet, derived: Derivation, options: EncryptOptions): Settings {
  const { log2Bound = 4, epoch = Math.floor(Date.now() / 1000), sequence = 0n } = options;
  if (!Number.isInteger(log2Bound) || log2Bound < -20 || log2Bound > 40) {
    throw new IsopodError("argument", `the bound 2^${log2Bound}; allowed is a whole power from -20 to 40`, "log2Bound");
  }
  if (!Number.isInteger(epoch) || epoch < 0 || epoch >= 2 ** 32) {
    throw new IsopodError("argument", `epoch ${epoch}; allowed is a whole number below 2^32`, "epoch");
  }
  const log2 = boundOf(derived, log2Bound);
  const room = roomOf(set);
  if (log2 !== log2Bound && log2 > room) {
    const problem = `readings up to ${2 ** log2Bound} have squares up to ${2 ** log2}, which leave the modulus of ${set.name}`;
    throw new IsopodError("argument", `${problem}; allowed is at most ${2 ** Math.floor(room / 2)}, or no squares`, "log2Bound");
  }
  const most = Math.floor(Number(set.plainModulus ?? 0) / 2);
  const integers = (bits: number): number => Math.min(Math.max(2 ** bits, 1), most);
  const bound = set.scheme === "ckks" ? 2 ** log2Bound : integers(log2Bound);
  return { bound, claim: { log2, integers: set.scheme === "bfv" ? integers(log2) : 0 }, epoch, sequence };
}

/** Rows up to 2^log2 whose sums stay within half of the modulus. In slots a server adds up columns by rotations. */
function mostRowsOf(set: ParameterSet, log2: number): number {
  if (layoutOf(set) === SLOTS && !set.keySwitching) {
    return 0;
  }
  const modulus = set.plainModulus ?? set.primes.reduce((product, prime) => product * prime, 1n);
  const scale = set.scheme === "ckks" ? set.scale[1] : 0;
  return Math.floor(Number(modulus) / 2 ** (1 + scale + log2));
}

/** log2 of the largest value that the modulus has room for. */
function roomOf(set: ParameterSet): number {
  const log2 = (value: bigint): number => value.toString(2).length - 1;
  return set.plainModulus === undefined
    ? set.primes.reduce((sum, prime) => sum + log2(prime), 0) - 1 - set.scale[1]
    : log2(set.plainModulus / 2n);
}

/** Refuses the first reading that is missing, no number, no integer where integers are needed, or beyond the bound; in slices. */
function* check(set: ParameterSet, readings: Readings, bound: number, missing: boolean): Generator<void> {
  if (readings.rows.length === 0) {
    throw new IsopodError("values", "there is no row of readings; allowed is one or more", "rows");
  }
  let end = now() + SLICE_MS;
  for (const [number, row] of readings.rows.entries()) {
    checkRow(set, readings.columns, row, { line: `row ${number + 1}`, bound, missing });
    if (number % CHECKED_AT_ONCE === 0 && now() > end) {
      yield;
      end = now() + SLICE_MS;
    }
  }
}

function checkRow(
  set: ParameterSet,
  columns: readonly string[],
  row: readonly number[],
  { line, bound, missing }: { readonly line: string; readonly bound: number; readonly missing: boolean },
): void {
  if (row.length !== columns.length) {
    const problem = `${line} has ${row.length} values, the header ${columns.length}; give every column a value`;
    throw new IsopodError("values", problem, line);
  }
  row.forEach((value, column) => {
    const problem = missing && Number.isNaN(value) ? undefined : problemOf(set, value, bound);
    if (problem !== undefined) {
      const where = `${line}, column ${columns[column]}`;
      throw new IsopodError("values", `${where}: ${problem}`, where);
    }
  });
}

function problemOf(set: ParameterSet, value: number, bound: number): string | undefined {
  if (!Number.isFinite(value)) {
    return `${value} is no finite number; correct the cell or leave the row out`;
  }
  if (Math.abs(value) > bound) {
    return `${value} is beyond the bound; allowed is -${bound} to ${bound}; raise the bound, or scale the readings down`;
  }
  if (set.scheme === "bfv" && !Number.isInteger(value)) {
    return `${value} is no integer; ${set.name} takes integers, sets that begin with ckks- take all numbers`;
  }
  return undefined;
}

/** Low bits of rounded coefficients that drown in the noise, as the command line drops them. */
function droppable(set: ParameterSet): [number, number] {
  const product = set.degree * TERNARY * ERROR;
  const noise = ERROR + 2 * product + (set.scheme === "ckks" ? ROUNDING : 0);
  const modulus = Math.log2(Number(set.primes.reduce((one, other) => one * other, 1n)));
  const most = set.scheme === "ckks" ? set.scale[1] : modulus - 2;
  const bits = (variance: number, share: number): number => {
    let dropped = 0;
    while (dropped + 1 <= most && variance * 4 ** (dropped + 1) <= share * noise) {
      dropped += 1;
    }
    return dropped;
  };
  return [bits(ROUNDING, TOLERANCE[0]), bits(ROUNDING * TERNARY * set.degree, TOLERANCE[1])];
}

/** Writes the numbers of `frame_settings` (module/frames.h). */
function write(module: Module, at: number, set: ParameterSet, settings: Settings, packed: Packing): void {
  const view = module.view();
  view.setBigUint64(at + 8, settings.sequence, true);
  const dropped = packed.layout === ROUNDED ? droppable(set) : [0, 0];
  const words = [
    settings.epoch,
    packed.layout,
    set.scale[1],
    settings.claim.log2,
    settings.claim.integers,
    packed.stride,
    packed.columns,
    ...dropped,
  ];
  words.forEach((word, index) => view.setInt32(at + 16 + 4 * index, word, true));
}

/** The values of a frame, rows a stride apart; the end of the last row is the end. */
function message({ key: { set }, packed, row }: Work, rows: Readings["rows"], frame: number): Float64Array | Int32Array {
  const some = rows.slice(frame * packed.rows, (frame + 1) * packed.rows);
  const count = (some.length - 1) * packed.stride + packed.columns;
  const values = set.scheme === "bfv" ? new Int32Array(count) : new Float64Array(count);
  some.forEach((readings, number) => values.set(row(readings), number * packed.stride));
  return values;
}

/** What a slice needs beside its rows. */
interface Work {
  readonly key: PublicKey;
  readonly device: { readonly device: bigint; readonly frameKey: Uint8Array };
  readonly packed: Packing;
  readonly settings: Settings;
  /** The columns of a row of readings. */
  readonly row: (readings: readonly number[]) => ArrayLike<number>;
  readonly packing: Uint8Array;
}

/** Encrypts frames from the given one on until the time of a slice is over, and gives the sequence that follows. */
function sliceOf(module: Module, work: Work, rows: Readings["rows"], first: number): { frames: Uint8Array[]; next: bigint } {
  const { key, device, packed, settings } = work;
  const { set } = key;
  return module.scope(() => {
    const opened = module.opened("device_open", set.number, module.give(key.blob), key.blob.length);
    const at = module.call("device_settings", opened);
    write(module, at, set, settings, packed);
    module.view().setBigUint64(at, device.device, true);
    module.bytes(at + 52, 32).set(device.frameKey);
    module.bytes(at + 84, 16).set(work.packing);
    const capacity = 2 * set.primes.length * set.degree * set.wordBytes + 4096;
    const out = module.take(capacity);
    const frames: Uint8Array[] = [];
    const end = now() + SLICE_MS;
    do {
      const values = message(work, rows, first + frames.length);
      const length = module.scope(() => {
        const [data, entropy] = [module.give(new Uint8Array(values.buffer)), module.give(random(32))];
        return module.checked("device_frame", opened, data, values.length, entropy, out, capacity);
      });
      frames.push(module.copy(out, length));
    } while ((first + frames.length) * packed.rows < rows.length && now() < end);
    return { frames, next: module.view().getBigUint64(at + 8, true) };
  });
}

/** Milliseconds of a clock that never goes back. */
function now(): number {
  return globalThis.performance.now();
}
