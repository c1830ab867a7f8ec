//===- ImportVisa.cpp - Programs of kernel source -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocate.h"
#include "Evaluator.h"
#include "HostLayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "sequin/Dialect/Tcp/IR/HostNames.h"
#include "sequin/Dialect/Tcp/Transforms/TcpPasses.h"
#include "sequin/Support/Excerpt.h"
#include "sequin/Target/VisaImport/VisaImport.h"
#include "llvm/ADT/SetVector.h"

using namespace sequin;
using namespace sequin::visa_import;
using Kind = Value::Kind;

namespace {

/// Imports one function of a program.
class Importer {
public:
  Importer(const ast::Program &program, const ImportOptions &options,
           mlir::MLIRContext &context, const Reporter &reporter,
           const unsigned &errors)
      : program(program), options(options), context(context),
        reporter(reporter), errors(errors), emitter(context, reporter, axes),
        evaluator(program, reporter, axes, emitter, options.stepLimit) {}

  mlir::OwningOpRef<mlir::ModuleOp> run(const ast::FnItem &function);

private:
  void collectAxes(const ast::FnItem &function);
  bool readChips(const ast::FnItem &function);
  bool makeArguments(const ast::FnItem &function);
  bool makeResults(const Value &value, const ast::FnItem &function);
  bool addResult(const Value &value, Span place);
  /// Arguments that the kernel only writes become memory of its own.
  void dropWrittenArguments();
  bool buildHost(const ast::FnItem &function);
  bool isKernel() const { return onlyHbm; }

  const ast::Program &program;
  const ImportOptions &options;
  mlir::MLIRContext &context;
  const Reporter &reporter;
  /// Reported so far.
  const unsigned &errors;
  AxisTable axes;
  Emitter emitter;
  Evaluator evaluator;

  mlir::ModuleOp module;
  mlir::func::FuncOp kernel;
  int64_t chips = 1;
  /// Whether all arguments and results are HBM tensors.
  bool onlyHbm = true;
  std::vector<Value> arguments;
  /// Those that may be written, in order.
  std::vector<BufferRef> outputs;
  std::vector<BufferRef> parameters;
  /// Of the kernel's arguments; empty for a pattern.
  std::vector<StringRef> parameterNames;
  std::vector<mlir::Value> results;
  /// Of the parameters that are written; results without one come before.
  std::vector<StringRef> resultNames;
};

} // namespace

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

