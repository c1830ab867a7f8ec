// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a command is mapped, as a picture: where it runs (chips, clusters, slices,
// rows), its loops over time and within a packet, and the order in which it
// visits memory.
//
// A shape (lib/Page/Shapes.cpp) is {kind: "pass", slices: [[first, number]],
// stages: [{stage, loops: [[size, stride]], packet: how many of the innermost
// loops are within a packet, ...}]}, or {kind: "move" or "host", from, to, loops:
// [[size, source stride, destination stride]], ...}.

const KIND_COLORS = {space: '#0072b2', time: '#e69f00', sum: '#d55e00', packet: '#009e73', repeat: '#cc79a7'};
const KIND_WORDS = {space: 'in parallel', time: 'one after another', sum: 'summed over time',
  repeat: 'the same again', packet: 'within a packet'};

const STAGE_WORDS = {fetch: 'fetch', switch: 'switch', collect: 'collect', contract: 'contract', vector: 'vector',
  cast: 'cast', transpose: 'transpose', commit: 'commit', to_trf: 'to registers', to_vrf: 'to registers'};

function drawMapping(shape, machine, chips, stages) {
  if (!shape) return [el('p.note', {}, 'Nothing is known of its mapping.')];
  const parts = [];
  if (shape.kind === 'pass') parts.push(drawStages(shape, stages));
  if (shape.kind === 'move' || shape.kind === 'host') parts.push(drawMove(shape));
  if (shape.slices) parts.push(drawPlaces(shape, machine, chips));
  const loops = loopsOf(shape);
  if (loops.length) parts.push(...loops.flatMap(drawLoops));
  return parts;
}

/** [title, loops with their kinds, bytes of an element]: what is drawn as nests. */
function loopsOf(shape) {
  if (shape.kind === 'move' || shape.kind === 'host') {
    const list = shape.loops ?? [];
    if (!list.length && !shape.bytes) return [];
    const nest = (side) => list.map((loop) => ({size: loop[0], stride: loop[side],
      kind: loop[side] === 0 ? 'repeat' : 'time', bits: 8}));
    const packet = shape.bytes ? [{size: shape.bytes, stride: 1, kind: 'packet', bits: 8}] : [];
    return [{title: `reads ${shape.from.toUpperCase()}`, loops: [...nest(1), ...packet], unit: shape.kind === 'move' ? 'B' : 'elements'},
      {title: `writes ${shape.to.toUpperCase()}`, loops: [...nest(2), ...packet], unit: shape.kind === 'move' ? 'B' : 'elements'}];
  }
  const nests = [];
  for (const stage of shape.stages ?? []) {
    if (stage.time && stage.time.length)
      nests.push({title: 'sums', loops: stage.time.map(([size, reduced]) => ({size, stride: null, kind: reduced ? 'sum' : 'time'})), unit: ''});
    if (!stage.loops || !stage.loops.length) continue;
    const outer = stage.loops.length - stage.packet;
    const loops = stage.loops.map(([size, stride], i) => ({size, stride, bits: stage.bits,
      kind: i >= outer ? 'packet' : stride === 0 ? 'repeat' : 'time'}));
    const title = {fetch: 'reads data memory', commit: 'writes data memory', contract: 'reads tensor registers'}[stage.stage];
    nests.push({title: `${title}, ${stage.type}`, loops, unit: 'elements'});
  }
  return nests;
}

// ===--- Where -----------------------------------------------------------=== //

/** Slices as squares, cluster by cluster; rows of the MAC array beside them. */
function drawPlaces(shape, machine, chips) {
  const side = Math.ceil(Math.sqrt(machine.slices)), cell = 6, gap = 22;
  const taken = new Set();
  for (const [first, number] of shape.slices)
    for (let i = first; i < first + number; ++i) taken.add(i);
  const contract = (shape.stages ?? []).find((stage) => stage.stage === 'contract' || stage.stage === 'to_trf');
  const width = 348, top = 20, height = top + side * cell + 8;
  const picture = svg('svg.picture', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'img',
    'aria-label': 'where it runs'});
  for (let cluster = 0; cluster < machine.clusters; ++cluster) {
    const left = cluster * (side * cell + gap);
    let here = 0;
    const path = [], empty = [];
    for (let slice = 0; slice < machine.slices; ++slice) {
      const x = left + (slice % side) * cell, y = top + Math.floor(slice / side) * cell;
      const square = `M${x},${y}h${cell - 1}v${cell - 1}h${1 - cell}z`;
      if (taken.has(cluster * machine.slices + slice)) { path.push(square); ++here; } else empty.push(square);
    }
    picture.append(svg('path.unused', {d: empty.join('') || 'M0,0'}), svg('path', {d: path.join('') || 'M0,0', fill: KIND_COLORS.space}),
      svg('text', {x: left, y: 12}, `cluster ${cluster}: ${here}`));
  }
  if (contract && contract.rows) {
    const left = machine.clusters * (side * cell + gap) + 8;
    picture.append(svg('text', {x: left, y: 12}, `rows: ${contract.rows} of ${machine.rows}`));
    for (let row = 0; row < machine.rows; ++row)
      picture.append(svg(row < contract.rows ? 'rect' : 'rect.unused', {x: left, y: top + row * 12, width: 70, height: 9,
        fill: row < contract.rows ? KIND_COLORS.space : undefined}));
  }
  const words = `${chips.length > 1 ? `chips ${chips.join(', ')}` : `chip ${chips[0] ?? 0}`}, ${plural(taken.size, 'slice')}`;
  return el('figure', {}, el('figcaption', {}, 'Where: ', words), picture);
}

// ===--- Stages ----------------------------------------------------------=== //

