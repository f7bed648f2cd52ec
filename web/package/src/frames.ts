/** Encryption of rows of readings into frames, as `isopod encrypt` makes them. */
import { concat, random } from "./bytes.js";
import { packing, type Description } from "./description.js";
import { IsopodError } from "./error.js";
import type { DeviceKey, PublicKey } from "./keys.js";
import type { Module, ParameterSet } from "./module.js";

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

/** Encrypts readings under the public key, as this device. Every value is checked before anything is encrypted. */
export function encrypt(
  module: Module,
  key: PublicKey,
  device: DeviceKey,
  readings: Readings,
  options: EncryptOptions = {},
): Frames {
  const { set } = key;
  if (device.keyId !== key.keyId) {
    const pairs = `device ${device.number} belongs to key pair ${device.keyId}, the public key to ${key.keyId}`;
    const problem = `${pairs}; take both from one fleet`;
    throw new IsopodError("key", problem, "device");
  }
  const packed = packingOf(set, readings.columns.length, options.rowsPerFrame);
  const settings = settingsOf(set, options);
  check(set, readings, settings.bound);
  const description: Description = { names: [...readings.columns] };
  return module.scope(() => {
    const opened = module.opened("device_open", set.number, module.give(key.blob), key.blob.length);
    const at = module.call("device_settings", opened);
    write(module, at, set, settings, packed);
    module.view().setBigUint64(at, device.number, true);
    module.bytes(at + 52, 32).set(device.secrets.frameKey);
    module.bytes(at + 84, 16).set(packing(description));
    const frames = eachFrame(module, opened, set, messages(set, readings.rows, packed), options.progress);
    const next = module.view().getBigUint64(at + 8, true);
    return {
      bytes: concat(...frames),
      count: frames.length,
      rowsPerFrame: packed.rows,
      epoch: settings.epoch,
      next,
      description,
    };
  });
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

/** Refuses the first reading that is missing, no number, no integer where integers are needed, or beyond the bound. */
function check(set: ParameterSet, readings: Readings, bound: number): void {
  if (readings.rows.length === 0) {
    throw new IsopodError("values", "there is no row of readings; allowed is one or more", "rows");
  }
  readings.rows.forEach((row, number) => {
    const line = `row ${number + 1}`;
    if (row.length !== readings.columns.length) {
      const problem = `${line} has ${row.length} values, the header ${readings.columns.length}; give every column a value`;
      throw new IsopodError("values", problem, line);
    }
    row.forEach((value, column) => {
      const problem = problemOf(set, value, bound);
      if (problem !== undefined) {
        const where = `${line}, column ${readings.columns[column]}`;
        throw new IsopodError("values", `${where}: ${problem}`, where);
      }
    });
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

type Values = Float64Array | Int32Array;

/** The values of each frame, rows a stride apart; the end of the last row is the end. */
function messages(set: ParameterSet, rows: Readings["rows"], packed: Packing): Values[] {
  return Array.from({ length: Math.ceil(rows.length / packed.rows) }, (_, frame) => {
    const some = rows.slice(frame * packed.rows, (frame + 1) * packed.rows);
    const count = (some.length - 1) * packed.stride + packed.columns;
    const values = set.scheme === "bfv" ? new Int32Array(count) : new Float64Array(count);
    some.forEach((row, number) => values.set(row, number * packed.stride));
    return values;
  });
}

function eachFrame(
  module: Module,
  opened: number,
  set: ParameterSet,
  all: Values[],
  progress?: (done: number, all: number) => void,
): Uint8Array[] {
  const capacity = 2 * set.primes.length * set.degree * set.wordBytes + 4096;
  const out = module.take(capacity);
  return all.map((values, index) => {
    const length = module.scope(() => {
      const [data, entropy] = [module.give(new Uint8Array(values.buffer)), module.give(random(32))];
      return module.checked("device_frame", opened, data, values.length, entropy, out, capacity);
    });
    progress?.(index + 1, all.length);
    return module.copy(out, length);
  });
}
