/** An answer as a table, a chart and a CSV file. */
import type { Answer, Item } from "../package/src/index.js";
import { bound, chart, type Bar, type Series } from "./chart.js";
import { download, element, list, made } from "./dom.js";

const MOST_ROWS = 500;

/** The chart that is shown: drawn again when its area becomes wider or narrower. */
const drawing: { series?: Series; width: number } = { width: 0 };

/** One row of values, and what it is called. */
interface Row {
  readonly name: string;
  readonly values: number[];
}

function rowsOf(item: Item): Row[] {
  return Array.from({ length: item.rows }, (_, row) => {
    const values = Array.from(item.values.subarray(row * item.columns, (row + 1) * item.columns));
    const place = item.frame ? `device ${item.frame.device}, epoch ${item.frame.epoch}, sequence ${item.frame.first}, ` : "";
    return { name: `${place}row ${row + 1}`, values };
  });
}

/** Digits that the error leaves; integers as they are. */
function digits(value: number, error: number): string {
  return error === 0 ? String(value) : value.toFixed(Math.max(0, Math.min(12, 1 - Math.floor(Math.log10(error)))));
}

/** Shows an answer. */
export function show(answer: Answer): void {
  const rows = answer.items.flatMap(rowsOf);
  const width = Math.max(...rows.map((row) => row.values.length));
  const names = Array.from({ length: width }, (_, column) => answer.columns?.[column] ?? `column ${column + 1}`);
  const error = Math.max(...answer.items.map((item) => item.error));
  const frames = answer.items.reduce(
    (sum, item) => sum + (item.manifest ?? []).reduce((part, range) => part + range.last - range.first + 1n, 0n),
    0n,
  );
  const within = error === 0 ? "exact" : `each within ± ${bound(error)}`;
  const origin = frames === 0n ? "" : `, of ${frames} ${frames === 1n ? "frame" : "frames"}`;
  const values = rows.reduce((sum, row) => sum + row.values.length, 0);
  element("facts").textContent =
    `${answer.job}: ${values} ${values === 1 ? "value" : "values"}${origin}, ${within}; answer ${answer.sequence} of the server`;
  element("table").replaceChildren(...table(rows, names, error));
  list("values", [download("values.csv", csv(rows, names), "the values as they were decrypted")]);
  element("opened").hidden = false;
  drawing.series = { bars: barsOf(rows, names), error, title: answer.job };
  drawing.width = 0;
  draw();
}

function draw(): void {
  const { series, width } = drawing;
  const area = element("chart");
  if (series !== undefined && area.clientWidth > 0 && area.clientWidth !== width) {
    drawing.width = area.clientWidth;
    area.replaceChildren(chart(series, drawing.width));
  }
}

new ResizeObserver(draw).observe(element("chart"));

/** Takes away an answer that was shown, with its file. */
export function hide(): void {
  element("opened").hidden = true;
  element("facts").textContent = "";
  delete drawing.series;
  element("chart").replaceChildren();
  element("table").replaceChildren();
  list("values", []);
}

/** Every value of one row; of several rows, their first column. */
function barsOf(rows: readonly Row[], names: readonly string[]): Bar[] {
  if (rows.length === 1) {
    return (rows[0]?.values ?? []).map((value, column) => ({ name: names[column] ?? "", value }));
  }
  return rows.map((row, index) => ({ name: String(index + 1), value: row.values[0] ?? 0 }));
}

function table(rows: readonly Row[], names: readonly string[], error: number): HTMLElement[] {
  const caption = made(
    "caption",
    rows.length > MOST_ROWS ? `The first ${MOST_ROWS} of ${rows.length} rows; the file has all.` : "",
  );
  const [head, body] = [made("thead"), made("tbody")];
  head.append(
    line(
      "",
      names.map((name) => cell("th", name, "col")),
    ),
  );
  body.append(
    ...rows.slice(0, MOST_ROWS).map((row) =>
      line(
        row.name,
        row.values.map((value) => cell("td", digits(value, error))),
      ),
    ),
  );
  return caption.textContent === "" ? [head, body] : [caption, head, body];
}

function cell(name: "th" | "td", text: string, scope?: string): HTMLTableCellElement {
  const node = made(name, text);
  if (scope !== undefined) {
    node.scope = scope;
  }
  return node;
}

function line(name: string, cells: HTMLTableCellElement[]): HTMLTableRowElement {
  const row = made("tr");
  row.append(name === "" ? cell("td", "") : cell("th", name, "row"), ...cells);
  return row;
}

function csv(rows: readonly Row[], names: readonly string[]): string {
  const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return (
    [["row", ...names], ...rows.map((row) => [row.name, ...row.values.map(String)])]
      .map((cells) => cells.map(quoted).join(","))
      .join("\n") + "\n"
  );
}
