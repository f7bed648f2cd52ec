/** Bars from zero, with the error that each value stays within. */
import { bucketName, type Estimate, type Histogram } from "../../package/src/index.js";
import { bound, edgeTexts, short } from "./numbers.js";

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

/** Pixels: around the bars, of a letter, and between names side by side. */
const [TOP, BELOW, LETTER, LINE, GAP] = [12, 10, 8.2, 16, 8];
/** Height of the bars, and the share of its place that each takes: of a chart, and of a histogram. */
const [CHART, HISTOGRAM] = [
  { height: 220, share: 0.7, widest: 90 },
  { height: 84, share: 0.94, widest: Infinity },
] as const;
const [LEAST_WIDTH, LONGEST_NAME] = [240, 14];

/** Bars and axis of a drawing, in pixels. */
interface Frame {
  readonly form: typeof CHART | typeof HISTOGRAM;
  readonly width: number;
  readonly left: number;
  /** Of each bar with the space around it. */
  readonly each: number;
  readonly y: (value: number) => number;
  /** Of the axis, ascending. */
  readonly marks: readonly number[];
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
  const low = Math.min(...values) >= 0 && -lowest * CHART.height <= high * BELOW ? 0 : lowest;
  const size = step(high - low || 1);
  const [least, most] = [Math.floor(low / size), Math.ceil(high / size)];
  return Array.from({ length: Math.max(most, least + 1) - least + 1 }, (_, index) => (least + index) * size);
}

/** Draws the bars in the pixels of an area of this width, so that its letters are as large as those of the page. */
export function chart(series: Series, wanted: number): SVGElement {
  const values = series.bars.map((bar) => bar.value);
  const label = `${series.title}: ${values.length} values from ${short(Math.min(...values))} to ${short(Math.max(...values))}`;
  const frame = frameOf(CHART, series, wanted, ticks(values, series.error));
  return drawing(series, frame, labels(series.bars, frame), label);
}

/** Draws how many readings are in each bucket. Below stand edges; a bucket without one is drawn only if something is in it. */
export function histogram({ edges, counts }: Histogram, name: string, wanted: number): SVGElement {
  const texts = edgeTexts(edges);
  const [first, last] = [isSome(counts[0]) ? 0 : 1, isSome(counts.at(-1)) ? counts.length : counts.length - 1];
  const shown = counts.slice(first, last);
  const bars = shown.map(({ value }, at) => ({ name: bucketName(texts, first + at), value: Math.max(value, 0) }));
  const series = { bars, error: Math.max(...shown.map((count) => count.error)), title: name };
  const most = Math.max(...bars.map((bar) => bar.value));
  const frame = frameOf(HISTOGRAM, series, wanted, [0, Math.max(1, Math.ceil(most + series.error))]);
  const label = `Histogram of ${name} in ${bars.length} buckets, the fullest of ${short(most)}; the table below has the numbers`;
  return drawing(series, frame, edgeLabels(texts, first, frame), label);
}

function isSome(count: Estimate | undefined): boolean {
  return count !== undefined && count.value > Math.max(count.error, 0.5);
}

function frameOf(form: Frame["form"], { bars }: Series, wanted: number, marks: readonly number[]): Frame {
  const width = Math.max(LEAST_WIDTH, wanted);
  const left = 12 + LETTER * Math.max(...marks.map((mark) => short(mark).length));
  const [least, most] = [marks[0] ?? 0, marks.at(-1) ?? 1];
  const y = (value: number): number => TOP + ((most - value) / (most - least)) * form.height;
  return { form, width, left, each: (width - left) / bars.length, y, marks };
}

function drawing({ bars, error }: Series, frame: Frame, names: Labels, label: string): SVGElement {
  const { form, width, left, y } = frame;
  const height = TOP + form.height + BELOW + names.height;
  const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
  svg.append(...frame.marks.flatMap((mark) => grid(mark, frame)));
  bars.forEach((bar, index) => svg.append(...drawn(bar, index, frame, error)));
  svg.append(node("line", { class: "axis", x1: left, x2: width, y1: y(0), y2: y(0) }), ...names.texts);
  return svg;
}

/** Texts below the bars, and the height that they take. */
interface Labels {
  readonly texts: SVGElement[];
  readonly height: number;
}

/** The first edge, the last one, and as many between as there is room for. */
function edgeLabels(edges: readonly string[], first: number, { form, width, left, each }: Frame): Labels {
  const longest = LETTER * Math.max(...edges.map((edge) => edge.length));
  const every = Math.ceil((1.5 * longest + GAP) / each); // the first and the last stand beside their edges
  const y = TOP + form.height + BELOW + 8;
  const last = edges.length - 1;
  const isShown = (at: number): boolean => at === last || (at % every === 0 && last - at >= every);
  const anchors = (x: number): string => (x - left < 1 ? "start" : width - x < 1 ? "end" : "middle");
  const shown = edges.flatMap((text, at) => {
    const x = left + (at + 1 - first) * each;
    return isShown(at) ? [node("text", { class: "name", x, y, "text-anchor": anchors(x) }, text)] : [];
  });
  return { texts: shown, height: LINE };
}

/** Draws into an area, and again when it becomes wider or narrower, as long as it is in the page. */
export function drawInto(area: HTMLElement, draw: (width: number) => SVGElement): void {
  let width = 0;
  const fit = (): void => {
    if (area.clientWidth > 0 && area.clientWidth !== width) {
      width = area.clientWidth;
      area.replaceChildren(draw(width));
    }
  };
  const observer = new ResizeObserver(() => (area.isConnected ? fit() : observer.disconnect()));
  observer.observe(area);
  fit();
}

function grid(mark: number, { width, left, y }: Frame): SVGElement[] {
  return [
    node("line", { class: "grid", x1: left, x2: width, y1: y(mark), y2: y(mark) }),
    node("text", { class: "mark", x: left - 8, y: y(mark) + 4, "text-anchor": "end" }, short(mark)),
  ];
}

/** Names below the bars: side by side where they fit, otherwise upright, and as many as there is room for. */
function labels(bars: readonly Bar[], { form, left, each }: Frame): Labels {
  const longest = Math.min(LONGEST_NAME, Math.max(...bars.map((bar) => bar.name.length)));
  const [beside, upright] = [Math.ceil((LETTER * longest + GAP) / each), Math.ceil(LINE / each)];
  const isUpright = beside > 2 * upright && upright <= 2;
  const every = isUpright ? upright : beside;
  const top = TOP + form.height + BELOW;
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

function drawn(bar: Bar, index: number, { form, left, each, y, marks }: Frame, error: number): SVGElement[] {
  const width = Math.max(0.5, Math.min(each * form.share, form.widest));
  const middle = left + (index + 0.5) * each;
  const [top, bottom] = [y(Math.max(0, bar.value)), y(Math.min(0, bar.value))];
  const body = node("rect", { class: "bar", x: middle - width / 2, y: top, width, height: Math.max(0.5, bottom - top) });
  body.append(node("title", {}, `${bar.name}: ${bar.value} ± ${bound(error)}`));
  const ends = { y1: y(bar.value + error), y2: y(Math.max(marks[0] ?? 0, bar.value - error)) };
  const whisker = node("line", { class: "whisker", x1: middle, x2: middle, ...ends });
  return error > 0 && each > 4 ? [body, whisker] : [body];
}
