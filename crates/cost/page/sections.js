// The sections of the page, each from the part of the data that it is about.
const DATA = JSON.parse(document.getElementById("data").textContent);

function section(id, title, text) {
  const made = element("section", { id }, element("h2", {}, title), element("p", {}, text));
  document.getElementById("sections").append(made);
  document.getElementById("contents").append(element("a", { href: `#${id}` }, title));
  return made;
}

const nameOf = (run, at) => (DATA.runs.length > 1 ? `${at + 1}: ${run.machine.processor}` : "");
const QUANTITIES = {
  ms: [
    "milliseconds",
    (record) => record.ms.median,
    (record) => `${number(record.ms.median)} ms, quartiles ${number(record.ms.lower)} to ${number(record.ms.upper)}`,
  ],
  bytes: ["bytes", (record) => record.bytes, (record) => `${number(record.bytes)} bytes`],
  instructions: ["instructions", (record) => record.instructions, (record) => `${number(record.instructions)} instructions`],
};
const DASHES = { isopod: "", seal: "6 3", "tfhe-rs": "2 2" };
const SIDES = { isopod: "Isopod", seal: "SEAL", "tfhe-rs": "tfhe-rs" };
const GROUPS = {
  "Values to bytes and back": ["fresh-public", "fresh-secret", "send-public", "send-secret", "receive", "read"],
  "The report's client": ["batch", "unbatch", "encrypt", "decrypt", "serialize", "transport"],
  "The report's arithmetic": ["add", "multiply", "multiply-plain", "square", "rescale", "compare"],
  "Key switching": ["relinearize", "rotate-one", "rotate-random", "rotate-columns", "conjugate"],
};

// Sets of records of which several have one degree; otherwise null, which stands for all.
function setsApart(records) {
  const degrees = new Set(records.map((record) => record.degree));
  return degrees.size < records.length ? [...new Set(records.map((record) => record.set))] : [null];
}

function operationSeries(records, quantity, group) {
  const [, value, text] = QUANTITIES[quantity];
  return GROUPS[group]
    .flatMap((operation, at) =>
      ["isopod", "seal", "tfhe-rs"].flatMap((side) =>
        DATA.runs.flatMap((run, machine) => {
          const of = records(run).filter((record) => record.side === side && record.operation === operation);
          return setsApart(of).map((set, which) => ({
            name: [SIDES[side], operation, set, nameOf(run, machine)].filter(Boolean).join(" "),
            colour: COLOURS[(at + which * GROUPS[group].length) % COLOURS.length],
            dash: machine ? `${2 + 2 * machine} 2` : DASHES[side],
            points: of
              .filter((record) => !set || record.set === set)
              .map((record) => ({ x: record.degree, y: value(record), text: text(record) })),
          }));
        }),
      ),
    )
    .filter((one) => one.points.some((point) => point.y > 0));
}

function operations() {
  if (!DATA.runs.length) return;
  const schemes = [...new Set(DATA.runs.flatMap((run) => run.records.map((record) => record.scheme)))];
  const made = section(
    "operations",
    "Operations",
    "Medians on this machine; a mark shows its quartiles. A name in a legend hides or shows its line.",
  );
  const state = { scheme: schemes[0], quantity: "ms", hidden: new Set() };
  const host = element("div");
  const draw = () => {
    const records = (run) => run.records.filter((record) => record.scheme === state.scheme);
    const figures = Object.keys(GROUPS)
      .map((group) => [group, operationSeries(records, state.quantity, group)])
      .filter(([, series]) => series.length)
      .map(([group, series]) => plot(group, QUANTITIES[state.quantity][0], series, state.hidden, draw));
    host.replaceChildren(
      element("div", { class: "plots" }, ...figures),
      ...DATA.runs.map((run, at) => records_table(run, at, records(run))),
    );
  };
  const counted = DATA.runs.some((run) => run.records.some((record) => record.instructions));
  const quantities = Object.keys(QUANTITIES).filter((name) => name !== "instructions" || counted);
  made.append(
    element(
      "div",
      { class: "controls" },
      choice(
        "Scheme",
        schemes.map((name) => [name, name.toUpperCase()]),
        state.scheme,
        (value) => {
          state.scheme = value;
          draw();
        },
      ),
      choice(
        "Quantity",
        quantities.map((name) => [name, QUANTITIES[name][0]]),
        "ms",
        (value) => {
          state.quantity = value;
          draw();
        },
      ),
    ),
    host,
  );
  draw();
  for (const run of DATA.runs) {
    made.append(
      element(
        "p",
        {},
        `${run.machine.processor}; ${run.machine.system}; ${run.machine.libraries.join(", ")}; instruction counts: ${run.machine.instructions}. ${run.method}`,
      ),
    );
    if (run.skipped.length) {
      made.append(
        element(
          "details",
          {},
          element("summary", {}, `${run.skipped.length} left out`),
          table(
            ["<what", "<why"],
            run.skipped.map((one) => [one.what, one.why]),
          ),
        ),
      );
    }
  }
}

