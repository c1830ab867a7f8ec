// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MACs per cycle against MACs per byte of HBM, both logarithmic, under the roofs
// of the machine.

/** `points`: [{x: MACs per byte, y: MACs per cycle, size: share, color, name, key}]. */
function drawRoofline(points, peak, bytesPerCycle, onpick) {
  const width = 560, height = 260, left = 62, right = 12, top = 12, bottom = 44;
  const ridge = peak / bytesPerCycle;
  const xs = [ridge, ...points.map((p) => p.x)], ys = [peak, ...points.map((p) => p.y)];
  const range = (list, below, above) => [Math.floor(Math.log10(Math.min(...list)) - below), Math.ceil(Math.log10(Math.max(...list)) + above)];
  const [x0, x1] = range(xs, 0.3, 0.3), [y0, y1] = range(ys, 0.3, 0.05);
  const x = (value) => left + (Math.log10(value) - x0) / (x1 - x0) * (width - left - right);
  const y = (value) => height - bottom - (Math.log10(value) - y0) / (y1 - y0) * (height - top - bottom);
  const picture = svg('svg.roofline', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'roofline'});
  const stepX = Math.ceil((x1 - x0) / 8), stepY = Math.ceil((y1 - y0) / 6);
  for (let power = x0; power <= x1; power += stepX)
    picture.append(svg('path.grid', {d: `M${x(10 ** power)},${top}V${height - bottom}`}),
      svg('text', {x: x(10 ** power), y: height - bottom + 20, 'text-anchor': power === x1 ? 'end' : 'middle'}, short(10 ** power)));
  for (let power = y0; power <= y1; power += stepY)
    picture.append(svg('path.grid', {d: `M${left},${y(10 ** power)}H${width - right}`}),
      svg('text', {x: left - 6, y: y(10 ** power) + 4, 'text-anchor': 'end'}, short(10 ** power)));
  const from = Math.max(10 ** x0, 10 ** y0 / bytesPerCycle);
  picture.append(svg('path.roof', {d: `M${x(from)},${y(from * bytesPerCycle)}L${x(ridge)},${y(peak)}H${width - right}`}),
    svg('text', {x: (left + width - right) / 2, y: height - 5, 'text-anchor': 'middle'}, 'MACs per byte of HBM'),
    svg('text', {transform: `translate(13 ${(top + height - bottom) / 2}) rotate(-90)`, 'text-anchor': 'middle'}, 'MACs per cycle'));
  for (const point of points.slice().sort((a, b) => b.size - a.size)) {
    const radius = 4 + 8 * Math.sqrt(point.size);
    const mark = point.whole
      ? svg('path.point', {d: `M${x(point.x)},${y(point.y) - 9}l9,9l-9,9l-9,-9z`, fill: point.color})
      : svg('circle.point', {cx: x(point.x), cy: y(point.y), r: radius, fill: point.color});
    mark.append(svg('title', {}, `${point.name}: ${short(point.y)} MACs per cycle, ${short(point.x)} per byte`));
    if (point.key !== undefined) {
      mark.setAttribute('data-key', point.key);
      mark.addEventListener('click', () => onpick(point.key));
    }
    picture.append(mark);
  }
  return picture;
}
