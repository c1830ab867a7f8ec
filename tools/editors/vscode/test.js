// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// node test.js FOLDER BIN TREE: tries the unpacked extension. It is activated with a `vscode`
// whose parts do nothing, and both servers are spoken to as the client speaks.

const assert = require("assert");
const { spawn } = require("child_process");
const fs = require("fs");
const Module = require("module");
const path = require("path");
const { pathToFileURL } = require("url");

const [folder, bin, tree] = process.argv.slice(2).map((name) => path.resolve(name));
const extension = path.join(folder, "extension");
const manifest = JSON.parse(fs.readFileSync(path.join(extension, "package.json")));

// Every file that the manifest names is there; grammars are JSON of the scope they promise.
for (const grammar of manifest.contributes.grammars) {
  const text = JSON.parse(fs.readFileSync(path.join(extension, grammar.path)));
  assert.strictEqual(text.scopeName, grammar.scopeName);
}
for (const language of manifest.contributes.languages)
  JSON.parse(fs.readFileSync(path.join(extension, language.configuration)));
for (const unwanted of ["node_modules", "test.js", "extension.js"])
  assert(!fs.existsSync(path.join(extension, unwanted)), unwanted);

// Anything, called or constructed, is anything.
const anything = new Proxy(function () {}, {
  get: (target, key) => (key === "prototype" ? target.prototype : key === "then" ? undefined :
    key === Symbol.toPrimitive ? () => "" : anything),
  apply: () => anything,
  construct: () => ({}),
});
const commands = {};
const values = { folder: bin, target: "rngd" };
const terminals = [];
let editor;
const vscode = new Proxy({
  version: "1.67.0",
  commands: { registerCommand: (name, action) => (commands[name] = action, { dispose() {} }) },
  workspace: new Proxy({
    getConfiguration: () => ({ get: (key, otherwise) => values[key] ?? otherwise }),
    workspaceFolders: undefined,
    textDocuments: [],
  }, { get: (target, key) => (key in target ? target[key] : anything) }),
  window: new Proxy({
    get activeTextEditor() { return editor; },
    createTerminal: (options) => ({
      show() {}, sendText: (line) => terminals.push({ line, where: options.cwd }) }),
    showErrorMessage: (text) => terminals.push({ error: text }),
  }, { get: (target, key) => (key in target ? target[key] : anything) }),
}, { get: (target, key) => (key in target ? target[key] : anything) });
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

const main = require(path.join(extension, manifest.main));
Module._load = load;
// What comes with the client, from the folder of development.
const rpc = require("vscode-languageserver-protocol/node");

async function session(language, file, look) {
  const { command, args } = main.servers(bin)[language];
  const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const connection = rpc.createProtocolConnection(
    new rpc.StreamMessageReader(server.stdout), new rpc.StreamMessageWriter(server.stdin));
  const published = new Promise((resolve) =>
    connection.onNotification(rpc.PublishDiagnosticsNotification.type, resolve));
  connection.listen();
  const { capabilities } = await connection.sendRequest(rpc.InitializeRequest.type,
    { processId: process.pid, rootUri: null, capabilities: {} });
  await connection.sendNotification(rpc.InitializedNotification.type, {});
  const uri = pathToFileURL(file).href;
  const text = fs.readFileSync(file, "utf8");
  await connection.sendNotification(rpc.DidOpenTextDocumentNotification.type,
    { textDocument: { uri, languageId: language, version: 1, text } });
  assert.deepStrictEqual((await published).diagnostics, []);
  const offset = text.search(look);
  const before = text.slice(0, offset).split("\n");
  const hover = await connection.sendRequest(rpc.HoverRequest.type, { textDocument: { uri },
    position: { line: before.length - 1, character: before[before.length - 1].length } });
  await connection.sendRequest(rpc.ShutdownRequest.type);
  const ended = new Promise((resolve) => server.on("exit", resolve));
  await connection.sendNotification(rpc.ExitNotification.type);
  assert.strictEqual(await ended, 0);
  assert(capabilities.hoverProvider && capabilities.definitionProvider);
  console.log(`${language}: no problems; hover: ${JSON.stringify(hover.contents).slice(0, 70)}`);
}

async function tryAll() {
  const context = { subscriptions: [] };
  // The clients cannot start without an editor; the commands come first.
  await Promise.race([main.activate(context).catch(() => {}), new Promise((r) => setTimeout(r, 500))]);
  assert.deepStrictEqual(Object.keys(commands).sort(),
    manifest.contributes.commands.map((c) => c.command).sort());
  const open = (file, languageId) => (editor = {
    document: { save: async () => true, uri: { fsPath: file }, languageId } });

  const layout = path.join(tree, "examples/csl-source/gemv_stream/layout.csl");
  open(layout, "csl");
  await commands["sequin.run"]();
  assert(terminals.at(-1).line.endsWith("sh commands_wse3.sh"), terminals.at(-1));
  assert.strictEqual(terminals.at(-1).where, path.dirname(layout));
  const kernel = path.join(tree, "examples/tcp/gemm.mlir");
  open(kernel, "mlir");
  await commands["sequin.run"]();
  const { line } = terminals.at(-1);
  console.log(`run: ${path.basename(line.split(" ")[0])} ${line.split(" ").slice(2).join(" ")}`);
  const done = require("child_process").spawnSync("sh", ["-c", line], { encoding: "utf8" });
  assert.strictEqual(done.status, 0, done.stderr);
  open("/nowhere/a.csl", "csl");
  await commands["sequin.run"]();
  assert(terminals.at(-1).error.includes("commands_wse3.sh"));

  await session("csl", layout, /@set_rectangle/);
  await session("mlir", kernel, /tcp\.commit/);
  console.log("extension: all tried");
}
tryAll().then(() => process.exit(0), (error) => { console.error(error); process.exit(1); });
