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
  Importer(const ast::Crates &program, const ImportOptions &options,
           mlir::MLIRContext &context, const Reporter &reporter,
           const unsigned &errors, llvm::SmallVector<StringRef, 4> numbers)
      : program(program), options(options), context(context),
        reporter(reporter), errors(errors), numbers(std::move(numbers)),
        emitter(context, reporter, axes),
        evaluator(program, reporter, axes, emitter, options.stepLimit) {}

  mlir::OwningOpRef<mlir::ModuleOp> run(const ast::FnItem &function);

private:
  void collectAxes(const ast::FnItem &function);
  bool readChips(const ast::FnItem &function);
  /// Of a kernel for a part of the chip; false if there is no such part.
  bool useProcessors(uint64_t count);
  bool makeArguments(const ast::FnItem &function);
  /// What a parameter of this type is; tuples and structs have a value for each
  /// tensor. None after an error.
  std::optional<Value> makeArgument(const ast::Type &written, StringRef name,
                                    Span named);
  /// A number that the host passes; none after an error.
  std::optional<Value> makeNumber(const TypeRef &type, StringRef name,
                                  Span place);
  Value makeTensorArgument(const TypeRef &type, mlir::Value value, bool isMut,
                           StringRef name, Span named);
  bool makeResults(const Value &value, const ast::FnItem &function);
  bool addResult(const Value &value, Span place);
  /// Arguments that the kernel only writes become memory of its own.
  void dropWrittenArguments();
  bool buildHost(const ast::FnItem &function);
  bool isKernel() const { return onlyHbm; }

  const ast::Crates &program;
  const ImportOptions &options;
  mlir::MLIRContext &context;
  const Reporter &reporter;
  /// Reported so far.
  const unsigned &errors;
  /// What the entry says of the arguments that are numbers, and how many of
  /// these have been taken.
  llvm::SmallVector<StringRef, 4> numbers;
  size_t taken = 0;
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
  std::vector<std::string> parameterNames;
  std::vector<mlir::Value> results;
  /// Of the parameters that are written; results without one come before.
  std::vector<std::string> resultNames;
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
      if (const auto *macro = llvm::dyn_cast<ast::MacroExpr>(&node))
        if (const ast::Expr *stands = program.expansionOf(*macro))
          visit(*stands);
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
    std::string name = arg->path ? ast::toString(*arg->path) : "";
    if (name == "chip" && number && number->value >= 1 &&
        number->value <= 4096) {
      chips = int64_t(number->value);
      continue;
    }
    bool hasParts = program.release() == ast::Releases::V06;
    if (hasParts && name == "pe" && number && useProcessors(number->value))
      continue;
    reporter.error(arg->span())
        << "#[device] takes chip = a number from 1 to 4096"
        << (hasParts ? " and pe = 1, 2, 4 or 8" : "");
    return false;
  }
  if (program.release() == ast::Releases::V06 && function.generics &&
      llvm::any_of(function.generics->params, [](const auto *param) {
        return param->paramKind != ast::GenericParamKind::Lifetime;
      })) {
    reporter.error(function.head.name.span)
        << "what a host launches has no generic parameters; write a function "
           "that calls '"
        << function.head.name.text << "' with their values";
    return false;
  }
  return true;
}

bool Importer::useProcessors(uint64_t count) {
  const TcpMachine *machine = lookupTcpMachine(options.machine);
  if (!machine)
    return true; // is reported where the target is made
  // A processing element has a DMA engine of its own.
  int64_t slices = machine->slicesPerEngine * int64_t(count);
  if (!llvm::isPowerOf2_64(count) ||
      slices > machine->clustersPerChip * machine->slicesPerCluster)
    return false;
  if (slices <= machine->slicesPerCluster)
    evaluator.useSlices(slices, machine->slicesPerCluster,
                        machine->clustersPerChip);
  return true;
}

bool Importer::makeArguments(const ast::FnItem &function) {
  bool good = true;
  for (const ast::Param *param : function.params) {
    if (!param->pattern || !param->type) {
      reporter.error(param->span()) << "a kernel has no 'self'";
      return false;
    }
    const auto *name = llvm::dyn_cast<ast::NamePattern>(param->pattern);
    std::optional<Value> argument =
        makeArgument(*param->type, name ? name->name.text : StringRef(),
                     param->pattern->span());
    good &= argument.has_value();
    if (argument)
      arguments.push_back(std::move(*argument));
  }
  return good;
}