function records_table(run, at, records) {
  const degrees = [...new Set(records.map((record) => record.degree))].sort((a, b) => a - b);
  const names = Object.values(GROUPS)
    .flat()
    .filter((name) => records.some((record) => record.operation === name));
  const rows = names.flatMap((operation) =>
    Object.keys(SIDES).flatMap((side) => {
      const of = records.filter((record) => record.operation === operation && record.side === side);
      return of.length
        ? setsApart(of).map((set) => [
            set ? `${operation}, ${set}` : operation,
            SIDES[side],
            ...degrees.map((degree) =>
              number(of.find((record) => record.degree === degree && (!set || record.set === set))?.ms.median),
            ),
          ])
        : [];
    }),
  );
  return element(
    "details",
    { open: at === 0 ? "" : undefined },
    element("summary", {}, `Milliseconds as a table ${nameOf(run, at)}`),
    table(["<operation", "<library", ...degrees.map(String)], rows),
  );
}

function peaks() {
  if (!DATA.runs.some((run) => run.peaks.length)) return;
  const made = section(
    "peaks",
    "Peak memory",
    "A process of one side that makes keys and tables and encrypts once; resident memory at its peak, program included.",
  );
  const hidden = new Set();
  const host = element("div", { class: "plots" });
  const draw = () =>
    host.replaceChildren(
      ...["bfv", "ckks"].map((scheme) =>
        plot(
          scheme.toUpperCase(),
          "bytes",
          ["isopod", "seal"].flatMap((side, at) =>
            DATA.runs.map((run, machine) => ({
              name: [SIDES[side], nameOf(run, machine)].filter(Boolean).join(" "),
              colour: COLOURS[at],
              dash: machine ? "6 3" : "",
              points: run.peaks
                .filter((peak) => peak.side === side && peak.scheme === scheme)
                .map((peak) => ({ x: peak.degree, y: peak.bytes, text: `${(peak.bytes / 1e6).toFixed(1)} MB` })),
            })),
          ),
          hidden,
          draw,
        ),
      ),
    );
  made.append(host);
  draw();
}

// The model of the experiment; `model` in crates/cost computes the same for cost.json.
function costs(board, link, operation, prices) {
  const megahertz = board.megahertz * 1000;
  const local =
    operation.local[board.name] === undefined ? NaN : (operation.local[board.name] * board.cycles_per_instruction) / megahertz;
  const device = (operation.device[board.name] * board.cycles_per_instruction) / megahertz;
  const again = 1 / (1 - link.loss);
  const up = ((operation.up_bytes * 8) / link.up_kbits) * again,
    down = ((operation.down_bytes * 8) / link.down_kbits) * again;
  const server = operation.server_ms * prices.server_factor;
  const waits = link.round_trip_ms + server;
  const room = local - device - waits;
  return {
    break_even_kbits: room > 0 ? ((operation.up_bytes + operation.down_bytes) * 8 * again) / room : NaN,
    local,
    offloaded: device + up + waits + down,
    device,
    up,
    down,
    waits,
    local_mj: (local * board.active_mw) / 1000,
    offloaded_mj:
      (device * board.active_mw +
        up * (link.send_mw + board.idle_mw) +
        down * (link.receive_mw + board.idle_mw) +
        waits * board.idle_mw) /
      1000,
  };
}

