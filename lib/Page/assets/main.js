// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts a page together.

const themeSignal = new Signal();

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  readTheme();
  themeSignal.tell();
  for (const drawing of allCanvases) drawing.paint();
}

/** What is above everything: the program's name, how it was run, what one can do. */
function heading(data, tools) {
  const machine = data.machine.name;
  const where = data.kind === 'tcp' ? `${machine}, ${plural(data.chips, 'chip')}` : `${machine}, ${data.width} × ${data.height} PEs`;
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const theme = el('button', {type: 'button', id: 'theme', title: 'light or dark', 'aria-label': 'light or dark',
    onclick: () => setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark')}, '◐');
  if (!document.documentElement.dataset.theme) document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  return el('header.top', {}, el('div', {}, el('h1', {title: data.title}, data.title || 'a program without a name'),
    el('p', {}, el('span.machine', {}, where), data.command ? el('code', {title: data.command}, data.command) : null)),
  el('div.tools', {}, ...tools, theme));
}

async function start() {
  const root = document.getElementById('page');
  try {
    const data = await unpackData();
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    readTheme();
    const views = data.kind === 'tcp' ? showTcp(data, root) : showWafer(data, root);
    document.body.append(tip);
    document.addEventListener('keydown', (event) => { if (event.key === 'Escape') views.clear?.() ?? views.run.select(-1); });
    // For tests, and for who looks with the browser's tools.
    window.sequin = {data, ...views, canvases: allCanvases, openedAfter: performance.now()};
  } catch (error) {
    fill(root, el('p.note', {}, `The data of this page cannot be read: ${error.message}`));
    throw error;
  } finally {
    root.setAttribute('aria-busy', 'false');
  }
}

start();
