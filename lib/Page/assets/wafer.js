// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run on a wafer: its data, and how the views of it hang together.

class WaferRun {
  constructor(data) {
    this.data = data;
    this.strings = data.strings;
    this.changed = new Signal();
    this.pe = -1;
    this.selected = -1;
    this.line = null;
    this.matches = null;
    this.time = new TimeWindow(data.totals.cycles);
    const s = data.spans;
    this.start = undelta(s.start_after);
    this.end = this.start.map((start, i) => start + s.cycles[i]);
    this.spans = s;
    this.left = new Set(data.left_out);
    this.byPe = new Map();
    s.pe.forEach((pe, i) => {
      if (!this.byPe.has(pe)) this.byPe.set(pe, []);
      this.byPe.get(pe).push(i);
    });
    this.codes = [...new Set(data.pes.code)].map((code) => this.strings[code]);
    this.codeOf = data.pes.code.map((code) => this.codes.indexOf(this.strings[code]));
    this.lines = data.sources.map((source, i) => ({...source, key: i, location: this.strings[source.location],
      name: this.strings[source.operation]}));
    this.lines.sort((a, b) => b.cycles - a.cycles);
    this.lines.forEach((line, i) => { line.key = i; line.color = PALETTE[i] ?? OTHERS; });
    this.lineOf = new Map(this.lines.map((line) => [`${line.location}/${line.name}`, line]));
    this.lineOfSpan = s.location.map((location, i) => this.lineOf.get(`${this.strings[location]}/${this.strings[s.name[i]]}`));
  }
  peName(pe) { return `PE (${pe % this.data.width}, ${Math.floor(pe / this.data.width)})`; }
  colorOf(i) { return this.lineOfSpan[i]?.color ?? OTHERS; }
  name(i) { return this.strings[this.spans.name[i]]; }
  thread(i) {
    const thread = this.spans.thread[i];
    return thread < 0 ? 'tasks' : thread === 8 ? 'main thread' : `microthread ${thread}`;
  }
  selectPe(pe) { this.pe = pe; this.selected = -1; this.changed.tell(); }
  select(i) {
    this.selected = i;
    if (i >= 0) { this.pe = this.spans.pe[i]; this.line = this.lineOfSpan[i] ?? null; this.solo = false; }
    else { this.line = null; this.solo = false; }
    this.changed.tell();
  }
  selectLine(line) {
    this.line = line;
    this.solo = true;
    this.selected = -1;
    const first = this.lineOfSpan.indexOf(line);
    if (first >= 0 && !(this.byPe.get(this.pe) ?? []).some((i) => this.lineOfSpan[i] === line)) this.pe = this.spans.pe[first];
    this.changed.tell();
  }
  search(text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) this.matches = null;
    else {
      const hit = this.strings.map((string) => string.toLowerCase().includes(wanted));
      this.matches = new Set();
      this.spans.name.forEach((name, i) => { if (hit[name] || hit[this.spans.location[i]]) this.matches.add(i); });
    }
    this.changed.tell();
  }
  isFaded(i) {
    if (this.matches) return !this.matches.has(i);
    return this.solo && this.line !== null && this.lineOfSpan[i] !== this.line;
  }
  /** Tracks of a PE: its tasks, the main thread's operations, the microthreads that ran. */
  tracksOf(pe) {
    const byThread = new Map();
    for (const i of this.byPe.get(pe) ?? []) {
      const thread = this.spans.thread[i];
      if (!byThread.has(thread)) byThread.set(thread, []);
      byThread.get(thread).push(i);
    }
    const order = (thread) => (thread < 0 ? -2 : thread === 8 ? -1 : thread);
    return [...byThread].sort((a, b) => order(a[0]) - order(b[0])).map(([thread, items]) => ({
      label: thread < 0 ? 'tasks' : thread === 8 ? 'main thread' : `thread ${thread}`, items: items.sort((a, b) => this.start[a] - this.start[b])}));
  }
}

