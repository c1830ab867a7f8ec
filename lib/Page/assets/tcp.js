// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run on TCP chips: its data, and how the views of it hang together.

const CONTEXTS = ['dma', 'main', 'sub'];

/** Length of the union of intervals, given in the order of their starts. */
function unionLength(indices, start, end) {
  let total = 0, reached = -1;
  for (const i of indices) {
    const from = Math.max(start[i], reached);
    if (end[i] > from) { total += end[i] - from; reached = end[i]; }
  }
  return total;
}

class TcpRun {
  constructor(data) {
    this.data = data;
    this.strings = data.strings;
    this.changed = new Signal();
    this.selected = -1;
    this.operation = null;
    this.matches = null;
    this.selectedHoldings = new Set();
    this.readCommands(data.commands);
    this.time = new TimeWindow(data.totals?.cycles ?? 1);
    this.readHoldings(data.holdings);
    this.makeOperations();
    this.critical = this.findCritical();
  }

  readCommands(columns) {
    const c = columns ?? {stem: [], suffix: [], context: [], start_after: [], cycles: [], shape: [], location: [],
      operation: [], wait: [], waited_for: [], chips: [], work: [], works: []};
    this.size = c.stem.length;
    this.start = undelta(c.start_after);
    this.end = this.start.map((start, i) => start + c.cycles[i]);
    Object.assign(this, {stem: c.stem, suffix: c.suffix, context: c.context, shape: c.shape, location: c.location,
      operationName: c.operation, wait: c.wait, work: c.work, works: c.works, chips: c.chips});
    this.culprit = c.waited_for.map((step, i) => (step ? i - step : -1));
    this.host = this.context.map((context) => this.strings[context] === 'host');
    this.byStart = Array.from({length: this.size}, (_, i) => i).filter((i) => !this.host[i])
      .sort((a, b) => this.start[a] - this.start[b] || a - b);
  }

  readHoldings(h) {
    const columns = h ?? {space: [], chip: [], begin: [], bytes: [], from: [], cycles: [], writer: [], reads: [],
      slices: [], masks: [], use_command: [], use_holding: []};
    this.holdings = {...columns, end: columns.begin.map((begin, i) => begin + columns.bytes[i]),
      until: columns.from.map((from, i) => from + columns.cycles[i])};
    this.holdingsOf = new Map();
    const add = (command, holding) => {
      const list = this.holdingsOf.get(command);
      if (list) list.push(holding); else this.holdingsOf.set(command, [holding]);
    };
    this.holdings.writer.forEach((writer, i) => { if (writer >= 0) add(writer, i); });
    const commands = undelta(columns.use_command);
    columns.use_holding.forEach((step, i) => add(commands[i], commands[i] - step));
  }

  name(i) { return this.strings[this.stem[i]] + this.suffix[i]; }
  stages(i) {
    const list = this.works[this.work[i]][2], stages = [];
    for (let k = 0; k < list.length; k += 2) stages.push([this.strings[list[k]], list[k + 1]]);
    return stages;
  }
  counters(i) {
    const list = this.works[this.work[i]][3], counters = [];
    for (let k = 0; k < list.length; k += 2) counters.push([this.strings[list[k]], list[k + 1]]);
    return counters;
  }
  boundBy(work) {
    const list = this.works[work][2];
    let best = -1; // of equals the first by name, as reports have it
    for (let k = 0; k < list.length; k += 2)
      if (best < 0 || list[k + 1] > list[best + 1]
          || (list[k + 1] === list[best + 1] && this.strings[list[k]] < this.strings[list[best]])) best = k;
    return best < 0 ? '-' : this.strings[list[best]];
  }

  // ===--- Operations -----------------------------------------------------=== //

