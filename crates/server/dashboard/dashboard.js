// Reads the numbers of the server every two seconds and shows them. Text goes into the page as text only.
'use strict';

const PERIOD = 2000;
const MOST_ROWS = 200;
const MOST_ENTRIES = 24;
const find = (id) => document.getElementById(id);
const chart = new Chart(find('rate'), 'frames/s', 'rate');
const asking = new Asking(find('asking'), async (asked) => {
  const { id } = await ask('v1/jobs', asked);
  showJobs(await ask('v1/jobs'));
  return id;
});
let devices = [];

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
// Swedish writes year, month and day with zeros, as everybody can read them.
const time = (milliseconds) => new Date(milliseconds).toLocaleString('sv-SE');

function zone() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const minutes = -new Date().getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const offset = `UTC${minutes < 0 ? '−' : '+'}${hours}${rest ? `:${String(rest).padStart(2, '0')}` : ''}`;
  return `times in ${timeZone === 'UTC' || !timeZone ? 'UTC' : `${timeZone} (${offset})`}`;
}

// Asks the interface; with a body it asks for something to be done.
async function ask(path, body) {
  const token = sessionStorage.getItem('token');
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const sent = body && { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(path, { ...sent, headers: body ? { ...headers, 'Content-Type': 'application/json' } : headers });
  const content = await answer.json().catch(() => ({}));
  if (answer.ok || 'ready' in content) return content;
  throw Object.assign(new Error(content.detail || `status ${answer.status}`), { status: answer.status });
}

// Fills a table; a cell is a text, or a text with its kind.
function rows(id, all, cells) {
  const body = document.createElement('tbody');
  const heads = [...find(id).tHead.rows[0].cells];
  for (const item of all.slice(0, MOST_ROWS)) {
    const row = body.insertRow();
    cells(item).forEach((cell, at) => {
      const [text, kind] = Array.isArray(cell) ? cell : [cell, ''];
      const made = row.insertCell();
      made.textContent = text;
      made.className = [heads[at].className, kind].filter(Boolean).join(' ');
      made.dataset.label = heads[at].textContent;
    });
  }
  find(id).tBodies[0].replaceWith(body);
}

function showState({ ready, reasons, warnings }) {
  find('state').textContent = ready ? 'ready' : 'not ready';
  find('state').toggleAttribute('data-bad', !ready);
  const notice = (kind) => ({ field, detail }) => {
    const item = document.createElement('li');
    item.className = kind;
    item.textContent = detail.startsWith(`${field}:`) ? detail : `${field}: ${detail}`;
    return item;
  };
  find('notices').replaceChildren(...reasons.map(notice('bad')), ...warnings.map(notice('warning')));
}

function showTotals(totals) {
  const shown = {
    devices: number(totals.devices), 'frames since the begin': number(totals.frames), 'frames in the log': number(totals.log_frames),
    'size of the log': bytes(totals.log_bytes), 'frames in tables': number(totals.table_frames),
    'not yet in tables': bytes(totals.table_behind), missing: number(totals.missing), 'in quarantine': number(totals.quarantine),
    'since the start': duration(totals.seconds),
  };
  find('totals').replaceChildren(...Object.entries(shown).map(([name, value]) => {
    const box = document.createElement('div');
    const strong = document.createElement('b');
    strong.textContent = value;
    box.append(strong, name);
    return box;
  }));
  chart.add(Date.now(), totals.frames);
  const [now, most] = [chart.now, chart.most].map((rate) => number(Math.round(10 * rate) / 10));
  find('peak').textContent = `now ${now}, at most ${most} in fifteen minutes`;
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

const state = (name) => [name, { failed: 'bad', done: 'good' }[name] || ''];

// The name of a job, with the rows that it takes.
function nameOf({ job, rows, request }) {
  const taken = rows || (request || {}).rows || [];
  const name = job || (request || {}).job || '';
  return taken.length ? `${name}, rows ${taken.slice(0, MOST_ENTRIES).join(',')}${taken.length > MOST_ENTRIES ? '…' : ''}` : name;
}

function showJobs(jobs) {
  rows('jobs', jobs, (job) => [
    job.id, nameOf(job.asked), time(job.asked_at), state(job.state),
    job.total ? `${job.stage} ${number(job.done)} of ${number(job.total)}` : '', number(job.frames), number(job.set_aside),
    job.state === 'done' ? `${bytes(job.bytes)}, ready` : '', job.problem ? job.problem.detail : job.first_refusal || '',
  ]);
}

// A server without SQL has no such list.
async function showQueries() {
  const queries = await ask('v1/sql').catch(() => null);
  find('sql').hidden = !queries;
  if (queries) {
    rows('queries', queries, (query) => [
      query.id, time(query.asked_at), state(query.state), `${number(query.seconds)} s`, query.query, query.problem || '',
    ]);
  }
}

async function refresh() {
  try {
    showState(await ask('readyz'));
    const [totals, found, jobs, refused, descriptors] = await Promise.all(
      ['v1/totals', 'v1/devices', 'v1/jobs', 'v1/quarantine', 'v1/descriptors'].map((path) => ask(path)));
    document.querySelector('main').hidden = false;
    find('login').hidden = true;
    devices = found;
    showTotals(totals);
    showDevices();
    showJobs(jobs);
    asking.offer(descriptors);
    await showQueries();
    rows('quarantine', refused, (item) => [
      time(item.received), item.frame ? item.frame[0] : 'not known', bytes(item.bytes), item.reason,
    ]);
  } catch (error) {
    find('state').textContent = error.message;
    find('state').toggleAttribute('data-bad', true);
    if (error.status === 401 || error.status === 403) find('login').hidden = false;
  }
  setTimeout(refresh, PERIOD);
}

find('zone').textContent = zone();
find('search').addEventListener('input', showDevices);
find('gaps').addEventListener('input', showDevices);
find('login').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem('token', find('token').value.trim());
});
refresh();