function showWafer(data, root) {
  const run = new WaferRun(data);
  const details = el('div');
  const fabric = new Fabric(run);
  const timeline = new Timeline(run.time, [], {
    start: (i) => run.start[i], end: (i) => run.end[i], color: (i) => run.colorOf(i), label: (i) => run.name(i),
    dimmed: (i) => run.isFaded(i), selected: () => run.selected,
    tip: (i) => [run.name(i), `${count(run.end[i] - run.start[i])} cycles from ${count(run.start[i])}${data.spans.open[i] ? ', not over' : ''}`,
      ...(data.spans.elements[i] ? [`${plural(data.spans.elements[i], 'element')}, at work in ${plural(data.spans.issued[i], 'cycle')}`] : []),
      ...(run.strings[data.spans.location[i]] ? [placeName(run.strings[data.spans.location[i]])] : [])],
  }, 'tasks and operations of a PE over time');
  timeline.picked.listen((item) => run.select(item));
  const title = el('span.hint');
  const note = el('p.note.small');
  const threads = panel('threads', 'Tasks of a PE', '', timeButtons(run.time), timeline.node, note);
  threads.querySelector('.hint').replaceWith(title);
  const table = lineTable(run);
  const source = new SourceView(data.files, run.lines, (key) => run.selectLine(run.lines[key]));
  let shown = -2;
  run.changed.listen(() => {
    if (run.pe !== shown) {
      shown = run.pe;
      timeline.setTracks(run.tracksOf(run.pe));
      title.textContent = run.pe < 0 ? 'choose a PE on the fabric' : `${run.peName(run.pe)}, ${run.strings[data.pes.code[run.pe]]}`;
      note.textContent = run.pe < 0 ? '' : run.left.has(run.pe) ? 'Its tasks are not on this page, which has room for some PEs only; --trace-pes chooses them.'
        : !(run.byPe.get(run.pe) ?? []).length ? 'It ran no task.' : data.ends_early ? 'The recording ended before the run did.' : '';
    }
    timeline.repaint();
    table.mark(run.line ? run.line.key : null);
    source.mark(run.selected >= 0 ? run.strings[data.spans.location[run.selected]] : run.line?.location);
    showWaferDetails(run, details);
  });
  themeSignal.listen(() => timeline.repaint());
  fill(root,
    heading(data, searchBoxOfWafer(run)),
    waferBanner(data, run),
    waferTiles(data),
    el('div.columns', {},
      el('main', {}, fabric.node, threads,
        panel('operations', 'Lines of the program', 'thread cycles of operations, waiting included; main thread cycles of tasks', [],
          run.lines.length ? table.node : el('p.note', {}, 'Nothing ran.')),
        source.node, hostPanel(data)),
      el('aside', {'aria-label': 'what is selected'}, details)));
  run.selectPe(firstPe(data, run));
  return {run, timeline, fabric, clear: () => { run.select(-1); return true; }};
}

/** The PE that is shown first: one that waits or trapped, else the busiest that is recorded. */
function firstPe(data, run) {
  if (data.trap) return data.trap.y * data.width + data.trap.x;
  const wait = data.hang?.waits[0];
  if (wait) return wait.y * data.width + wait.x;
  let best = -1;
  for (const pe of run.byPe.keys()) if (best < 0 || data.pes.main[pe] + data.pes.issue[pe] > data.pes.main[best] + data.pes.issue[best]) best = pe;
  return best < 0 && data.width * data.height > 0 ? 0 : best;
}

function searchBoxOfWafer(run) {
  const found = el('span.hint', {role: 'status'});
  return [found, el('input', {type: 'search', placeholder: 'Search names and lines', 'aria-label': 'search',
    oninput: (event) => {
      run.search(event.target.value);
      found.textContent = run.matches ? `${count(run.matches.size)} found` : '';
    },
    onkeydown: (event) => {
      if (event.key === 'Enter' && run.matches?.size) {
        const [first] = run.matches;
        run.select(first);
        run.time.focus(run.start[first], run.end[first]);
      }
    }})];
}

