/** Names of holders to choose from. */
import { element, made } from "../dom.js";

/** A checkbox with a text. */
export function choice(id: string, text: string, isSelf: boolean): HTMLElement {
  const label = made("label");
  const box = Object.assign(made("input"), { type: "checkbox", id, checked: isSelf, disabled: isSelf });
  label.className = "choice";
  label.append(box, text);
  return label;
}

/** A checkbox for each name, whose ids begin with the prefix. */
export function choices(prefix: string, names: readonly string[], self?: string): HTMLElement[] {
  return names.map((name) => choice(`${prefix}-${name}`, name === self ? `${name} (you)` : name, name === self));
}

/** The names that are chosen. */
export function chosen(prefix: string, names: readonly string[]): string[] {
  const isChosen = (name: string): boolean => {
    const box = document.getElementById(`${prefix}-${name}`);
    return box instanceof HTMLInputElement && box.checked;
  };
  return names.filter(isChosen);
}

/** Whether a file is chosen. */
export function hasFile(id: string): boolean {
  return (element<HTMLInputElement>(id).files?.length ?? 0) > 0;
}
