// Runs the tests in a WebAssembly module: node wasm.mjs MODULE. The exit status is theirs.
import { readFileSync } from "node:fs";

let memory;

function write(at) {
  const bytes = new Uint8Array(memory.buffer);
  const end = bytes.indexOf(0, at);
  process.stdout.write(Buffer.from(bytes.subarray(at, end)).toString("latin1"));
}

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const { exports } = new WebAssembly.Instance(module, { env: { write, exit: (status) => process.exit(status) } });
memory = exports.memory;
process.exit(exports.run_tests());
