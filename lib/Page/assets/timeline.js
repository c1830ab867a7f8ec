// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Things over time, in tracks: commands of engines, tasks of a PE. What is finer
// than a pixel is drawn as one bar until one zooms in.

const GUTTER = 96, AXIS = 22, TRACK = 26, TRACK_GAP = 4, OVERVIEW = 30;

/**
 * Tracks: [{label, items}], where items are numbers in the order of their starts and do not
 * overlap. `source` tells about an item: start(i), end(i), color(i), label(i), tip(i) and, if
 * there is something to tell, waits(i): what stood before it on its track, dimmed(i),
 * selected(): item or -1, arrow(): [from item, to item] or null, marked(i).
 */
class Timeline {
  constructor(time, tracks, source, name) {
    this.time = time;
    this.tracks = tracks;
    this.source = source;
    this.picked = new Signal();
    this.overview = new Drawing(OVERVIEW, (...all) => this.drawOverview(...all), `${name}, all of it`);
    this.drawing = new Drawing(0, (...all) => this.draw(...all), name);
    this.overview.node.classList.add('overview');
    this.node = el('div', {}, this.overview.node, this.drawing.node);
    this.setTracks(tracks);
    time.changed.listen(() => this.paint());
    steerTime(this.drawing, time, GUTTER);
    this.drawing.canvas.addEventListener('mousemove', (event) => this.hover(event));
    this.drawing.canvas.addEventListener('mouseleave', () => showTip(null, null));
    this.drawing.canvas.addEventListener('click', (event) => {
      if (this.drawing.dragged) return;
      const item = this.itemAt(event);
      this.picked.tell(item ?? -1);
    });
    this.drawing.canvas.addEventListener('dblclick', (event) => {
      const item = this.itemAt(event);
      if (item !== null) this.time.focus(this.source.start(item), this.source.end(item));
    });
    this.steerOverview();
  }

  setTracks(tracks) {
    this.tracks = tracks;
    this.drawing.setHeight(AXIS + Math.max(tracks.length, 1) * (TRACK + TRACK_GAP) + 4);
    this.cached = null;
    this.paint();
  }

  paint() { this.overview.paint(); this.drawing.paint(); }
  /** After colors have changed. */
  repaint() { this.cached = null; this.paint(); }

  top(track) { return AXIS + track * (TRACK + TRACK_GAP) + TRACK_GAP; }
  x(cycle, width) {
    return GUTTER + (cycle - this.time.begin) / (this.time.end - this.time.begin) * (width - GUTTER);
  }

