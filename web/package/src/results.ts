/** Results: authenticated, checked to be one whole answer, decrypted. */
import { sha3_256 } from "@noble/hashes/sha3.js";
import { concat, hex, same, utf8 } from "./bytes.js";
import { Reader, Writer } from "./cbor.js";
import { columnNames, packing, type Description } from "./columns/description.js";
import { IsopodError, fileError } from "./error.js";
import type { OwnerKey } from "./keys.js";
import type { Module } from "./module.js";
import { openPeriod, type TagAccount } from "./tags.js";

const FIELDS = 30;
const RESULT = 16;
const TFHE_RESULT = 17;
/** Bits of the numbers of linear tags. */
const TAG_BITS = 61;
/** Ranges of frames that a proof names in its line. */
const NAMED_RANGES = 4;
const UNPROVED = "not verified: its linear tag is not that of the sum of these frames. Keep that from the server";
/** Asks for the widest bound on values that the modulus has room for (module/results.h). */
const WIDEST_BOUND = 127;
/** Jobs with one value for each row, and jobs that give rows of several; both answer frame by frame (crates/workflow, job.rs). */
const PER_ROW = ["inner", "linear", "logistic", "sigmoid", "total"];
const PER_FRAME = [...PER_ROW, "filter", "correlation", "moving-average"];
/** Jobs whose model may have several outputs: a frame then has an item for each. A histogram of merged frames has one for each bin. */
const OF_SEVERAL = ["inner", "linear", "logistic", "histogram"];

/** Frames of one device and epoch that entered an answer. */
export interface Range {
  readonly device: bigint;
  readonly epoch: bigint;
  readonly first: bigint;
  readonly last: bigint;
  readonly rows: bigint;
}

/** One item of an answer: rows of values. The items of one frame, an output of a model each, are one with a column for each. */
export interface Item {
  readonly rows: number;
  readonly columns: number;
  /** rows * columns values, row by row. */
  readonly values: Float64Array | Int32Array;
  /** Bound of |value|. */
  readonly bound: number;
  /** What a value may be off, with six deviations of what is random; 0 of integers. */
  readonly error: number;
  /** The frames that entered; undefined where the server left them out. */
  readonly manifest?: readonly Range[];
  /** The frame, of jobs that answer frame by frame. */
  readonly frame?: Range;
}

/** The proof by linear tags: the answer is the sum of just the frames of its manifest. */
export interface Proof {
  readonly frames: bigint;
  readonly devices: number;
  readonly period: number;
  /** A false answer passes with a probability of 2 to the minus this. */
  readonly bits: number;
  /** The proof in a line. */
  readonly text: string;
}

/** One whole answer of the server. What it says is the server's word, sealed for the owner. */
export interface Answer {
  readonly job: string;
  /** Counts the server's answers: one that is not larger than the last was read before, or is late. */
  readonly sequence: bigint;
  readonly items: readonly Item[];
  /** Rows that entered sums of columns; undefined for other jobs, and where only some rows of each frame were asked for. */
  readonly rows?: bigint;
  /** Names of the columns, where a description was given. */
  readonly columns?: readonly string[];
  /** The proof by linear tags; undefined where the answer has none. */
  readonly verified?: Proof;
}

/** Options of `open`. */
export interface OpenOptions {
  /** Name of the file, for messages. */
  readonly name?: string;
  /** The columns of the frames: results of other columns are refused. */
  readonly description?: Description;
  /** Account of the refusals of answers with linear tags; without it they are refused. The server must not learn of a refusal. */
  readonly tags?: TagAccount;
  /** Called after each item. */
  readonly progress?: (done: number, all: number) => void;
}

interface Facts {
  readonly job: string;
  readonly sequence: bigint;
  readonly index: number;
  readonly total: number;
  readonly run: string;
  readonly request: string;
  readonly challenge: string;
  readonly packing?: Uint8Array;
  readonly origin: string;
  /** Number and period of the linear tag. */
  readonly tag?: bigint;
  readonly proof?: Proof;
  readonly item: Item;
}

