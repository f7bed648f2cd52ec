/** The WebAssembly module: its memory, its statuses, its sets. */
import { IsopodError, type Code } from "./error.js";

/** A parameter set. */
export interface ParameterSet {
  readonly number: number;
  readonly name: string;
  readonly setId: Uint8Array;
  readonly scheme: "ckks" | "bfv";
  readonly degree: number;
  /** Data primes. */
  readonly primes: readonly bigint[];
  /** Bytes of a residue in a key. */
  readonly wordBytes: number;
  readonly label: "128" | "compat-2018" | "compat-tfhepp" | "research";
  /** log2 of the scale of CKKS: least, default, most. */
  readonly scale: readonly [number, number, number];
  /** Whether a server can hold keys for products and rotations under it. */
  readonly keySwitching: boolean;
  /** t of BFV. */
  readonly plainModulus?: bigint;
}

const LABELS = ["research", "128", "compat-2018", "compat-tfhepp"] as const;
const STATUS_MEMORY = -100;
/** Kinds of the statuses of isopod/status.h; the others are the device library's. */
const CODES: Readonly<Record<number, Code>> = {
  [-5]: "values",
  [-7]: "values",
  [-8]: "values",
  [-9]: "values",
  [-11]: "key",
  [-12]: "key",
  [-13]: "key",
  [-31]: "authentic",
  [-32]: "result",
  [-33]: "result",
  [-35]: "result",
  [-36]: "result",
  [-37]: "unproved",
  [-38]: "proof",
};

type Call = (...values: number[]) => number;

/** A source of the module: its bytes, a response that brings them, or a compiled module. */
export type Source = BufferSource | WebAssembly.Module | Response;

/** One instance. Its calls are not reentrant; what they take is given back when `scope` ends. */
export class Module {
  readonly sets: readonly ParameterSet[];
  private readonly memory: WebAssembly.Memory;
  private readonly calls: Readonly<Record<string, Call>>;

  private constructor(instance: WebAssembly.Instance) {
    this.memory = instance.exports["memory"] as WebAssembly.Memory;
    this.calls = instance.exports as unknown as Record<string, Call>;
    this.sets = this.scope(() => this.readSets());
  }

  /** Compiles and starts the module. */
  static async load(source: Source | PromiseLike<Source>): Promise<Module> {
    const module = await compiled(await source);
    try {
      return new Module(await WebAssembly.instantiate(module));
    } catch (error) {
      throw error instanceof RangeError ? outOfMemory() : error;
    }
  }

  /** Calls an export. */
  call(name: string, ...values: number[]): number {
    const call = this.calls[name];
    if (call === undefined) {
      const problem = "this is isopod-decrypt.wasm, which opens results only; load isopod.wasm to make keys and to encrypt";
      throw new IsopodError("argument", problem, "module");
    }
    return call(...values);
  }

  /** Calls an export that returns a status below 0 when it refuses. */
  checked(name: string, ...values: number[]): number {
    const result = this.call(name, ...values);
    if (result < 0) {
      throw this.refusal(result);
    }
    return result;
  }

  /** Calls an export that returns an address, or 0 and a status behind its arguments. */
  opened(name: string, ...values: number[]): number {
    const status = this.take(4);
    const address = this.call(name, ...values, status);
    if (address === 0) {
      throw this.refusal(this.view().getInt32(status, true));
    }
    return address;
  }

  /** Gives back, wiped, all memory that `work` takes. */
  scope<T>(work: () => T): T {
    const mark = this.call("memory_mark");
    try {
      return work();
    } finally {
      this.call("memory_release", mark);
    }
  }

  /** Takes memory, zeroed, until the scope ends. */
  take(bytes: number): number {
    const address = bytes < 2 ** 32 ? this.call("memory_take", bytes) >>> 0 : 0;
    if (address === 0) {
      throw outOfMemory();
    }
    return address;
  }

  /** A copy of bytes in the module's memory. */
  give(bytes: Uint8Array): number {
    const address = this.take(bytes.length);
    this.bytes(address, bytes.length).set(bytes);
    return address;
  }

  /** Bytes of the module's memory, in place until the next call. */
  bytes(address: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, address, length);
  }

  /** A copy of bytes of the module's memory. */
  copy(address: number, length: number): Uint8Array {
    return this.bytes(address, length).slice();
  }

  view(): DataView {
    return new DataView(this.memory.buffer);
  }

  /** The set of this name. */
  set(name: string): ParameterSet {
    const found = this.sets.find((set) => set.name === name);
    if (found === undefined) {
      const allowed = this.sets.map((set) => set.name).join(", ");
      throw new IsopodError("argument", `${name} is no set of this module; allowed are ${allowed}`, "set");
    }
    return found;
  }

  private refusal(status: number): IsopodError {
    return status === STATUS_MEMORY
      ? outOfMemory()
      : new IsopodError(CODES[status] ?? "device", this.text(this.call("status_text", status)));
  }

  private text(address: number): string {
    const bytes = new Uint8Array(this.memory.buffer);
    return new TextDecoder().decode(bytes.slice(address, bytes.indexOf(0, address)));
  }

  private readSets(): ParameterSet[] {
    const sets: ParameterSet[] = [];
    for (let at = this.call("set_describe", 0); at !== 0; at = this.call("set_describe", sets.length)) {
      sets.push(this.readSet(sets.length, at));
    }
    return sets;
  }

  /** Reads `set_facts` of module.h. */
  private readSet(number: number, at: number): ParameterSet {
    const view = this.view();
    const word = (index: number): number => view.getUint32(at + 8 + 4 * index, true);
    const plain = view.getBigUint64(at, true);
    return {
      number,
      name: this.text(word(0)),
      setId: this.copy(word(1), 8),
      scheme: plain === 0n ? "ckks" : "bfv",
      degree: word(2),
      primes: Array.from({ length: word(3) }, (_, prime) => view.getBigUint64(at + 48 + 8 * prime, true)),
      wordBytes: word(4),
      label: LABELS[word(5)] ?? "research",
      scale: [word(6), word(7), word(8)],
      keySwitching: word(9) !== 0,
      ...(plain === 0n ? {} : { plainModulus: plain }),
    };
  }
}

async function compiled(source: Source): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) {
    return source;
  }
  return WebAssembly.compile(source instanceof Response ? await source.arrayBuffer() : source);
}

function outOfMemory(): IsopodError {
  const remedy = "close other tabs or programs, or take fewer rows at once or a smaller parameter set, and try again";
  return new IsopodError("memory", `the machine gives WebAssembly no more memory; ${remedy}`);
}
