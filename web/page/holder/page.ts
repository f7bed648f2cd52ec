/** The page of one of several owners: the ceremony by files, a look at an answer, contributions, opening. */
import wasm from "isopod.wasm";
import holdersWasm from "isopod-holders.wasm";
import { IsopodError, load, loadHolders, readDescription, type Holders } from "../../package/src/index.js";
import { allowDrops, bytesOf, element, file, filesOf, list, made, onSubmit, painted, say, download } from "../dom.js";
import { archive, deviceNumbers } from "../folders.js";
import { hide, show } from "../results/shown.js";
import { Agreeing } from "./agree.js";
import { Changes } from "./changes.js";
import { Session } from "./session.js";
import { all } from "./storage.js";

/** Sets that several owners can use, and what they are for. */
const PURPOSES: readonly [string, string][] = [
  ["bfv-4096x3-sum", "Integers, exactly"],
  ["ckks-8192x3w-sum", "Real numbers, with an error (devices take --scale-bits 50)"],
];

function text(id: string): string {
  return element<HTMLInputElement>(id).value.trim();
}

function number(id: string, name: string, most: number): number {
  const value = Number(text(id));
  if (!/^\d+$/.test(text(id)) || value < 1 || value > most) {
    throw new IsopodError("argument", `${name}: “${text(id)}”; allowed are numbers from 1 to ${most.toLocaleString("en")}.`, id);
  }
  return value;
}

/** The passphrase that was typed twice. */
function twice(id: string, again: string): string {
  const [one, other] = [element<HTMLInputElement>(id).value, element<HTMLInputElement>(again).value];
  if (one === "") {
    throw new IsopodError("passphrase", "Give a passphrase: your share lies in this browser under it.", id);
  }
  if (one !== other) {
    throw new IsopodError("passphrase", "The two passphrases differ; type the same twice.", id);
  }
  return one;
}

function empty(...ids: string[]): void {
  ids.forEach((id) => (element<HTMLInputElement>(id).value = ""));
}

/** Shows what is open, and the sections that it has. */
function tell(session: Session): void {
  const { facts, kept } = session;
  const [isMade, isEnded] = [facts.key !== undefined, facts.ended === true];
  const state = isEnded ? "Your share is wiped." : isMade ? `Key ${facts.key}, set ${facts.set}.` : "The key is not made yet.";
  element("holder-state").textContent = `You are ${facts.holder}. ${state}`;
  element("agreed").textContent =
    `${facts.threshold} of ${facts.holders.join(", ")} open an answer; at most ${facts.frames.toLocaleString("en")} frames in ` +
    `it, ${facts.queries.toLocaleString("en")} answers, set ${facts.set}.`;
  element("kept-form").hidden = element("new").hidden = true;
  element("ceremony").hidden = isMade && kept.sent.length === 0;
  element("ceremony-form").hidden = element("take-over").hidden = isMade;
  ["made", "asked", "results", "changes"].forEach((id) => (element(id).hidden = !isMade || isEnded));
  element("fingerprint").textContent = facts.fingerprint ?? "";
  element("devices-form").hidden = kept.publicKey === undefined;
  list("sent", kept.sent.map(({ name, bytes }) => download(name, bytes, "to all others; nothing in it is secret")));
  list("copy", [download("holder.key.age", kept.file, "a copy of your share, under your passphrase: keep it apart")]);
}

async function begin(holders: Holders): Promise<() => void> {
  const passphrase = twice("begin-passphrase", "begin-again");
  const { holder, files } = holders.begin({
    holders: text("begin-names").split(/[\s,]+/).filter((name) => name !== ""),
    threshold: number("begin-threshold", "Holders who open an answer", 10),
    set: element<HTMLSelectElement>("begin-set").value,
    frames: number("begin-frames", "Frames", 2 ** 32 - 1),
    queries: number("begin-queries", "Answers", 2 ** 32),
  });
  const session = await Session.begun(holder, passphrase, files);
  return () => opened(session, "Your share is drawn. Send the invitation and your announcement to the others.");
}

async function join(holders: Holders): Promise<() => void> {
  const passphrase = twice("join-passphrase", "join-again");
  const { holder, files } = holders.join(await bytesOf("join-file", "the invitation"), text("join-name"));
  const session = await Session.begun(holder, passphrase, files);
  return () => opened(session, "Your share is drawn. Send your announcement to the others.");
}

async function openFile(holders: Holders): Promise<() => void> {
  const passphrase = element<HTMLInputElement>("file-passphrase").value;
  const name = file("holder-file")?.name;
  const holder = await holders.open(await bytesOf("holder-file", "holder.key.age"), passphrase, name);
  if (passphrase === "") {
    throw new IsopodError("passphrase", "Give a passphrase: this browser keeps your share under it.", "file-passphrase");
  }
  const session = await Session.begun(holder, passphrase, []);
  return () => opened(session, "Your file is open, and this browser keeps it.");
}

async function openKept(holders: Holders): Promise<() => void> {
  const kept = (await all()).find((one) => one.id === element<HTMLSelectElement>("kept").value);
  if (kept === undefined) {
    throw new IsopodError("file", "This browser does not keep this holder any more; open a copy of the file.", "kept");
  }
  const session = await Session.opened(holders, kept, element<HTMLInputElement>("kept-passphrase").value);
  return () => opened(session, "Your share is open.");
}

let session: Session | undefined;
let agreeing: Agreeing | undefined;
let changes: Changes | undefined;

function opened(found: Session, message: string): void {
  session = found;
  agreeing = new Agreeing(found);
  changes = new Changes(found);
  empty("begin-passphrase", "begin-again", "join-passphrase", "join-again", "file-passphrase", "kept-passphrase");
  tell(found);
  say("you-message", message);
  if (found.kept.received.length > 0 && found.facts.key === undefined) {
    say("ceremony-message", found.waiting(), "note");
  }
}