/// The fields of a struct that an argument is; none if it is no struct.
static const ast::StructItem *structOf(const TypeRef &type) {
  return type->kind == Type::Kind::Struct
             ? llvm::dyn_cast_or_null<ast::StructItem>(type->decl)
             : nullptr;
}

std::optional<Value> Importer::makeArgument(const ast::Type &written,
                                            StringRef name, Span named) {
  if (const auto *tuple = llvm::dyn_cast<ast::TupleType>(&written)) {
    std::vector<Value> elements;
    for (auto [index, element] : llvm::enumerate(tuple->elements)) {
      auto argument = makeArgument(
          *element, (name + "_" + llvm::Twine(index)).str(), named);
      if (!argument)
        return std::nullopt;
      elements.push_back(std::move(*argument));
    }
    return makeTuple(std::move(elements));
  }
  Span place = written.span();
  TypeRef type = evaluator.evalParameterType(written);
  if (!type)
    return std::nullopt;
  if (const ast::StructItem *item = structOf(type)) {
    Value made;
    made.kind = Kind::Struct;
    made.decl = item;
    for (const ast::FieldDecl *member : item->members) {
      auto argument = makeArgument(
          *member->type, (name + "_" + member->name.text).str(), named);
      if (!argument)
        return std::nullopt;
      made.fields.push_back(
          {member->name.text, std::make_shared<Value>(std::move(*argument))});
    }
    return made;
  }
  Value argument;
  if (type->kind == Type::Kind::Named &&
      (type->name == "Context" || type->name == "TuContext" ||
       type->name == "DmaContext")) {
    argument.kind = Kind::Context;
    argument.name = type->name == "Context"     ? "ctx"
                    : type->name == "TuContext" ? "main"
                                                : "tdma";
    return argument;
  }
  if (type->kind == Type::Kind::Scalar)
    return makeNumber(type, name, named);
  int64_t length = 0;
  if (type->kind == Type::Kind::Array && type->args[0] &&
      type->args[0]->kind == Type::Kind::Scalar &&
      !StringRef(type->text).getAsInteger(10, length)) {
    std::vector<Value> elements;
    for (int64_t i = 0; i < length; ++i) {
      auto number =
          makeNumber(type->args[0], (name + "_" + llvm::Twine(i)).str(), named);
      if (!number)
        return std::nullopt;
      elements.push_back(std::move(*number));
    }
    return makeArray(std::move(elements));
  }
  if (type->kind != Type::Kind::Tensor) {
    reporter.error(place) << "an argument of a kernel is a tensor, a number or "
                             "a Context, found '"
                          << str(type) << "'";
    return std::nullopt;
  }
  mlir::Type lowered = emitter.lower(type, place);
  if (!lowered)
    return std::nullopt;
  mlir::Value value =
      kernel.getBody().front().addArgument(lowered, reporter.locate(named));
  onlyHbm &= mlir::isa<tcp::HbmType>(lowered);
  if (mlir::isa<tcp::StreamType>(lowered)) {
    argument.kind = Kind::Stream;
    argument.name = type->name;
    argument.stream = value;
    return argument;
  }
  const auto *ref = llvm::dyn_cast<ast::RefType>(&written);
  return makeTensorArgument(type, value, ref && ref->isMut, name, named);
}

std::optional<Value> Importer::makeNumber(const TypeRef &type, StringRef name,
                                          Span place) {
  if (taken == numbers.size()) {
    reporter.error(place) << "the host passes number '" << name
                          << "'; give it behind the entry's name, as in "
                             "kernel(3, 0.5, true)";
    return std::nullopt;
  }
  StringRef text = numbers[taken++];
  Value number;
  StringRef wanted = type->name;
  bool isFloat = wanted == "f32" || wanted == "f64", good = true;
  if (wanted == "bool") {
    number = makeBool(text == "true");
    good = text == "true" || text == "false";
  } else if (isFloat) {
    number.kind = Kind::Float;
    number.name = wanted.str();
    good = !text.getAsDouble(number.number);
    if (wanted == "f32")
      number.number = double(float(number.number));
  } else {
    number = makeInt(0, wanted);
    good = !text.getAsInteger(10, number.integer);
  }
  if (!good ||
      (!isFloat && wanted != "bool" && !fitsInteger(number.integer, wanted))) {
    reporter.error(place) << "'" << excerpt(text) << "' is no number of type '"
                          << wanted << "', which '" << name << "' is";
    return std::nullopt;
  }
  if (program.release() == ast::Releases::V06)
    number.dynamic = "the host passes it when it launches the kernel";
  return number;
}

