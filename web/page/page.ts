/** The page: keys, frames and results of their owner. Everything stays in this document's memory. */
import wasm from "isopod.wasm";
import {
  IsopodError,
  keyFiles,
  load,
  StoredAccount,
  readDescription,
  readTagPeriods,
  type Isopod,
  type KeyFile,
  type KeyPair,
  type OwnerKey,
  type PublicKey,
  type TagAccount,
} from "../package/src/index.js";
import { allowDrops, ask, bytesOf, download, element, file, list, made, onSubmit, painted, say, type Question } from "./dom.js";
import { Encryption, type Session } from "./encrypt.js";
import { archive, deviceNumbers } from "./folders.js";
import { hide, show } from "./results/shown.js";
import { Stopped } from "./slices.js";

/** Sets that a browser can serve, best first, and what they are for. */
const PURPOSES: readonly [string, string, string][] = [
  ["ckks-2048x1-air", "Sums, means, scores and filters of real numbers", "The fewest bytes."],
  ["ckks-2048x2-air", "The same, more precisely", "More digits, for about twice the bytes."],
  ["ckks-4096x3-sum", "Sums and means of real numbers, precisely", "The most digits and larger frames."],
  ["bfv-2048x1-count", "Counts of small integers, exactly", "Up to 1,115 frames of counters up to 1."],
  ["bfv-2048x2-air", "Sums, spread and scores of integers, exactly", "The fewest bytes for larger numbers."],
  ["bfv-4096x3-sum", "Sums and histograms of integers, exactly", "Larger frames and numbers."],
  [
    "ckks-4096x2-linear",
    "Linear and logistic models in slots",
    "The server also needs evaluation keys: isopod server-keys makes them from the owner's folder.",
  ],
];
const BOUNDS = [0, 2, 4, 5, 6, 7, 8, 10, 14, 20];
const UNPROTECTED: Question = {
  title: "No passphrase?",
  text:
    "The file owner.key will lie in the clear: whoever gets hold of it, or of a copy or a backup of it, reads every result. " +
    "A passphrase of several words prevents that.",
  careful: "Give a passphrase",
  anyway: "Make keys without one",
};

/** Keys that were made here, with their files. */
interface Made {
  readonly keyId: string;
  readonly files: readonly KeyFile[];
}

/** What is open, and the keys that were made last. */
const session: Session & { made?: Made } = {
  epoch: Math.floor(Date.now() / 1000),
  sequence: 0n,
};

function clearFrames(): void {
  list("frames", []);
}

/** Takes the archives away, and leaves a button for them: they may not be saved yet. */
function clearFolders(): void {
  list("downloads", []);
  element("folders").hidden = true;
  if (session.made !== undefined) {
    element("again").textContent = `Show the archives of key pair ${session.made.keyId}`;
    element("again").hidden = false;
  }
}

function offerFolders({ keyId, files }: Made): void {
  list("downloads", holders(files));
  element("folders-title").textContent = `Key pair ${keyId}: give each holder theirs, and nothing else`;
  element("folders").hidden = false;
  element("again").hidden = true;
}

function opened(owner: OwnerKey, publicKey: PublicKey | undefined): void {
  session.owner = owner;
  delete session.publicKey;
  if (publicKey !== undefined) {
    session.publicKey = publicKey;
  }
  clearFrames();
  say("encrypt-message", "");
  hide();
  say("results-message", "");
  element("encrypt-form").dispatchEvent(new Event("change")); // other keys, other frames
  element("key-state").textContent = `Open: key pair ${owner.keyId}, set ${owner.set.name}. It goes with this page.`;
}

/** Entries of the downloads, one for each holder. */
function holders(files: readonly KeyFile[]): HTMLLIElement[] {
  const of = (name: string): KeyFile[] => files.filter((one) => one.path.startsWith(name));
  return [
    download("owner.zip", archive(of("owner/")), "Yours: the secret key. Nobody else gets it."),
    download("server.zip", archive(of("server/")), "The server's: checks devices and computes, reads nothing."),
    download("public.zip", archive(of("public/")), "All devices: the public key, as a file and as a C header."),
    download("devices.zip", archive(of("device-")), "A folder for each device: its frame key. Give each its own."),
  ];
}

