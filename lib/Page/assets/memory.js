// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses over time: who holds which bytes, from when to when. What no
// holding uses is cut out of the address axis.

const SPACE_NAMES = {dm: 'data memory', hbm: 'HBM', trf: 'tensor registers', vrf: 'vector registers', spm: 'scratchpad'};

/** Addresses to shares of a height, without what nobody uses. */
class AddressAxis {
  constructor(ranges) {
    const sorted = ranges.slice().sort((a, b) => a[0] - b[0]);
    this.parts = [];
    for (const [begin, end] of sorted) {
      const last = this.parts[this.parts.length - 1];
      if (last && begin <= last.end) last.end = Math.max(last.end, end);
      else this.parts.push({begin, end});
    }
    // Small gaps are not worth a break.
    const used = this.parts.reduce((sum, part) => sum + part.end - part.begin, 0);
    const joined = [];
    for (const part of this.parts) {
      const last = joined[joined.length - 1];
      if (last && part.begin - last.end < used / 40) last.end = part.end;
      else joined.push(part);
    }
    this.parts = joined;
    this.used = joined.reduce((sum, part) => sum + part.end - part.begin, 0);
    let at = 0;
    for (const part of joined) { part.at = at; at += part.end - part.begin; }
  }
  static BREAK = 8;
  y(address, height) {
    const room = height - (this.parts.length - 1) * AddressAxis.BREAK;
    for (let i = 0; i < this.parts.length; ++i) {
      const part = this.parts[i];
      if (address <= part.end || i === this.parts.length - 1) {
        const inside = Math.min(Math.max(address - part.begin, 0), part.end - part.begin);
        return (part.at + inside) / Math.max(this.used, 1) * room + i * AddressAxis.BREAK;
      }
    }
    return 0;
  }
}

class MemoryMap {
  /** `run`: TcpRun of tcp.js. */
  constructor(run) {
    this.run = run;
    this.places = run.memoryPlaces();
    this.place = this.places.find((place) => place.space === 'dm') ?? this.places[0];
    this.drawing = new Drawing(AXIS + 220, (...all) => this.draw(...all), 'addresses over time');
    this.bars = [];
    steerTime(this.drawing, run.time, GUTTER);
    run.time.changed.listen(() => this.drawing.paint());
    run.changed.listen(() => this.drawing.paint());
    const titles = this.places.map((place, i) => [i, this.title(place)]);
    this.chosen = (titles.length > 8 ? list : choice)(titles, this.places.indexOf(this.place),
      (i) => { this.place = this.places[i]; this.drawing.paint(); });
    const canvas = this.drawing.canvas;
    canvas.addEventListener('mousemove', (event) => {
      const holding = this.at(event);
      canvas.style.cursor = holding < 0 ? 'default' : 'pointer';
      showTip(event, holding < 0 ? null : this.tell(holding));
    });
    canvas.addEventListener('mouseleave', () => showTip(null, null));
    canvas.addEventListener('click', (event) => {
      if (this.drawing.dragged) return;
      const holding = this.at(event);
      if (holding >= 0) this.run.selectHolding(holding);
    });
    this.note = el('p.note.small');
    this.node = panel('memory', 'Memory', 'addresses over time; who holds what, from when to when',
      this.places.length > 1 ? [this.chosen] : [],
      this.places.length ? this.drawing.node : el('p.note', {}, 'No command touched memory.'), this.note);
    this.explain();
  }

  title(place) {
    const several = this.run.data.chips > 1;
    return `${place.space.toUpperCase()}${several ? ` ${place.chip}` : ''}`;
  }

  explain() {
    const place = this.place;
    if (!place) return;
    const most = place.axis.parts[place.axis.parts.length - 1].end;
    const limit = {dm: this.run.data.machine.dm_bytes, hbm: this.run.data.machine.hbm_bytes}[place.space];
    this.note.textContent = `${SPACE_NAMES[place.space]}${place.space === 'hbm' ? '' : ' of a slice'}: `
      + `addresses up to ${bytes(most)}${limit ? ` of ${bytes(limit)}` : ''}, ${plural(place.items.length, 'holding')}`
      + (place.axis.parts.length > 1 ? '; unused stretches are cut out' : '');
  }

  at(event) { return this.topAt(event.offsetX, event.offsetY, 1); }

  /** The holding that is seen at a place, up to `off` pixels away. */
  topAt(px, py, off = 0) {
    for (let i = this.bars.length - 1; i >= 0; --i) {
      const [holding, x, y, w, h] = this.bars[i];
      if (px >= x - off && px <= x + w + off && py >= y - off && py <= y + h + off) return holding;
    }
    return -1;
  }

