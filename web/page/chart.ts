/** Bars from zero, with the error that each value stays within. */

/** One bar. */
export interface Bar {
  readonly name: string;
  readonly value: number;
}

/** Values with the error of each, and what they are. */
export interface Series {
  readonly bars: readonly Bar[];
  readonly error: number;
  readonly title: string;
}

/** Pixels: the height of the bars, around them, of a letter, and between names side by side. */
const [BARS, TOP, BELOW, LETTER, LINE, GAP] = [220, 12, 10, 8.2, 16, 8];
const [LEAST_WIDTH, LONGEST_NAME] = [240, 14];

/** Bars and axis of a drawing, in pixels. */
interface Frame {
  readonly width: number;
  readonly left: number;
  /** Of each bar with the space around it. */
  readonly each: number;
  readonly y: (value: number) => number;
}

function node(name: string, attributes: Record<string, number | string>, text?: string): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, String(value)));
  if (text !== undefined) {
    made.textContent = text;
  }
  return made;
}

/** Steps of 1, 2 or 5 times a power of ten, about five of them. */
function step(range: number): number {
  const power = 10 ** Math.floor(Math.log10(range / 5));
  return power * ([1, 2, 5].find((factor) => range / (power * factor) <= 6) ?? 10);
}

/**
 * Marks of the axis: from zero, on both sides as far as values and errors need. An error that goes below zero by a few pixels, where
 * no value does, gets no mark there.
 */
export function ticks(values: readonly number[], error: number): number[] {
  const [lowest, high] = [Math.min(0, ...values) - error, Math.max(0, ...values) + error];
  const low = Math.min(...values) >= 0 && -lowest * BARS <= high * BELOW ? 0 : lowest;
  const size = step(high - low || 1);
  const [least, most] = [Math.floor(low / size), Math.ceil(high / size)];
  return Array.from({ length: Math.max(most, least + 1) - least + 1 }, (_, index) => (least + index) * size);
}

/** Draws the bars in the pixels of an area of this width, so that its letters are as large as those of the page. */
export function chart({ bars, error, title }: Series, wanted: number): SVGElement {
  const values = bars.map((bar) => bar.value);
  const marks = ticks(values, error);
  const width = Math.max(LEAST_WIDTH, wanted);
  const left = 12 + LETTER * Math.max(...marks.map((mark) => short(mark).length));
  const [least, most] = [marks[0] ?? 0, marks.at(-1) ?? 1];
  const y = (value: number): number => TOP + ((most - value) / (most - least)) * BARS;
  const frame = { width, left, each: (width - left) / bars.length, y };
  const names = labels(bars, frame);
  const label = `${title}: ${bars.length} values from ${short(Math.min(...values))} to ${short(Math.max(...values))}`;
  const height = TOP + BARS + BELOW + names.height;
  const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
  svg.append(...marks.flatMap((mark) => grid(mark, frame)));
  bars.forEach((bar, index) => svg.append(...drawn(bar, index, frame, error)));
  svg.append(node("line", { class: "axis", x1: left, x2: width, y1: y(0), y2: y(0) }), ...names.texts);
  return svg;
}

function grid(mark: number, { width, left, y }: Frame): SVGElement[] {
  return [
    node("line", { class: "grid", x1: left, x2: width, y1: y(mark), y2: y(mark) }),
    node("text", { class: "mark", x: left - 8, y: y(mark) + 4, "text-anchor": "end" }, short(mark)),
  ];
}

/** Names below the bars: side by side where they fit, otherwise upright, and as many as there is room for. */
function labels(bars: readonly Bar[], { left, each }: Frame): { texts: SVGElement[]; height: number } {
  const longest = Math.min(LONGEST_NAME, Math.max(...bars.map((bar) => bar.name.length)));
  const [beside, upright] = [Math.ceil((LETTER * longest + GAP) / each), Math.ceil(LINE / each)];
  const isUpright = beside > 2 * upright && upright <= 2;
  const every = isUpright ? upright : beside;
  const top = TOP + BARS + BELOW;
  const texts = bars.flatMap(({ name }, index) => {
    if (index % every !== 0) {
      return [];
    }
    const text = name.length > longest ? `${name.slice(0, longest - 1)}…` : name;
    const x = left + (index + 0.5) * each;
    const place = isUpright
      ? { x: x + 4, y: top, "text-anchor": "end", transform: `rotate(-90 ${x + 4} ${top})` }
      : { x, y: top + 12, "text-anchor": "middle" };
    return [node("text", { class: "name", ...place }, text)];
  });
  return { texts, height: isUpright ? LETTER * longest + GAP : LINE };
}

function drawn(bar: Bar, index: number, { left, each, y }: Frame, error: number): SVGElement[] {
  const width = Math.max(0.5, Math.min(each * 0.7, 90));
  const middle = left + (index + 0.5) * each;
  const [top, bottom] = [y(Math.max(0, bar.value)), y(Math.min(0, bar.value))];
  const body = node("rect", { class: "bar", x: middle - width / 2, y: top, width, height: Math.max(0.5, bottom - top) });
  body.append(node("title", {}, `${bar.name}: ${bar.value} ± ${bound(error)}`));
  const whisker = node("line", { class: "whisker", x1: middle, x2: middle, y1: y(bar.value + error), y2: y(bar.value - error) });
  return error > 0 && each > 4 ? [body, whisker] : [body];
}

/** A bound in few digits, rounded up. */
export function bound(error: number): string {
  let [text, more] = [short(error), error];
  while (Number(text) < error) {
    more *= 1.0001;
    text = short(more);
  }
  return text;
}

/** A number in few digits. */
export function short(value: number): string {
  const size = Math.abs(value);
  return size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(1) : String(Number(value.toPrecision(4)));
}
