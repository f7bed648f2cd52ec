/** Holders change under one key: refresh of shares, a newcomer for a lost holder, end of a share. */
import { IsopodError, type ChangeStage } from "../../package/src/index.js";
import { bytesOf, element, filesOf, say } from "../dom.js";
import { choices, chosen, hasFile } from "./names.js";
import type { Session } from "./session.js";

function isChecked(id: string): boolean {
  return element<HTMLInputElement>(id).checked;
}

/** The forms of changes. */
export class Changes {
  constructor(private readonly session: Session) {
    element("helpers").replaceChildren(...choices("helps", session.facts.holders));
  }

  /** A refresh, begun or gone on with. */
  async refresh(): Promise<() => void> {
    const files = hasFile("refresh-files") ? await filesOf("refresh-files", "files refresh-* and refreshed-* of the others") : [];
    const agree = isChecked("refresh-agree");
    const stage = await this.session.change(files, (received, sent) =>
      this.session.holder.refresh(received, { sent, agree }),
    );
    return () => {
      element<HTMLInputElement>("refresh-files").value = "";
      element<HTMLInputElement>("refresh-agree").checked = false;
      say("refresh-message", refreshed(stage, this.session), stage.step === "refreshed" ? "done" : "note");
    };
  }

  /** The replacement of a lost holder, as one who helps or only takes note. */
  async replace(): Promise<() => void> {
    const newcomer = await bytesOf("newcomer-file", "the announcement of the newcomer");
    const { facts, holder } = this.session;
    const helpers = chosen("helps", facts.holders);
    const files = hasFile("masks-files") ? await filesOf("masks-files", "files masks-* of other helpers") : [];
    const agree = isChecked("replace-agree");
    const stage = await this.session.change(files, (received, sent) =>
      holder.replace(newcomer, helpers, received.filter(({ name }) => name.startsWith("masks-")), { sent, agree }),
    );
    return () => {
      say("replace-message", replaced(stage), stage.step === "given" || stage.step === "noted" ? "done" : "note");
    };
  }

  /** Takes the place of a lost holder. */
  async takeOver(): Promise<() => void> {
    const pieces = await filesOf("pieces", "the pieces of all helpers");
    await this.session.takeOver(await bytesOf("take-public", "public.key, of any holder or device"), pieces);
    const { generation } = this.session.facts;
    const refresh = "Ask all holders for a refresh now, so that the lost share opens nothing.";
    return () => say("you-message", `You have a share of generation ${generation}. ${refresh}`);
  }

  /** Wipes the share. */
  async end(): Promise<() => void> {
    if (!isChecked("end-agree")) {
      throw new IsopodError("argument", "Nothing was wiped. Say that you mean it.", "end-agree");
    }
    await this.session.change([], () => this.session.holder.end());
    return () => say("you-message", `Your share is wiped. Send ended-${this.session.facts.holder} to the others.`);
  }

  /** Takes notices of others who ended their shares. */
  async note(): Promise<() => void> {
    const files = await filesOf("ended-files", "files ended-* of others");
    await this.session.change([], () => this.session.holder.noteEnded(files));
    const { current = [] } = this.session.facts;
    return () => say("ended-message", `Who holds the key still: ${current.join(", ")}.`);
  }
}

function refreshed({ step, missing, fingerprint }: ChangeStage, { facts }: Session): string {
  const { holder, generation = 0 } = facts;
  if (step === "refreshed") {
    return `Generation ${generation}: the old share is wiped. Send refreshed-${generation}-${holder} to whoever lacks it.`;
  }
  const [sent, next] = [`${generation + 1}-${holder}`, missing.join(", ")];
  if (step === "dealt") {
    return `Send refresh-${sent} to the others. Waiting for refresh-${generation + 1}-* of ${next}.`;
  }
  const waiting = missing.length === 0 ? "All have confirmed." : `Waiting for refreshed-${generation + 1}-* of ${next}.`;
  return `Send refreshed-${sent} to the others; your old share is valid still. ${waiting} Fingerprint of the refresh: ${fingerprint}.`;
}

function replaced({ step, missing, fingerprint, newcomer }: ChangeStage): string {
  switch (step) {
    case "asked":
      return `Call ${newcomer} and compare ${fingerprint}. Whoever wrote this announcement gets the share of ${newcomer}.`;
    case "noted":
      return `Contributions go to the new ${newcomer} from now on.`;
    case "masked":
      return `Send your file masks-* to those who help. Waiting for masks-* of ${missing.join(", ")}.`;
    default:
      return "Send your file piece-* to the newcomer. Refresh all shares afterwards.";
  }
}