  tell(i) {
    const {run} = this, held = run.holdings;
    const writer = held.writer[i];
    return [writer < 0 ? 'written by nothing here' : run.name(writer),
      `${run.strings[held.space[i]].toUpperCase()} ${count(held.begin[i])} to ${count(held.end[i])}, ${bytes(held.end[i] - held.begin[i])}`,
      `cycles ${count(held.from[i])} to ${count(held.until[i])}, read ${plural(held.reads[i], 'time')}`,
      ...(run.slicesText(i) ? [run.slicesText(i)] : [])];
  }

  show(space, chip) {
    const place = this.places.find((p) => p.space === space && p.chip === chip);
    if (!place || place === this.place) return;
    this.place = place;
    this.chosen.mark(this.places.indexOf(place));
    this.drawing.paint();
  }

  draw(context, width, height, labels) {
    const {run, place} = this, time = run.time, held = run.holdings;
    this.bars = [];
    if (!place) return;
    this.explain();
    const top = AXIS, room = height - AXIS - 4;
    drawTimeAxis(context, time, width, height, labels);
    const x = (cycle) => GUTTER + (cycle - time.begin) / (time.end - time.begin) * (width - GUTTER);
    // The axis: the ends of what is used.
    place.axis.parts.forEach((part) => {
      const y0 = top + place.axis.y(part.begin, room), y1 = top + place.axis.y(part.end, room);
      context.fillStyle = themeColors.ground;
      context.fillRect(GUTTER, y0, width - GUTTER, Math.max(y1 - y0, 1));
      labels.put(bytes(part.begin), 4, Math.min(y0 + 7, height - 8), GUTTER - 8, themeColors.faint);
      if (y1 - y0 > 30) labels.put(bytes(part.end), 4, y1 - 7, GUTTER - 8, themeColors.faint);
    });
    context.save();
    context.beginPath();
    context.rect(GUTTER, 0, width - GUTTER, height);
    context.clip();
    const wanted = [], chosen = run.selectedHoldings;
    for (const i of place.items) {
      if (held.until[i] < time.begin || held.from[i] > time.end) continue;
      const x0 = Math.max(x(held.from[i]), GUTTER - 2), x1 = Math.min(x(held.until[i]), width + 2);
      const y0 = top + place.axis.y(held.begin[i], room), y1 = top + place.axis.y(held.end[i], room);
      const w = Math.max(x1 - x0, 1), h = Math.max(y1 - y0, 1);
      const color = run.colorOf(held.writer[i]);
      const faded = run.isHoldingFaded(i);
      context.globalAlpha = faded ? 0.15 : 0.88;
      context.fillStyle = color;
      context.fillRect(x0, y0, w, h);
      context.globalAlpha = faded ? 0.2 : 1;
      if (w > 3 && h > 3) {
        context.strokeStyle = themeColors.panel;
        context.lineWidth = 0.75;
        context.strokeRect(x0 + 0.5, y0 + 0.5, w - 1, h - 1);
      }
      context.globalAlpha = 1;
      this.bars.push([i, x0, y0, w, h]);
      if (w > 50 && h > 13 && !faded) wanted.push([i, x0, y0, w, h, color]);
    }
    for (const [i, x0, y0, w, h] of this.bars)
      if (chosen.has(i)) {
        context.strokeStyle = themeColors.ink;
        context.lineWidth = 2;
        context.strokeRect(x0, y0, w, h);
      }
    for (const [i, x0, y0, w, h, color] of wanted) {
      const writer = held.writer[i], middle = y0 + Math.min(h / 2, 12), left = Math.max(x0, GUTTER) + 4;
      // What is drawn over the place of a label hides it.
      if (this.topAt(left + 12, middle) !== i || this.topAt(left + 44, middle) !== i) continue;
      labels.put(writer < 0 ? 'unwritten' : run.name(writer), left, middle, x0 + w - left - 4, inkOn(color));
    }
    context.restore();
    // The cycles of the selected command.
    if (run.selected >= 0) {
      const x0 = x(run.start[run.selected]), x1 = x(run.end[run.selected]);
      context.fillStyle = themeColors.accent;
      context.globalAlpha = 0.12;
      context.fillRect(Math.max(x0, GUTTER), top, Math.max(x1 - Math.max(x0, GUTTER), 1), room);
      context.globalAlpha = 1;
    }
  }
}