async function make(isopod: Isopod): Promise<() => void> {
  const [passphrase, again] = [element<HTMLInputElement>("passphrase"), element<HTMLInputElement>("passphrase-again")];
  if (passphrase.value !== again.value) {
    throw new IsopodError("passphrase", "The two passphrases differ; type the same twice.", "passphrase");
  }
  const devices = deviceNumbers(element<HTMLInputElement>("devices").value);
  if (passphrase.value === "" && !(await ask(UNPROTECTED))) {
    passphrase.focus();
    throw new Stopped("No keys were made: give a passphrase.");
  }
  const pair: KeyPair = isopod.makeKeys(element<HTMLSelectElement>("set").value);
  const files = await keyFiles(pair, devices, passphrase.value || undefined);
  return () => {
    [passphrase.value, again.value] = ["", ""];
    opened(pair.owner, pair.publicKey);
    element<HTMLInputElement>("device-number").value = String(devices[0]);
    session.made = { keyId: pair.owner.keyId, files };
    offerFolders(session.made);
    say("keys-message", `Key pair ${pair.owner.keyId} is made. Save the four archives before you leave the page.`);
  };
}

async function openKey(isopod: Isopod): Promise<() => void> {
  const name = file("owner-file")?.name;
  const bytes = await bytesOf("owner-file", "owner.key.age or owner.key of your folder");
  const passphrase = element<HTMLInputElement>("owner-passphrase");
  const owner = await isopod.openOwner(bytes, passphrase.value || undefined, name);
  return () => {
    passphrase.value = "";
    opened(owner, undefined);
    say("keys-message", `Key pair ${owner.keyId} is open.`);
  };
}

/** The browser's storage, touched by answers with linear tags alone: some settings refuse it. */
const storage: Pick<Storage, "getItem" | "setItem"> = {
  getItem: (key) => localStorage.getItem(key),
  setItem: (key, value) => localStorage.setItem(key, value),
};

/** The account of linear tags: periods of the chosen file, refusals in the browser's storage. */
async function account(owner: OwnerKey): Promise<TagAccount> {
  const chosen = file("linear-file");
  const bytes = chosen && new Uint8Array(await chosen.arrayBuffer());
  return new StoredAccount(storage, owner.keyId, bytes && readTagPeriods(bytes, owner.keyId, chosen.name));
}

async function openResults(isopod: Isopod): Promise<() => void> {
  if (session.owner === undefined) {
    throw new IsopodError("key", "No key is open: open yours above.", "owner-file");
  }
  const name = file("results-file")?.name ?? "results";
  const bytes = await bytesOf("results-file", "a file of results");
  const names = file("columns-file");
  const description = names && readDescription(await names.text(), names.name);
  const answer = isopod.open(session.owner, bytes, {
    name,
    tags: await account(session.owner),
    ...(description && { description }),
  });
  return () => {
    show(answer, description);
    say("results-message", answer.verified?.text ?? "Authentic, whole, and opened.");
  };
}

/** Fills the choices. */
function fill(isopod: Isopod): void {
  const [set, hint] = [element<HTMLSelectElement>("set"), element("set-hint")];
  const offered = PURPOSES.filter(([name]) => isopod.sets.some((one) => one.name === name));
  set.append(...offered.map(([name, purpose]) => Object.assign(made("option", purpose), { value: name })));
  const tell = (): void => {
    const [name, , about] = offered[set.selectedIndex] ?? [];
    hint.textContent = `${name}: ${about}`;
  };
  set.addEventListener("change", tell);
  tell();
  const bound = element<HTMLSelectElement>("bound");
  bound.append(
    ...BOUNDS.map((power) =>
      Object.assign(made("option", (2 ** power).toLocaleString("en")), { value: String(power), selected: power === 4 }),
    ),
  );
}

async function start(): Promise<void> {
  allowDrops();
  let isopod: Isopod;
  try {
    isopod = await load(wasm as Uint8Array<ArrayBuffer>);
  } catch (error) {
    say("keys-message", `This browser does not run the page's WebAssembly: ${String(error)}. Take a current one.`, "error");
    return;
  }
  fill(isopod);
  const [message, clear] = ["keys-message", clearFolders];
  const encryption = new Encryption(isopod, session);
  onSubmit("make", { message, working: "Making keys…", clear, work: () => make(isopod) });
  onSubmit("open", { message, working: "Opening the key…", clear, work: () => openKey(isopod) });
  onSubmit("encrypt-form", {
    message: "encrypt-message",
    working: "Encrypting…",
    clear: clearFrames,
    work: (slices) => encryption.run(slices),
  });
  onSubmit("results-form", { message: "results-message", working: "Opening…", clear: hide, work: () => openResults(isopod) });
  element("again").addEventListener("click", () => {
    if (session.made !== undefined) {
      offerFolders(session.made);
      say("keys-message", "");
      element("folders").querySelector("a")?.focus();
    }
  });
  await painted();
  document.documentElement.dataset["ready"] = "yes";
}

void start();
