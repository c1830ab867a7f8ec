// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unpacks the data. All files of this folder are one script, in the order that
// CMakeLists.txt gives; what the data says is only ever set as text.
'use strict';

/** The data of the page: base64 of zlib of JSON. */
async function unpackData() {
  const text = document.getElementById('data').textContent;
  const binary = atob(text);
  const packed = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) packed[i] = binary.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
}

/** An array from one whose numbers are steps from the number before. */
function undelta(steps) {
  const out = new Float64Array(steps.length);
  let at = 0;
  for (let i = 0; i < steps.length; ++i) out[i] = at += steps[i];
  return out;
}
