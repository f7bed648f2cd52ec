/** What went wrong, for programs; the message says it for people, with what is allowed and what to do. */
export type Code =
  | "memory" // the machine gives no more memory
  | "values" // readings that cannot be encrypted
  | "file" // a file that is none of ours, or damaged
  | "key" // a key that does not belong to the others
  | "passphrase" // a passphrase that does not open a file
  | "authentic" // an item that was not sealed under this key, or changed since
  | "result" // an authentic result that contradicts itself or the others
  | "unproved" // a linear tag that is not that of the sum of the frames that the result names
  | "proof" // a linear tag that cannot be checked here
  | "holder" // a file or contribution of the holder that `field` names
  | "argument" // a call with an argument out of range
  | "device"; // a refusal of the device library

/** Every error of this package. `field` names the field, row or file where it is. */
export class IsopodError extends Error {
  override readonly name = "IsopodError";

  constructor(
    readonly code: Code,
    message: string,
    readonly field?: string,
  ) {
    super(message);
  }
}

/** An error about a file. */
export function fileError(name: string, problem: string): IsopodError {
  return new IsopodError("file", `${name}: ${problem}`, name);
}
