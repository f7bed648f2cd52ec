// What the tests share: the built package, the command line, folders for files.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");
export const BUILT = join(process.env.BUILD ? resolve(process.env.BUILD) : join(ROOT, "build"), "web");
export const PASSPHRASE = "seven dry stones by the river";
const PROGRAM = resolve(ROOT, process.env.ISOPOD ?? "target/debug/isopod");

export const package_ = await import(join(BUILT, "package/node.js"));

export function folder() {
  return mkdtempSync(join(tmpdir(), "isopod-web-"));
}

/** Writes files of keys with the modes that they ask for. */
export function write(into, files) {
  for (const { path, bytes, isSecret } of files) {
    mkdirSync(dirname(join(into, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(into, path), bytes, { mode: isSecret ? 0o600 : 0o644 });
  }
}

/** Runs the command line in a folder; its standard output. */
export function isopod(cwd, ...words) {
  const env = { ...process.env, ISOPOD_PASSPHRASE: PASSPHRASE };
  return execFileSync(PROGRAM, words, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** The values that the command line decrypts. */
export function decrypted(cwd, ...words) {
  const { values } = JSON.parse(isopod(cwd, "decrypt", "--json", ...words));
  return values.map((value) => value.value);
}

export function vectors(name) {
  return JSON.parse(readFileSync(join(ROOT, `spec/vectors/${name}.json`), "utf8"));
}

/** Unpacks an archive as `unzip` does, with the modes of its entries. */
export function unzip(archive, into) {
  const program = `
import sys, pathlib, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    for entry in archive.infolist():
        place = pathlib.Path(sys.argv[2]) / entry.filename
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(archive.read(entry))
        place.chmod(entry.external_attr >> 16 & 0o777)
`;
  execFileSync("python3", ["-c", program, archive, into]);
}