  /** The first item of a track that ends after `cycle`. */
  firstAfter(items, cycle) {
    let low = 0, high = items.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.source.end(items[middle]) <= cycle) low = middle + 1; else high = middle;
    }
    return low;
  }

  itemAt(event) {
    const width = this.drawing.width;
    if (event.offsetX < GUTTER) return null;
    const track = Math.floor((event.offsetY - AXIS - TRACK_GAP / 2) / (TRACK + TRACK_GAP));
    if (track < 0 || track >= this.tracks.length) return null;
    const per = (this.time.end - this.time.begin) / (width - GUTTER);
    const cycle = this.time.begin + (event.offsetX - GUTTER) * per;
    const items = this.tracks[track].items;
    let best = null, distance = 2 * per;
    for (let i = this.firstAfter(items, cycle - 2 * per); i < items.length; ++i) {
      const start = this.source.start(items[i]), end = this.source.end(items[i]);
      if (start > cycle + 2 * per) break;
      const off = cycle < start ? start - cycle : cycle > end ? cycle - end : 0;
      if (off <= distance && (off < distance || best === null)) [best, distance] = [items[i], off];
      if (off === 0) return items[i];
    }
    return best;
  }

  hover(event) {
    const item = this.drawing.dragging ? null : this.itemAt(event);
    this.drawing.canvas.style.cursor = item === null ? 'default' : 'pointer';
    showTip(event, item === null ? null : this.source.tip(item));
  }

  draw(context, width, height, labels) {
    drawTimeAxis(context, this.time, width, height, labels);
    this.tracks.forEach((track, number) => {
      const y = this.top(number);
      context.fillStyle = themeColors.ground;
      context.fillRect(GUTTER, y, width - GUTTER, TRACK);
      labels.put(track.label, 4, y + TRACK / 2, GUTTER - 10, themeColors.ink);
    });
    context.save();
    context.beginPath();
    context.rect(GUTTER, 0, width - GUTTER, height);
    context.clip();
    this.tracks.forEach((track, number) => this.drawTrack(context, track, number, width, labels));
    this.drawSelection(context, width);
    context.restore();
  }

  drawTrack(context, track, number, width, labels) {
    const {source, time} = this, items = track.items, y = this.top(number);
    let last = GUTTER - 1, wanted = [];
    const first = this.firstAfter(items, time.begin);
    // An item also stands for what it waited for before.
    for (let i = first; i < items.length; ++i) {
      const item = items[i], start = source.start(item);
      if (start >= time.end && !(i > 0 && source.end(items[i - 1]) < time.end)) break;
      const left = Math.max(this.x(start, width), GUTTER - 2);
      const right = Math.min(this.x(source.end(item), width), width + 2);
      if (source.waits && source.waits(item)) {
        const from = i > 0 ? this.x(source.end(items[i - 1]), width) : GUTTER;
        if (left - from > 2) this.drawWait(context, Math.max(from, GUTTER), y, Math.min(left, width) - Math.max(from, GUTTER));
      }
      if (start >= time.end) break;
      if (right - last < 0.5) continue; // within the pixel of the one before
      const x0 = Math.max(left, last), w = Math.max(right - x0 - (right - left > 3 ? 0.75 : 0), 0.75);
      context.globalAlpha = source.dimmed && source.dimmed(item) ? 0.18 : 1;
      context.fillStyle = source.color(item);
      context.fillRect(x0, y, w, TRACK);
      if (source.marked && source.marked(item)) {
        context.fillStyle = themeColors.ink;
        context.fillRect(x0, y + TRACK - 3, w, 3);
      }
      context.globalAlpha = 1;
      if (w > 30) wanted.push([item, x0, w]);
      last = right;
    }
    for (const [item, x0, w] of wanted)
      labels.put(source.label(item), x0 + 4, y + TRACK / 2 - 0.5, w - 8,
        source.dimmed && source.dimmed(item) ? themeColors.faint : inkOn(source.color(item)));
  }

  drawWait(context, x, y, width) {
    context.save();
    context.beginPath();
    context.rect(x, y + 4, width, TRACK - 8);
    context.clip();
    context.strokeStyle = themeColors.wait;
    context.lineWidth = 1;
    context.beginPath();
    for (let at = x - TRACK - ((x - TRACK) % 7); at < x + width; at += 7) {
      context.moveTo(at, y + TRACK);
      context.lineTo(at + TRACK, y);
    }
    context.stroke();
    context.restore();
  }

  trackOf(item) { return this.tracks.findIndex((track) => track.has ? track.has(item) : track.items.includes(item)); }

  drawSelection(context, width) {
    const item = this.source.selected ? this.source.selected() : -1;
    if (item < 0) return;
    const track = this.trackOf(item);
    if (track < 0) return;
    const left = this.x(this.source.start(item), width), right = this.x(this.source.end(item), width);
    context.strokeStyle = themeColors.ink;
    context.lineWidth = 2;
    context.strokeRect(left - 1, this.top(track) - 1, Math.max(right - left, 2) + 2, TRACK + 2);
    const culprit = this.source.arrow ? this.source.arrow() : -1;
    if (culprit < 0) return;
    const from = this.trackOf(culprit);
    if (from < 0) return;
    drawArrow(context, this.x(this.source.end(culprit), width), this.top(from) + TRACK / 2,
      left, this.top(track) + TRACK / 2);
  }

  drawOverview(context, width, height, labels) {
    const full = this.time.full, scale = width - GUTTER;
    labels.put('all', 4, height / 2, GUTTER - 10, themeColors.faint);
    if (!this.cached || this.cached.width !== width) {
      this.cached = el('canvas');
      [this.cached.width, this.cached.height] = [width, height];
      const paint = this.cached.getContext('2d');
      const each = Math.max((height - 4) / Math.max(this.tracks.length, 1), 1);
      this.tracks.forEach((track, number) => {
        let last = -1;
        for (const item of track.items) {
          const left = GUTTER + this.source.start(item) / full * scale;
          const right = GUTTER + this.source.end(item) / full * scale;
          if (right - last < 0.5) continue;
          paint.fillStyle = this.source.color(item);
          paint.fillRect(Math.max(left, last), 2 + number * each, Math.max(right - Math.max(left, last), 0.75), Math.max(each - 1, 1));
          last = right;
        }
      });
    }
    context.drawImage(this.cached, 0, 0, width, height);
    const a = GUTTER + this.time.begin / full * scale, b = GUTTER + this.time.end / full * scale;
    context.fillStyle = themeColors.ground;
    context.globalAlpha = 0.7;
    context.fillRect(GUTTER, 0, a - GUTTER, height);
    context.fillRect(b, 0, width - b, height);
    context.globalAlpha = 1;
    context.strokeStyle = themeColors.accent;
    context.lineWidth = 1.5;
    context.strokeRect(a + 0.75, 0.75, Math.max(b - a - 1.5, 3), height - 1.5);
  }

  steerOverview() {
    const canvas = this.overview.canvas;
    const jump = (event) => {
      const cycle = (event.offsetX - GUTTER) / (this.overview.width - GUTTER) * this.time.full;
      const half = (this.time.end - this.time.begin) / 2;
      const middle = Math.min(Math.max(cycle, half), this.time.full - half);
      this.time.show(middle - half, middle + half);
    };
    let held = false;
    canvas.addEventListener('pointerdown', (event) => { held = true; canvas.setPointerCapture(event.pointerId); jump(event); });
    canvas.addEventListener('pointermove', (event) => { if (held) jump(event); });
    canvas.addEventListener('pointerup', () => { held = false; });
  }
}

