//===- Server.cpp - The language server protocol for CSL ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/CslLsp/Server.h"

#include "sequin/CslLsp/Programs.h"
#include "sequin/CslSource/Names.h"
#include "sequin/CslSource/Printer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/LSP/Protocol.h"
#include "llvm/Support/LSP/Transport.h"

using namespace sequin;
using namespace sequin::csl_lsp;
using namespace sequin::csl_source;
namespace lsp = llvm::lsp;
using llvm::StringRef;

namespace {

/// textDocument/didSave.
struct SaveParams {
  lsp::TextDocumentIdentifier textDocument;
};

bool fromJSON(const llvm::json::Value &value, SaveParams &result,
              llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("textDocument", result.textDocument);
}

/// textDocument/formatting; the options of the client are not for CSL's one
/// form.
struct FormattingParams {
  lsp::TextDocumentIdentifier textDocument;
};

bool fromJSON(const llvm::json::Value &value, FormattingParams &result,
              llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("textDocument", result.textDocument);
}

/// textDocument/rename.
struct RenameParams : lsp::TextDocumentPositionParams {
  std::string newName;
};

bool fromJSON(const llvm::json::Value &value, RenameParams &result,
              llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  return fromJSON(value, static_cast<lsp::TextDocumentPositionParams &>(result),
                  path) &&
         mapper && mapper.map("newName", result.newName);
}

class Server {
public:
  Server(lsp::JSONTransport &transport, StringRef libraryPath,
         Evaluator evaluator, std::function<bool(StringRef)> isReplaced)
      : handler(transport), workspace(libraryPath.str()),
        programs(workspace, std::move(evaluator)),
        isReplaced(std::move(isReplaced)),
        publish(handler.outgoingNotification<lsp::PublishDiagnosticsParams>(
            "textDocument/publishDiagnostics")) {
    handler.method("initialize", this, &Server::onInitialize);
    handler.method("shutdown", this, &Server::onShutdown);
    handler.notification("initialized", this, &Server::onInitialized);
    handler.notification("textDocument/didOpen", this, &Server::onOpen);
    handler.notification("textDocument/didChange", this, &Server::onChange);
    handler.notification("textDocument/didClose", this, &Server::onClose);
    handler.notification("textDocument/didSave", this, &Server::onSave);
    handler.method("textDocument/hover", this, &Server::onHover);
    handler.method("textDocument/definition", this, &Server::onDefinition);
    handler.method("textDocument/references", this, &Server::onReferences);
    handler.method("textDocument/documentSymbol", this, &Server::onSymbols);
    handler.method("textDocument/completion", this, &Server::onCompletion);
    handler.method("textDocument/formatting", this, &Server::onFormatting);
    handler.method("textDocument/signatureHelp", this, &Server::onSignature);
    handler.method("textDocument/prepareRename", this,
                   &Server::onPrepareRename);
    handler.method("textDocument/rename", this, &Server::onRename);
  }

  lsp::MessageHandler handler;
  bool shutdown = false;

private:
  void onInitialize(const lsp::InitializeParams &,
                    lsp::Callback<llvm::json::Value> reply);
  void onInitialized(const lsp::InitializedParams &) {}
  void onShutdown(const lsp::NoParams &, lsp::Callback<std::nullptr_t> reply) {
    shutdown = true;
    reply(nullptr);
  }
  void onOpen(const lsp::DidOpenTextDocumentParams &params) {
    update(params.textDocument.uri, params.textDocument.text,
           params.textDocument.version);
  }
  void onChange(const lsp::DidChangeTextDocumentParams &params);
  void onClose(const lsp::DidCloseTextDocumentParams &params);
  void onSave(const SaveParams &params) {
    programs.invalidate();
    check(params.textDocument.uri.file(), std::nullopt);
  }
  void onHover(const lsp::TextDocumentPositionParams &params,
               lsp::Callback<std::optional<lsp::Hover>> reply);
  void onDefinition(const lsp::TextDocumentPositionParams &params,
                    lsp::Callback<std::vector<lsp::Location>> reply);
  void onReferences(const lsp::ReferenceParams &params,
                    lsp::Callback<std::vector<lsp::Location>> reply);
  void onSymbols(const lsp::DocumentSymbolParams &params,
                 lsp::Callback<std::vector<lsp::DocumentSymbol>> reply);
  void onCompletion(const lsp::CompletionParams &params,
                    lsp::Callback<lsp::CompletionList> reply);
  void onFormatting(const FormattingParams &params,
                    lsp::Callback<std::vector<lsp::TextEdit>> reply);