/// All axes that the function and what it uses name, in the order of the
/// source.
void Importer::collectAxes(const ast::FnItem &function) {
  llvm::SetVector<const ast::Node *> reached;
  llvm::SetVector<const ast::AxisDecl *> found;
  reached.insert(&function);
  bool hasImpls = false;
  for (size_t i = 0; i < reached.size(); ++i) {
    std::function<void(const ast::Node &)> visit = [&](const ast::Node &node) {
      const ast::Node *target = program.meaningOf(node).node;
      if (const auto *axis = llvm::dyn_cast_or_null<ast::AxisDecl>(target))
        found.insert(axis);
      else if (llvm::isa_and_nonnull<ast::FnItem, ast::TypeItem, ast::ConstItem,
                                     ast::StructItem>(target))
        reached.insert(target);
      ast::forEachChild(node, visit);
    };
    visit(*reached[i]);
    if (llvm::isa<ast::StructItem>(reached[i]) && !hasImpls) {
      hasImpls = true;
      for (const auto &other : program.modules())
        for (const ast::Item *item : other->items)
          if (llvm::isa<ast::ImplItem>(item))
            reached.insert(item);
    }
  }
  llvm::SmallVector<const ast::AxisDecl *> sorted(found.begin(), found.end());
  llvm::sort(sorted,
             [](const auto *a, const auto *b) { return a->id() < b->id(); });
  for (const ast::AxisDecl *axis : sorted)
    if (auto size = evaluator.evalAxisSize(*axis->size))
      axes.add(*axis, *size);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

bool Importer::readChips(const ast::FnItem &function) {
  const ast::Attribute *device =
      ast::findAttribute(function.head.attributes, "device");
  if (!device)
    return true;
  for (const ast::Attribute *arg : device->args) {
    const auto *number = llvm::dyn_cast_or_null<ast::IntLiteral>(arg->value);
    bool isChip = arg->path && ast::toString(*arg->path) == "chip";
    if (isChip && number && number->value >= 1 && number->value <= 4096) {
      chips = int64_t(number->value);
      continue;
    }
    reporter.error(arg->span())
        << "#[device] takes chip = a number from 1 to 4096";
    return false;
  }
  return true;
}

bool Importer::makeArguments(const ast::FnItem &function) {
  bool good = true;
  for (const ast::Param *param : function.params) {
    if (!param->pattern || !param->type) {
      reporter.error(param->span()) << "a kernel has no 'self'";
      return false;
    }
    TypeRef type = evaluator.evalParameterType(*param->type);
    if (!type) {
      good = false;
      continue;
    }
    Value argument;
    if (type->kind == Type::Kind::Named &&
        (type->name == "Context" || type->name == "TuContext" ||
         type->name == "DmaContext")) {
      argument.kind = Kind::Context;
      argument.name = type->name == "Context"     ? "ctx"
                      : type->name == "TuContext" ? "main"
                                                  : "tdma";
      arguments.push_back(argument);
      continue;
    }
    Span place = param->type->span();
    if (type->kind != Type::Kind::Tensor) {
      reporter.error(place) << "an argument of a kernel is a tensor or a "
                               "Context, found '"
                            << str(type) << "'";
      good = false;
      continue;
    }
    mlir::Type lowered = emitter.lower(type, place);
    if (!lowered) {
      good = false;
      continue;
    }
    mlir::Block &body = kernel.getBody().front();
    mlir::Value value =
        body.addArgument(lowered, reporter.locate(param->pattern->span()));
    onlyHbm &= mlir::isa<tcp::HbmType>(lowered);
    if (mlir::isa<tcp::StreamType>(lowered)) {
      argument.kind = Kind::Stream;
      argument.name = type->name;
      argument.stream = value;
      arguments.push_back(argument);
      continue;
    }
    argument.buffer = std::make_shared<Buffer>();
    argument.buffer->made = param->pattern->span();
    argument.buffer->parameter = int(parameters.size());
    argument.buffer->value = value;
    StringRef typeName = type->name;
    typeName.consume_back("Mut");
    bool isView = typeName.consume_back("View");
    if (isView) {
      auto tensor = std::make_shared<Type>(*type);
      tensor->name = typeName.str();
      argument.kind = Kind::View;
      argument.name = type->name;
      argument.buffer->type = tensor;
    } else {
      argument.kind = Kind::Tensor;
      argument.buffer->type = type;
    }
    parameters.push_back(argument.buffer);
    const auto *name = llvm::dyn_cast<ast::NamePattern>(param->pattern);
    parameterNames.push_back(name ? name->name.text : StringRef());
    const auto *ref = llvm::dyn_cast<ast::RefType>(param->type);
    bool mayWrite =
        (ref && ref->isMut) || StringRef(type->name).ends_with("ViewMut");
    if (mayWrite)
      outputs.push_back(argument.buffer);
    arguments.push_back(argument);
  }
  return good;
}

bool Importer::addResult(const Value &value, Span place) {
  switch (value.kind) {
  case Kind::Unit:
    return true;
  case Kind::Tuple:
    for (const Field &field : value.fields)
      if (!addResult(*field.value, place))
        return false;
    return true;
  case Kind::Stream:
    onlyHbm = false;
    results.push_back(value.stream);
    return true;
  case Kind::Tensor:
  case Kind::View: {
    mlir::Value read = emitter.read(value, place);
    if (!read)
      return false;
    onlyHbm &= mlir::isa<tcp::HbmType>(read.getType());
    results.push_back(read);
    return true;
  }
  default:
    reporter.error(place) << "a kernel returns tensors, found "
                          << describe(value);
    return false;
  }
}

bool Importer::makeResults(const Value &value, const ast::FnItem &function) {
  Span place =
      function.result ? function.result->span() : function.head.name.span;
  if (!addResult(value, place))
    return false;
  resultNames.resize(results.size());
  for (const BufferRef &buffer : outputs)
    if (buffer->written > 0) {
      results.push_back(buffer->value);
      resultNames.push_back(parameterNames[buffer->parameter]);
    }
  return true;
}

void Importer::dropWrittenArguments() {
  mlir::Block &body = kernel.getBody().front();
  llvm::BitVector dropped(body.getNumArguments());
  for (const BufferRef &buffer : outputs) {
    mlir::BlockArgument argument;
    // Parameters and arguments are in the same order.
    argument = body.getArgument(buffer->parameter);
    auto type = mlir::dyn_cast<tcp::HbmType>(argument.getType());
    if (!type || buffer->isRead || buffer->written == 0)
      continue;
    int64_t elements = type.getElementMapping().validSize();
    if (buffer->written < elements)
      continue;
    if (!argument.use_empty()) {
      mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(&body);
      argument.replaceAllUsesWith(tcp::FromAddressOp::create(
          builder, argument.getLoc(), type, /*address=*/0));
    }
    dropped.set(argument.getArgNumber());
  }
  body.eraseArguments(dropped);
  for (int argument = dropped.find_last(); argument >= 0;
       argument = dropped.find_prev(argument))
    parameterNames.erase(parameterNames.begin() + argument);
}

//===----------------------------------------------------------------------===//
// The host's side
//===----------------------------------------------------------------------===//

bool Importer::buildHost(const ast::FnItem &function) {
  const TcpMachine &machine =
      *mlir::cast<tcp::TargetAttr>(
           module->getAttr(tcp::TcpDialect::kTargetAttrName))
           .getRow();
  mlir::FailureOr<ArgumentAddresses> addresses =
      options.addresses == Addresses::Allocate
          ? allocate(kernel, machine)
          : placeArguments(kernel, machine);
  if (mlir::failed(addresses))
    return false;
  mlir::Location loc = reporter.locate(function.head.name.span);
  auto hostType = [&](mlir::Type type) -> mlir::Type {
    auto hbm = mlir::cast<tcp::HbmType>(type);
    auto whole = Mapping::pair(hbm.getChipMapping(), hbm.getElementMapping());
    if (!whole) {
      mlir::emitError(loc) << llvm::toString(whole.takeError());
      return nullptr;
    }
    return tcp::HostType::getChecked(
        [&] { return mlir::emitError(loc); }, &context, hbm.getElementType(),
        hbm.getAxes(), stream::MappingAttr::get(&context, hostMapping(*whole)));
  };
  llvm::SmallVector<mlir::Type> inputs, outputTypes;
  for (mlir::Type type : kernel.getArgumentTypes())
    inputs.push_back(hostType(type));
  for (mlir::Type type : kernel.getResultTypes())
    outputTypes.push_back(hostType(type));
  if (llvm::is_contained(inputs, mlir::Type()) ||
      llvm::is_contained(outputTypes, mlir::Type()))
    return false;
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(module.getBody());
  auto host = mlir::func::FuncOp::create(
      builder, loc, "main", builder.getFunctionType(inputs, outputTypes));
  for (auto [i, name] : llvm::enumerate(parameterNames))
    if (!name.empty())
      host.setArgAttr(i, tcp::kNameAttrName, builder.getStringAttr(name));
  for (auto [i, name] : llvm::enumerate(resultNames))
    if (!name.empty())
      host.setResultAttr(i, tcp::kNameAttrName, builder.getStringAttr(name));
  mlir::Block *body = host.addEntryBlock();
  builder.setInsertionPointToStart(body);
  llvm::SmallVector<mlir::Value> moved, back;
  for (auto [argument, type, address, kernelArgument] :
       llvm::zip_equal(body->getArguments(), kernel.getArgumentTypes(),
                       *addresses, kernel.getArguments()))
    moved.push_back(tcp::ToHbmOp::create(builder, kernelArgument.getLoc(), type,
                                         argument, address));
  auto launch = tcp::LaunchOp::create(
      builder, loc, kernel.getResultTypes(),
      mlir::FlatSymbolRefAttr::get(&context, kernel.getSymName()), moved);
  for (auto [result, type] : llvm::zip_equal(launch.getResults(), outputTypes))
    back.push_back(tcp::ToHostOp::create(builder, loc, type, result));
  mlir::func::ReturnOp::create(builder, loc, back);
  return true;
}

mlir::OwningOpRef<mlir::ModuleOp> Importer::run(const ast::FnItem &function) {
  collectAxes(function);
  if (!readChips(function))
    return {};
  mlir::Location loc = reporter.locate(function.head.name.span);
  mlir::OwningOpRef<mlir::ModuleOp> owned = mlir::ModuleOp::create(loc);
  module = *owned;
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockBegin(module.getBody());
  std::string name = function.head.name.text.str();
  if (name == "main")
    name = "main_kernel";
  kernel = mlir::func::FuncOp::create(builder, loc, name,
                                      builder.getFunctionType({}, {}));
  mlir::Block *body = kernel.addEntryBlock();
  emitter.builder.setInsertionPointToEnd(body);
  if (!makeArguments(function))
    return {};
  // Values are copies: the buffers are shared.
  Value value = evaluator.run(function, arguments);
  if (errors > 0 || value.isError() || !makeResults(value, function))
    return {};
  dropWrittenArguments();
  mlir::func::ReturnOp::create(emitter.builder, loc, results);
  kernel.setFunctionType(builder.getFunctionType(
      body->getArgumentTypes(), mlir::ValueRange(results).getTypes()));
  // Memory that is written as a whole was named for nothing.
  for (mlir::Operation &op : llvm::make_early_inc_range(*body))
    if (mlir::isa<tcp::FromAddressOp>(op) && op.use_empty())
      op.erase();
  bool isDevice = ast::findAttribute(function.head.attributes, "device") ||
                  !kernel.getArgumentTypes().empty();
  bool hasHost = onlyHbm && isDevice;
  if (!onlyHbm && ast::findAttribute(function.head.attributes, "device")) {
    reporter.error(function.head.name.span)
        << "what a host launches takes and returns HbmTensors only";
    return {};
  }
  auto target = tcp::TargetAttr::getChecked(
      [&] { return mlir::emitError(loc); }, &context,
      StringRef(options.machine), chips,
      hasHost ? tcp::Mode::Kernel : tcp::Mode::Unit);
  if (!target)
    return {};
  module->setAttr(tcp::TcpDialect::kTargetAttrName, target);
  if (!hasHost)
    return owned;
  if (!buildHost(function))
    return {};
  mlir::PassManager passes(&context);
  passes.addPass(tcp::createCheckMachine());
  if (mlir::failed(passes.run(module)))
    return {};
  return owned;
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

static const ast::FnItem *findEntry(const ast::Program &program,
                                    const ImportOptions &options,
                                    StringRef path,
                                    mlir::MLIRContext &context) {
  mlir::Location loc = mlir::FileLineColLoc::get(&context, path, 1, 1);
  if (!options.entry.empty()) {
    if (const ast::FnItem *found = program.findFunction(options.entry))
      return found;
  } else if (program.kernels().size() == 1) {
    return program.kernels().front();
  }
  std::string names;
  for (const auto &module : program.modules())
    for (const ast::Item *item : module->items)
      if (llvm::is_contained(program.kernels(), item)) {
        StringRef around = module->path;
        around.consume_front("crate::");
        names += (names.empty() ? "" : ", ") +
                 (module->path == "crate" ? "" : around.str() + "::") +
                 ast::headOf(*item).name.text.str();
      }
  if (options.entry.empty())
    mlir::emitError(loc) << "'" << path << "' has "
                         << (names.empty() ? "no function with #[device]"
                                           : "several kernels")
                         << "; name a function with --entry"
                         << (names.empty() ? "" : ", there are: " + names);
  else
    mlir::emitError(loc) << "'" << path << "' has no function '"
                         << excerpt(options.entry)
                         << "', or several; its kernels are: "
                         << (names.empty() ? "none" : names);
  return nullptr;
}

mlir::OwningOpRef<mlir::ModuleOp>
visa_import::importVisa(llvm::StringRef path, const ImportOptions &options,
                        mlir::MLIRContext &context,
                        source::SourceManager &sources) {
  context.loadDialect<mlir::func::FuncDialect, stream::StreamDialect,
                      tcp::TcpDialect>();
  Reporter reporter(context, sources);
  unsigned errors = 0;
  mlir::ScopedDiagnosticHandler counter(
      &context, [&](mlir::Diagnostic &diagnostic) {
        errors += diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
        return mlir::failure(); // goes on to who prints it
      });
  mlir::Location loc = mlir::FileLineColLoc::get(&context, path, 1, 1);
  if (!options.release.empty() && options.release != "v0.1" &&
      options.release != "0.1") {
    mlir::emitError(loc) << "release '" << excerpt(options.release)
                         << "' is not imported, v0.1 is";
    return {};
  }
  source::Diagnostics diagnostics(sources);
  ast::Context nodes;
  ast::Program program(sources, nodes, diagnostics);
  for (StringRef library : options.libraries) {
    auto [name, file] = library.split('=');
    program.addLibrary(name, file);
  }
  bool loaded = program.load(path);
  reporter.forward(diagnostics);
  if (!loaded || diagnostics.hadErrors())
    return {};
  if (program.release() == ast::Releases::V06) {
    mlir::emitError(loc) << "'" << path
                         << "' is for release 0.6 of the crate "
                            "(furiosa_opt_std); the manual's, 0.1 "
                            "(furiosa_visa_std), is imported";
    return {};
  }
  const ast::FnItem *entry = findEntry(program, options, path, context);
  if (!entry)
    return {};
  return Importer(program, options, context, reporter, errors).run(*entry);
}
