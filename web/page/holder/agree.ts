/** An answer that a holder is asked to open: what it is, who answers, and the contribution after agreeing. */
import { IsopodError, type Ask } from "../../package/src/index.js";
import { download, element, list, made, say } from "../dom.js";
import { bound } from "../results/numbers.js";
import { choices, chosen } from "./names.js";
import type { Session } from "./session.js";

/** The form of one answer after the other. */
export class Agreeing {
  private results: Uint8Array | undefined;
  /** The contribution to the answer that is shown. */
  contribution: Uint8Array | undefined;

  constructor(private readonly session: Session) {}

  /** Takes away what was asked. */
  clear(): void {
    this.results = this.contribution = undefined;
    element("agree-form").hidden = true;
    list("contribution", []);
    say("agree-message", "");
  }

  /** Shows what is asked. Nothing is opened or counted. */
  ask(results: Uint8Array): void {
    const { facts, holder } = this.session;
    const ask = holder.review(results);
    this.results = results;
    element("ask-facts").replaceChildren(...rows(ask));
    element("with-title").textContent = `Who answers? ${facts.threshold} of ${facts.holders.length}, with you`;
    element("with").replaceChildren(...choices("with", facts.holders, facts.holder));
    element("agree-form").hidden = false;
    say("review-message", "Authentic. Nothing is opened or counted yet.");
  }

  /** Counts, and only then makes the contribution. */
  async agree(): Promise<() => void> {
    const { facts, holder } = this.session;
    const names = chosen("with", facts.holders);
    if (this.results === undefined) {
      throw new IsopodError("file", "Look at an answer first.", "results-file");
    }
    if (names.length !== facts.threshold) {
      const problem = `${names.length} holders are chosen; allowed are exactly ${facts.threshold}, you among them.`;
      throw new IsopodError("argument", problem, "with");
    }
    const results = this.results;
    const contribution = await this.session.alone(() => holder.contribute(results, names, this.session.count()));
    return () => {
      this.contribution = contribution;
      element("agree-form").hidden = true;
      const about = `to ${names.filter((name) => name !== facts.holder).join(" and ")}; it opens this answer alone`;
      list("contribution", [download(`contribution-${facts.holder}`, contribution, about)]);
      const { used = 0, queries } = this.session.facts;
      say("agree-message", `Counted: ${used} of ${queries} answers. Send your contribution to those who answer.`);
    };
  }

  /** Forgets the answer. */
  decline(): void {
    this.clear();
    say("review-message", "Declined: nothing was counted, and nobody gets anything from you.", "note");
  }
}

function rows({ job, results, entered, devices, error, used, queries }: Ask): HTMLElement[] {
  const many = results === 1 ? "1 result" : `${results} results`;
  const which = devices.length === 0 ? "not said" : `${devices.length}: ${devices.slice(0, 20).join(", ")}`;
  const left = queries - used;
  const told: [string, string][] = [
    ["Job", `${job}, ${many}`],
    ["Frames", `${entered} in each result`],
    ["Devices", `${which}${devices.length > 20 ? ", …" : ""}`],
    ["Values", error === 0 ? "exact" : `within ± ${bound(error)}`],
    ["Answers left", `${left} of ${queries}, ${Math.max(0, left - results)} after this one`],
  ];
  return told.flatMap(([name, value]) => [made("dt", name), made("dd", value)]);
}