  /** Commands of one line and operation of the program, with a color of their own. */
  makeOperations() {
    const byKey = new Map();
    this.key = new Array(this.size);
    const {strings} = this, bounds = this.works.map((_, work) => this.boundBy(work));
    for (const i of this.byStart) {
      const nowhere = !strings[this.location[i]] && !strings[this.operationName[i]];
      const key = `${this.location[i]}/${this.operationName[i]}/${nowhere ? this.stem[i] : ''}`;
      let op = byKey.get(key);
      if (!op) {
        const place = this.strings[this.location[i]];
        op = {location: place, name: this.strings[this.operationName[i]] || (place ? '' : this.strings[this.stem[i]]),
          commands: [], hbm: 0, macs: 0, bounds: new Map()};
        byKey.set(key, op);
      }
      op.commands.push(i);
      this.key[i] = op;
      const work = this.works[this.work[i]];
      op.hbm += work[0];
      op.macs += work[1];
      const bound = `${strings[this.context[i]]}: ${bounds[this.work[i]]}`;
      op.bounds.set(bound, (op.bounds.get(bound) ?? 0) + this.end[i] - this.start[i]);
    }
    this.operations = [...byKey.values()];
    for (const op of this.operations) {
      op.cycles = unionLength(op.commands, this.start, this.end);
      op.busy = {};
      for (const context of CONTEXTS)
        op.busy[context] = unionLength(op.commands.filter((i) => this.strings[this.context[i]] === context), this.start, this.end);
      op.bound = [...op.bounds].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '-';
    }
    this.operations.sort((a, b) => b.cycles - a.cycles);
    this.operations.forEach((op, i) => { op.key = i; op.color = PALETTE[i] ?? OTHERS; });
    this.busy = {};
    for (const context of CONTEXTS) {
      const list = this.byStart.filter((i) => this.strings[this.context[i]] === context);
      if (list.length) this.busy[context] = unionLength(list, this.start, this.end);
    }
  }

  /** The chain of waits that ends with the last command: what would have to be faster. */
  findCritical() {
    const chain = [];
    let at = -1;
    for (const i of this.byStart) if (at < 0 || this.end[i] > this.end[at]) at = i;
    const seen = new Set();
    while (at >= 0 && !seen.has(at)) {
      seen.add(at);
      chain.push(at);
      at = this.culprit[at];
      if (at >= 0 && this.host[at]) at = -1;
    }
    const by = new Map();
    for (const i of chain) {
      const key = `${this.strings[this.context[i]]} bound by ${this.boundBy(this.work[i])}`;
      by.set(key, (by.get(key) ?? 0) + this.end[i] - this.start[i]);
    }
    return {commands: seen, parts: [...by].sort((a, b) => b[1] - a[1])};
  }

  colorOf(i) { return (i >= 0 && this.key[i]?.color) || OTHERS; }

  // ===--- What is selected -----------------------------------------------=== //