function waferBanner(data, run) {
  if (!data.failure) return null;
  const place = data.trap && run.strings[data.trap.location];
  const words = data.trap ? `The program trapped at PE (${data.trap.x}, ${data.trap.y}) in cycle ${count(data.trap.cycle)}: ${data.trap.what}${place ? `, ${place}` : ''}`
    : data.hang ? `${data.hang.exhausted ? 'The run came to its limit' : `Nothing moves since cycle ${count(data.hang.cycle)}`}; ${plural(data.hang.waiting, 'thing')} ${data.hang.waiting === 1 ? 'waits' : 'wait'}.`
      : data.failure;
  return el('div.banner', {role: 'alert'}, el('b', {}, words));
}

function waferTiles(data) {
  const t = data.totals, pes = data.width * data.height, all = Math.max(t.cycles, 1) * pes;
  const links = 2 * ((data.width - 1) * data.height + data.width * (data.height - 1));
  return el('div.tiles', {style: {marginBottom: '12px'}},
    tile('cycles', count(t.cycles), `${seconds(t.seconds)} at ${count(data.machine.mhz)} MHz`),
    tile('PEs at work', percent(t.active / all), `of ${count(pes)}, over the run`, t.active / all),
    tile('MACs', t.macs ? percent(t.mac_utilization) : 'none', t.macs ? `${short(t.macs)} of ${count(t.peak_macs_per_cycle)} per cycle` : '', t.mac_utilization),
    tile('links', links ? percent(t.hops / (Math.max(t.cycles, 1) * links)) : 'none', `${plural(t.hops, 'hop')}, ${count(t.delivered)} delivered`, links ? t.hops / (Math.max(t.cycles, 1) * links) : 0));
}

function lineTable(run) {
  const all = run.lines.reduce((sum, line) => sum + line.cycles, 0) || 1;
  const table = new SortedTable([
    {title: 'operation', key: (row) => row.name, cell: (row) => el('span', {}, el('i.swatch', {style: {background: row.color}}), row.name)},
    {title: 'kind', key: (row) => String(row.task), cell: (row) => (row.task ? 'task' : 'operation')},
    {title: 'place', key: (row) => row.location, cell: (row) => el('span', {title: row.location}, placeName(row.location))},
    {title: 'times', number: true, key: (row) => row.count, cell: (row) => count(row.count)},
    {title: 'cycles of all PEs', number: true, key: (row) => row.cycles, cell: (row) => bar(row.cycles / all, row.color, count(row.cycles))},
    {title: 'each', number: true, key: (row) => row.cycles / row.count, cell: (row) => short(row.cycles / Math.max(row.count, 1))}],
  run.lines, (row) => run.selectLine(row), 4);
  return table;
}

function hostPanel(data) {
  if (!data.host.length) return null;
  const table = new SortedTable([
    {title: 'command of the host', key: (row) => row.key, cell: (row) => `${row.kind} ${row.name}`},
    {title: 'PEs', key: (row) => row.where[2] * row.where[3], cell: (row) => `${row.where[2]} × ${row.where[3]} at (${row.where[0]}, ${row.where[1]})`},
    {title: 'start', number: true, key: (row) => row.start, cell: (row) => count(row.start)},
    {title: 'end', number: true, key: (row) => row.end, cell: (row) => count(row.end)},
    {title: 'bytes', number: true, key: (row) => row.bytes, cell: (row) => (row.bytes ? bytes(row.bytes) : '')}],
  data.host.map((row, key) => ({...row, key})), () => {});
  return panel('host', 'Host', 'what the host did', [], table.node);
}

