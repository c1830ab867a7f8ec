// Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extension: a client for each language server, and commands that run programs.

const fs = require("fs");
const os = require("os");
const path = require("path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** The program `name`, in `folder` unless that is empty; cslc and its like are in compat. */
function program(folder, name) {
  return folder ? path.join(folder, name) : name;
}

/** How the server of a language is started, by language id. */
function servers(folder) {
  const command = program(folder, "sequin-lsp-server");
  return {
    csl: { command, args: [] },
    mlir: { command, args: ["--mlir"] },
  };
}

/** A word of a command line of a POSIX shell. */
function quoted(word) {
  return /^[\w./=:,@+-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}

/** The command line that runs a file, and where; an Error says why there is none. */
function runCommand(file, language, folder, target) {
  const where = path.dirname(file);
  if (language === "csl") {
    for (const machine of ["wse3", "wse2"]) {
      for (const place of [where, path.dirname(where)]) {
        const script = path.join(place, `commands_${machine}.sh`);
        if (fs.existsSync(script)) {
          const first = folder ? `PATH=${quoted(path.join(folder, "compat"))}:$PATH ` : "";
          return { line: `${first}sh ${quoted(path.basename(script))}`, where: place };
        }
      }
    }
    throw new Error(`neither ${where} nor the folder above has commands_wse3.sh or commands_wse2.sh`);
  }
  const words = [program(folder, "sequin-run"), file, "--timing-only"];
  if (target) words.push("--target", target);
  return { line: words.map(quoted).join(" "), where };
}

const clients = [];

function settings() {
  const values = vscode.workspace.getConfiguration("sequin");
  return { folder: values.get("folder", ""), target: values.get("target", "") };
}

/** The file in front, saved. */
async function currentFile() {
  const editor = vscode.window.activeTextEditor;
  if (!editor) throw new Error("no file is open");
  await editor.document.save();
  return { file: editor.document.uri.fsPath, language: editor.document.languageId };
}

function inTerminal({ line, where }) {
  const terminal = vscode.window.createTerminal({ name: "Sequin", cwd: where });
  terminal.show(true);
  terminal.sendText(line);
}

async function run() {
  const { file, language } = await currentFile();
  const { folder, target } = settings();
  inTerminal(runCommand(file, language, folder, target));
}

/** Runs a program as a task, which ends, and opens the page that it wrote. */
async function showPage() {
  const { file, language } = await currentFile();
  if (language !== "mlir") throw new Error("only MLIR programs have a page");
  const { folder, target } = settings();
  const page = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "sequin-")), "page.html");
  const { line, where } = runCommand(file, language, folder, target);
  const task = new vscode.Task({ type: "sequin" }, vscode.TaskScope.Workspace, "page", "Sequin",
    new vscode.ShellExecution(`${line} --page ${quoted(page)}`, { cwd: where }));
  const execution = await vscode.tasks.executeTask(task);
  const ended = vscode.tasks.onDidEndTaskProcess((event) => {
    if (event.execution !== execution) return;
    ended.dispose();
    if (event.exitCode === 0) vscode.env.openExternal(vscode.Uri.file(page));
    else vscode.window.showErrorMessage(`sequin-run ended with ${event.exitCode}`);
  });
}

function command(name, action) {
  return vscode.commands.registerCommand(name, () =>
    action().catch((error) => vscode.window.showErrorMessage(`Sequin: ${error.message}`)));
}

async function activate(context) {
  context.subscriptions.push(command("sequin.run", run), command("sequin.showPage", showPage));
  for (const [language, server] of Object.entries(servers(settings().folder))) {
    const client = new LanguageClient(`sequin-${language}`, `Sequin ${language}`, server,
      { documentSelector: [{ scheme: "file", language }] });
    clients.push(client);
    context.subscriptions.push({ dispose: () => client.stop() });
    await client.start();
  }
}

function deactivate() {
  return Promise.all(clients.map((client) => client.stop()));
}

module.exports = { activate, deactivate, servers, runCommand };
