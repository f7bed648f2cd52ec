/** An answer as a table, a chart and text files; one about columns as their summary. */
import {
  IsopodError,
  OF_COLUMNS,
  summarise,
  type Answer,
  type Description,
  type GroupSummary,
  type Item,
} from "../../package/src/index.js";
import { download, element, list, made } from "../dom.js";
import { csv, head, parts, row as line, value as cell } from "./cells.js";
import { chart, drawInto, type Bar } from "./chart.js";
import { bound, stated } from "./numbers.js";
import { summaryFile, summaryOf } from "./summary.js";

const MOST_ROWS = 500;

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

/** Shows an answer; with a description of its columns, what their sums tell. */
export function show(answer: Answer, description: Description | undefined): void {
  const rows = answer.items.flatMap(rowsOf);
  const width = Math.max(...rows.map((row) => row.values.length));
  const names = Array.from({ length: width }, (_, column) => answer.columns?.[column] ?? `column ${column + 1}`);
  const error = Math.max(...answer.items.map((item) => item.error));
  const groups = groupsOf(answer, description);
  const isTold = typeof groups !== "string";
  element("facts").textContent = facts(answer, rows, error);
  const files = [download("values.csv", valuesFile(rows, names), "the values as they were decrypted")];
  if (isTold) {
    element("summary").replaceChildren(...summaryOf(groups));
    files.unshift(download("summary.csv", summaryFile(groups), "the summary with its errors"));
  } else {
    element("summary").replaceChildren(...(groups === "" ? [] : [made("p", groups)]));
    element("table").replaceChildren(...table(rows, names, error));
  }
  element("values-table").hidden = isTold;
  element("opened").hidden = false;
  list("values", files);
  if (description?.derived === undefined || !isTold) {
    const [area, bars] = [made("div"), barsOf(rows, names)];
    element("chart").append(area);
    drawInto(area, (wide) => chart({ bars, error, title: answer.job }, wide));
  }
}

/** The summary of an answer about columns, or why there is none. */
function groupsOf(answer: Answer, description: Description | undefined): GroupSummary[] | string {
  if (!OF_COLUMNS.includes(answer.job)) {
    return "";
  }
  if (description === undefined) {
    return "With columns.json, the file of the frames, this answer is told column by column.";
  }
  try {
    return summarise(answer, description);
  } catch (error) {
    if (error instanceof IsopodError && error.field === "manifest") {
      return `There is no summary: ${error.message}.`;
    }
    throw error;
  }
}

function facts({ job, sequence, items }: Answer, rows: readonly Row[], error: number): string {
  const ranges = items.flatMap((item) => item.manifest ?? []);
  const frames = ranges.reduce((sum, range) => sum + range.last - range.first + 1n, 0n);
  const within = error === 0 ? "exact" : `each within ± ${bound(error)}`;
  const origin = frames === 0n ? "" : `, of ${frames} ${frames === 1n ? "frame" : "frames"}`;
  const values = rows.reduce((sum, row) => sum + row.values.length, 0);
  return `${job}: ${values} ${values === 1 ? "value" : "values"}${origin}, ${within}; answer ${sequence} of the server`;
}

/** Takes away an answer that was shown, with its files. */
export function hide(): void {
  element("opened").hidden = true;
  element("facts").textContent = "";
  ["chart", "summary", "table"].forEach((area) => element(area).replaceChildren());
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
  const caption = made("caption", `The first ${MOST_ROWS} of ${rows.length} rows; the file has all.`);
  const lines = rows
    .slice(0, MOST_ROWS)
    .map((row) =>
      line(head(row.name, "row"), ...row.values.map((value, at) => cell(stated({ value, error })?.value ?? "", names[at]))),
    );
  return [...(rows.length > MOST_ROWS ? [caption] : []), ...parts("", names, lines)];
}

function valuesFile(rows: readonly Row[], names: readonly string[]): string {
  return csv([["row", ...names], ...rows.map((row) => [row.name, ...row.values.map(String)])]);
}