function showWaferDetails(run, root) {
  const {data, strings} = run, i = run.selected, pe = run.pe;
  const parts = [];
  if (data.hang) parts.push(waitList(run));
  if (i >= 0) {
    const location = strings[data.spans.location[i]], line = SourceView.line(data.files, location).trim();
    parts.push(el('h2', {}, el('i.swatch', {style: {background: run.colorOf(i)}}), run.name(i)),
      line ? el('pre.excerpt', {title: location}, line) : null,
      el('dl', {}, ...pairs([['from', location ? placeName(location) : ''], ['kind', data.spans.task[i] >= 0 ? strings[data.spans.task[i]] : 'operation'],
        ['on', `${run.peName(run.spans.pe[i])}, ${run.thread(i)}`],
        ['cycles', `${count(run.start[i])} to ${count(run.end[i])}: ${count(run.end[i] - run.start[i])}${data.spans.open[i] ? ', not over' : ''}`],
        ['elements', data.spans.elements[i] ? count(data.spans.elements[i]) : ''],
        ['at work', data.spans.issued[i] ? `${plural(data.spans.issued[i], 'cycle')}, ${percent(data.spans.issued[i] / Math.max(run.end[i] - run.start[i], 1))}` : '']])));
  } else if (run.line) {
    const line = SourceView.line(data.files, run.line.location).trim();
    parts.push(el('h2', {}, el('i.swatch', {style: {background: run.line.color}}), run.line.name),
      line ? el('pre.excerpt', {}, line) : null,
      el('dl', {}, ...pairs([['from', placeName(run.line.location)], ['times', count(run.line.count)], ['cycles', `${count(run.line.cycles)} of all PEs`]])));
  }
  if (pe >= 0) {
    const p = data.pes, cycles = Math.max(data.totals.cycles, 1), routes = data.routers[p.router[pe]], list = [];
    for (let k = 0; k < routes.length; k += 4) {
      const names = (set) => LINKS.filter((_, d) => set >> d & 1).join(' + ') || 'nowhere';
      const at = p.colors[pe].findIndex((value, n) => n % 2 === 0 && value === routes[k]);
      list.push(el('tr', {}, el('td', {}, `color ${routes[k]}${routes[k + 1] ? `, position ${routes[k + 1]}` : ''}`),
        el('td', {}, `${names(routes[k + 2])} → ${names(routes[k + 3])}`),
        el('td.number', {}, routes[k + 1] || at < 0 ? '' : count(p.colors[pe][at + 1]))));
    }
    parts.push(el('h2', {style: {marginTop: parts.length ? '12px' : 0}}, run.peName(pe)),
      el('dl', {}, ...pairs([['code', strings[p.code[pe]]], ['main thread', `${count(p.main[pe])} cycles, ${percent(p.main[pe] / cycles)}`],
        ['queues', `${count(p.issue[pe])} cycles, ${percent(p.issue[pe] / cycles)}`], ['router', `${count(p.routed[pe])} cycles, ${percent(p.routed[pe] / cycles)}`],
        ['sent', plural(p.sent[pe], 'wavelet')], ['received', plural(p.received[pe], 'wavelet')]])),
      list.length ? el('table', {}, el('thead', {}, el('tr', {}, el('th', {}, 'routes'), el('th', {}, ''), el('th.number', {}, 'wavelets'))), el('tbody', {}, list)) : null);
  }
  fill(root, parts);
}

/** Who waits for what, and for whom, when nothing moves any more. */
function waitList(run) {
  const {data, strings} = run;
  const jump = (x, y) => el('button.link', {type: 'button', onclick: () => run.selectPe(y * data.width + x)}, `PE (${x}, ${y})`);
  return el('div', {}, el('h2', {}, 'Who waits for whom'),
    el('ul.waits', {}, data.hang.waits.map((wait) => {
      const location = strings[wait.location], line = SourceView.line(data.files, location).trim();
      return el('li', {}, jump(wait.x, wait.y), ` ${wait.who}: ${wait.what}, since cycle ${count(wait.since)}`,
        line ? el('pre.excerpt', {title: location}, `${placeName(location)}  ${line}`) : location ? el('div.hint', {}, placeName(location)) : null,
        wait.on ? el('div', {}, 'needs ', jump(...wait.on)) : null,
        wait.cause ? el('div.cause', {}, `likely cause: ${wait.cause}`) : null);
    })), data.hang.waiting > data.hang.waits.length ? el('p.note', {}, `and ${count(data.hang.waiting - data.hang.waits.length)} more`) : null);
}