  select(command, focus = false) {
    this.selected = command;
    this.operation = command >= 0 ? this.key[command] ?? null : null;
    this.selectedHoldings = new Set(command >= 0 ? this.holdingsOf.get(command) ?? [] : []);
    this.solo = false;
    if (focus && command >= 0) this.time.focus(this.start[command], this.end[command]);
    this.changed.tell();
  }
  /** All commands of an operation; the longest pass, or else move, stands for them. */
  selectOperation(op) {
    let longest = -1;
    const value = (i) => (this.strings[this.context[i]] === 'main' ? this.time.full : 0) + this.end[i] - this.start[i];
    for (const i of op.commands) if (longest < 0 || value(i) > value(longest)) longest = i;
    this.selected = longest;
    this.operation = op;
    this.solo = true;
    this.selectedHoldings = new Set(this.holdingsOf.get(longest) ?? []);
    this.changed.tell();
  }
  selectHolding(holding) {
    const writer = this.holdings.writer[holding];
    if (writer >= 0) this.select(writer);
    this.selectedHoldings.add(holding);
    this.changed.tell();
  }
  search(text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) this.matches = null;
    else {
      const hit = this.strings.map((string) => string.toLowerCase().includes(wanted));
      this.matches = new Set(this.byStart.filter((i) => hit[this.stem[i]] || hit[this.location[i]] || hit[this.operationName[i]]
        || this.name(i).toLowerCase().includes(wanted)));
    }
    this.changed.tell();
  }
  isFaded(i) {
    if (this.matches) return !this.matches.has(i);
    return this.solo && this.operation !== null && this.key[i] !== this.operation;
  }
  isHoldingFaded(i) {
    if (this.selectedHoldings.has(i)) return false;
    const writer = this.holdings.writer[i];
    if (this.matches) return writer < 0 || !this.matches.has(writer);
    return this.solo && this.operation !== null && (writer < 0 || this.key[writer] !== this.operation);
  }

  /** Spaces of chips that have holdings, with their address axes. */
  memoryPlaces() {
    const byPlace = new Map(), h = this.holdings;
    h.space.forEach((space, i) => {
      // The same stretch in several groups of slices is drawn once; those of a command are neighbours.
      for (let k = i - 1; k >= 0 && h.writer[k] === h.writer[i] && i - k < 64; --k)
        if (h.begin[k] === h.begin[i] && h.end[k] === h.end[i] && h.until[k] === h.until[i] && h.from[k] === h.from[i]
            && h.space[k] === space && h.chip[k] === h.chip[i]) return;
      const key = space * 1024 + h.chip[i];
      let place = byPlace.get(key);
      if (!place) byPlace.set(key, place = {space: this.strings[space], chip: h.chip[i], items: [], ends: new Map()});
      place.items.push(i);
      if (h.end[i] > (place.ends.get(h.begin[i]) ?? -1)) place.ends.set(h.begin[i], h.end[i]);
    });
    const order = ['dm', 'hbm', 'trf', 'vrf', 'spm'];
    const places = [...byPlace.values()].sort((a, b) => a.chip - b.chip || order.indexOf(a.space) - order.indexOf(b.space));
    for (const place of places) place.axis = new AddressAxis([...place.ends]);
    return places;
  }
  slicesText(holding) {
    const mask = this.holdings.masks[this.holdings.slices[holding]];
    if (!mask) return '';
    let slices = 0;
    for (const digit of mask.replace(/ /g, '')) slices += [0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4][parseInt(digit, 16)];
    return `in ${plural(slices, 'slice')}`;
  }
}

// ===--- Views -----------------------------------------------------------=== //

function showTcp(data, root) {
  const run = new TcpRun(data);
  const details = el('div');
  const tracks = [];
  for (let chip = 0; chip < data.chips; ++chip)
    for (const context of CONTEXTS) {
      const items = run.byStart.filter((i) => run.strings[run.context[i]] === context && data.chip_lists[run.chips[i]].includes(chip));
      const members = new Set(items);
      if (items.length) tracks.push({label: data.chips > 1 ? `${context} ${chip}` : context, items, has: (i) => members.has(i)});
    }
  const timeline = new Timeline(run.time, tracks, {
    start: (i) => run.start[i], end: (i) => run.end[i], color: (i) => run.colorOf(i), label: (i) => run.name(i),
    waits: (i) => run.wait[i] && run.strings[run.wait[i]] !== '', dimmed: (i) => run.isFaded(i),
    selected: () => run.selected, arrow: () => run.culprit[run.selected] ?? -1,
    marked: (i) => timeline.showsCritical && run.critical.commands.has(i),
    tip: (i) => tipOf(run, i),
  }, 'engines over time');
  timeline.picked.listen((item) => run.select(item));
  const memory = new MemoryMap(run);
  const table = operationTable(run);
  const source = new SourceView(data.files, run.operations.map((op) => ({...op, location: op.location})),
    (key) => run.selectOperation(run.operations[key]));
  const roof = el('div');
  drawRoof(run, roof);
  run.changed.listen(() => {
    timeline.paint();
    table.mark(run.operation ? run.operation.key : null);
    source.mark(run.operation?.location);
    for (const point of roof.querySelectorAll('[data-key]'))
      point.classList.toggle('chosen', run.operation !== null && point.dataset.key === String(run.operation.key));
    showTcpDetails(run, details, memory);
  });
  themeSignal.listen(() => { timeline.repaint(); memory.drawing.paint(); });
  const critical = el('button', {type: 'button', 'aria-pressed': 'false', title: 'underline the chain of waits that ends with the last command',
    onclick: () => {
      timeline.showsCritical = !timeline.showsCritical;
      critical.setAttribute('aria-pressed', String(timeline.showsCritical));
      timeline.paint();
    }}, 'critical path');
  const hasRun = run.byStart.length > 0;
  fill(root,
    heading(data, searchBox(run)),
    trapBanner(data),
    hasRun ? tilesOf(data, run) : null,
    el('div.columns', {},
      el('main', {},
        data.totals ? panel('engines', 'Engines', 'commands over time; hatched: waiting', hasRun ? [critical, ...timeButtons(run.time)] : [],
          hasRun ? timeline.node : el('p.note', {}, run.size ? 'Nothing but transfers of the host ran, which take no time.' : 'The program has no commands.')) : untimedPanel(data, run, details),
        hasRun ? memory.node : null,
        hasRun ? panel('operations', 'Operations', 'by line of the program; cycles in which at least one command ran', [], table.node) : null,
        source.node,
        hasRun ? panel('roofline', 'Roofline', 'area: share of the cycles; diamond: the whole program, by the MACs it asks for', [], roof) : null),
      el('aside', {'aria-label': 'what is selected'}, details)));
  showTcpDetails(run, details, memory);
  return {run, timeline, memory};
}