  void onSignature(const lsp::TextDocumentPositionParams &params,
                   lsp::Callback<std::optional<lsp::SignatureHelp>> reply);
  void onPrepareRename(const lsp::TextDocumentPositionParams &params,
                       lsp::Callback<lsp::Range> reply);
  void onRename(const RenameParams &params,
                lsp::Callback<lsp::WorkspaceEdit> reply);

  /// Takes a new text and says what is wrong with it.
  void update(const lsp::URIForFile &uri, StringRef text, int64_t version);
  /// Says what is wrong with a file and the other files of its programs; the
  /// version is that of the file's text.
  void check(StringRef path, std::optional<int64_t> version);

  /// Those of the files that are looked at again after a message: all, or where
  /// there are very many some of them, others after the next message.
  std::vector<std::string> inTurn(std::vector<std::string> files);

  static lsp::Position toProtocol(const Document &document, Loc loc) {
    Document::Position place = document.position(loc);
    return {int(place.line), int(place.column)};
  }
  static lsp::Range toProtocol(const Document &document, Span span) {
    return {toProtocol(document, span.Start), toProtocol(document, span.End)};
  }
  static Loc fromProtocol(const Document &document, lsp::Position position) {
    return document.loc({unsigned(std::max(position.line, 0)),
                         unsigned(std::max(position.character, 0))});
  }

