/** The owner's file under a passphrase: an age file with scrypt, as the command line writes it. */
import { Decrypter, Encrypter } from "age-encryption";
import { IsopodError } from "./error.js";

/** log2 of scrypt's cost: 128 MiB and about a second. */
const WORK_FACTOR = 17;
const AGE = "age-encryption.org/";

/** Whether a file is under a passphrase. */
export function isProtected(bytes: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(bytes.subarray(0, AGE.length)) === AGE;
}

/** Puts bytes under a passphrase. */
export async function protect(bytes: Uint8Array, passphrase: string): Promise<Uint8Array> {
  if (passphrase === "") {
    throw new IsopodError("passphrase", "the passphrase is empty; choose one of several words", "passphrase");
  }
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(WORK_FACTOR);
  encrypter.setPassphrase(passphrase);
  return encrypter.encrypt(bytes);
}

/** Opens a file that `protect` or `isopod keygen` wrote. */
export async function unprotect(bytes: Uint8Array, passphrase: string, name: string): Promise<Uint8Array> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return await decrypter.decrypt(bytes);
  } catch (error) {
    const problem = "the passphrase does not open it, or the file is damaged; type it again, or take the file from a backup";
    throw new IsopodError("passphrase", `${name}: ${problem} (${error instanceof Error ? error.message : String(error)})`, name);
  }
}
