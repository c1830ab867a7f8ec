// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables that sort when a heading is clicked, and the text of the program with
// the cycles of each line.

/**
 * `columns`: [{title, key(row): number or text, cell(row): node or text, number: true}]; rows
 * have a `key`. Not more than MOST_ROWS are shown.
 */
class SortedTable {
  static MOST_ROWS = 500;
  constructor(columns, rows, onpick, sortBy = 0) {
    Object.assign(this, {columns, rows, onpick, sortBy, down: columns[sortBy]?.number ?? false, picked: null});
    this.head = el('tr');
    this.body = el('tbody');
    this.more = el('p.note.small');
    this.node = el('div.scroll', {tabindex: 0}, el('table', {}, el('thead', {}, this.head), this.body), this.more);
    this.build();
  }
  build() {
    fill(this.head, this.columns.map((column, i) => el(column.number ? 'th.number' : 'th',
      {'aria-sort': i === this.sortBy ? (this.down ? 'descending' : 'ascending') : 'none'},
      el('button', {type: 'button', onclick: () => {
        this.down = i === this.sortBy ? !this.down : column.number ?? false;
        this.sortBy = i;
        this.build();
      }}, column.title))));
    const {key} = this.columns[this.sortBy], sign = this.down ? -1 : 1;
    const sorted = this.rows.slice().sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      return sign * (x < y ? -1 : x > y ? 1 : 0);
    });
    fill(this.body, sorted.slice(0, SortedTable.MOST_ROWS).map((row) => {
      const line = el('tr', {'data-key': row.key, tabindex: 0, 'aria-selected': String(row.key === this.picked),
        onclick: () => this.onpick(row),
        onkeydown: (event) => { if (event.key === 'Enter') this.onpick(row); }},
      this.columns.map((column) => el(column.number ? 'td.number' : 'td', {}, column.cell(row))));
      return line;
    }));
    this.more.textContent = sorted.length > SortedTable.MOST_ROWS
      ? `and ${count(sorted.length - SortedTable.MOST_ROWS)} more` : '';
  }
  mark(key, scroll = true) {
    this.picked = key;
    for (const line of this.body.children) {
      const chosen = line.dataset.key === String(key);
      line.setAttribute('aria-selected', String(chosen));
      if (chosen && scroll) scrollInto(this.node, line);
    }
  }
}

/** Moves `box` so that `line` is seen, and nothing else. */
function scrollInto(box, line) {
  const outer = box.getBoundingClientRect(), inner = line.getBoundingClientRect();
  if (inner.top < outer.top + 30 || inner.bottom > outer.bottom)
    box.scrollTop += inner.top - outer.top - outer.height / 3;
}

/** A share as a bar with its number. */
function bar(share, color, text) {
  return el('span.bar', {}, el('i', {style: {width: `${Math.min(100 * share, 100)}%`, background: color}}), el('span', {}, text));
}

/**
 * The program: `files` [{name, text}], `totals` [{key, location, cycles, color}] of lines.
 */
class SourceView {
  static MOST_LINES = 4000;
  constructor(files, totals, onpick) {
    this.files = files;
    this.onpick = onpick;
    this.byLine = new Map();
    for (const total of totals) {
      const place = placeOf(total.location);
      if (!place) continue;
      const key = `${place[0]}:${place[1]}`;
      const line = this.byLine.get(key) ?? {cycles: 0, keys: [], color: total.color};
      line.cycles += total.cycles;
      line.keys.push(total.key);
      this.byLine.set(key, line);
    }
    this.most = Math.max(1, ...[...this.byLine.values()].map((line) => line.cycles));
    this.list = el('div.source', {tabindex: 0});
    this.shown = -1;
    this.chosen = choice(files.map((file, i) => [i, file.name.split('/').pop()]), 0, (i) => this.show(i));
    this.node = panel('source', 'Program', 'cycles of each line', files.length > 1 ? [this.chosen] : [], this.list);
    if (files.length) this.show(0);
    else fill(this.list, el('p.note', {}, 'The text of the program was not found when the page was made.'));
  }
  show(number) {
    if (number === this.shown) return;
    this.shown = number;
    this.chosen.mark(number);
    const file = this.files[number], lines = file.text.split('\n');
    // Around the lines that took time, if there are too many.
    fill(this.list, lines.slice(0, SourceView.MOST_LINES).map((text, i) => {
      const total = this.byLine.get(`${file.name}:${i + 1}`);
      return el(total ? 'div.line.timed' : 'div.line', {'data-line': i + 1,
        onclick: total ? () => this.onpick(total.keys[0]) : undefined},
      el('span.spent', {}, total ? count(total.cycles) : ''),
      el('span.share', {}, total ? el('i', {style: {width: `${100 * total.cycles / this.most}%`, background: total.color}}) : ''),
      el('span.where', {}, String(i + 1)), el('code', {}, text.length > 400 ? `${text.slice(0, 400)} …` : text));
    }), lines.length > SourceView.MOST_LINES ? el('p.note', {}, `and ${count(lines.length - SourceView.MOST_LINES)} more lines`) : null);
    const first = this.list.querySelector('.timed');
    if (first) this.list.scrollTop = Math.max(0, first.offsetTop - 60);
  }
  mark(location) {
    for (const line of this.list.querySelectorAll('.chosen')) line.classList.remove('chosen');
    const place = location ? placeOf(location) : null;
    if (!place) return;
    const number = this.files.findIndex((file) => file.name === place[0]);
    if (number < 0) return;
    this.show(number);
    const line = this.list.querySelector(`[data-line="${place[1]}"]`);
    if (!line) return;
    line.classList.add('chosen');
    scrollInto(this.list, line);
  }
  /** The text of a line, or "". */
  static line(files, location) {
    const place = placeOf(location);
    const file = place && files.find((candidate) => candidate.name === place[0]);
    return file ? file.text.split('\n')[place[1] - 1] ?? '' : '';
  }
}