function experiment() {
  const given = DATA.experiment;
  if (!given) return;
  const made = section(
    "offload",
    "Local or offloaded",
    "One operation on fresh ciphertexts. Local: the device computes with SEAL on ciphertexts that it holds. Offloaded: it encrypts the operands anew with a secret key, sends them, and receives the result; offloading is charged with encryption, local computation is not. Instructions are counted under emulation, server times and bytes are measured, the rest is the model below, which you can change.",
  );
  const named = (list, name) => list.find((one) => one.name === name);
  const state = { board: given.boards[0].name, link: (given.links.find((one) => one.name === "lan") || given.links[0]).name, scheme: "bfv", quantity: "ms", hidden: new Set() };
  const host = element("div");
  const draw = () => {
    const board = named(given.boards, state.board),
      link = named(given.links, state.link);
    const chosen = given.operations.filter((one) => one.scheme === state.scheme);
    const names = [...new Set(chosen.map((one) => one.operation))];
    const unit = state.quantity === "ms" ? "" : "_mj";
    const series = (kind, dash) =>
      names.map((name, at) => ({
        name: `${name}, ${kind === "local" ? "local" : "offloaded"}`,
        colour: COLOURS[at],
        dash,
        points: chosen
          .filter((one) => one.operation === name)
          .map((one) => ({ x: one.degree, y: costs(board, link, one, given.prices)[kind + unit] })),
      }));
    const degrees = [...new Set(chosen.map((one) => one.degree))].sort((a, b) => a - b);
    const rows = given.links.flatMap((one) =>
      names.map((name) => [
        one.title,
        name,
        ...degrees.map((degree) => {
          const operation = chosen.find((entry) => entry.operation === name && entry.degree === degree);
          if (!operation) return "";
          const cost = costs(board, one, operation, given.prices);
          const gain = cost["local" + unit] / cost["offloaded" + unit];
          return Number.isNaN(gain)
            ? ""
            : { text: gain >= 1 ? `${number(gain)}x better` : `${number(1 / gain)}x worse`, class: gain >= 1 ? "win" : "lose" };
        }),
      ]),
    );
    host.replaceChildren(
      element(
        "div",
        { class: "plots" },
        plot(
          `${board.title} over ${link.title}`,
          state.quantity === "ms" ? "milliseconds" : "millijoules",
          [...series("local", "6 3"), ...series("offloaded", "")],
          state.hidden,
          draw,
        ),
        breakdown(board, link, chosen, degrees, given.prices),
      ),
      element("h3", {}, `Where offloading wins on a ${board.title}, by ${state.quantity === "ms" ? "time" : "energy"}`),
      table(["<link", "<operation", ...degrees.map((degree) => `n = ${degree}`)], rows),
      element("h3", {}, `Break-even: Mbit/s from which offloading takes less time, with delay and loss of ${link.title}`),
      table(
        ["<operation", ...degrees.map((degree) => `n = ${degree}`)],
        names.map((name) => [
          name,
          ...degrees.map((degree) => {
            const operation = chosen.find((entry) => entry.operation === name && entry.degree === degree);
            const rate = operation ? costs(board, link, operation, given.prices).break_even_kbits / 1000 : NaN;
            return Number.isNaN(rate) ? "never" : number(rate);
          }),
        ]),
      ),
      jobs(given, board, link),
    );
  };
  const pick = (key) => (value) => {
    state[key] = value;
    draw();
  };
  made.append(
    element(
      "div",
      { class: "controls" },
      choice(
        "Board",
        given.boards.map((one) => [one.name, one.title]),
        state.board,
        pick("board"),
      ),
      choice(
        "Link",
        given.links.map((one) => [one.name, one.title]),
        state.link,
        pick("link"),
      ),
      choice(
        "Scheme",
        [
          ["bfv", "BFV"],
          ["ckks", "CKKS"],
        ],
        "bfv",
        pick("scheme"),
      ),
      choice(
        "Quantity",
        [
          ["ms", "time"],
          ["mj", "energy"],
        ],
        "ms",
        pick("quantity"),
      ),
    ),
    host,
  );
  draw();
  made.append(element("h3", {}, "Assumptions"), assumptions(given, draw));
  overhead(given);
}

function breakdown(board, link, chosen, degrees, prices) {
  const rows = degrees.flatMap((degree) =>
    chosen
      .filter((one) => one.degree === degree && one.operation === "multiply")
      .map((one) => {
        const cost = costs(board, link, one, prices);
        return [String(degree), ...["local", "device", "up", "waits", "down", "offloaded"].map((key) => number(cost[key]))];
      }),
  );
  return element(
    "figure",
    {},
    element("figcaption", {}, "A multiplication, ms: local, and the parts of offloading it"),
    table(["n", "local", "device", "up", "server, round trip", "down", "offloaded"], rows),
  );
}

function jobs(given, board, link) {
  if (!given.jobs) return "";
  const rows = (given.jobs || [])
    .map((job) => {
      const device = job.device[board.name];
      if (device === undefined) return null;
      const cost = costs(board, link, job, given.prices);
      return [
        job.title,
        job.set,
        number(job.up_bytes),
        number(job.down_bytes),
        number(job.server_ms),
        number(cost.device),
        number(cost.offloaded),
        number(cost.offloaded_mj),
        number(cost.local),
        number(cost.local_mj),
      ];
    })
    .filter(Boolean);
  return element(
    "div",
    {},
    element("h3", {}, "Real jobs through isopod-server"),
    table(
      ["<job", "<set", "bytes up", "bytes down", "server ms", "device ms", "all ms", "device mJ", "local ms", "local mJ"],
      rows,
    ),
  );
}

