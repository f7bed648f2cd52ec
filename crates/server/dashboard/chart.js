// Draws a rate over time with axes, and keeps its points over a reload while the tab is open.
'use strict';

/* exported Chart */
class Chart {
  static SPAN = 15 * 60_000;

  constructor(canvas, unit, name) {
    [this.canvas, this.unit, this.name] = [canvas, unit, name];
    this.points = [];
    this.before = null;
    try {
      const kept = JSON.parse(sessionStorage.getItem(name)) || {};
      if (Array.isArray(kept.points)) [this.points, this.before] = [kept.points, kept.before];
    } catch { /* What an older page kept is as nothing. */ }
    window.addEventListener('resize', () => this.draw());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
  }

  // Adds the count at this moment; the rate is that since the count before.
  add(now, count) {
    const passed = this.before ? now - this.before.now : 0;
    if (passed > 0 && count >= this.before.count) this.points.push([now, (count - this.before.count) * 1000 / passed, passed]);
    this.before = { now, count };
    this.points = this.points.filter(([time]) => time > now - Chart.SPAN);
    sessionStorage.setItem(this.name, JSON.stringify({ points: this.points, before: this.before }));
    this.draw();
  }

  get now() { return this.points.at(-1)?.[1] || 0; }

  get most() { return Math.max(0, ...this.points.map(([, rate]) => rate)); }

  // A bound of the axis at or above the most, with ticks that are easy to read.
  static scale(most) {
    const power = 10 ** Math.floor(Math.log10(most || 1));
    const step = [0.25, 0.5, 1, 2.5].map((part) => part * power).find((part) => most <= 4 * part) || 2.5 * power;
    return { step, top: Math.max(step, Math.ceil(most / step) * step) };
  }

  draw() {
    const pen = this.canvas.getContext('2d');
    const zoom = window.devicePixelRatio || 1;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    [this.canvas.width, this.canvas.height] = [width * zoom, height * zoom];
    pen.scale(zoom, zoom);
    const style = getComputedStyle(this.canvas);
    const colour = (name) => style.getPropertyValue(name).trim();
    pen.font = `12px ${style.fontFamily}`;
    const { step, top } = Chart.scale(this.most);
    const label = (value) => `${value.toLocaleString('en')}${value === top ? ` ${this.unit}` : ''}`;
    const area = { left: Math.ceil(pen.measureText(label(top)).width) + 10, top: 10, right: width - 6, bottom: height - 24 };
    const y = (rate) => area.bottom - rate / top * (area.bottom - area.top);
    const end = this.before ? this.before.now : Date.now();
    const x = (time) => area.right - (end - time) / Chart.SPAN * (area.right - area.left);
    pen.strokeStyle = colour('--line');
    pen.fillStyle = colour('--faint');
    pen.textBaseline = 'middle';
    pen.textAlign = 'right';
    for (let value = 0; value <= top; value += step) {
      Chart.line(pen, area.left, y(value), area.right, y(value));
      pen.fillText(label(value), area.left - 6, y(value));
    }
    this.drawTimes(pen, x, area, end);
    pen.fillStyle = colour('--mark');
    for (const [time, rate, passed] of this.points) {
      const from = Math.max(area.left, x(time - passed));
      pen.fillRect(from, y(rate), Math.max(1, x(time) - from - 0.5), area.bottom - y(rate));
    }
  }

  drawTimes(pen, x, area, end) {
    pen.textAlign = 'center';
    const minutes = area.right - area.left < 420 ? 5 : 3;
    const every = minutes * 60_000;
    for (let time = Math.ceil((end - Chart.SPAN) / every) * every; time <= end; time += every) {
      const text = new Date(time).toLocaleTimeString('sv-SE', { hour: '2-digit', minute: '2-digit' });
      const half = pen.measureText(text).width / 2;
      Chart.line(pen, x(time), area.bottom, x(time), area.bottom + 4);
      if (x(time) - half >= 0 && x(time) + half <= area.right + 6) pen.fillText(text, x(time), area.bottom + 14);
    }
  }

  static line(pen, fromX, fromY, toX, toY) {
    pen.beginPath();
    pen.moveTo(fromX, Math.round(fromY) + 0.5);
    pen.lineTo(toX, Math.round(toY) + 0.5);
    pen.stroke();
  }
}
