/** Elements of the page by id, messages, downloads. */
import { IsopodError } from "../package/src/index.js";
import { Slices, Stopped } from "./slices.js";

/** The element of this id. */
export function element<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (found === null) {
    throw new Error(`no element ${id}`);
  }
  return found as T;
}

/** A new element with a text. */
export function made<K extends keyof HTMLElementTagNameMap>(name: K, text = ""): HTMLElementTagNameMap[K] {
  const node = document.createElement(name);
  node.textContent = text;
  return node;
}

/** Colours of a message: done, on the way, large, wrong. */
export type Kind = "done" | "note" | "heavy" | "error";

/** Says something in a message area; screen readers hear it. */
export function say(id: string, text: string, kind: Kind = "done"): void {
  const area = element(id);
  area.className = `message ${kind}`;
  area.textContent = text;
}

/** What a form does: where it says so, what it says meanwhile, and what takes away the outcome of the time before. */
export interface Action {
  readonly message: string;
  readonly working: string;
  readonly clear: () => void;
  /** Computes, and gives what shows the outcome. */
  readonly work: (slices: Slices) => Promise<() => void>;
}

const ANOTHER = "Another file was chosen meanwhile; press the button again.";

/**
 * Runs an action when its form is sent; its button rests meanwhile, another one stops it, and errors are said. The outcome of the
 * time before goes when the action starts and when another file is chosen, so that nothing of an earlier file stands below what is
 * said of a later one.
 */
export function onSubmit(form: string, { message, working, clear, work }: Action): void {
  const stop = element(form).querySelector<HTMLButtonElement>("button.stop");
  let running: AbortController | undefined;
  stop?.addEventListener("click", () => running?.abort(new Stopped("Stopped. Nothing of it is kept.")));
  element(form).addEventListener("change", (event) => {
    if (event.target instanceof HTMLInputElement && event.target.type === "file") {
      running?.abort(new IsopodError("file", ANOTHER, form));
      clear();
      say(message, "");
    }
  });
  element(form).addEventListener("submit", async (event) => {
    event.preventDefault();
    const { signal } = (running = new AbortController());
    rests(form, true);
    clear();
    say(message, working, "note");
    try {
      await painted();
      const show = await work(new Slices(signal, (progress) => say(message, progress, "note")));
      signal.throwIfAborted();
      show();
    } catch (error) {
      say(message, ...problemOf(error));
    } finally {
      rests(form, false);
      running = undefined;
    }
  });
}

/** Lets the button of a form rest, and shows the one that stops its work. */
function rests(form: string, isResting: boolean): void {
  element(form)
    .querySelectorAll("button")
    .forEach((button) => {
      if (button.classList.contains("stop")) {
        button.hidden = !isResting;
      } else {
        button.disabled = isResting;
      }
    });
}

/** Words about an error, and their colour: an end that was wanted is no fault. */
export function problemOf(error: unknown): [string, Kind] {
  if (error instanceof Stopped) {
    return [error.message, "note"];
  }
  return [
    error instanceof IsopodError ? error.message : `Something unexpected failed: ${String(error)}. Load the page again.`,
    "error",
  ];
}

/** A question before something that cannot be undone, or takes long. The first answer is the careful one, and that of Escape. */
export interface Question {
  readonly title: string;
  readonly text: string;
  readonly careful: string;
  readonly anyway: string;
}

/** Asks; false is the careful answer. */
export function ask({ title, text, careful, anyway }: Question): Promise<boolean> {
  const dialog = element<HTMLDialogElement>("ask");
  element("ask-title").textContent = title;
  element("ask-text").textContent = text;
  const [no, yes] = [element("ask-careful"), element("ask-anyway")];
  [no.textContent, yes.textContent] = [careful, anyway];
  no.onclick = () => dialog.close("");
  yes.onclick = () => dialog.close("yes");
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((done) => dialog.addEventListener("close", () => done(dialog.returnValue === "yes"), { once: true }));
}

/** The page shows what it was told. */
export function painted(): Promise<void> {
  return new Promise((done) => setTimeout(done, 20));
}

/** The chosen file of an input. */
export function file(id: string): File | undefined {
  return element<HTMLInputElement>(id).files?.[0];
}

/** The bytes of the chosen file; refuses a missing choice and what is beyond `most` bytes. */
export async function bytesOf(id: string, what: string, most = 2 ** 28): Promise<Uint8Array> {
  const chosen = file(id);
  if (chosen === undefined) {
    throw new IsopodError("file", `No file is chosen: choose ${what}.`, id);
  }
  if (chosen.size > most) {
    throw new IsopodError("file", `${chosen.name}: ${chosen.size} bytes; allowed are at most ${most}.`, id);
  }
  return new Uint8Array(await chosen.arrayBuffer());
}

/** Names and bytes of all chosen files of an input; refuses a missing choice and what is beyond `most` bytes. */
export async function filesOf(id: string, what: string, most = 2 ** 28): Promise<{ name: string; bytes: Uint8Array }[]> {
  const chosen = Array.from(element<HTMLInputElement>(id).files ?? []);
  if (chosen.length === 0) {
    throw new IsopodError("file", `No file is chosen: choose ${what}.`, id);
  }
  const large = chosen.find((one) => one.size > most);
  if (large !== undefined) {
    throw new IsopodError("file", `${large.name}: ${large.size} bytes; allowed are at most ${most}.`, id);
  }
  return Promise.all(chosen.map(async (one) => ({ name: one.name, bytes: new Uint8Array(await one.arrayBuffer()) })));
}

/** A list entry that saves bytes under a name. The bytes live as long as the entry. */
export function download(name: string, bytes: Uint8Array | string | Blob, about: string): HTMLLIElement {
  const entry = made("li");
  const link = made("a", name);
  link.download = name;
  link.href = URL.createObjectURL(new Blob([bytes as BlobPart], { type: "application/octet-stream" }));
  entry.append(link, made("span", about));
  return entry;
}

/** Replaces the entries of a list and shows it. */
export function list(id: string, entries: HTMLLIElement[]): void {
  const area = element(id);
  area.querySelectorAll("a").forEach((link) => URL.revokeObjectURL(link.href));
  area.replaceChildren(...entries);
  area.hidden = entries.length === 0;
}

/** Lets files be dropped on inputs of files, and nowhere else: a file dropped beside them does not replace the page. */
export function allowDrops(): void {
  for (const name of ["dragover", "drop"] as const) {
    document.addEventListener(name, (event) => {
      if (!(event.target instanceof HTMLInputElement && event.target.type === "file")) {
        event.preventDefault();
      }
    });
  }
  document.querySelectorAll<HTMLInputElement>("input.drop").forEach((input) => {
    input.addEventListener("dragenter", () => input.classList.add("over"));
    ["dragleave", "drop"].forEach((name) => input.addEventListener(name, () => input.classList.remove("over")));
  });
}