function drawTimeAxis(context, time, width, height, labels) {
  context.lineWidth = 1;
  for (const at of ticks(time.begin, time.end, (width - GUTTER) / 130)) {
    const x = Math.round(GUTTER + (at - time.begin) / (time.end - time.begin) * (width - GUTTER)) + 0.5;
    context.strokeStyle = themeColors.line;
    context.beginPath();
    context.moveTo(x, AXIS - 4);
    context.lineTo(x, height);
    context.stroke();
    const text = count(at);
    labels.put(text, Math.min(x + 3, width - labels.width(text) - 2), AXIS / 2 - 2, 200, themeColors.faint);
  }
  labels.put('cycle', 4, AXIS / 2 - 2, GUTTER - 10, themeColors.faint);
}

function drawArrow(context, x0, y0, x1, y1) {
  const bend = Math.max(Math.abs(x1 - x0) / 2, 24);
  for (const [color, wide] of [[themeColors.panel, 5], [themeColors.bad, 2]]) {
    context.strokeStyle = context.fillStyle = color;
    context.lineWidth = wide;
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 4, y1);
    context.stroke();
  }
  context.beginPath();
  context.moveTo(x1 + 1, y1);
  context.lineTo(x1 - 8, y1 - 5);
  context.lineTo(x1 - 8, y1 + 5);
  context.fill();
}

/** Wheel: zoom at the pointer; with shift, or sideways: move. Dragging moves. */
function steerTime(drawing, time, left) {
  const canvas = drawing.canvas;
  const per = () => (time.end - time.begin) / Math.max(drawing.width - left, 1);
  canvas.addEventListener('wheel', (event) => {
    if (event.offsetX < left) return;
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      time.move((event.deltaX || event.deltaY) * per());
    else
      time.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 200) / 400),
        time.begin + (event.offsetX - left) * per());
  }, {passive: false});
  let from = null;
  canvas.addEventListener('pointerdown', (event) => { from = event.clientX; drawing.dragged = false; });
  canvas.addEventListener('pointermove', (event) => {
    if (from === null || !(event.buttons & 1)) { from = null; drawing.dragging = false; return; }
    if (Math.abs(event.clientX - from) < 4 && !drawing.dragging) return;
    drawing.dragging = drawing.dragged = true;
    time.move((from - event.clientX) * per());
    from = event.clientX;
  });
  for (const end of ['pointerup', 'pointerleave'])
    canvas.addEventListener(end, () => { from = null; drawing.dragging = false; });
  canvas.addEventListener('keydown', (event) => {
    const width = time.end - time.begin;
    const act = {'+': () => time.zoom(0.5), '=': () => time.zoom(0.5), '-': () => time.zoom(2),
      ArrowLeft: () => time.move(-width / 4), ArrowRight: () => time.move(width / 4),
      Home: () => time.show(0, time.full)}[event.key];
    if (act) { event.preventDefault(); act(); }
  });
}

/** Buttons for who has no wheel. */
function timeButtons(time) {
  const button = (text, title, act) => el('button', {type: 'button', title, 'aria-label': title, onclick: act}, text);
  return [button('+', 'zoom in', () => time.zoom(0.5)), button('−', 'zoom out', () => time.zoom(2)),
    button('all', 'show the whole run', () => time.show(0, time.full))];
}
