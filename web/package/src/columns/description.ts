/** What columns are: names, standardisation, buckets and derived columns, whose hash frames and results carry as their packing. */
import { sha3_256 } from "@noble/hashes/sha3.js";
import { concat, hex, utf8 } from "../bytes.js";
import { Writer } from "../cbor.js";
import { fileError } from "../error.js";
import { MOMENTS, NOTHING, isNothing, namesOf, type Derivation } from "./derivation.js";

/** A description of columns, as `isopod encrypt --write-packing` writes it. */
export interface Description {
  readonly names: readonly string[];
  readonly means?: readonly number[];
  readonly scales?: readonly number[];
  readonly edges?: readonly number[];
  /** Columns that the device derives from these. */
  readonly derived?: Derivation;
}

/** What is derived from the columns. */
export function derivedOf(description: Description): Derivation {
  return description.derived ?? NOTHING;
}

/** Names of the values of a row of a sum. */
export function columnNames(description: Description): readonly string[] {
  return namesOf(derivedOf(description), description.names);
}

/** The packing of columns (spec/wire.md, section 1; spec/columns.md, section 2). */
export function packing(description: Description): Uint8Array {
  const derived = derivedOf(description);
  const writer = new Writer().array(isNothing(derived) ? 4 : 5);
  writer.texts(description.names);
  [description.means ?? [], description.scales ?? [], description.edges ?? []].forEach((list) => writer.floats(list));
  if (!isNothing(derived)) {
    writer.array(6).text(derived.group);
    writer.texts(derived.categories).boolean(derived.missing).uint(MOMENTS.indexOf(derived.moments)).text(derived.target);
    writer.array(derived.buckets.length);
    derived.buckets.forEach((edges) => writer.floats(edges));
  }
  return sha3_256(concat(utf8("isopod-v2-packing"), writer.done())).slice(0, 16);
}

/** The file of a description. */
export function describe(description: Description): string {
  const { names, means = [], scales = [], edges = [] } = description;
  const derived = derivedOf(description);
  const file = { packing: hex(packing(description)), names, means, scales, edges, ...(!isNothing(derived) && { derived }) };
  return `${JSON.stringify(file, null, 2)}\n`;
}

type Fields = Record<string, unknown>;

/** Reads such a file. */
export function readDescription(text: string, name = "columns.json"): Description {
  const found = parsed(text, name);
  const description: Description = {
    names: listOf(found, "names", isText, name),
    means: listOf(found, "means", isNumber, name),
    scales: listOf(found, "scales", isNumber, name),
    edges: listOf(found, "edges", isNumber, name),
    ...(found["derived"] !== undefined && { derived: readDerivation(found["derived"], name) }),
  };
  if (found["packing"] !== hex(packing(description))) {
    const problem = "its packing is not that of its columns: the file was changed; take the one that was written with the frames";
    throw fileError(name, problem);
  }
  return description;
}

function readDerivation(value: unknown, name: string): Derivation {
  if (!isFields(value)) {
    throw notOfType("derived", "fields", name);
  }
  const { group = "", missing = false, moments = "none", target = "" } = value;
  if (!isText(group) || !isText(target) || typeof missing !== "boolean" || !MOMENTS.some((one) => one === moments)) {
    throw notOfType("derived", "group, missing, moments and target", name);
  }
  return {
    group,
    categories: listOf(value, "categories", isText, name),
    missing,
    moments: moments as Derivation["moments"],
    target,
    buckets: listOf(value, "buckets", (list): list is number[] => Array.isArray(list) && list.every(isNumber), name),
  };
}

const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number";
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);

function listOf<T>(from: Fields, field: string, is: (value: unknown) => value is T, name: string): T[] {
  const value = from[field] ?? [];
  if (!Array.isArray(value) || !value.every(is)) {
    throw notOfType(field, "a list of its type", name);
  }
  return value;
}

function notOfType(field: string, type: string, name: string): Error {
  return fileError(name, `${field} is not ${type}; take the file that was written with the frames`);
}

function parsed(text: string, name: string): Fields {
  try {
    const found: unknown = JSON.parse(text);
    if (isFields(found)) {
      return found;
    }
  } catch {
    // refused below
  }
  throw fileError(name, "is not JSON of columns; allowed is the file that was written with the frames");
}
