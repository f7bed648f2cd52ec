/** CBOR of the core deterministic encoding (RFC 8949, 4.2.1), as far as items of the wire use it. */
import { concat, utf8 } from "./bytes.js";
import { fileError } from "./error.js";

const UNSIGNED = 0;
const BYTES = 2;
const TEXT = 3;
const ARRAY = 4;
const SIMPLE = 7;

/** Writes one item. */
export class Writer {
  private readonly parts: Uint8Array[] = [];

  private head(major: number, value: bigint): this {
    const size = value < 24n ? 0 : value < 1n << 8n ? 1 : value < 1n << 16n ? 2 : value < 1n << 32n ? 4 : 8;
    const head = new Uint8Array(1 + size);
    head[0] = (major << 5) | (size === 0 ? Number(value) : 24 + Math.log2(size));
    for (let at = size; at > 0; at--, value >>= 8n) {
      head[at] = Number(value & 255n);
    }
    this.parts.push(head);
    return this;
  }

  array(length: number): this {
    return this.head(ARRAY, BigInt(length));
  }

  uint(value: number | bigint): this {
    return this.head(UNSIGNED, BigInt(value));
  }

  bytes(bytes: Uint8Array): this {
    this.head(BYTES, BigInt(bytes.length)).parts.push(bytes);
    return this;
  }

  text(text: string): this {
    const bytes = utf8(text);
    this.head(TEXT, BigInt(bytes.length)).parts.push(bytes);
    return this;
  }

  float(value: number): this {
    const bytes = new Uint8Array(9);
    bytes[0] = 0xfb;
    new DataView(bytes.buffer).setFloat64(1, value);
    this.parts.push(bytes);
    return this;
  }

  boolean(value: boolean): this {
    return this.head(SIMPLE, value ? 21n : 20n);
  }

  /** An array of texts. */
  texts(list: readonly string[]): this {
    return list.reduce((into, text) => into.text(text), this.array(list.length));
  }

  /** An array of floats. */
  floats(list: readonly number[]): this {
    return list.reduce((into, value) => into.float(value), this.array(list.length));
  }

  done(): Uint8Array {
    return concat(...this.parts);
  }
}

/** Reads items strictly; `name` is the file's, for messages. */
export class Reader {
  at = 0;

  constructor(
    private readonly from: Uint8Array,
    private readonly name: string,
  ) {}

  get left(): number {
    return this.from.length - this.at;
  }

  private fail(problem: string): never {
    throw fileError(this.name, `${problem} at byte ${this.at}; the file is damaged or of another kind`);
  }

  private head(major: number, what: string): bigint {
    const first = this.from[this.at] ?? this.fail(`ends where ${what} should be`);
    const info = first & 31;
    if (first >> 5 !== major || info > 27) {
      this.fail(`${what} is missing`);
    }
    if (info < 24) {
      this.at += 1;
      return BigInt(info);
    }
    const size = 2 ** (info - 24);
    if (this.left < 1 + size) {
      this.fail(`ends within ${what}`);
    }
    let value = 0n;
    for (const byte of this.from.subarray(this.at + 1, this.at + 1 + size)) {
      value = (value << 8n) | BigInt(byte);
    }
    if (value < (size === 1 ? 24n : 1n << BigInt(4 * size))) {
      this.fail(`${what} is not in its shortest form`);
    }
    this.at += 1 + size;
    return value;
  }

  array(length: number): this {
    const found = this.list("an array");
    return found === BigInt(length) ? this : this.fail(`an array of ${found} fields, expected are ${length}`);
  }

  /** The length of an array. */
  list(what: string): bigint {
    return this.head(ARRAY, what);
  }

  uint(what: string): bigint {
    return this.head(UNSIGNED, what);
  }

  bytes(what: string, length?: number): Uint8Array {
    const found = Number(this.head(BYTES, what));
    if ((length !== undefined && found !== length) || found > this.left) {
      this.fail(`${what} of ${found} bytes`);
    }
    this.at += found;
    return this.from.subarray(this.at - found, this.at);
  }

  /** Passes over one field of a result; its content is judged by the device library. */
  skip(): void {
    const first = this.from[this.at] ?? this.fail("ends within an item");
    switch (first >> 5) {
      case BYTES:
        this.bytes("a field");
        return;
      case TEXT: {
        const found = Number(this.head(TEXT, "a text"));
        this.at += found <= this.left ? found : this.fail("ends within a text");
        return;
      }
      case ARRAY: {
        const count = this.list("an array");
        for (let index = 0n; index < count; index++) {
          this.skip();
        }
        return;
      }
      case SIMPLE:
        this.at += first === 0xfb && this.left >= 9 ? 9 : this.fail("an unknown field");
        return;
      default:
        this.uint("a number");
    }
  }

  end(): void {
    if (this.left !== 0) {
      this.fail(`${this.left} bytes too many`);
    }
  }
}