/** Opens an answer: every item authentic, of one run, all there and in order. */
export function open(module: Module, owner: OwnerKey, bytes: Uint8Array, options: OpenOptions = {}): Answer {
  const name = options.name ?? "results";
  const items = split(bytes, name);
  return module.scope(() => {
    const { blob, link } = owner.secrets;
    const handle = [module.opened("owner_open", owner.set.number, module.give(blob), blob.length), module.give(link)] as const;
    const found = items.map((item, index) => {
      const facts = module.scope(() => read({ module, owner, tags: options.tags }, handle, item, `${name}, result ${index}`));
      options.progress?.(index + 1, items.length);
      return facts;
    });
    return answer(found, name, owner.set.setId, options.description);
  });
}

/** The items of a file, told from frames and other files by their first bytes. */
function split(bytes: Uint8Array, name: string): Uint8Array[] {
  const items: Uint8Array[] = [];
  const reader = new Reader(bytes, name);
  while (reader.left > 0) {
    const start = reader.at;
    checkHead(bytes.subarray(start, start + 4), start, name);
    reader.skip();
    items.push(bytes.subarray(start, reader.at));
  }
  if (items.length === 0) {
    throw fileError(name, "is empty; allowed is what `isopod evaluate --out` wrote, whole");
  }
  return items;
}

function checkHead([head, fields, version, kind]: Uint8Array, start: number, name: string): void {
  if (head === 0x95 && fields === 2 && version === TFHE_RESULT) {
    throw fileError(name, "holds results of TFHE, which the command line opens: isopod decrypt");
  }
  if (head === 0x98 && fields === 25 && version === 2) {
    throw fileError(name, "holds frames; they go to the server, whose answer is opened here");
  }
  if (head !== 0x98 || fields !== FIELDS || version !== 2 || kind !== RESULT) {
    const what = start === 0 ? "is not a file of results" : `is damaged at byte ${start}`;
    throw fileError(name, `${what}; allowed is what \`isopod evaluate --out\` wrote, whole`);
  }
}

/** Everything that opens items. */
interface Opening {
  readonly module: Module;
  readonly owner: OwnerKey;
  readonly tags: TagAccount | undefined;
}

/** Authenticates, decrypts and, where it has a linear tag, proves one item. */
function read(
  { module, owner, tags }: Opening,
  [opened, link]: readonly [number, number],
  item: Uint8Array,
  where: string,
): Facts {
  try {
    module.checked("owner_result", opened, link, module.give(item), item.length);
    const facts = readFacts(module, module.call("owner_facts", opened), owner, where);
    const period = facts.tag === undefined ? undefined : prepare(module, opened, openPeriod(tags, facts.tag, where));
    const count = facts.item.rows * facts.item.columns;
    const width = owner.set.scheme === "bfv" ? 4 : 8;
    const out = module.take(count * width);
    counted(tags, period, () => module.checked("owner_values", opened, WIDEST_BOUND, out, count));
    const data = module.copy(out, count * width).buffer;
    const values = width === 4 ? new Int32Array(data) : new Float64Array(data);
    checkBound(facts.item, values, where);
    const proof = period === undefined ? undefined : proved(facts.item, period, owner);
    return { ...facts, ...(proof && { proof }), item: { ...facts.item, values } };
  } catch (error) {
    throw error instanceof IsopodError && error.field === undefined ? located(error, owner, where) : error;
  }
}

/** Opens the verifier of a period, and gives its number. */
function prepare(module: Module, opened: number, { group, period }: { group: number; period: number }): number {
  module.checked("owner_verifier", opened, group, period);
  return period;
}

/** Counts a refusal before it is told. */
function counted(tags: TagAccount | undefined, period: number | undefined, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (error instanceof IsopodError && error.code === "unproved" && period !== undefined) {
      tags?.refuse(period);
    }
    throw error;
  }
}

function proved(item: Item, period: number, owner: OwnerKey): Proof {
  const ranges = item.manifest ?? [];
  const frames = ranges.reduce((sum, range) => sum + range.last - range.first + 1n, 0n);
  const devices = new Set(ranges.map((range) => range.device)).size;
  const named = ranges.slice(0, NAMED_RANGES).map((r) => `${r.first} to ${r.last} of device ${r.device}, epoch ${r.epoch}`);
  const more = ranges.length > NAMED_RANGES ? `; and ${ranges.length - NAMED_RANGES} more ranges` : "";
  const bits = TAG_BITS - Math.log2(owner.set.degree);
  const sequences = `sequences ${named.join("; ")}${more}`;
  const text = `verified: ${frames} frames of ${devices} devices, ${sequences}; forgery 2^-${bits}`;
  return { frames, devices, period, bits, text };
}

