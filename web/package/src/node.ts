/** The library for Node: its module is read from the package. */
import { readFile } from "node:fs/promises";
import { load as loadFrom, type Isopod } from "./index.js";

export * from "./index.js";

/** Starts the module of this package. */
export async function load(): Promise<Isopod> {
  return loadFrom(await readFile(new URL("./isopod.wasm", import.meta.url)));
}
