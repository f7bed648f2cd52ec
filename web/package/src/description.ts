/** What columns are: names, standardisation and buckets, whose hash frames and results carry as their packing. */
import { sha3_256 } from "@noble/hashes/sha3.js";
import { concat, hex, utf8 } from "./bytes.js";
import { Writer } from "./cbor.js";
import { fileError } from "./error.js";

/** A description of columns, as `isopod encrypt --write-packing` writes it. */
export interface Description {
  readonly names: readonly string[];
  readonly means?: readonly number[];
  readonly scales?: readonly number[];
  readonly edges?: readonly number[];
}

/** The packing of columns (spec/wire.md, section 1). */
export function packing(description: Description): Uint8Array {
  const writer = new Writer().array(4).array(description.names.length);
  description.names.forEach((name) => writer.text(name));
  for (const list of [description.means ?? [], description.scales ?? [], description.edges ?? []]) {
    writer.array(list.length);
    list.forEach((value) => writer.float(value));
  }
  return sha3_256(concat(utf8("isopod-v2-packing"), writer.done())).slice(0, 16);
}

/** The file of a description. */
export function describe(description: Description): string {
  const { names, means = [], scales = [], edges = [] } = description;
  return `${JSON.stringify({ packing: hex(packing(description)), names, means, scales, edges }, null, 2)}\n`;
}

/** Reads such a file. */
export function readDescription(text: string, name = "columns.json"): Description {
  const found = parsed(text, name);
  const list = (field: keyof Description, type: string): unknown[] => {
    const value = found[field] ?? [];
    if (!Array.isArray(value) || !value.every((entry) => typeof entry === type)) {
      throw fileError(name, `${field} is not a list of type ${type}; take the file that was written with the frames`);
    }
    return value;
  };
  const [names, means] = [list("names", "string"), list("means", "number")];
  const description = { names, means, scales: list("scales", "number"), edges: list("edges", "number") } as Description;
  if (found["packing"] !== hex(packing(description))) {
    throw fileError(
      name,
      "its packing is not that of its names: the file was changed; take the one that was written with the frames",
    );
  }
  return description;
}

function parsed(text: string, name: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(text);
    if (typeof found === "object" && found !== null) {
      return found as Record<string, unknown>;
    }
  } catch {
    // refused below
  }
  throw fileError(name, "is not JSON of columns; allowed is the file that was written with the frames");
}
