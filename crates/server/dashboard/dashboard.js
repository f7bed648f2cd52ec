// Reads the numbers of the server every two seconds and shows them. Text goes into the page as text only.
'use strict';

const PERIOD = 2000;
const MOST_ROWS = 200;
const rates = [];
let before = null;
let devices = [];

const find = (id) => document.getElementById(id);
const number = (value) => Number(value).toLocaleString('en');
const bytes = (value) => {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${value.toFixed(unit ? 1 : 0)} ${units[unit]}`;
};
const duration = (seconds) => {
  const units = [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];
  const at = Math.max(0, units.findIndex(([, length]) => seconds >= length));
  const [name, length] = seconds < 1 ? ['s', 1] : units[at];
  const [less, part] = units[at + 1] || [];
  const rest = part && seconds >= 60 ? ` ${Math.floor(seconds % length / part)} ${less}` : '';
  return `${Math.floor(seconds / length)} ${name}${rest}`;
};
const time = (milliseconds) => new Date(milliseconds).toISOString().replace('T', ' ').slice(0, 19);

async function ask(path) {
  const token = sessionStorage.getItem('token');
  const answer = await fetch(path, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
  if (answer.ok) return answer.json();
  const problem = await answer.json().catch(() => ({}));
  throw Object.assign(new Error(problem.detail || `status ${answer.status}`), { status: answer.status });
}

function rows(id, all, cells) {
  const body = document.createElement('tbody');
  for (const item of all.slice(0, MOST_ROWS)) {
    const row = body.insertRow();
    for (const cell of cells(item)) {
      const [text, kind] = Array.isArray(cell) ? cell : [cell, ''];
      const made = row.insertCell();
      made.textContent = text;
      made.className = kind;
    }
  }
  find(id).tBodies[0].replaceWith(body);
}

function showTotals(totals) {
  const shown = {
    devices: number(totals.devices), frames: number(totals.frames), stored: bytes(totals.bytes), log: bytes(totals.log_bytes),
    'in tables': number(totals.table_frames), 'not in tables': bytes(totals.table_behind), missing: number(totals.missing),
    quarantine: number(totals.quarantine), 'up for': duration(totals.seconds),
  };
  find('totals').replaceChildren(...Object.entries(shown).map(([name, value]) => {
    const box = document.createElement('div');
    const strong = document.createElement('b');
    strong.textContent = value;
    box.append(strong, name);
    return box;
  }));
  const now = Date.now();
  if (before) rates.push(Math.max(0, totals.frames - before.frames) * 1000 / (now - before.now));
  before = { now, frames: totals.frames };
  if (rates.length > 150) rates.shift();
}

function draw() {
  const canvas = find('rate');
  const pen = canvas.getContext('2d');
  const scale = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  [canvas.width, canvas.height] = [width * scale, height * scale];
  pen.scale(scale, scale);
  const most = Math.max(...rates, 0);
  const step = width / 150;
  pen.fillStyle = getComputedStyle(canvas).color;
  rates.forEach((rate, at) => {
    const bar = rate / (most || 1) * (height - 24);
    pen.fillRect((150 - rates.length + at) * step, height - bar, step - 1, bar);
  });
  find('peak').textContent = `now ${number(Math.round(rates.at(-1) || 0))}, at most ${number(Math.round(most))} in five minutes`;
}

function showDevices() {
  const wanted = find('search').value.trim();
  const gaps = find('gaps').checked;
  const chosen = devices.filter((one) => String(one.device).startsWith(wanted) && (!gaps || one.missing > 0));
  chosen.sort((one, two) => two.missing - one.missing || one.device - two.device);
  find('shown').textContent = `${number(Math.min(chosen.length, MOST_ROWS))} of ${number(devices.length)} shown`;
  rows('devices', chosen, (one) => [
    one.device, time(one.received), one.epoch, number(one.sequence), number(one.frames),
    [number(one.missing), one.missing ? 'bad' : ''], bytes(one.bytes), [one.revoked ? 'revoked' : 'in use', one.revoked ? 'bad' : ''],
  ]);
}

function showJobs(jobs) {
  rows('jobs', jobs, (job) => [
    job.id, job.asked.job || (job.asked.request || {}).job || '', [job.state, job.state === 'failed' ? 'bad' : ''],
    job.total ? `${job.stage} ${number(job.done)} of ${number(job.total)}` : '', number(job.frames), number(job.set_aside),
    bytes(job.bytes), job.problem ? job.problem.detail : job.first_refusal || '',
  ]);
}

function say(text, bad) {
  find('state').textContent = text;
  find('state').toggleAttribute('data-bad', bad);
}

async function refresh() {
  try {
    const [totals, found, jobs, refused] = await Promise.all(
      ['v1/totals', 'v1/devices', 'v1/jobs', 'v1/quarantine'].map(ask));
    document.querySelector('main').hidden = false;
    find('login').hidden = true;
    devices = found;
    showTotals(totals);
    draw();
    showDevices();
    showJobs(jobs);
    rows('quarantine', refused, (item) => [
      time(item.received), item.frame ? item.frame[0] : 'not known', number(item.bytes), item.reason,
    ]);
    say('ready', false);
  } catch (error) {
    say(error.message, true);
    if (error.status === 401 || error.status === 403) find('login').hidden = false;
  }
  setTimeout(refresh, PERIOD);
}

find('search').addEventListener('input', showDevices);
find('gaps').addEventListener('input', showDevices);
find('login').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem('token', find('token').value.trim());
});
refresh();