function tipOf(run, i) {
  const wait = run.strings[run.wait[i]];
  return [run.name(i), `${count(run.end[i] - run.start[i])} cycles from ${count(run.start[i])}, bound by ${run.boundBy(run.work[i])}`,
    ...(run.strings[run.location[i]] ? [`${run.strings[run.operationName[i]]} ${placeName(run.strings[run.location[i]])}`.trim()] : []),
    ...(wait ? [`waited: ${wait}${run.culprit[i] >= 0 ? ` by ${run.name(run.culprit[i])}` : ''}`] : [])];
}

function searchBox(run) {
  let at = -1;
  const found = el('span.hint', {role: 'status'});
  const input = el('input', {type: 'search', placeholder: 'Search names and lines', 'aria-label': 'search',
    oninput: () => {
      run.search(input.value);
      at = -1;
      found.textContent = run.matches ? `${count(run.matches.size)} found` : '';
    },
    onkeydown: (event) => {
      if (event.key !== 'Enter' || !run.matches || !run.matches.size) return;
      const list = [...run.matches];
      at = (at + (event.shiftKey ? list.length - 1 : 1)) % list.length;
      run.select(list[at], true);
      found.textContent = `${count(at + 1)} of ${count(list.length)}`;
    }});
  return [found, input];
}

function tile(name, value, detail, share) {
  return el('div.tile', {}, el('span.name', {}, name), el('b', {}, value), el('span.detail', {}, detail ?? ''),
    share === undefined ? null : el('span.meter', {}, el('i', {style: {width: `${Math.min(100 * share, 100)}%`}})));
}

function tilesOf(data, run) {
  const t = data.totals;
  const parts = run.critical.parts, on = parts.reduce((sum, part) => sum + part[1], 0);
  const busy = Object.entries(run.busy).map(([context, cycles]) => `${context} ${percent(cycles / t.cycles)}`);
  const share = (part) => percent(part[1] / t.cycles);
  const why = parts.length ? [`Of the ${count(t.cycles)} cycles, the chain of commands that wait for each other takes `,
    el('b', {}, `${share(parts[0])} in ${parts[0][0]}`),
    ...parts.slice(1, 3).map((part) => `, ${share(part)} in ${part[0]}`),
    on < t.cycles * 0.999 ? `; ${percent(1 - on / t.cycles)} is spent between commands.` : '.'] : [];
  return [el('div.tiles', {},
    tile('cycles', count(t.cycles), `${seconds(t.seconds)} at ${count(data.machine.mhz)} MHz`),
    tile('MACs', t.macs ? percent(t.mac_utilization) : 'none', t.macs ? `of ${count(t.peak_macs_per_cycle)} per cycle` : '', t.mac_utilization),
    tile('HBM', percent(t.hbm_utilization), `${bytes(t.hbm_bytes_read)} read, ${bytes(t.hbm_bytes_written)} written`, t.hbm_utilization),
    tile('busy', busy[0] ?? '-', busy.slice(1).join(', '), Math.max(...Object.values(run.busy)) / t.cycles)),
  el('p.why', {}, ...why)];
}

