/** Bars with the error that each value stays within. */

/** One bar. */
export interface Bar {
  readonly name: string;
  readonly value: number;
}

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [880, 260, 70, 30, 12];
const MOST_NAMES = 16;

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

/** Draws the bars; `error` is that of every value. */
export function chart(bars: readonly Bar[], error: number, title: string): SVGElement {
  const values = bars.map((bar) => bar.value);
  const [low, high] = [Math.min(0, ...values) - error, Math.max(0, ...values) + error];
  const size = step(high - low || 1);
  const [least, most] = [Math.floor(low / size) * size, Math.ceil(high / size) * size];
  const range = most - least || 1;
  const y = (value: number): number => TOP + ((most - value) / range) * (HEIGHT - TOP - BOTTOM);
  const label = `${title}: ${bars.length} values from ${short(Math.min(...values))} to ${short(Math.max(...values))}`;
  const svg = node("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
  for (let tick = least; tick <= most + size / 2; tick += size) {
    svg.append(node("line", { class: "grid", x1: LEFT, x2: WIDTH, y1: y(tick), y2: y(tick) }));
    svg.append(
      node("text", { x: LEFT - 8, y: y(tick) + 4, "text-anchor": "end" }, short(Math.abs(tick) < size / 1e6 ? 0 : tick)),
    );
  }
  const each = (WIDTH - LEFT) / bars.length;
  bars.forEach((bar, index) => svg.append(...drawn(bar, LEFT + index * each, each, y, error)));
  svg.append(node("line", { class: "axis", x1: LEFT, x2: WIDTH, y1: y(0), y2: y(0) }));
  const every = Math.ceil(bars.length / MOST_NAMES);
  bars
    .filter((_, index) => index % every === 0)
    .forEach((bar, index) => {
      const x = LEFT + (index * every + 0.5) * each;
      const most = Math.max(3, Math.floor((every * each) / 8));
      const name = bar.name.length > most ? `${bar.name.slice(0, most - 1)}…` : bar.name;
      svg.append(node("text", { x, y: HEIGHT - 8, "text-anchor": "middle" }, name));
    });
  return svg;
}

function drawn(bar: Bar, left: number, each: number, y: (value: number) => number, error: number): SVGElement[] {
  const width = Math.max(0.5, Math.min(each * 0.7, 90));
  const [x, middle] = [left + (each - width) / 2, left + each / 2];
  const [top, bottom] = [y(Math.max(0, bar.value)), y(Math.min(0, bar.value))];
  const body = node("rect", { class: "bar", x, y: top, width, height: Math.max(0.5, bottom - top) });
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