function stageDetail(stage) {
  switch (stage.stage) {
    case 'fetch': return [stage.to ? `${stage.type} to ${stage.to}` : stage.type, `${stage.access} B at once`];
    case 'switch': return [`ring of ${stage.ring}`];
    case 'collect': return [plural(stage.flits, 'flit'), `of ${stage.bytes} B`];
    case 'contract': return [stage.type, `${stage.rows} rows × ${stage.lanes}`];
    case 'vector': return [stage.type, ...(stage.ops.length > 2 ? [`${stage.ops.length} operations`] : stage.ops)];
    case 'cast': return [stage.type, `to ${stage.to}`];
    case 'transpose': return [`${stage.rows} × ${stage.columns}`];
    case 'commit': return [stage.type, `${stage.access} B at once`];
    case 'to_trf': return [plural(stage.rows, 'row'), `of ${bytes(stage.row_bytes)}`];
    case 'to_vrf': return [bytes(stage.bytes)];
    default: return [];
  }
}

/** The stages of a pass in order with their cycles; the longest is what the command takes. */
function drawStages(shape, cycles) {
  const most = Math.max(1, ...cycles.map(([, value]) => value));
  const known = new Map(cycles);
  return el('figure', {}, el('figcaption', {}, 'Stages, which work at the same time'),
    el('div.stages', {}, shape.stages.map((stage) => {
      const own = known.get(stage.stage);
      return el(own === most ? 'div.stage.bound' : 'div.stage', {},
        el('b', {}, STAGE_WORDS[stage.stage]), ...stageDetail(stage).map((line) => el('span', {}, line)),
        own === undefined ? null : el('span.cycles', {}, count(own)),
        own === undefined ? null : el('i', {style: {width: `${100 * own / most}%`}}));
    })));
}

function drawMove(shape) {
  const details = [];
  if (shape.kind === 'move') {
    details.push(`${plural(shape.descriptors, 'descriptor')} on ${plural(shape.engines, 'engine')}`);
    if (shape.bytes) details.push(`${bytes(shape.bytes)} in a packet`);
    if (shape.between_chips) details.push('between chips');
    if (shape.indices) details.push(`by ${plural(shape.indices, 'index').replace('indexs', 'indices')}`);
  } else {
    details.push('takes no time');
  }
  return el('figure', {}, el('figcaption', {}, shape.kind === 'host' ? 'Host transfer' : 'DMA', shape.descriptors > 1 ? '; the first descriptor is drawn' : ''),
    el('div.move', {}, el('b', {}, shape.from.toUpperCase()), el('span', {}, '→'), el('b', {}, shape.to.toUpperCase()),
      el('span', {}, details.join(', '))));
}

// ===--- Loops -----------------------------------------------------------=== //

/** A nest of boxes, the outermost loop outside, and the order of the first visits. */
function drawLoops({title, loops, unit}) {
  let inner = null;
  for (const loop of loops.slice().reverse()) {
    const label = loop.stride === null ? `× ${count(loop.size)}`
      : loop.stride === 0 ? `× ${count(loop.size)} again`
        : `× ${count(loop.size)} step ${count(loop.stride)}`;
    inner = el('div.loop', {title: KIND_WORDS[loop.kind], style: {borderColor: KIND_COLORS[loop.kind]}},
      el('span', {}, label), inner);
  }
  const kinds = [...new Set(loops.map((loop) => loop.kind))];
  return [el('figure', {},
    el('figcaption', {}, title, unit ? ` (steps in ${unit})` : ''),
    el('div.nest', {}, inner, loops.every((loop) => loop.stride !== null) ? drawOrder(loops) : null),
    el('div.legend', {}, kinds.map((kind) => el('span', {}, el('i', {style: {background: KIND_COLORS[kind]}}), KIND_WORDS[kind]))))];
}

/** Visits of a nest: step and offset of the first few hundred, packets as runs. */
function drawOrder(loops) {
  const outer = loops.filter((loop) => loop.kind !== 'packet');
  const total = outer.reduce((product, loop) => product * loop.size, 1);
  const steps = Math.min(total, 256);
  const points = [];
  for (let step = 0; step < steps; ++step) {
    let rest = step, offset = 0;
    for (let i = outer.length - 1; i >= 0; --i) {
      offset += (rest % outer[i].size) * outer[i].stride;
      rest = Math.floor(rest / outer[i].size);
    }
    points.push(offset);
  }
  const inner = loops.filter((loop) => loop.kind === 'packet').reduce((sum, loop) => sum + (loop.size - 1) * Math.abs(loop.stride), 1);
  const low = Math.min(...points), high = Math.max(...points.map((p) => p + inner));
  const width = 150, height = 104, left = 2, bottom = 16;
  const x = (step) => left + step / Math.max(steps, 1) * (width - left - 2);
  const y = (offset) => 2 + (offset - low) / Math.max(high - low, 1) * (height - bottom - 4);
  const mark = Math.max((width - left - 2) / steps - 0.5, 0.8);
  const path = points.map((offset, step) => {
    const tall = Math.max(y(offset + inner) - y(offset), 1.2);
    return `M${x(step).toFixed(1)},${y(offset).toFixed(1)}h${mark.toFixed(1)}v${tall.toFixed(1)}h${(-mark).toFixed(1)}z`;
  });
  return svg('svg.order', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': 'order of access'},
    svg('rect.unused', {x: 0, y: 0, width, height: height - bottom + 2}),
    svg('path', {d: path.join(''), fill: KIND_COLORS.time}),
    svg('text', {x: 0, y: height - 3}, steps < total ? `first ${steps} of ${short(total)}` : `${plural(total, 'packet')}`));
}