/** A refusal of the device library, with the place and what to do. */
function located(error: IsopodError, owner: OwnerKey, where: string): IsopodError {
  const remedy = "open it with the key of its own fleet, or fetch it again";
  const foreign = `not sealed by the server of key pair ${owner.keyId}, or changed since; ${remedy}`;
  const texts: Partial<Record<typeof error.code, string>> = { authentic: foreign, unproved: UNPROVED };
  return new IsopodError(error.code, `${where}: ${texts[error.code] ?? error.message}`, where);
}

/** Reads `result_facts` (module/results.h). */
function readFacts(module: Module, at: number, owner: OwnerKey, where: string): Facts {
  const view = module.view();
  const word = (index: number): number => view.getUint32(at + 40 + 4 * index, true);
  const bytes = (index: number, length: number): Uint8Array =>
    word(index) === 0 ? new Uint8Array() : module.copy(word(index), length);
  const keyId = bytes(8, 16);
  if (!same(keyId, owner.secrets.keyId)) {
    throw new IsopodError("key", `${where}: for key pair ${hex(keyId)}, this key is ${owner.keyId}; open it with its own`, where);
  }
  const job = new TextDecoder().decode(bytes(12, word(13)));
  const manifest = word(16) === 0 ? undefined : readManifest(bytes(15, word(16)), bytes(14, 32), where);
  const frame = PER_FRAME.includes(job) && manifest?.length === 1 ? manifest[0] : undefined;
  const [bound, error] = [view.getFloat64(at, true), view.getFloat64(at + 8, true)];
  const item = {
    rows: word(3),
    columns: word(4),
    bound,
    error,
    values: new Float64Array(),
    ...(manifest && { manifest }),
    ...(frame && { frame }),
  };
  return {
    job,
    sequence: view.getBigUint64(at + 24, true),
    index: word(0),
    total: word(1),
    run: hex(bytes(9, 16)),
    challenge: hex(bytes(10, 16)),
    request: hex(bytes(11, 32)),
    origin: hex(bytes(14, 32)),
    ...(word(17) !== 0 && { packing: bytes(17, 16) }),
    ...(word(18) !== 0 && { tag: view.getBigUint64(word(18), true) }),
    item,
  };
}

/** The frames that entered (spec/wire.md, section 3): the digest is compared, then the ranges are read. */
function readManifest(bytes: Uint8Array, origin: Uint8Array, where: string): Range[] {
  if (!same(sha3_256(bytes), origin)) {
    throw new IsopodError("result", `${where}: its origin is not the digest of its manifest; ask the server again`, where);
  }
  const reader = new Reader(bytes, where);
  const ranges: Range[] = [];
  for (let left = reader.list("the manifest"); left >= 5n; left -= 5n) {
    const [device, epoch, first] = [reader.uint("a device"), reader.uint("an epoch"), reader.uint("a sequence")];
    ranges.push({ device, epoch, first, last: reader.uint("a sequence"), rows: reader.uint("rows") });
  }
  reader.end();
  return ranges;
}

function checkBound(item: Item, values: Float64Array | Int32Array, where: string): void {
  const most = item.bound + item.error;
  if (!values.every((value) => Math.abs(value) <= most)) {
    throw new IsopodError(
      "result",
      `${where}: a value is beyond the bound that the server proved, ${most}; ask the server again`,
      where,
    );
  }
}