/** The holder who is open; every other form is shown only then. */
function present(): Session {
  if (session === undefined) {
    throw new IsopodError("key", "No holder is open.", "kept");
  }
  return session;
}

async function goOn(): Promise<() => void> {
  const holder = present();
  await holder.take(await filesOf("received", "announcements or openings of the others"));
  return () => {
    empty("received");
    tell(holder);
    say("ceremony-message", holder.waiting(), holder.facts.key === undefined ? "note" : "done");
    if (holder.facts.key !== undefined) {
      say("you-message", "The key is made. Compare the fingerprint with the others.");
      element("made").scrollIntoView();
    }
  };
}

async function devices(): Promise<() => void> {
  const holder = present();
  const numbers = deviceNumbers(text("devices"));
  const files = await holder.devices(numbers);
  const of = (name: string) => files.filter((one) => one.path.startsWith(name));
  return () => {
    list("folders", [
      download("server.zip", archive(of("server/")), "The server's: checks devices and computes, reads nothing. Once is enough."),
      download("public.zip", archive(of("public/")), "All devices: the public key."),
      download("devices.zip", archive(of("device-")), "A folder for each device. Give each its own."),
    ]);
    say("devices-message", `Folders of ${numbers.length} ${numbers.length === 1 ? "device" : "devices"} are made.`);
  };
}

/** A step of a change of holders; what this browser keeps is shown anew. */
function onChange(form: string, message: string, work: (changes: Changes) => Promise<() => void>): void {
  onSubmit(form, {
    message,
    working: "Checking…",
    clear: clearNothing,
    work: async () => {
      const holder = present();
      const done = changes && (await work(changes));
      return () => {
        tell(holder);
        done?.();
      };
    },
  });
}

async function openResults(): Promise<() => void> {
  const own = agreeing?.contribution;
  const chosen = element<HTMLInputElement>("contributions").files?.length ?? 0;
  const others = chosen === 0 && own !== undefined ? [] : await filesOf("contributions", "the contributions of the others");
  const bytes = await bytesOf("results-file", "the results of the server, in step 4");
  const names = file("columns-file");
  const description = names && readDescription(await names.text(), names.name);
  const contributions = [...(own === undefined ? [] : [own]), ...others.map((one) => one.bytes)];
  const answer = await present().holder.combine(bytes, contributions, description && { description });
  return () => {
    show(answer, description);
    say("results-message", "Opened together.");
  };
}

function clearNothing(): void {}

async function start(): Promise<void> {
  allowDrops();
  if (!globalThis.isSecureContext) {
    const problem = "Browsers keep a share only for pages that come by https, or are opened from disk: save this page as a file.";
    say("you-message", problem, "error");
    return;
  }
  let holders: Holders;
  try {
    holders = await loadHolders(holdersWasm as Uint8Array<ArrayBuffer>, await load(wasm as Uint8Array<ArrayBuffer>));
  } catch (error) {
    say("you-message", `This browser does not run the page's WebAssembly: ${String(error)}. Take a current one.`, "error");
    return;
  }
  const set = element<HTMLSelectElement>("begin-set");
  set.append(...PURPOSES.map(([name, purpose]) => Object.assign(made("option", purpose), { value: name })));
  const [message, clear] = ["you-message", clearNothing];
  const working = "Opening…";
  onSubmit("begin-form", { message, working: "Drawing your share…", clear, work: () => begin(holders) });
  onSubmit("join-form", { message, working: "Drawing your share…", clear, work: () => join(holders) });
  onSubmit("file-form", { message, working, clear, work: () => openFile(holders) });
  onSubmit("kept-form", { message, working, clear, work: () => openKept(holders) });
  onSubmit("ceremony-form", { message: "ceremony-message", working: "Checking…", clear, work: goOn });
  onSubmit("devices-form", { message: "devices-message", working: "Making keys…", clear: () => list("folders", []), work: devices });
  onSubmit("review-form", {
    message: "review-message",
    working: "Reading…",
    clear: () => {
      agreeing?.clear();
      hide();
    },
    work: async () => {
      const bytes = await bytesOf("results-file", "the results of the server");
      return () => agreeing?.ask(bytes);
    },
  });
  onSubmit("agree-form", {
    message: "agree-message",
    working: "Counting, then contributing…",
    clear: () => list("contribution", []),
    work: async () => {
      const done = await agreeing?.agree();
      return () => {
        done?.();
        tell(present());
      };
    },
  });
  onChange("refresh-form", "refresh-message", (one) => one.refresh());
  onChange("replace-form", "replace-message", (one) => one.replace());
  onChange("take-form", "take-message", (one) => one.takeOver());
  onChange("end-form", "end-message", (one) => one.end());
  onChange("ended-form", "ended-message", (one) => one.note());
  element("decline").addEventListener("click", () => agreeing?.decline());
  onSubmit("results-form", { message: "results-message", working, clear: hide, work: openResults });
  await showKept();
  await painted();
  document.documentElement.dataset["ready"] = "yes";
}

/** Offers the holders that this browser keeps. */
async function showKept(): Promise<void> {
  const kept = await all().catch((error: unknown) => {
    say("you-message", error instanceof Error ? error.message : String(error), "error");
    return [];
  });
  const options = kept.map(({ id, holder, holders }) =>
    Object.assign(made("option", `${holder}, of ${holders.join(", ")}`), { value: id }),
  );
  element<HTMLSelectElement>("kept").append(...options);
  element("kept-form").hidden = options.length === 0;
}

void start();
