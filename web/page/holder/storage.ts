/**
 * A holder kept by the browser: the file, under its passphrase, in IndexedDB, with what the ceremony brought; and the count of
 * contributions once more in localStorage, so that an old copy of the file does not set it back.
 */
import { IsopodError, type Count, type Holder, type SentFile } from "../../package/src/index.js";

const DATABASE = "isopod-holders";
const STORE = "holders";

/** Everything that is kept of a holder. */
export interface Kept {
  readonly id: string;
  /** Name of the holder, and of all. */
  readonly holder: string;
  readonly holders: readonly string[];
  /** The holder's file, under its passphrase. */
  readonly file: Uint8Array;
  /** Own files that the others get. */
  readonly sent: readonly SentFile[];
  /** Files of the others in the ceremony. */
  readonly received: readonly SentFile[];
  /** Files of the others in a change that is under way. */
  readonly changed?: readonly SentFile[];
  /** The public key of all devices, and the numbers that were given to devices here. */
  readonly publicKey?: Uint8Array;
  readonly given: readonly bigint[];
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(refused(request.error));
  });
}

function refused(cause: unknown): IsopodError {
  const problem = "this browser keeps nothing for this page, perhaps in a private window; allow its storage, or take another one";
  return new IsopodError("file", `storage: ${problem} (${String(cause)})`, "storage");
}

async function database(): Promise<IDBDatabase> {
  try {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
    return await done(request);
  } catch (error) {
    throw error instanceof IsopodError ? error : refused(error);
  }
}

/** Every holder that is kept. */
export async function all(): Promise<Kept[]> {
  const open = await database();
  return done<Kept[]>(open.transaction(STORE).objectStore(STORE).getAll());
}

/** Keeps a holder, durably before it returns. */
export async function keep(kept: Kept): Promise<void> {
  const open = await database();
  const transaction = open.transaction(STORE, "readwrite", { durability: "strict" });
  transaction.objectStore(STORE).put(kept);
  await new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = transaction.onabort = () => reject(refused(transaction.error));
  });
}

/** The count of a holder under one key: in the file that `file` keeps, and in localStorage. */
export class StoredCount implements Count {
  private readonly name: string;

  constructor(
    key: string,
    holder: string,
    private readonly file: (holder: Holder) => Promise<void>,
  ) {
    this.name = `isopod-holder-${key}-${holder}`;
  }

  least(): Promise<number> {
    const least = Number(localStorage.getItem(this.name) ?? "0");
    return Number.isSafeInteger(least) && least >= 0
      ? Promise.resolve(least)
      : Promise.reject(new IsopodError("file", `${this.name} in the browser's storage is no count; allowed is a number`, "storage"));
  }

  /** The file first: a crash in between leaves it ahead of the other count, and never behind. */
  async keep(holder: Holder, used: number): Promise<void> {
    await this.file(holder);
    const most = String(Math.max(used, await this.least()));
    localStorage.setItem(this.name, most);
    if (localStorage.getItem(this.name) !== most) {
      throw refused("localStorage does not keep a count");
    }
  }
}