function assumptions(given, draw) {
  const field = (object, key) => {
    const input = element("input", {
      type: "number",
      step: "any",
      min: "0",
      value: object[key],
      "aria-label": key,
      onchange: () => {
        if (input.value !== "" && Number(input.value) >= 0) {
          object[key] = Number(input.value);
          draw();
        } else input.value = object[key];
      },
    });
    return input;
  };
  const boards = ["megahertz", "cycles_per_instruction", "active_mw", "idle_mw"];
  const links = ["up_kbits", "down_kbits", "round_trip_ms", "loss", "send_mw", "receive_mw"];
  return element(
    "div",
    {},
    table(
      ["<board", "MHz", "cycles per instruction", "active mW", "idle mW", "<source"],
      given.boards.map((one) => [one.title, ...boards.map((key) => field(one, key)), { text: one.source, class: "wide" }]),
    ),
    table(
      ["<link", "up kbit/s", "down kbit/s", "round trip ms", "loss", "sending mW", "receiving mW", "<source"],
      given.links.map((one) => [one.title, ...links.map((key) => field(one, key)), { text: one.source, class: "wide" }]),
    ),
    table(
      ["<server", "factor", "<source"],
      [["its times", field(given.prices, "server_factor"), { text: given.prices.source, class: "wide" }]],
    ),
  );
}

function overhead(given) {
  const made = section(
    "overhead",
    "Overhead of offloading, measured",
    "Device, server and owner as processes of this machine. All is by the clock; SEAL's own operation, and the overhead, which is everything else (tags, transport, checks, unpacking, conversion, the result's way back), are processor time of both sides. Kept operands were sent before.",
  );
  const rows = given.measured.map((one) => [
    one.link,
    one.scheme,
    one.operation,
    number(one.degree),
    one.operands,
    number(one.total_ms),
    number(one.seal_ms),
    number(one.overhead_ms),
    number(one.up_bytes),
    number(one.down_bytes),
  ]);
  made.append(
    table(
      ["<link", "<scheme", "<operation", "n", "<operands", "all ms", "SEAL ms", "overhead ms", "bytes up", "bytes down"],
      rows,
    ),
  );
  if (given.skipped.length)
    made.append(
      table(
        ["<not emulated here", "<why"],
        given.skipped.map((one) => [one.what, { text: one.why, class: "wide" }]),
      ),
    );
}

function memory() {
  if (!DATA.memory || !DATA.memory.length) return;
  const made = section(
    "memory",
    "Memory of clients",
    "Whole processes that make keys and tables and encrypt all slots once by public key; the last column is the same under a limit of 64 MB of data.",
  );
  made.append(
    table(
      ["<client", "<scheme", "n", "<encrypts", "peak MB", "<under 64 MB"],
      DATA.memory.map((one) => [
        one.client,
        one.scheme,
        number(one.degree),
        one.what,
        (one.peak_bytes / 1e6).toFixed(1),
        { text: one.limited, class: one.limited === "runs" ? "win text" : "lose text" },
      ]),
    ),
  );
}

function advice() {
  const given = DATA.advice;
  if (!given) return;
  const made = section(
    "advice",
    "Which scheme for my job?",
    "What isopod advise says: the cheapest of what is measured, fits the board and is precise enough.",
  );
  const state = { job: given.jobs[0], board: given.boards[0], link: given.links[0] };
  const host = element("div");
  const draw = () => {
    const found = given.answers.filter((one) => one.job === state.job && one.board === state.board && one.link === state.link);
    host.replaceChildren(
      table(
        ["values", "precision", "<set", "<key", "<layout", "bytes", "energy mJ", "latency ms", "server ms", "<"],
        found.map((one) =>
          one.refusal
            ? [number(one.values), number(one.precision), { text: one.refusal, class: "wide" }]
            : [
                number(one.values),
                number(one.precision),
                one.set,
                one.key,
                one.layout,
                number(one.bytes),
                number(one.energy_mj),
                number(one.latency_ms),
                number(one.server_ms),
                "",
              ],
        ),
      ),
    );
  };
  const pick = (key) => (value) => {
    state[key] = value;
    draw();
  };
  made.append(
    element(
      "div",
      { class: "controls" },
      ...["job", "board", "link"].map((key) =>
        choice(
          key,
          given[`${key}s`].map((name) => [name, name]),
          state[key],
          pick(key),
        ),
      ),
    ),
    host,
  );
  draw();
}

document.getElementById("summary").textContent = DATA.runs.length
  ? `Measured on ${DATA.runs.map((run) => run.machine.processor).join(" and ")}.`
  : "";
operations();
peaks();
experiment();
memory();
advice();