/** One whole answer, or a refusal that says what is missing or foreign. */
function answer(found: readonly Facts[], name: string, setId: Uint8Array, description?: Description): Answer {
  const first = found[0] as Facts; // split found one or more
  found.forEach((facts, at) => checkPlace(facts, at, first, name));
  if (found.length !== first.total) {
    throw new IsopodError(
      "result",
      `${name}: ${found.length} of ${first.total} results; the others are missing: take the whole file`,
      "total",
    );
  }
  const verified = found.some((facts) => facts.proof) ? found.map((facts) => proofOf(facts, name)).at(-1) : undefined;
  if (description !== undefined && !same(packing(description), first.packing ?? new Uint8Array())) {
    throw new IsopodError(
      "result",
      `${name}: of other columns than the description; take the one that was written with the frames`,
      "packing",
    );
  }
  const outputs = outputsOf(found, name);
  const items = together(found, outputs);
  const each = first.job === "histogram" ? "bin" : "output";
  const names = outputs > 1 ? Array.from({ length: outputs }, (_, output) => `${each} ${output + 1}`) : undefined;
  const columns = names ?? (description && (PER_ROW.includes(first.job) ? [first.job] : columnNames(description)));
  const rows = rowsOf(first, setId);
  return { job: first.job, sequence: first.sequence, items, ...(rows !== undefined && { rows }), ...(columns && { columns }), ...(verified && { verified }) };
}

/** The proof of an item, beside others that have one. */
function proofOf({ proof, index }: Facts, name: string): Proof {
  if (proof === undefined) {
    throw new IsopodError("proof", `${name}, result ${index}: not verified: it has no linear tag, and others have`, "tag");
  }
  return proof;
}

/** Rows of the frames that entered, if the request asks for all rows of columns: name and no parameters (spec/wire.md, section 3). */
function rowsOf({ job, request, item }: Facts, setId: Uint8Array): bigint | undefined {
  const plain = new Writer().array(3).bytes(setId).text(job).array(0).done();
  if (request !== hex(sha3_256(concat(utf8("isopod-v2-request"), plain)))) {
    return undefined;
  }
  return item.manifest?.reduce((sum, range) => sum + (range.last - range.first + 1n) * range.rows, 0n);
}

/** Outputs of the model, or bins of merged frames: as many items as the first frame has. Every other frame has as many. */
function outputsOf(found: readonly Facts[], name: string): number {
  const [first] = found as [Facts];
  const other = found.findIndex((facts) => facts.origin !== first.origin);
  const outputs = OF_SEVERAL.includes(first.job) ? (other === -1 ? found.length : other) : 1;
  found.forEach((facts, at) => {
    const begin = at - (at % outputs);
    if (begin + outputs > found.length || facts.origin !== found[begin]?.origin) {
      const problem = `is of another frame than result ${begin}; allowed are ${outputs} results of each: ask the server again`;
      throw new IsopodError("result", `${name}, result ${at}: ${problem}`, "origin");
    }
  });
  return outputs;
}

/** The items of each frame as one, with a column for each output. */
function together(found: readonly Facts[], outputs: number): Item[] {
  const items = found.map((facts) => facts.item);
  if (outputs === 1) {
    return items;
  }
  return Array.from({ length: items.length / outputs }, (_, frame) => {
    const ofFrame = items.slice(frame * outputs, (frame + 1) * outputs);
    const [first] = ofFrame as [Item];
    if (ofFrame.some((item) => item.rows !== first.rows || item.columns !== 1)) {
      const problem = "the outputs of its frame differ in rows, or have several columns; ask the server again";
      throw new IsopodError("result", `result ${frame * outputs}: ${problem}`, "rows");
    }
    const size = first.rows * outputs;
    const all = first.values instanceof Int32Array ? new Int32Array(size) : new Float64Array(size);
    ofFrame.forEach((item, output) => item.values.forEach((value, row) => (all[row * outputs + output] = value)));
    const [bound, error] = [Math.max(...ofFrame.map((item) => item.bound)), Math.max(...ofFrame.map((item) => item.error))];
    return { ...first, columns: outputs, values: all, bound, error };
  });
}

function checkPlace(facts: Facts, at: number, first: Facts, name: string): void {
  const fields = ["run", "sequence", "job", "request", "challenge", "total"] as const;
  const differs = fields.find((field) => facts[field] !== first[field]);
  if (differs !== undefined) {
    const problem = `its ${differs} is not that of result 0; open the answers of each evaluation alone`;
    throw new IsopodError("result", `${name}, result ${at}: ${problem}`, differs);
  }
  if (facts.index !== at) {
    const problem = `is number ${facts.index} of ${facts.total}; results are missing, repeated or swapped: take the whole file`;
    throw new IsopodError("result", `${name}, result ${at}: ${problem}`, "index");
  }
}
