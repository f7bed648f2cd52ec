/** The summary of an answer about columns: a table for each group as `describe` has it, and a small histogram for each column. */
import { bucketName, type ColumnSummary, type Estimate, type GroupSummary, type Histogram } from "../../package/src/index.js";
import { made } from "../dom.js";
import { csv, head, parts, row, table, value } from "./cells.js";
import { drawInto, histogram } from "./chart.js";
import { edgeTexts, stated } from "./numbers.js";

/** What is told of a column, in the order and by the names of pandas. */
const FIGURES: readonly (readonly [string, (column: ColumnSummary) => Estimate | undefined])[] = [
  ["count", (column) => column.count],
  ["mean", (column) => column.mean],
  ["std", (column) => column.std],
  ["min", (column) => column.min],
  ["25%", (column) => column.quartiles?.[0]],
  ["50%", (column) => column.quartiles?.[1]],
  ["75%", (column) => column.quartiles?.[2]],
  ["max", (column) => column.max],
];
const ABSENT = "–";

/** Everything that is told of the groups. */
export function summaryOf(groups: readonly GroupSummary[]): HTMLElement[] {
  const figures = FIGURES.filter(([, of]) => groups.some(({ columns }) => columns.some((column) => of(column) !== undefined)));
  return groups.flatMap((group) => [
    made("h3", title(group)),
    ...(isEmpty(group) ? [] : [tableOf(group, figures), ...chartsOf(group)]),
  ]);
}

/** The same as a text file, a row for each column of each group: each figure, and its error. */
export function summaryFile(groups: readonly GroupSummary[]): string {
  const names = FIGURES.flatMap(([name]) => [name, `${name} error`]);
  const cells = (column: ColumnSummary): string[] =>
    FIGURES.flatMap(([, of]) => {
      const figure = of(column);
      return figure !== undefined && Number.isFinite(figure.error) ? [String(figure.value), String(figure.error)] : ["", ""];
    });
  const rows = groups.flatMap(({ category, columns }) =>
    columns.map((column) => [category ?? "", column.name, ...cells(column)]),
  );
  return csv([["group", "column", ...names], ...rows]);
}

function title(group: GroupSummary): string {
  const { value: rows, error } = stated(group.rows) ?? { value: ABSENT, error: "" };
  const count = isEmpty(group) ? "no rows" : `${rows}${error && ` ± ${error}`} ${rows === "1" ? "row" : "rows"}`;
  return group.category === undefined ? count : `${group.category}: ${count}`;
}

function isEmpty({ rows }: GroupSummary): boolean {
  return rows.value === 0 && rows.error === 0;
}

function tableOf(group: GroupSummary, figures: typeof FIGURES): HTMLElement {
  const rows = group.columns.map((column) =>
    row(head(column.name, "row"), ...figures.map(([name, of]) => figureCell(of(column), name))),
  );
  const area = made("div");
  const whole = table(
    parts(
      "column",
      figures.map(([name]) => name),
      rows,
    ),
  );
  whole.className = "summary";
  const said = { class: "scroll", tabindex: "0", role: "region", "aria-label": `Summary of the columns: ${title(group)}` };
  Object.entries(said).forEach(([name, text]) => area.setAttribute(name, text));
  area.append(whole);
  return area;
}

function figureCell(figure: Estimate | undefined, name: string): HTMLTableCellElement {
  const shown = figure && stated(figure);
  const cell = value("", name);
  cell.append(made("span", shown?.value ?? ABSENT), ...(shown?.error ? [" ", made("small", `± ${shown.error}`)] : []));
  return cell;
}

function chartsOf({ columns }: GroupSummary): HTMLElement[] {
  const some = columns.flatMap(({ name, histogram: buckets }) => (buckets === undefined ? [] : [chartOf(name, buckets)]));
  const area = made("div");
  area.className = "histograms";
  area.append(...some);
  return some.length === 0 ? [] : [area];
}

/** A histogram, and the table that says the same. */
function chartOf(name: string, buckets: Histogram): HTMLElement {
  const [figure, area, details] = [made("figure"), made("div"), made("details")];
  const texts = edgeTexts(buckets.edges);
  const rows = buckets.counts.map((count, at) => row(head(bucketName(texts, at), "row"), figureCell(count, "readings")));
  details.append(made("summary", "Readings in each bucket"), table(parts(name, ["readings"], rows)));
  figure.append(made("figcaption", name), area, details);
  drawInto(area, (width) => histogram(buckets, name, width));
  return figure;
}