function trapBanner(data) {
  if (!data.trap) return null;
  const {command, stage, what} = data.trap;
  return el('div.banner', {role: 'alert'}, el('b', {}, 'The program broke a rule of the machine. '),
    `${command ? `Command ${command}, stage` : 'Stage'} ${stage}: ${what}. Nothing has run, so there are no times.`);
}

/** Of a run that trapped: its commands, with their mappings. */
function untimedPanel(data, run, details) {
  const list = data.untimed ?? [];
  const culprit = list.findIndex((entry) => entry.name === data.trap?.command);
  const show = (entry) => fill(details, el('h2', {}, entry.name),
    el('dl', {}, ...pairs([['from', entry.location], ['rounds', entry.rounds > 1 ? count(entry.rounds) : '']])),
    drawMapping(data.shapes[entry.shape], data.machine, [0], []));
  const table = new SortedTable([
    {title: 'command', key: (row) => row.key, cell: (row) => row.name},
    {title: 'place', key: (row) => row.location, cell: (row) => placeName(row.location)},
    {title: 'rounds', number: true, key: (row) => row.rounds, cell: (row) => count(row.rounds)}],
  list.map((entry, key) => ({...entry, key})), (row) => { table.mark(row.key, false); show(row); });
  table.columns[0].number = false;
  if (culprit >= 0) { table.mark(culprit); queueMicrotask(() => show(list[culprit])); }
  return panel('commands', 'Commands', 'in the order of the program', [],
    list.length ? table.node : el('p.note', {}, 'The program has no commands.'));
}

function operationTable(run) {
  const total = run.data.totals?.cycles ?? 1;
  const table = new SortedTable([
    {title: 'operation', key: (op) => op.name, cell: (op) => el('span', {}, el('i.swatch', {style: {background: op.color}}), op.name || 'unknown')},
    {title: 'place', key: (op) => op.location, cell: (op) => el('span', {title: op.location}, placeName(op.location))},
    {title: 'commands', number: true, key: (op) => op.commands.length, cell: (op) => count(op.commands.length)},
    {title: 'cycles', number: true, key: (op) => op.cycles, cell: (op) => bar(op.cycles / total, op.color, count(op.cycles))},
    {title: 'share', number: true, key: (op) => op.cycles, cell: (op) => percent(op.cycles / total)},
    ...CONTEXTS.map((context) => ({title: context, number: true, key: (op) => op.busy[context], cell: (op) => (op.busy[context] ? percent(op.busy[context] / total) : '')})),
    {title: 'most in', key: (op) => op.bound, cell: (op) => op.bound}],
  run.operations, (op) => run.selectOperation(op), 3);
  return table;
}

function drawRoof(run, root) {
  const t = run.data.totals;
  if (!t) return;
  const chips = run.data.chips, peak = t.peak_macs_per_cycle, points = [];
  for (const op of run.operations)
    if (op.macs && op.hbm)
      points.push({x: op.macs / op.hbm, y: op.macs / op.cycles, size: op.cycles / t.cycles, color: op.color, key: op.key, name: `${op.name} ${placeName(op.location)}`});
  const moved = t.hbm_bytes_read + t.hbm_bytes_written;
  if (t.macs && moved)
    points.push({x: t.macs / moved, y: t.macs / t.cycles, size: 0, color: themeColors.ink, name: 'the whole program', whole: true});
  fill(root, points.length && peak
    ? drawRoofline(points, peak, run.data.machine.hbm_bytes_per_cycle * chips, (key) => run.selectOperation(run.operations[key]))
    : el('p.note', {}, 'No operation multiplies and reads HBM, so there is nothing to draw.'),
  points.length ? el('p.note.small', {}, 'Circles count what the contraction engine did, padding included.') : null);
}

function pairs(list) {
  return list.filter(([, value]) => value !== '' && value !== null && value !== undefined)
    .flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]);
}

