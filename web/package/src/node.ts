/** The library for Node: its module is read from the package. */
import { readFile } from "node:fs/promises";
import { load as loadFrom, loadHolders as loadHoldersFrom, type Holders, type Isopod } from "./index.js";

export * from "./index.js";

/** Starts the module of this package. */
export async function load(): Promise<Isopod> {
  return loadFrom(await readFile(new URL("./isopod.wasm", import.meta.url)));
}

/** Starts the module of several owners, beside the library. */
export async function loadHolders(isopod?: Isopod): Promise<Holders> {
  const library = isopod ?? (await load());
  return loadHoldersFrom(await readFile(new URL("./isopod-holders.wasm", import.meta.url)), library);
}
