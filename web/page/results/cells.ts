/** Cells and rows of tables, which say what they are even where a telephone shows them as a list. */
import { made } from "../dom.js";

/** A cell of a head. */
export function head(text: string, scope: "col" | "row" = "col"): HTMLTableCellElement {
  const cell = made("th", text);
  cell.scope = scope;
  cell.setAttribute("role", scope === "col" ? "columnheader" : "rowheader");
  return cell;
}

/** A cell of a value, and what it is the value of. */
export function value(text: string, of = ""): HTMLTableCellElement {
  const cell = made("td", text);
  cell.setAttribute("role", "cell");
  cell.dataset["label"] = of;
  return cell;
}

/** A row. */
export function row(...cells: HTMLTableCellElement[]): HTMLTableRowElement {
  const line = made("tr");
  line.setAttribute("role", "row");
  line.append(...cells);
  return line;
}

/** Head and body of a table; without a name for the first column, its head is empty. */
export function parts(first: string, names: readonly string[], rows: readonly HTMLTableRowElement[]): HTMLElement[] {
  const [top, body] = [made("thead"), made("tbody")];
  [top, body].forEach((part) => part.setAttribute("role", "rowgroup"));
  top.append(row(first === "" ? value("") : head(first), ...names.map((name) => head(name))));
  body.append(...rows);
  return [top, body];
}

/** A table of these parts. */
export function table(content: readonly HTMLElement[]): HTMLTableElement {
  const whole = made("table");
  whole.setAttribute("role", "table");
  whole.append(...content);
  return whole;
}

/** Rows as a text file, with commas between cells. */
export function csv(rows: readonly (readonly string[])[]): string {
  const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((cells) => `${cells.map(quoted).join(",")}\n`).join("");
}
