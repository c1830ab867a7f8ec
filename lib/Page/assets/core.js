// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all views share: elements, numbers as text, colors, canvases with labels
// that do not overlap, and the state that links the views.

// ===--- Elements ---------------------------------------------------------=== //

const SVG = 'http://www.w3.org/2000/svg';

/** An element; `children` are elements or texts, properties beginning with "on" listeners. */
function el(tag, properties = {}, ...children) {
  const [name, ...classes] = tag.split('.');
  return furnish(document.createElement(name), classes, properties, children);
}

/** The same in SVG. */
function svg(tag, properties = {}, ...children) {
  const [name, ...classes] = tag.split('.');
  return furnish(document.createElementNS(SVG, name), classes, properties, children);
}

function furnish(node, classes, properties, children) {
  if (classes.length) node.setAttribute('class', classes.join(' '));
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'style') Object.assign(node.style, value);
    else node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

function fill(node, ...children) {
  node.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

// ===--- Numbers ----------------------------------------------------------=== //

const count = (value) => Math.round(value).toLocaleString('en-US');
const plural = (value, noun) => `${count(value)} ${noun}${Math.round(value) === 1 ? '' : 's'}`;

function percent(share) {
  if (!Number.isFinite(share)) return '-';
  if (share > 0 && share < 0.001) return '< 0.1 %';
  return `${(100 * share).toFixed(1)} %`;
}

/** 1.5 M, 20 k: three digits. */
function short(value) {
  for (const [scale, unit] of [[1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']])
    if (Math.abs(value) >= scale) return `${+(value / scale).toPrecision(3)} ${unit}`;
  return `${+value.toPrecision(3)}`;
}

function bytes(value) {
  for (const [scale, unit] of [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']])
    if (Math.abs(value) >= scale) return `${+(value / scale).toPrecision(3)} ${unit}`;
  return `${count(value)} B`;
}

function seconds(value) {
  for (const [scale, unit] of [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs']])
    if (value >= scale) return `${+(value / scale).toPrecision(4)} ${unit}`;
  return `${Math.round(value * 1e9)} ns`;
}

/** The file name and line of "folder/file:line:col". */
function placeName(location) {
  const match = /([^/]*):(\d+):\d+$/.exec(location.split(' at ')[0]);
  return match ? `${match[1]}:${match[2]}` : location;
}

/** [file, line] of the innermost place, or null. */
function placeOf(location) {
  const match = /^(.*):(\d+):\d+$/.exec(location.split(' at ')[0]);
  return match ? [match[1], +match[2]] : null;
}

/** Steps of 1, 2 or 5 times a power of ten: about `wanted` of them in a range. */
function ticks(low, high, wanted) {
  const span = Math.max(high - low, 1e-9);
  const raw = span / Math.max(wanted, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= raw) * power;
  const list = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) list.push(at);
  return list;
}

// ===--- Colors -----------------------------------------------------------=== //

// Okabe and Ito's, which are told apart with any color vision; yellow is darker.
const PALETTE = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#b3a100'];
const OTHERS = '#8a8f98';

function rgb(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

/** Black or white, whichever can be read on `hex`. */
function inkOn(hex) {
  const [r, g, b] = rgb(hex).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92
    : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.25 ? '#000000' : '#ffffff';
}

/** Viridis-like: dark is little, yellow is much; even in lightness. */
const HEAT = ['#440154', '#46327e', '#365c8d', '#277f8e', '#1fa187', '#4ac16d', '#a0da39', '#fde725'];
function heat(share) {
  const at = Math.min(Math.max(share, 0), 1) * (HEAT.length - 1);
  const low = Math.floor(at), part = at - low;
  const a = rgb(HEAT[low]), b = rgb(HEAT[Math.min(low + 1, HEAT.length - 1)]);
  return `rgb(${a.map((v, i) => Math.round(v + (b[i] - v) * part)).join(',')})`;
}

let themeColors = {};
function readTheme() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ['ink', 'faint', 'line', 'panel', 'ground', 'accent', 'wait', 'bad'])
    themeColors[name] = style.getPropertyValue(`--${name}`).trim();
}

// ===--- State ------------------------------------------------------------=== //

/** Something with listeners. */
class Signal {
  constructor() { this.listeners = []; }
  listen(listener) { this.listeners.push(listener); }
  tell(...values) { for (const listener of this.listeners) listener(...values); }
}

/** The stretch of time that views show; shared by those that are linked. */
class TimeWindow {
  constructor(end) {
    this.full = Math.max(end, 1);
    this.begin = 0;
    this.end = this.full;
    this.changed = new Signal();
  }
  show(begin, end) {
    const least = Math.min(8, this.full);
    let width = Math.min(Math.max(end - begin, least), this.full);
    begin = (begin + end - width) / 2;
    begin = Math.min(Math.max(begin, 0), this.full - width);
    if (begin === this.begin && begin + width === this.end) return;
    [this.begin, this.end] = [begin, begin + width];
    this.changed.tell();
  }
  zoom(factor, at = (this.begin + this.end) / 2) {
    this.show(at - (at - this.begin) * factor, at + (this.end - at) * factor);
  }
  move(by) {
    const width = this.end - this.begin;
    const begin = Math.min(Math.max(this.begin + by, 0), this.full - width);
    this.show(begin, begin + width);
  }
  /** Shows [begin, end) with room around it. */
  focus(begin, end) {
    const room = Math.max((end - begin) * 1.5, 40);
    this.show(begin - room, end + room);
  }
}

// ===--- Canvases ---------------------------------------------------------=== //

/** Labels of one drawing: each is left out that would lie on another. */
class Labels {
  constructor(context) { this.context = context; this.placed = []; }
  width(text) { return this.context.measureText(text).width; }
  /** Draws `text`, its left middle at (x, y), if it fits in `room` and nothing is there; a text
      that is cut ends in an ellipsis. */
  put(text, x, y, room = Infinity, color = themeColors.ink) {
    let shown = text;
    if (this.width(shown) > room) {
      if (room < 24) return false;
      const each = this.width(shown) / shown.length;
      shown = shown.slice(0, Math.max(Math.floor(room / each) - 1, 0)) + '…';
      if (shown.length < 4 || this.width(shown) > room) return false;
    }
    const box = {x, y: y - 7, w: this.width(shown), h: 14, text: shown};
    for (const other of this.placed)
      if (box.x < other.x + other.w && other.x < box.x + box.w && box.y < other.y + other.h
          && other.y < box.y + box.h) return false;
    this.placed.push(box);
    this.context.fillStyle = color;
    this.context.textBaseline = 'middle';
    this.context.textAlign = 'left';
    this.context.fillText(shown, x, y);
    return true;
  }
}

const allCanvases = [];

/** A canvas as wide as its parent that draws when it must. `draw(context, width, height, labels)`. */
class Drawing {
  constructor(height, draw, name) {
    this.canvas = el('canvas', {'aria-label': name, role: 'img', tabindex: 0});
    this.node = el('div.drawing', {}, this.canvas);
    this.draw = draw;
    this.labels = [];
    this.setHeight(height);
    this.pending = false;
    new ResizeObserver(() => this.paint()).observe(this.node);
    allCanvases.push(this);
  }
  setHeight(height) {
    this.height = height;
    this.node.style.height = `${height}px`;
  }
  get width() { return this.node.clientWidth; }
  /** Draws before the next frame, once. */
  paint() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.paintNow(); });
  }
  paintNow() {
    const width = this.width, height = this.height, scale = window.devicePixelRatio || 1;
    if (!width) return;
    const pixels = [Math.round(width * scale), Math.round(height * scale)];
    if (this.canvas.width !== pixels[0] || this.canvas.height !== pixels[1])
      [this.canvas.width, this.canvas.height] = pixels;
    const context = this.canvas.getContext('2d');
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = FONT;
    const labels = new Labels(context);
    this.draw(context, width, height, labels);
    this.labels = labels.placed;
  }
}

const FONT = '12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';

// ===--- The tooltip ------------------------------------------------------=== //

const tip = el('div.tip', {hidden: true, role: 'status'});
function showTip(event, lines) {
  if (!lines) { tip.hidden = true; return; }
  fill(tip, lines.map((line, i) => el(i ? 'div' : 'div.head', {}, line)));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8))}px`;
  tip.style.top = `${event.clientY + 18 + box.height > innerHeight
    ? Math.max(4, event.clientY - box.height - 10) : event.clientY + 18}px`;
}

/** A panel with a heading; `tools` stand at its right. */
function panel(id, title, hint, tools, ...children) {
  return el('section.panel', {id, 'aria-label': title},
    el('header', {}, el('h2', {}, title), el('span.hint', {}, hint ?? ''),
       el('span.tools', {}, ...(tools ?? []))), ...children);
}

/** As choice(), for many. */
function list(options, chosen, onchange) {
  const node = el('select', {'aria-label': 'what is shown', onchange: () => onchange(+node.value)},
    options.map(([value, text]) => el('option', {value}, text)));
  node.mark = (value) => { node.value = String(value); };
  node.mark(chosen);
  return node;
}

/** Buttons of which one is pressed. */
function choice(options, chosen, onchange) {
  const buttons = options.map(([value, text]) => el('button', {
    type: 'button', 'aria-pressed': String(value === chosen), 'data-value': value,
    onclick: () => { mark(value); onchange(value); }}, text));
  function mark(value) {
    for (const button of buttons)
      button.setAttribute('aria-pressed', String(button.dataset.value === String(value)));
  }
  const node = el('span.choice', {role: 'group'}, buttons);
  node.mark = mark;
  return node;
}
