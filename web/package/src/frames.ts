/** Encryption of rows of readings into frames, as `isopod encrypt` makes them. */
import { joined, random } from "./bytes.js";
import { packing, type Description } from "./description.js";
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
export interface EncryptOptions {
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
  readonly log2Bound: number;
  /** Of |reading|. */
  readonly bound: number;
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
  const packed = packingOf(set, readings.columns.length, options.rowsPerFrame);
  const settings = settingsOf(set, options);
  const all = Math.ceil(readings.rows.length / packed.rows);
  for (const _ of check(set, readings, settings.bound)) {
    yield { frames: [], done: 0, all };
  }
  const description: Description = { names: [...readings.columns] };
  const work = { key, device: device.secrets, packed, settings, packing: packing(description) };
  let [done, next] = [0, settings.sequence];
  while (done < all) {
    const slice = sliceOf(module, { ...work, settings: { ...settings, sequence: next } }, readings.rows, done);
    slice.frames.forEach((_, index) => options.progress?.(done + index + 1, all));
    [done, next] = [done + slice.frames.length, slice.next];
    yield { frames: slice.frames, done, all };
  }
  return { count: all, rowsPerFrame: packed.rows, epoch: settings.epoch, next, description };
}

/** The size of an encryption of that many rows and columns: encrypts zeros as a whole frame and as the last one. */
export function plan(module: Module, key: PublicKey, rows: number, columns: number, options: EncryptOptions = {}): Plan {
  const packed = packingOf(key.set, columns, options.rowsPerFrame);
  const frames = Math.ceil(rows / packed.rows);
  const nobody = { device: 0n, frameKey: random(32) };
  const work = { key, device: nobody, packed, settings: settingsOf(key.set, options), packing: new Uint8Array(16) };
  const bytesOf = (count: number): number => {
    const zeros = Array.from({ length: count }, () => new Array<number>(columns).fill(0));
    return sliceOf(module, work, zeros, 0).frames[0]?.length ?? 0;
  };
  if (frames < 1) {
    return { frames: 0, rowsPerFrame: packed.rows, bytes: 0, milliseconds: 0 };
  }
  const last = bytesOf(rows - (frames - 1) * packed.rows);
  const start = now();
  let [whole, rounds] = [0, 0];
  do {
    whole = bytesOf(frames > 1 ? packed.rows : rows);
    rounds += 1;
  } while (now() - start < SLICE_MS / 2);
  const milliseconds = (frames * (now() - start)) / rounds;
  return { frames, rowsPerFrame: packed.rows, bytes: (frames - 1) * whole + last, milliseconds };
}

/** All rows that fit, or the wanted number: densely in coefficients, a power of two apart in slots. */
function packingOf(set: ParameterSet, columns: number, wanted?: number): Packing {
  const layout = set.name.endsWith("-air") ? ROUNDED : SLOTS;
  const places = layout === ROUNDED || set.scheme === "bfv" ? set.degree : set.degree / 2;
  if (columns < 1 || columns > places) {
    throw new IsopodError("values", `${columns} columns; allowed are 1 to ${places} under ${set.name}`, "columns");
  }
  const stride = layout === ROUNDED ? columns : Math.max(2, 2 ** Math.ceil(Math.log2(columns)));
  const most = Math.max(1, Math.floor(places / stride));
  const rows = wanted ?? most;
  if (!Number.isInteger(rows) || rows < 1 || rows > most) {
    const problem = `${rows} rows in a frame; allowed are 1 to ${most} for ${columns} columns under ${set.name}`;
    throw new IsopodError("argument", problem, "rowsPerFrame");
  }
  return { layout, rows, stride, columns };
}

function settingsOf(set: ParameterSet, options: EncryptOptions): Settings {
  const { log2Bound = 4, epoch = Math.floor(Date.now() / 1000), sequence = 0n } = options;
  if (!Number.isInteger(log2Bound) || log2Bound < -20 || log2Bound > 40) {
    throw new IsopodError("argument", `the bound 2^${log2Bound}; allowed is a whole power from -20 to 40`, "log2Bound");
  }
  if (!Number.isInteger(epoch) || epoch < 0 || epoch >= 2 ** 32) {
    throw new IsopodError("argument", `epoch ${epoch}; allowed is a whole number below 2^32`, "epoch");
  }
  const most = Math.floor(Number(set.plainModulus ?? 0) / 2);
  const bound = set.scheme === "ckks" ? 2 ** log2Bound : Math.min(Math.max(2 ** log2Bound, 1), most);
  return { log2Bound, bound, epoch, sequence };
}

/** Refuses the first reading that is missing, no number, no integer where integers are needed, or beyond the bound; in slices. */
function* check(set: ParameterSet, readings: Readings, bound: number): Generator<void> {
  if (readings.rows.length === 0) {
    throw new IsopodError("values", "there is no row of readings; allowed is one or more", "rows");
  }
  let end = now() + SLICE_MS;
  for (const [number, row] of readings.rows.entries()) {
    checkRow(set, readings.columns, row, { line: `row ${number + 1}`, bound });
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
  { line, bound }: { readonly line: string; readonly bound: number },
): void {
  if (row.length !== columns.length) {
    const problem = `${line} has ${row.length} values, the header ${columns.length}; give every column a value`;
    throw new IsopodError("values", problem, line);
  }
  row.forEach((value, column) => {
    const problem = problemOf(set, value, bound);
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
  const bound = set.scheme === "bfv" ? settings.bound : 0;
  const words = [
    settings.epoch,
    packed.layout,
    set.scale[1],
    settings.log2Bound,
    bound,
    packed.stride,
    packed.columns,
    ...dropped,
  ];
  words.forEach((word, index) => view.setInt32(at + 16 + 4 * index, word, true));
}

/** The values of a frame, rows a stride apart; the end of the last row is the end. */
function message(set: ParameterSet, rows: Readings["rows"], packed: Packing, frame: number): Float64Array | Int32Array {
  const some = rows.slice(frame * packed.rows, (frame + 1) * packed.rows);
  const count = (some.length - 1) * packed.stride + packed.columns;
  const values = set.scheme === "bfv" ? new Int32Array(count) : new Float64Array(count);
  some.forEach((row, number) => values.set(row, number * packed.stride));
  return values;
}

/** What a slice needs beside its rows. */
interface Work {
  readonly key: PublicKey;
  readonly device: { readonly device: bigint; readonly frameKey: Uint8Array };
  readonly packed: Packing;
  readonly settings: Settings;
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
      const values = message(set, rows, packed, first + frames.length);
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
