// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fabric as a map: how busy each PE was in a stretch of time, the routes of
// a color, and who waits for whom.

/** Routes have one color more than lines of a program. */
const ROUTES = [...PALETTE, '#3d3d3d'];
const LINKS = ['west', 'east', 'south', 'north', 'ramp'];
/** Where a link leaves a cell of side 1. */
const LINK_AT = [[0, 0.5], [1, 0.5], [0.5, 1], [0.5, 0], [0.5, 0.5]];

class Fabric {
  constructor(run) {
    this.run = run;
    const data = run.data;
    this.show = 'work';
    this.color = -1;
    this.bin = -1; // all of the run
    this.drawing = new Drawing(this.wantedHeight(860), (...all) => this.draw(...all), 'the fabric');
    const canvas = this.drawing.canvas;
    canvas.addEventListener('mousemove', (event) => {
      const pe = this.at(event);
      canvas.style.cursor = pe < 0 ? 'default' : 'pointer';
      showTip(event, pe < 0 ? null : this.tell(pe));
    });
    canvas.addEventListener('mouseleave', () => showTip(null, null));
    canvas.addEventListener('click', (event) => { const pe = this.at(event); if (pe >= 0) run.selectPe(pe); });
    canvas.addEventListener('keydown', (event) => {
      const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -data.width, ArrowDown: data.width}[event.key];
      const next = run.pe + (step ?? 0);
      if (!step || next < 0 || next >= data.width * data.height) return;
      event.preventDefault();
      run.selectPe(next);
    });
    run.changed.listen(() => this.drawing.paint());
    const colors = [...new Set(data.routers.flatMap((list) => list.filter((_, i) => i % 4 === 0)))].sort((a, b) => a - b);
    this.colors = colors;
    const picks = [choice([['work', 'work'], ['moved', 'wavelets'], ['code', 'code']], 'work', (value) => { this.show = value; this.paint(); })];
    this.pick = el('select', {'aria-label': 'color whose routes are drawn', onchange: () => { this.color = +this.pick.value; this.paint(); }},
      el('option', {value: -1}, 'no routes'), colors.map((color) => el('option', {value: color}, `color ${color}`)),
      colors.length > 1 ? el('option', {value: -2}, 'all colors') : null);
    picks.push(this.pick);
    this.output = el('output');
    this.slider = el('input', {type: 'range', min: -1, max: Math.max((data.activity?.bins ?? 1) - 1, 0), value: -1,
      'aria-label': 'when', oninput: () => this.setBin(+this.slider.value)});
    this.player = el('button', {type: 'button', 'aria-label': 'play', title: 'play', onclick: () => this.play()}, '▶');
    this.scale = el('div.scale');
    this.node = panel('fabric', 'Fabric', `${data.width} × ${data.height} PEs`, picks,
      this.drawing.node, el('div.player', {}, this.player, this.slider, this.output), this.scale);
    if (colors.length && data.width * data.height <= 4096) {
      this.color = colors.length > 1 ? -2 : colors[0];
      this.pick.value = String(this.color);
    }
    this.setBin(-1);
  }

  wantedHeight(width) {
    const {width: w, height: h} = this.run.data;
    return Math.min(Math.max(Math.min(width / w, 84) * h + 40, 120), 420);
  }

  paint() { this.tellScale(); this.drawing.paint(); }

  setBin(bin) {
    this.bin = bin;
    this.slider.value = bin;
    const a = this.run.data.activity, total = this.run.data.totals.cycles;
    this.output.textContent = bin < 0 || !a ? `all ${count(total)} cycles`
      : `cycles ${count(bin * a.bin)} to ${count(Math.min((bin + 1) * a.bin, total))}`;
    this.paint();
  }

  play() {
    if (this.playing) { clearInterval(this.playing); this.playing = null; this.player.textContent = '▶'; return; }
    const bins = this.run.data.activity?.bins ?? 0;
    this.player.textContent = '❚❚';
    if (this.bin >= bins - 1) this.setBin(-1);
    this.playing = setInterval(() => {
      if (this.bin + 1 >= bins) { this.play(); return; }
      this.setBin(this.bin + 1);
    }, 120);
  }

  /** 0 to 1, of a PE in the chosen bin. */
  share(pe) {
    const {data} = this.run, a = data.activity, x = pe % data.width, y = Math.floor(pe / data.width);
    if (this.bin < 0 || !a) {
      const cycles = Math.max(data.totals.cycles, 1);
      return this.show === 'work' ? Math.max(data.pes.main[pe], data.pes.issue[pe]) / cycles : data.pes.routed[pe] / cycles;
    }
    const slot = (this.bin * a.rows + Math.floor(y / a.tile)) * a.columns + Math.floor(x / a.tile);
    const wide = Math.min(a.tile, data.width - Math.floor(x / a.tile) * a.tile), high = Math.min(a.tile, data.height - Math.floor(y / a.tile) * a.tile);
    const cycles = Math.max(Math.min(a.bin, data.totals.cycles - this.bin * a.bin), 1) * wide * high;
    return (this.show === 'work' ? a.work : a.moved)[slot] / cycles;
  }

  tellScale() {
    const words = {work: 'share of cycles in which the PE was at work', moved: this.bin < 0 ? 'share of cycles in which its router moved wavelets' : 'wavelets moved per cycle'};
    fill(this.scale, this.show === 'code'
      ? this.run.codes.map((code, i) => el('span', {}, el('span.swatch', {style: {background: PALETTE[i] ?? OTHERS}}), code))
      : [...this.colorLegend(), el('span', {}, '0'), el('i', {style: {background: `linear-gradient(90deg, ${HEAT.join(',')})`}}), el('span', {}, '100 %'), el('span', {}, words[this.show])]);
  }

  /** What the lines are, as long as there are few. */
  colorLegend() {
    const shown = this.color === -2 ? this.colors : this.color < 0 ? [] : [this.color];
    return shown.length > ROUTES.length ? []
      : shown.map((color, lane) => el('span', {}, el('span.swatch', {style: {background: ROUTES[lane]}}), `color ${color}`));
  }

  geometry() {
    const {width: w, height: h} = this.run.data, left = 34, top = 22;
    const cell = Math.min((this.drawing.width - left - 4) / w, (this.drawing.height - top - 4) / h, 96);
    return {cell, left: left + Math.max(0, (this.drawing.width - left - 4 - cell * w) / 2), top};
  }

  at(event) {
    const {cell, left, top} = this.geometry(), {width, height} = this.run.data;
    const x = Math.floor((event.offsetX - left) / cell), y = Math.floor((event.offsetY - top) / cell);
    return x >= 0 && y >= 0 && x < width && y < height ? y * width + x : -1;
  }

  tell(pe) {
    const {data} = this.run, p = data.pes, cycles = Math.max(data.totals.cycles, 1);
    return [`${this.run.peName(pe)} ${data.strings[p.code[pe]]}`,
      `main thread ${percent(p.main[pe] / cycles)}, queues ${percent(p.issue[pe] / cycles)}, router ${percent(p.routed[pe] / cycles)}`,
      `sent ${plural(p.sent[pe], 'wavelet')}, received ${count(p.received[pe])}`];
  }

  draw(context, width, height, labels) {
    const {data} = this.run, {cell, left, top} = this.geometry();
    const gap = cell > 8 ? 1.5 : 0;
    for (let pe = 0; pe < data.width * data.height; ++pe) {
      const x = left + (pe % data.width) * cell, y = top + Math.floor(pe / data.width) * cell;
      const color = this.show === 'code' ? PALETTE[this.run.codeOf[pe]] ?? OTHERS : heat(this.share(pe));
      context.fillStyle = color;
      context.fillRect(x, y, Math.max(cell - gap, 0.7), Math.max(cell - gap, 0.7));
    }
    const every = (size) => Math.max(1, [1, 2, 5, 10, 20, 50, 100, 200, 500].find((step) => step * cell >= 34 || step >= size));
    for (let x = 0; x < data.width; x += every(data.width))
      labels.put(String(x), left + x * cell + Math.max((cell - labels.width(String(x))) / 2, 0), top - 10, 60, themeColors.faint);
    for (let y = 0; y < data.height; y += Math.max(every(data.height), Math.ceil(15 / cell)))
      labels.put(String(y), left - 6 - labels.width(String(y)), top + y * cell + cell / 2, 60, themeColors.faint);
    if (this.color !== -1) this.drawRoutes(context, left, top, cell);
    this.drawWaits(context, left, top, cell);
    if (this.run.pe >= 0) {
      context.lineWidth = 3;
      context.strokeStyle = themeColors.panel;
      const x = left + (this.run.pe % data.width) * cell, y = top + Math.floor(this.run.pe / data.width) * cell;
      context.strokeRect(x - 1, y - 1, cell + 1, cell + 1);
      context.lineWidth = 1.5;
      context.strokeStyle = themeColors.ink;
      context.strokeRect(x - 1, y - 1, cell + 1, cell + 1);
    }
  }

  /** From the links a color comes by to those it leaves by; dashed: other positions of a switch. */
  drawRoutes(context, left, top, cell) {
    if (cell < 7) return;
    const {data} = this.run, wanted = this.color === -2 ? this.colors : [this.color];
    let most = 1;
    for (const list of data.pes.colors) for (let i = 1; i < list.length; i += 2) most = Math.max(most, list[i]);
    const step = Math.min(7, cell * 0.7 / Math.max(wanted.length, 1));
    for (let pe = 0; pe < data.width * data.height; ++pe) {
      const x = left + (pe % data.width) * cell, y = top + Math.floor(pe / data.width) * cell;
      const moved = new Map();
      for (let i = 0; i < data.pes.colors[pe].length; i += 2) moved.set(data.pes.colors[pe][i], data.pes.colors[pe][i + 1]);
      const list = data.routers[data.pes.router[pe]];
      for (let i = 0; i < list.length; i += 4) {
        const [color, position, from, to] = list.slice(i, i + 4), lane = wanted.indexOf(color);
        if (lane < 0) continue;
        const shift = (lane - (wanted.length - 1) / 2) * step, used = moved.get(color) ?? 0;
        const point = (link) => {
          const [px, py] = LINK_AT[link], half = (cell) / 2;
          return link === 4 ? [x + half + shift, y + half + shift]
            : [x + px * cell + (px === 0.5 ? shift : 0), y + py * cell + (py === 0.5 ? shift : 0)];
        };
        context.setLineDash(position ? [3, 3] : []);
        for (let a = 0; a < 5; ++a)
          for (let b = 0; b < 5; ++b) {
            if (!(from >> a & 1) || !(to >> b & 1) || a === b && a !== 4) continue;
            const [x0, y0] = point(a), [x1, y1] = point(b), [cx, cy] = point(4);
            const wide = 1 + 2.5 * Math.sqrt(used / most);
            // A light rim: routes are read on any shade of the cell.
            for (const [ink, line] of [['#ffffff', wide + 2], [ROUTES[lane % ROUTES.length], wide]]) {
              context.strokeStyle = ink;
              context.globalAlpha = used ? 1 : 0.35;
              context.lineWidth = line;
              context.beginPath();
              context.moveTo(x0, y0);
              context.quadraticCurveTo(cx, cy, x1, y1);
              context.stroke();
            }
            if (cell > 30) {
              const ends = b === 4 ? 4 : 3.4, [dx, dy] = b === 4 ? [0, 0] : [LINK_AT[b][0] - 0.5, LINK_AT[b][1] - 0.5];
              context.fillStyle = ROUTES[lane % ROUTES.length];
              context.beginPath();
              if (b === 4) context.arc(x1, y1, 3, 0, 7);
              else {
                context.moveTo(x1, y1);
                context.lineTo(x1 - 2 * dx * 8 - 2 * dy * ends, y1 - 2 * dy * 8 - 2 * dx * ends);
                context.lineTo(x1 - 2 * dx * 8 + 2 * dy * ends, y1 - 2 * dy * 8 + 2 * dx * ends);
              }
              context.fill();
            }
          }
      }
    }
    context.setLineDash([]);
    context.globalAlpha = 1;
  }

  /** Who waits for whom when the run ended. */
  drawWaits(context, left, top, cell) {
    const {data} = this.run, middle = (x, y) => [left + (x + 0.5) * cell, top + (y + 0.5) * cell];
    for (const wait of data.hang?.waits ?? []) {
      const [x0, y0] = middle(wait.x, wait.y);
      if (wait.on && (wait.on[0] !== wait.x || wait.on[1] !== wait.y)) {
        const [x1, y1] = middle(...wait.on), length = Math.hypot(x1 - x0, y1 - y0);
        const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length], bow = Math.min(12 + length * 0.1, 50);
        for (const [ink, line] of [['#ffffff', 5], ['#c0392b', 2.5]]) {
          context.strokeStyle = context.fillStyle = ink;
          context.lineWidth = line;
          context.beginPath();
          context.moveTo(x0, y0);
          context.quadraticCurveTo((x0 + x1) / 2 - uy * bow, (y0 + y1) / 2 + ux * bow, x1 - ux * 8, y1 - uy * 8);
          context.stroke();
        }
        context.beginPath();
        context.moveTo(x1, y1);
        context.lineTo(x1 - ux * 10 - uy * 5, y1 - uy * 10 + ux * 5);
        context.lineTo(x1 - ux * 10 + uy * 5, y1 - uy * 10 - ux * 5);
        context.fill();
      }
      context.beginPath();
      context.arc(x0, y0, Math.min(6, cell / 3), 0, 7);
      context.fillStyle = '#c0392b';
      context.fill();
      context.lineWidth = 1.5;
      context.strokeStyle = '#ffffff';
      context.stroke();
    }
    if (data.trap) {
      const [x, y] = middle(data.trap.x, data.trap.y), size = Math.min(cell / 3, 12);
      for (const [ink, line] of [['#ffffff', 6], ['#c0392b', 3]]) {
        context.strokeStyle = ink;
        context.lineWidth = line;
        context.beginPath();
        context.moveTo(x - size, y - size);
        context.lineTo(x + size, y + size);
        context.moveTo(x + size, y - size);
        context.lineTo(x - size, y + size);
        context.stroke();
      }
    }
  }
}
