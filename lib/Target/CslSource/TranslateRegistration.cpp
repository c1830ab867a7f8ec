//===- TranslateRegistration.cpp - sequin-translate --csl-to-source -------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "sequin/Dialect/Csl/IR/CslDialect.h"
#include "sequin/Support/OutputFile.h"
#include "sequin/Target/CslSource/EmitSource.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;

/// Registered on first use, so that other tools do not have the flag.
static llvm::cl::opt<std::string> &outputDirectory() {
  static llvm::cl::opt<std::string> option(
      "output-directory",
      llvm::cl::desc("Write the files of --csl-to-source there"),
      llvm::cl::value_desc("directory"));
  return option;
}

//===----------------------------------------------------------------------===//
// Names in the text
//===----------------------------------------------------------------------===//

/// What `%name` says, if a person chose it: no number, no `c0_i16`, `arg1` or
/// suffix that only keeps it apart from another.
static std::string readName(SMRange range) {
  if (!range.isValid())
    return "";
  StringRef text(range.Start.getPointer(),
                 range.End.getPointer() - range.Start.getPointer());
  text.consume_front("%");
  text = text.take_while(
      [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  auto [stem, suffix] = text.rsplit('_');
  if (!stem.empty() && !suffix.empty() && llvm::all_of(suffix, llvm::isDigit))
    text = stem;
  StringRef rest = text;
  if ((rest.consume_front("arg") || rest.consume_front("c") ||
       rest.consume_front("cst")) &&
      llvm::all_of(rest.take_until([](char c) { return c == '_'; }),
                   llvm::isDigit))
    return "";
  if (text.empty() || llvm::all_of(text, llvm::isDigit) ||
      !llvm::isAlpha(text.front()))
    return "";
  std::string name;
  for (char c : text)
    name += c == '.' ? '_' : c;
  return name;
}

static ValueNames readNames(const AsmParserState &state) {
  ValueNames names;
  for (const AsmParserState::OperationDefinition &definition :
       state.getOpDefs())
    for (const auto &group : definition.resultGroups) {
      std::string name = readName(group.definition.loc);
      if (!name.empty() && group.startIndex < definition.op->getNumResults())
        names[definition.op->getResult(group.startIndex)] = name;
    }
  for (const AsmParserState::BlockDefinition &definition : state.getBlockDefs())
    for (auto [argument, place] :
         llvm::zip(definition.block->getArguments(), definition.arguments)) {
      std::string name = readName(place.loc);
      if (!name.empty())
        names[argument] = name;
    }
  return names;
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

static llvm::Error writeFiles(ArrayRef<SourceFile> files, StringRef directory) {
  OutputFiles output;
  if (llvm::Error error = output.addFolder(directory))
    return error;
  for (const SourceFile &file : files) {
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(path, file.name);
    if (llvm::Error error = output.addText(path, file.text,
                                           file.executable ? OutputKind::Program
                                                           : OutputKind::Plain))
      return error;
  }
  return output.commit();
}

static LogicalResult translate(const std::shared_ptr<llvm::SourceMgr> &sources,
                               llvm::raw_ostream &os, MLIRContext *context) {
  DialectRegistry registry;
  registry.insert<csl::CslDialect, affine::AffineDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, func::FuncDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect>();
  context->appendDialectRegistry(registry);
  const llvm::MemoryBuffer *buffer =
      sources->getMemoryBuffer(sources->getMainFileID());
  ParserConfig config(context);
  AsmParserState state;
  Block top;
  // Bytecode has no names.
  LogicalResult parsed =
      isBytecode(buffer->getMemBufferRef())
          ? parseSourceFile(sources, &top, config)
          : parseAsmSourceFile(*sources, &top, config, &state);
  if (failed(parsed))
    return failure();
  auto modules = llvm::to_vector(top.getOps<ModuleOp>());
  OwningOpRef<ModuleOp> made;
  ModuleOp module;
  if (modules.size() == 1 && llvm::hasSingleElement(top)) {
    module = modules.front();
  } else {
    // Operations without a module around them.
    Location loc =
        FileLineColLoc::get(context, buffer->getBufferIdentifier(), 1, 1);
    made = ModuleOp::create(loc);
    made->getBody()->getOperations().splice(made->getBody()->end(),
                                            top.getOperations());
    module = *made;
    if (failed(verify(module)))
      return failure();
  }
  FailureOr<std::vector<SourceFile>> files =
      emitSource(module, readNames(state));
  if (failed(files))
    return failure();
  if (!outputDirectory().empty()) {
    llvm::Error error = writeFiles(*files, outputDirectory());
    if (!error)
      return success();
    llvm::errs() << "error: " << llvm::toString(std::move(error)) << '\n';
    return failure();
  }
  for (const SourceFile &file : *files)
    os << "// -----// " << file.name << '\n' << file.text;
  return success();
}

void csl_to_source::registerTranslations() {
  outputDirectory();
  static TranslateRegistration toSource(
      "csl-to-source", "write a csl module as CSL source and its host files",
      [](const std::shared_ptr<llvm::SourceMgr> &sources, llvm::raw_ostream &os,
         MLIRContext *context) { return translate(sources, os, context); });
}
