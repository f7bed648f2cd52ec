/** A CSV file as readings. */
import Papa from "papaparse";
import { IsopodError, type Readings } from "../package/src/index.js";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Reads named columns of numbers. Every refusal names row and column. */
export function readings(text: string, name: string): Readings {
  const parsed = Papa.parse<string[]>(text.replace(/^\uFEFF/, ""), { skipEmptyLines: "greedy" });
  const fault = parsed.errors.find((error) => error.type === "Quotes");
  if (fault !== undefined) {
    throw new IsopodError(
      "values",
      `${name}, line ${(fault.row ?? 0) + 1}: a quotation mark is missing; close it, or leave them out`,
    );
  }
  const [header, ...rows] = parsed.data;
  if (header === undefined || rows.length === 0) {
    throw new IsopodError("values", `${name}: needs a row of names and a row of numbers at least`);
  }
  const columns = header.map((column) => column.trim());
  if (columns.every((column) => NUMBER.test(column))) {
    throw new IsopodError("values", `${name}: its first row holds numbers; put the names of the columns there`);
  }
  return {
    columns,
    rows: rows.map((row, number) =>
      row.map((cell, column) => value(cell, `row ${number + 1}, column ${columns[column] ?? column + 1}`)),
    ),
  };
}

function value(cell: string, where: string): number {
  const text = cell.trim();
  if (!NUMBER.test(text)) {
    const found = text === "" ? "is empty" : `“${text.slice(0, 40)}” is no number`;
    throw new IsopodError(
      "values",
      `${where}: ${found}; allowed are finite numbers such as -1.5 or 2e3. Correct the cell or leave the row out.`,
      where,
    );
  }
  return Number(text);
}
