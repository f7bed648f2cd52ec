/** Folders of keys as archives, and the numbers of the devices that they are for. */
import { zipSync, type Zippable } from "fflate";
import { IsopodError, type KeyFile } from "../package/src/index.js";

const OWNER_ONLY = 0o600;
const UNIX = 3;

/** Files as an archive that keeps secrets to their holder when it is unpacked. */
export function archive(files: readonly KeyFile[]): Uint8Array {
  const entry = ({ path, bytes, isSecret }: KeyFile): [string, Zippable[string]] => [
    path,
    [bytes, { level: 0, os: UNIX, attrs: (0o100000 | (isSecret ? OWNER_ONLY : 0o644)) << 16 }],
  ];
  return zipSync(Object.fromEntries(files.map(entry)));
}

/** Device numbers such as "1-3, 7". */
export function deviceNumbers(text: string): bigint[] {
  const refused = (part: string): never => {
    throw new IsopodError(
      "argument",
      `Numbers of devices: “${part.trim()}”; allowed are numbers and ranges such as 1-20, 40, at most 1,000 of them.`,
      "devices",
    );
  };
  return text.split(",").flatMap((part) => {
    const [, first, last] = /^\s*(\d{1,18})(?:\s*-\s*(\d{1,18}))?\s*$/.exec(part) ?? refused(part);
    const [from, to] = [BigInt(first ?? 0), BigInt(last ?? first ?? 0)];
    return to < from || to - from >= 1000n
      ? refused(part)
      : Array.from({ length: Number(to - from) + 1 }, (_, index) => from + BigInt(index));
  });
}
