/** The module of several owners: a call takes a step and byte strings, and gives byte strings (crates/holders-wasm). */
import { utf8 } from "../bytes.js";
import { IsopodError } from "../error.js";
import type { Source } from "../module.js";

interface Exports {
  readonly memory: WebAssembly.Memory;
  isopod_holders_take(length: number): number;
  isopod_holders_release(address: number, length: number): void;
  isopod_holders_run(address: number, length: number): number;
}

const WORD = 4;
/** Most bytes of one call of crypto.getRandomValues. */
const ENTROPY = 65536;

/** One instance. It keeps nothing between calls, and wipes what they took. */
export class HolderModule {
  private constructor(private readonly exports: Exports) {}

  /** Compiles and starts the module. */
  static async load(source: Source | PromiseLike<Source>): Promise<HolderModule> {
    const given = await source;
    const bytes = given instanceof Response ? await given.arrayBuffer() : given;
    const module = bytes instanceof WebAssembly.Module ? bytes : await WebAssembly.compile(bytes);
    let memory: WebAssembly.Memory | undefined;
    const entropy = (address: number, length: number): number => {
      if (memory === undefined) {
        return 1;
      }
      for (let at = 0; at < length; at += ENTROPY) {
        const part = new Uint8Array(memory.buffer, (address >>> 0) + at, Math.min(ENTROPY, length - at));
        globalThis.crypto.getRandomValues(part);
      }
      return 0;
    };
    const instance = await WebAssembly.instantiate(module, { isopod: { entropy } });
    const exports = instance.exports as unknown as Exports;
    memory = exports.memory;
    return new HolderModule(exports);
  }

  /** Runs a step. The first byte string that it gives is facts in JSON, which are parsed. */
  run<T>(step: string, parameters: unknown, ...chunks: readonly Uint8Array[]): { facts: T; chunks: Uint8Array[] } {
    const [status, [first, ...rest]] = this.call([utf8(step), utf8(JSON.stringify(parameters)), ...chunks]);
    const told: unknown = JSON.parse(new TextDecoder().decode(first));
    if (status === 0) {
      return { facts: told as T, chunks: rest };
    }
    const { holder, problem } = told as { holder: string | null; problem: string };
    throw new IsopodError(holder === null ? "argument" : "holder", problem, holder ?? undefined);
  }

  private call(chunks: readonly Uint8Array[]): [number, Uint8Array[]] {
    const head = WORD * (1 + chunks.length);
    const length = chunks.reduce((sum, chunk) => sum + chunk.length, head);
    const given = this.exports.isopod_holders_take(length) >>> 0;
    let view = new DataView(this.exports.memory.buffer);
    view.setUint32(given, chunks.length, true);
    let at = given + head;
    chunks.forEach((chunk, number) => {
      view.setUint32(given + WORD * (1 + number), chunk.length, true);
      new Uint8Array(this.exports.memory.buffer).set(chunk, at);
      at += chunk.length;
    });
    const result = this.exports.isopod_holders_run(given, length) >>> 0;
    this.exports.isopod_holders_release(given, length);
    view = new DataView(this.exports.memory.buffer);
    const word = (number: number): number => view.getUint32(result + WORD * number, true);
    let from = result + WORD * (3 + word(2));
    const taken = Array.from({ length: word(2) }, (_, number) => {
      const chunk = new Uint8Array(this.exports.memory.buffer, from, word(3 + number)).slice();
      from += chunk.length;
      return chunk;
    });
    const status = word(1);
    this.exports.isopod_holders_release(result, word(0));
    return [status, taken];
  }
}