function showTcpDetails(run, root, memory) {
  const i = run.selected;
  if (i < 0) {
    if (run.data.trap) return;
    fill(root, el('h2', {}, 'Nothing selected'),
      el('p.note', {}, 'Click a command, a stretch of memory, a line or a point: the other views show the same.'),
      el('ul.keys', {}, [['wheel', 'zoom'], ['drag', 'move'], ['double click', 'zoom to a command'], ['+ − ← → Home', 'the same by keys'], ['Esc', 'select nothing']]
        .map(([key, what]) => el('li', {}, el('kbd', {}, key), what))));
    return;
  }
  const {strings} = run, location = strings[run.location[i]], line = SourceView.line(run.data.files, location).trim();
  const wait = strings[run.wait[i]], culprit = run.culprit[i];
  const jump = (command, text) => el('button.link', {type: 'button', onclick: () => run.select(command, true)}, text);
  // The same range in several groups of slices is said once.
  const distinct = new Map();
  for (const h of run.holdingsOf.get(i) ?? []) {
    const same = [run.holdings.space[h], run.holdings.chip[h], run.holdings.begin[h], run.holdings.end[h], run.holdings.writer[h]].join();
    if (!distinct.has(same)) distinct.set(same, h);
  }
  const held = [...distinct.values()].map((h) => {
    const space = strings[run.holdings.space[h]], writes = run.holdings.writer[h] === i;
    const text = `${writes ? 'writes' : 'reads'} ${space.toUpperCase()} ${count(run.holdings.begin[h])} to ${count(run.holdings.end[h])}`;
    return el('li', {}, el('button.link', {type: 'button', onclick: () => { memory.show(space, run.holdings.chip[h]); run.selectedHoldings = new Set([h]); memory.drawing.paint(); }}, text),
      writes ? `, read ${plural(run.holdings.reads[h], 'time')}` : run.holdings.writer[h] >= 0 ? [', from ', jump(run.holdings.writer[h], run.name(run.holdings.writer[h]))] : '');
  });
  const words = (run.data.mappings ?? []).find((mapping) => mapping.location === location);
  const work = run.works[run.work[i]];
  const shape = run.data.shapes[run.shape[i]];
  const known = new Set((shape?.stages ?? []).map((stage) => stage.stage));
  const others = run.stages(i).filter(([stage]) => !known.has(stage));
  fill(root,
    el('h2', {}, el('i.swatch', {style: {background: run.colorOf(i)}}), run.name(i)),
    run.solo ? el('p.note.small', {}, `stands for the ${plural(run.operation.commands.length, 'command')} of this operation`) : null,
    line ? el('pre.excerpt', {title: location}, line.length > 220 ? `${line.slice(0, 220)} …` : line) : null,
    el('dl', {}, ...pairs([
      ['from', location ? `${strings[run.operationName[i]]} ${placeName(location)}`.trim() : ''],
      ['cycles', `${count(run.start[i])} to ${count(run.end[i])}: ${count(run.end[i] - run.start[i])}`],
      ['on', `${strings[run.context[i]]}, ${run.data.chip_lists[run.chips[i]].length > 1 ? 'chips' : 'chip'} ${run.data.chip_lists[run.chips[i]].join(', ')}`],
      ['bound by', run.boundBy(run.work[i])],
      ['waited', wait ? el('span', {}, wait, culprit >= 0 ? [' by ', jump(culprit, run.name(culprit))] : '') : 'for nothing'],
      ['HBM', work[0] ? bytes(work[0]) : ''],
      ['MACs', work[1] ? `${short(work[1])}, ${count(work[1] / Math.max(run.end[i] - run.start[i], 1))} per cycle` : ''],
    ])),
    held.length ? el('ul.uses', {}, held.slice(0, 12), held.length > 12 ? el('li', {}, `and ${held.length - 12} more`) : null) : null,
    words ? el('p.words', {}, el('b', {}, 'Mapping: '), words.mapping) : null,
    drawMapping(shape, run.data.machine, run.data.chip_lists[run.chips[i]], run.stages(i)),
    others.length || run.counters(i).length ? el('figure', {}, el('figcaption', {}, 'Also counted'), el('dl', {}, ...pairs(
      [...others.map(([stage, cycles]) => [stage, plural(cycles, 'cycle')]),
        ...run.counters(i).map(([name, value]) => [name.replaceAll('_', ' '), count(value)])]))) : null);
}