Value Importer::makeTensorArgument(const TypeRef &type, mlir::Value value,
                                   bool isMut, StringRef name, Span named) {
  Value argument;
  argument.buffer = std::make_shared<Buffer>();
  argument.buffer->made = named;
  argument.buffer->parameter = int(parameters.size());
  argument.buffer->value = value;
  StringRef typeName = type->name;
  typeName.consume_back("Mut");
  if (typeName.consume_back("View")) {
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
  parameterNames.push_back(name.str());
  if (isMut || StringRef(type->name).ends_with("ViewMut"))
    outputs.push_back(argument.buffer);
  return argument;
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
  if (const TcpMachine *machine = lookupTcpMachine(options.machine))
    emitter.scratchpadBytes = machine->spmBytesPerDmn;
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
  if (taken < numbers.size()) {
    reporter.error(function.head.name.span)
        << "'" << function.head.name.text << "' takes " << taken
        << " numbers, found " << numbers.size();
    return {};
  }
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

/// The numbers behind an entry's name, `f(3, true)`, which are taken off it.
static llvm::SmallVector<StringRef, 4> takeNumbers(StringRef &entry) {
  llvm::SmallVector<StringRef, 4> numbers;
  size_t open = entry.find('(');
  if (open == StringRef::npos || !entry.ends_with(")"))
    return numbers;
  entry.slice(open + 1, entry.size() - 1).split(numbers, ',', -1, false);
  for (StringRef &number : numbers)
    number = number.trim();
  entry = entry.take_front(open).rtrim();
  return numbers;
}

static const ast::FnItem *findEntry(const ast::Crates &program,
                                    StringRef wanted, StringRef path,
                                    mlir::MLIRContext &context) {
  mlir::Location loc = mlir::FileLineColLoc::get(&context, path, 1, 1);
  if (!wanted.empty()) {
    if (const ast::FnItem *found = program.findFunction(wanted))
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
  if (wanted.empty())
    mlir::emitError(loc) << "'" << path << "' has "
                         << (names.empty() ? "no function with #[device]"
                                           : "several kernels")
                         << "; name a function with --entry"
                         << (names.empty() ? "" : ", there are: " + names);
  else
    mlir::emitError(loc) << "'" << path << "' has no function '"
                         << excerpt(wanted)
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
  StringRef wanted = options.release;
  wanted.consume_front("v");
  if (!wanted.empty() && wanted != "0.1" && wanted != "0.6") {
    mlir::emitError(loc) << "release '" << excerpt(options.release)
                         << "' is not imported, v0.1 and v0.6 are";
    return {};
  }
  source::Diagnostics diagnostics(sources);
  ast::Context nodes;
  ast::Crates program(sources, nodes, diagnostics);
  for (StringRef library : options.libraries) {
    auto [name, file] = library.split('=');
    program.addLibrary(name, file);
  }
  bool loaded = program.load(path);
  reporter.forward(diagnostics);
  if (!loaded || diagnostics.hadErrors())
    return {};
  StringRef found = program.release() == ast::Releases::V06 ? "0.6" : "0.1";
  if (!wanted.empty() && program.release() && wanted != found) {
    mlir::emitError(loc) << "'" << path << "' is for release " << found
                         << " of the crate, not for " << wanted;
    return {};
  }
  StringRef name = options.entry;
  llvm::SmallVector<StringRef, 4> numbers = takeNumbers(name);
  const ast::FnItem *entry = findEntry(program, name, path, context);
  if (!entry)
    return {};
  return Importer(program, options, context, reporter, errors,
                  std::move(numbers))
      .run(*entry);
}