  Workspace workspace;
  Programs programs;
  std::function<bool(StringRef)> isReplaced;
  /// Files that something was said about.
  llvm::StringSet<> complained;
  size_t turn = 0; ///< of inTurn()
  llvm::StringMap<int64_t> versions;
  lsp::OutgoingNotification<lsp::PublishDiagnosticsParams> publish;
};

void Server::onInitialize(const lsp::InitializeParams &,
                          lsp::Callback<llvm::json::Value> reply) {
  llvm::json::Object capabilities{
      {"textDocumentSync",
       llvm::json::Object{
           {"openClose", true},
           {"change", int(lsp::TextDocumentSyncKind::Incremental)},
           {"save", true}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"referencesProvider", true},
      {"documentSymbolProvider", true},
      {"documentFormattingProvider", true},
      {"renameProvider", llvm::json::Object{{"prepareProvider", true}}},
      {"signatureHelpProvider",
       llvm::json::Object{{"triggerCharacters", {"(", ","}}}},
      {"completionProvider",
       llvm::json::Object{{"triggerCharacters", {"@", "."}},
                          {"resolveProvider", false}}}};
  reply(llvm::json::Object{
      {"serverInfo", llvm::json::Object{{"name", "sequin-lsp-server"}}},
      {"capabilities", std::move(capabilities)}});
}

void Server::onChange(const lsp::DidChangeTextDocumentParams &params) {
  const lsp::URIForFile &uri = params.textDocument.uri;
  const Document *document = workspace.find(uri.file());
  if (!document)
    return;
  std::string text = document->text().str();
  for (const lsp::TextDocumentContentChangeEvent &change :
       params.contentChanges) {
    if (!change.range) {
      text = change.text;
      continue;
    }
    // Each range is about the text after the change before.
    Document now(uri.file(), text);
    size_t from = size_t(fromProtocol(now, change.range->start).getPointer() -
                         now.text().begin());
    size_t to = size_t(fromProtocol(now, change.range->end).getPointer() -
                       now.text().begin());
    text.replace(from, to < from ? 0 : to - from, change.text);
  }
  update(uri, text, params.textDocument.version);
}

void Server::onClose(const lsp::DidCloseTextDocumentParams &params) {
  workspace.close(params.textDocument.uri.file());
  programs.invalidate();
  versions.erase(params.textDocument.uri.file());
  complained.erase(params.textDocument.uri.file());
  publish(lsp::PublishDiagnosticsParams(params.textDocument.uri, 0));
  // Its text on disk counts again for the files around it.
  std::vector<std::string> others;
  for (const auto &entry : complained)
    others.push_back(entry.first().str());
  for (const std::string &other : inTurn(std::move(others)))
    check(other, std::nullopt);
}

std::vector<std::string> Server::inTurn(std::vector<std::string> files) {
  constexpr size_t kMost = 32;
  llvm::sort(files);
  if (files.size() > kMost) {
    std::rotate(files.begin(), files.begin() + turn % files.size(),
                files.end());
    files.resize(kMost);
    turn += kMost;
  }
  return files;
}

void Server::update(const lsp::URIForFile &uri, StringRef text,
                    int64_t version) {
  workspace.open(uri.file(), text);
  programs.invalidate();
  versions[uri.file()] = version;
  check(uri.file(), version);
}

void Server::check(StringRef path, std::optional<int64_t> version) {
  // The next text of the file is asked about in a moment.
  if (isReplaced && isReplaced(path))
    return;
  // The file of the message comes first.
  std::map<std::string, std::vector<Finding>> findings =
      programs.findings(path);
  // What was said of files that no longer belong to these programs may be wrong
  // now.
  std::vector<std::string> elsewhere;
  for (const auto &entry : complained)
    if (!findings.count(entry.first().str()))
      elsewhere.push_back(entry.first().str());
  for (const std::string &file : inTurn(std::move(elsewhere)))
    findings[file] = programs.findings(file)[file];
  std::vector<std::string> order{path.str()};
  for (auto &[other, list] : findings)
    if (other != path)
      order.push_back(other);
  auto rangeIn = [&](StringRef file, size_t begin,
                     size_t end) -> std::optional<lsp::Location> {
    const Document *document = workspace.find(file);
    auto uri = lsp::URIForFile::fromFile(file);
    if (!uri) {
      llvm::consumeError(uri.takeError());
      return std::nullopt;
    }
    if (!document || begin > end || end > document->text().size())
      return lsp::Location(*uri, lsp::Range());
    const char *start = document->text().data();
    return lsp::Location(
        *uri, toProtocol(*document, Span(Loc::getFromPointer(start + begin),
                                         Loc::getFromPointer(start + end))));
  };
  for (const std::string &file : order) {
    const std::vector<Finding> &list = findings[file];
    // Nobody asked about a file that is not open and has nothing wrong.
    bool isOpen = versions.contains(file);
    if (list.empty() && !complained.contains(file) && file != path)
      continue;
    if (list.empty())
      complained.erase(file);
    else
      complained.insert(file);
    auto uri = lsp::URIForFile::fromFile(file);
    if (!uri) {
      llvm::consumeError(uri.takeError());
      continue;
    }
    lsp::PublishDiagnosticsParams params(*uri, isOpen ? versions[file] : 0);
    if (file == path && version)
      params.version = *version;
    for (const Finding &finding : list) {
      lsp::Diagnostic result;
      result.source = "sequin";
      result.message = finding.message;
      result.severity = finding.severity == Finding::Severity::Error
                            ? lsp::DiagnosticSeverity::Error
                        : finding.severity == Finding::Severity::Warning
                            ? lsp::DiagnosticSeverity::Warning
                            : lsp::DiagnosticSeverity::Information;
      if (auto place = rangeIn(file, finding.begin, finding.end))
        result.range = place->range;
      std::vector<lsp::DiagnosticRelatedInformation> notes;
      for (const Finding::Note &note : finding.notes)
        if (auto place = rangeIn(note.path, note.begin, note.end))
          notes.emplace_back(*place, note.message);
      if (!notes.empty())
        result.relatedInformation = std::move(notes);
      params.diagnostics.push_back(std::move(result));
    }
    publish(params);
  }
}

void Server::onHover(const lsp::TextDocumentPositionParams &params,
                     lsp::Callback<std::optional<lsp::Hover>> reply) {
  const Document *document = workspace.find(params.textDocument.uri.file());
  if (!document)
    return reply(std::nullopt);
  Loc loc = fromProtocol(*document, params.position);
  auto meaning = workspace.meaning(*document, loc);
  StringRef text = workspace.evaluated(*document, loc);
  std::string evaluated;
  if (!text.empty())
    evaluated = programs.describe(*document, *document, text);
  if (!meaning) {
    // An expression that is no name.
    if (evaluated.empty())
      return reply(std::nullopt);
    const char *start = text.begin();
    lsp::Hover hover(
        toProtocol(*document, Span(Loc::getFromPointer(start),
                                   Loc::getFromPointer(text.end()))));
    constexpr size_t kMaxShown = 80;
    StringRef line = text.take_until([](char c) { return c == '\n'; });
    hover.contents.value =
        ("```csl\n" + line.take_front(kMaxShown) +
         (line.take_front(kMaxShown).size() < text.size() ? "..." : "") +
         "\n```\n" + evaluated)
            .str();
    return reply(std::move(hover));
  }
  // What no program evaluates is as its declaration is.
  if (evaluated.empty() && meaning->decl && !meaning->decl->name().empty())
    evaluated =
        programs.describe(*document, *meaning->document,
                          SourceManager::textOf(meaning->decl->name().span));
  lsp::Hover hover(toProtocol(*document, meaning->span));
  hover.contents.value = workspace.hover(*document, *meaning, evaluated);
  reply(std::move(hover));
}

void Server::onDefinition(const lsp::TextDocumentPositionParams &params,
                          lsp::Callback<std::vector<lsp::Location>> reply) {
  std::vector<lsp::Location> locations;
  if (const Document *document =
          workspace.find(params.textDocument.uri.file())) {
    auto meaning =
        workspace.meaning(*document, fromProtocol(*document, params.position));
    if (meaning && meaning->document) {
      auto uri = lsp::URIForFile::fromFile(meaning->document->path());
      if (!uri)
        llvm::consumeError(uri.takeError());
      else if (!meaning->decl)
        locations.emplace_back(*uri, lsp::Range());
      else
        locations.emplace_back(
            *uri, toProtocol(*meaning->document, meaning->decl->name().span));
    }
  }
  reply(std::move(locations));
}

void Server::onReferences(const lsp::ReferenceParams &params,
                          lsp::Callback<std::vector<lsp::Location>> reply) {
  std::vector<lsp::Location> locations;
  const Document *document = workspace.find(params.textDocument.uri.file());
  if (!document)
    return reply(std::move(locations));
  auto meaning =
      workspace.meaning(*document, fromProtocol(*document, params.position));
  if (!meaning || !meaning->decl || meaning->decl->name().empty())
    return reply(std::move(locations));
  auto found = workspace.references(*meaning->document, *meaning->decl);
  for (auto [where, span] : llvm::ArrayRef(found).drop_front(
           params.context.includeDeclaration ? 0 : 1))
    if (auto uri = lsp::URIForFile::fromFile(where->path()))
      locations.emplace_back(*uri, toProtocol(*where, span));
    else
      llvm::consumeError(uri.takeError());
  reply(std::move(locations));
}

lsp::SymbolKind symbolKind(const Decl &decl) {
  switch (decl.kind()) {
  case NodeKind::FnDecl:
    return llvm::cast<FnDecl>(decl).isTask() ? lsp::SymbolKind::Event
                                             : lsp::SymbolKind::Function;
  case NodeKind::FieldDecl:
    return lsp::SymbolKind::Field;
  case NodeKind::EnumMember:
    return lsp::SymbolKind::EnumMember;
  case NodeKind::ComptimeDecl:
  case NodeKind::LayoutDecl:
    return lsp::SymbolKind::Namespace;
  case NodeKind::VarDecl: {
    const auto &var = llvm::cast<VarDecl>(decl);
    const Expr *init = var.init() ? var.init()->ignoreParens() : nullptr;
    if (llvm::isa_and_nonnull<StructType>(init))
      return lsp::SymbolKind::Struct;
    if (llvm::isa_and_nonnull<EnumType>(init))
      return lsp::SymbolKind::Enum;
    if (const auto *call = llvm::dyn_cast_or_null<BuiltinCall>(init))
      if (call->name().text == "import_module")
        return lsp::SymbolKind::Module;
    return var.isVar() ? lsp::SymbolKind::Variable : lsp::SymbolKind::Constant;
  }
  default:
    return lsp::SymbolKind::Constant;
  }
}

void Server::onSymbols(const lsp::DocumentSymbolParams &params,
                       lsp::Callback<std::vector<lsp::DocumentSymbol>> reply) {
  std::vector<lsp::DocumentSymbol> symbols;
  const Document *document = workspace.find(params.textDocument.uri.file());
  if (!document)
    return reply(std::move(symbols));
  auto symbolOf = [&](const Decl &decl) {
    std::string name = decl.kind() == NodeKind::LayoutDecl ? "layout"
                       : decl.kind() == NodeKind::ComptimeDecl
                           ? "comptime"
                           : decl.name().text.str();
    Span selected = decl.name().empty() ? Span(decl.begin(), decl.begin())
                                        : decl.name().span;
    return lsp::DocumentSymbol(name, symbolKind(decl),
                               toProtocol(*document, decl.span()),
                               toProtocol(*document, selected));
  };
  for (const Decl *decl : document->tree().decls) {
    // A name that is missing was reported; the protocol wants one.
    if (decl->name().empty() && !llvm::isa<LayoutDecl, ComptimeDecl>(decl))
      continue;
    lsp::DocumentSymbol symbol = symbolOf(*decl);
    const auto *var = llvm::dyn_cast<VarDecl>(decl);
    const Expr *init = var ? var->init() : nullptr;
    if (const auto *record = llvm::dyn_cast_or_null<StructType>(init))
      for (const FieldDecl *field : record->fields())
        symbol.children.push_back(symbolOf(*field));
    if (const auto *names = llvm::dyn_cast_or_null<EnumType>(init))
      for (const EnumMember *member : names->members())
        symbol.children.push_back(symbolOf(*member));
    symbols.push_back(std::move(symbol));
  }
  reply(std::move(symbols));
}

void Server::onCompletion(const lsp::CompletionParams &params,
                          lsp::Callback<lsp::CompletionList> reply) {
  lsp::CompletionList list;
  const Document *document = workspace.find(params.textDocument.uri.file());
  if (!document)
    return reply(std::move(list));
  Loc loc = fromProtocol(*document, params.position);
  // What was typed of the name, and what stands before it.
  const char *start = loc.getPointer();
  while (start != document->text().begin() &&
         (llvm::isAlnum(start[-1]) || start[-1] == '_'))
    --start;
  char lead = start == document->text().begin() ? '\0' : start[-1];
  auto add = [&](StringRef name, lsp::CompletionItemKind kind,
                 const llvm::Twine &detail = "") {
    list.items.emplace_back(name, kind);
    list.items.back().detail = detail.str();
  };
  if (lead == '@') {
    for (StringRef name : builtinNames())
      add(name, lsp::CompletionItemKind::Function, *builtinSignature(name));
    return reply(std::move(list));
  }
  if (lead == '.') {
    for (auto [name, decl] :
         workspace.members(*document, Loc::getFromPointer(start - 1)))
      add(name, lsp::CompletionItemKind::Field);
    return reply(std::move(list));
  }
  for (const Decl *decl : visibleAt(document->tree(), loc))
    add(decl->name().text, llvm::isa<FnDecl>(decl)
                               ? lsp::CompletionItemKind::Function
                               : lsp::CompletionItemKind::Variable);
  for (StringRef name : keywords())
    add(name, lsp::CompletionItemKind::Keyword);
  for (StringRef name : typeNames())
    add(name, lsp::CompletionItemKind::Class);
  reply(std::move(list));
}

void Server::onFormatting(const FormattingParams &params,
                          lsp::Callback<std::vector<lsp::TextEdit>> reply) {
  std::vector<lsp::TextEdit> edits;
  const Document *document = workspace.find(params.textDocument.uri.file());
  if (document && !document->tree().hadErrors) {
    std::string text;
    llvm::raw_string_ostream os(text);
    format(document->tree(), os);
    if (text != document->text())
      edits.push_back(
          {lsp::Range({0, 0},
                      toProtocol(*document,
                                 Loc::getFromPointer(document->text().end()))),
           std::move(text)});
  }
  reply(std::move(edits));
}

void Server::onSignature(
    const lsp::TextDocumentPositionParams &params,
    lsp::Callback<std::optional<lsp::SignatureHelp>> reply) {
  const Document *document = workspace.find(params.textDocument.uri.file());
  std::optional<CallSignature> found;
  if (document)
    found = workspace.signature(*document,
                                fromProtocol(*document, params.position));
  if (!found)
    return reply(std::nullopt);
  lsp::SignatureHelp help;
  lsp::SignatureInformation &signature = help.signatures.emplace_back();
  signature.label = found->text;
  signature.documentation = found->documentation;
  for (auto [begin, end] : found->parameters)
    signature.parameters.push_back({"", std::pair(begin, end), ""});
  help.activeParameter = int(found->active);
  reply(std::move(help));
}

/// What is refused, as an answer that editors show.
static llvm::Error asFailure(llvm::Error error) {
  return llvm::make_error<lsp::LSPError>(llvm::toString(std::move(error)),
                                         lsp::ErrorCode::RequestFailed);
}

void Server::onPrepareRename(const lsp::TextDocumentPositionParams &params,
                             lsp::Callback<lsp::Range> reply) {
  const Document *document = workspace.find(params.textDocument.uri.file());
  if (!document)
    return reply(asFailure(llvm::createStringError("the file cannot be read")));
  llvm::Expected<Meaning> found =
      workspace.renamed(*document, fromProtocol(*document, params.position));
  if (!found)
    return reply(asFailure(found.takeError()));
  reply(toProtocol(*document, found->span));
}

void Server::onRename(const RenameParams &params,
                      lsp::Callback<lsp::WorkspaceEdit> reply) {
  const Document *document = workspace.find(params.textDocument.uri.file());
  if (!document)
    return reply(asFailure(llvm::createStringError("the file cannot be read")));
  llvm::Expected<std::vector<Edit>> edits = workspace.rename(
      *document, fromProtocol(*document, params.position), params.newName);
  if (!edits)
    return reply(asFailure(edits.takeError()));
  lsp::WorkspaceEdit result;
  for (const Edit &edit : *edits) {
    auto uri = lsp::URIForFile::fromFile(edit.document->path());
    if (!uri)
      return reply(asFailure(uri.takeError()));
    result.changes[uri->uri().str()].push_back(
        {toProtocol(*edit.document, edit.span), edit.text});
  }
  reply(std::move(result));
}

} // namespace

llvm::Error csl_lsp::serve(lsp::JSONTransport &transport, StringRef libraryPath,
                           Evaluator evaluator,
                           std::function<bool(StringRef)> isReplaced) {
  Server server(transport, libraryPath, std::move(evaluator),
                std::move(isReplaced));
  if (llvm::Error error = transport.run(server.handler))
    return error;
  if (!server.shutdown)
    return llvm::createStringError("the session ended without 'shutdown'");
  return llvm::Error::success();
}
