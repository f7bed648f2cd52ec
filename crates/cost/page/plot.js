"use strict";
// Line plots on logarithmic axes in plain SVG.
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a6ff0", "#8c6d31"];
const SVG = "http://www.w3.org/2000/svg";
const SIZE = { width: 480, height: 300, left: 58, right: 14, top: 12, bottom: 40 };

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Three significant digits, without an exponent as long as it reads well.
function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "";
  if (!Number.isFinite(value)) return "never";
  const size = Math.abs(value);
  if (size >= 1e4) return Math.round(value).toLocaleString("en-US");
  if (size >= 100 || Number.isInteger(value)) return String(Math.round(value));
  if (size >= 1) return value.toFixed(size >= 10 ? 1 : 2);
  return size === 0 ? "0" : Number(value.toPrecision(2)).toString();
}

const POWERS = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];
function tick(value) {
  for (const [power, letter] of POWERS) {
    if (value >= power) return `${Number((value / power).toPrecision(3))}${letter}`;
  }
  return String(Number(value.toPrecision(3)));
}

function decades(low, high) {
  const ticks = [];
  const step = Math.max(1, Math.ceil((Math.log10(high) - Math.log10(low)) / 7));
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += step) ticks.push(10 ** power);
  return ticks;
}

const tip = element("div", { id: "tip", role: "status", hidden: "" });
document.body.append(tip);
function show(event, text) {
  tip.textContent = text;
  tip.hidden = false;
  const box = event.target.getBoundingClientRect();
  const width = tip.offsetWidth;
  tip.style.left = `${Math.max(6, Math.min(box.x + 12, innerWidth - width - 8))}px`;
  tip.style.top = `${Math.max(6, box.y - tip.offsetHeight - 8)}px`;
}

// Series: {name, colour, dash, points: [{x, y, text}]}. Names in `hidden` are not drawn.
function plot(title, yLabel, series, hidden = new Set(), again = () => {}) {
  const figure = element("figure", {}, element("figcaption", {}, title));
  const shown = series
    .filter((one) => !hidden.has(one.name))
    .map((one) => ({
      ...one,
      points: one.points.filter((point) => point.y > 0).sort((a, b) => a.x - b.x),
    }));
  const points = shown.flatMap((one) => one.points);
  if (!points.length) {
    figure.append(element("p", {}, "Nothing was measured here."), legend(series, hidden, again));
    return figure;
  }
  const xs = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
  const ys = decades(Math.min(...points.map((point) => point.y)), Math.max(...points.map((point) => point.y)));
  if (ys.length === 1) ys.push(ys[0] * 10);
  const span = (value, low, high) => (high > low ? Math.log(value / low) / Math.log(high / low) : 0.5);
  const x = (value) => SIZE.left + span(value, xs[0], xs.at(-1)) * (SIZE.width - SIZE.left - SIZE.right);
  const y = (value) => SIZE.height - SIZE.bottom - span(value, ys[0], ys.at(-1)) * (SIZE.height - SIZE.top - SIZE.bottom);
  const svg = drawn("svg", { viewBox: `0 0 ${SIZE.width} ${SIZE.height}`, role: "img", "aria-label": title });
  for (const value of ys) {
    svg.append(
      drawn("line", { class: "grid", x1: SIZE.left, x2: SIZE.width - SIZE.right, y1: y(value), y2: y(value) }),
      drawn("text", { x: SIZE.left - 6, y: y(value) + 4, "text-anchor": "end" }, tick(value)),
    );
  }
  for (const value of xs) {
    svg.append(drawn("text", { x: x(value), y: SIZE.height - SIZE.bottom + 16, "text-anchor": "middle" }, String(value)));
  }
  svg.append(
    drawn("text", { x: (SIZE.left + SIZE.width) / 2, y: SIZE.height - 6, "text-anchor": "middle" }, "ring degree n"),
    drawn(
      "text",
      { transform: `translate(13 ${(SIZE.height - SIZE.bottom) / 2}) rotate(-90)`, "text-anchor": "middle" },
      yLabel,
    ),
  );
  for (const one of shown) {
    const path = one.points.map((point, at) => `${at ? "L" : "M"}${x(point.x).toFixed(1)} ${y(point.y).toFixed(1)}`).join("");
    svg.append(
      drawn("path", { d: path, fill: "none", stroke: one.colour, "stroke-width": 2, "stroke-dasharray": one.dash || "none" }),
    );
    for (const point of one.points) {
      const text = `${one.name}, n = ${point.x}: ${point.text || number(point.y)}`;
      const mark = drawn(
        "circle",
        { class: "mark", cx: x(point.x), cy: y(point.y), r: 4, fill: one.colour, tabindex: 0 },
        drawn("title", {}, text),
      );
      for (const name of ["mouseenter", "focus"]) mark.addEventListener(name, (event) => show(event, text));
      for (const name of ["mouseleave", "blur"])
        mark.addEventListener(name, () => {
          tip.hidden = true;
        });
      svg.append(mark);
    }
  }
  figure.append(svg, legend(series, hidden, again));
  return figure;
}

function legend(series, hidden, again) {
  const list = element("ul", { class: "legend" });
  for (const one of series) {
    const line = drawn(
      "svg",
      { viewBox: "0 0 26 10", "aria-hidden": "true" },
      drawn("path", { d: "M1 5H25", stroke: one.colour, "stroke-width": 2.5, "stroke-dasharray": one.dash || "none" }),
    );
    const press = () => {
      if (!hidden.delete(one.name)) hidden.add(one.name);
      again();
    };
    list.append(
      element(
        "li",
        {},
        element("button", { type: "button", "aria-pressed": String(!hidden.has(one.name)), onclick: press }, line, one.name),
      ),
    );
  }
  return list;
}

// A table; cells are text or {text, class}, columns whose name begins with < are text.
function table(columns, rows) {
  const heads = columns.map((name) =>
    element("th", { class: name.startsWith("<") ? "text" : undefined }, name.replace("<", "")),
  );
  const body = rows.map((row) =>
    element(
      "tr",
      {},
      ...row.map((cell, at) => {
        const [text, kind] =
          cell instanceof Node ? [cell] : typeof cell === "object" && cell ? [cell.text, cell.class] : [cell];
        return element("td", { class: kind || (columns[at].startsWith("<") ? "text" : undefined) }, text ?? "");
      }),
    ),
  );
  return element(
    "div",
    { class: "scroll" },
    element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...body)),
  );
}

function choice(label, options, chosen, change) {
  const select = element(
    "select",
    { "aria-label": label, onchange: () => change(select.value) },
    ...options.map(([value, text]) => element("option", { value, selected: value === chosen ? "" : undefined }, text)),
  );
  return element("label", {}, label, select);
}
