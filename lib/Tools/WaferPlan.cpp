//===- WaferPlan.cpp - What a run on a wafer does -------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WaferPlan.h"
#include "sequin/Support/ArrayNumber.h"
#include "sequin/Support/Excerpt.h"
#include "llvm/ADT/StringSet.h"

using namespace sequin;
using namespace sequin::tools;
using namespace sequin::wafer;
using llvm::StringRef;
using llvm::Twine;

llvm::Expected<std::pair<int64_t, int64_t>> tools::parseGrid(StringRef text) {
  std::pair<int64_t, int64_t> grid;
  auto [width, height] = text.split(',');
  if (width.trim().getAsInteger(10, grid.first) ||
      height.trim().getAsInteger(10, grid.second) || grid.first < 1 ||
      grid.second < 1)
    return llvm::createStringError("--grid is '" + excerpt(text) +
                                   "', must be a width and a height: 4,3");
  return grid;
}

llvm::Expected<Rectangle> tools::parseRectangle(StringRef text,
                                                const Twine &what) {
  llvm::SmallVector<StringRef, 4> numbers;
  text.split(numbers, ',');
  Rectangle where;
  int64_t *fields[] = {&where.x, &where.y, &where.width, &where.height};
  bool good = numbers.size() == 4;
  for (size_t i = 0; good && i < 4; ++i)
    good = !numbers[i].trim().getAsInteger(10, *fields[i]);
  if (!good)
    return llvm::createStringError(what + " is '" + excerpt(text) +
                                   "', must be x,y,width,height");
  return where;
}

static llvm::Expected<NamedRegion> parseRegion(StringRef text, StringRef flag) {
  auto [name, region] = text.split('@');
  NamedRegion place{name.trim().str(), std::nullopt};
  if (place.name.empty())
    return llvm::createStringError(flag + " '" + excerpt(text) +
                                   "' names nothing");
  if (!text.contains('@'))
    return place;
  auto where =
      parseRectangle(region, flag + " '" + place.name + "': the place");
  if (!where)
    return where.takeError();
  place.where = *where;
  return place;
}

/// Fills in where, and what a PE without the symbol means.
static llvm::Error settle(const NamedRegion &place, const Session &session,
                          Rectangle &where, Session::Missing &missing) {
  where = place.where.value_or(session.all());
  missing = place.where ? Session::Missing::Refuse : Session::Missing::Skip;
  return session.checkInside(where);
}

static llvm::Expected<Transfer> parseTransfer(StringRef text, StringRef flag,
                                              bool toDevice,
                                              const Session &session) {
  auto [left, path] = text.split('=');
  if (path.empty())
    return llvm::createStringError(
        flag + " is '" + excerpt(text) +
        "', a program for a wafer takes SYMBOL=FILE.npy");
  auto place = parseRegion(left, flag);
  if (!place)
    return place.takeError();
  Transfer transfer;
  transfer.place = std::move(*place);
  transfer.path = path.str();
  if (llvm::Error bad =
          settle(transfer.place, session, transfer.where, transfer.missing))
    return std::move(bad);
  for (const Stream &stream : session.program().streams)
    if (stream.name == transfer.place.name && stream.toDevice == toDevice) {
      transfer.stream = &stream;
      return transfer;
    }
  auto symbol = session.symbol(transfer.place.name);
  if (!symbol)
    return symbol.takeError();
  transfer.symbol = *symbol;
  auto data = session.dataOf(**symbol, transfer.where);
  if (!data)
    return data.takeError();
  if (toDevice && !(*symbol)->isWritableByHost())
    return llvm::createStringError(
        "symbol '" + transfer.place.name +
        "' is read-only to the host: its export is not mutable");
  transfer.data = *data;
  return transfer;
}

static llvm::Expected<Launch> parseLaunch(StringRef text,
                                          const Session &session) {
  auto [left, rest] = text.split('(');
  auto place = parseRegion(left, "--launch");
  if (!place)
    return place.takeError();
  Launch launch;
  launch.place = std::move(*place);
  auto symbol = session.symbol(launch.place.name);
  if (!symbol)
    return symbol.takeError();
  const Symbol &function = **symbol;
  if (function.kind != Symbol::Kind::Function)
    return llvm::createStringError("'" + function.name +
                                   "' is no function, it cannot be "
                                   "launched");
  launch.function = &function;
  if (llvm::Error bad =
          settle(launch.place, session, launch.where, launch.missing))
    return std::move(bad);
  llvm::SmallVector<StringRef, 4> arguments;
  if (text.contains('(')) {
    rest = rest.trim();
    if (!rest.consume_back(")"))
      return llvm::createStringError(
          "--launch '" + excerpt(text) +
          "' has no ')' at the end of the arguments");
    if (!rest.trim().empty())
      rest.split(arguments, ',');
  }
  size_t count = function.argumentBits.size();
  if (arguments.size() != count)
    return llvm::createStringError(
        "'" + function.name + "' takes " + Twine(count) +
        (count == 1 ? " argument" : " arguments") + ", --launch '" +
        excerpt(text) + "' gives " + Twine(arguments.size()));
  for (size_t i = 0; i < count; ++i) {
    ElementKind kind = i < function.argumentKinds.size()
                           ? function.argumentKinds[i]
                           : ElementKind::Signed;
    auto value = toArgument(
        arguments[i],
        "argument " + std::to_string(i + 1) + " of '" + function.name + "'",
        kind, function.argumentBits[i], session.program().fp16);
    if (!value)
      return value.takeError();
    launch.arguments.push_back(*value);
  }
  return launch;
}

//===----------------------------------------------------------------------===//
// Whole arrays
//===----------------------------------------------------------------------===//

/// Whether `text` is SYMBOL=FILE for a name that the program has.
static bool isNamed(StringRef text, const Program &program) {
  if (!text.contains('='))
    return false;
  StringRef name = text.split('=').first.split('@').first.trim();
  return llvm::any_of(
             program.symbols,
             [&](const Symbol &symbol) { return symbol.name == name; }) ||
         llvm::any_of(program.streams, [&](const Stream &stream) {
           return stream.name == name;
         });
}

/// Whether arguments are whole arrays in order: the program was a function on
/// tensors, and nothing names its symbols.
static bool usesEntry(const RunOptions &options, const api::WaferModule &module,
                      const Program &program) {
  auto named = [&](StringRef text) { return isNamed(text, program); };
  return module.entry() && options.wafer.launches.empty() &&
         llvm::none_of(options.inputs, named) &&
         llvm::none_of(options.outputs, named);
}

llvm::Expected<Transfer> tools::makeWhole(const api::WaferEntry::Tensor &tensor,
                                          StringRef path,
                                          const Session &session) {
  Transfer transfer;
  transfer.place.name = tensor.symbol;
  transfer.path = path.str();
  transfer.where = session.all();
  transfer.distribution = &tensor.distribution;
  auto symbol = session.symbol(tensor.symbol);
  if (!symbol)
    return symbol.takeError();
  transfer.symbol = *symbol;
  auto data = session.dataOf(**symbol, transfer.where);
  if (!data)
    return data.takeError();
  transfer.data = *data;
  if (data->elementsPerPe != tensor.distribution.localElements())
    return llvm::createStringError("symbol '" + tensor.symbol + "' has " +
                                   Twine(data->elementsPerPe) +
                                   " elements on a PE, its csl.distribution " +
                                   Twine(tensor.distribution.localElements()));
  return transfer;
}

static std::string describe(llvm::ArrayRef<api::WaferEntry::Tensor> tensors,
                            StringRef noun) {
  std::string text = std::to_string(tensors.size()) + " " + noun.str() +
                     (tensors.size() == 1 ? "" : "s");
  for (const api::WaferEntry::Tensor &tensor : tensors) {
    llvm::SmallVector<int64_t, 4> shape;
    for (const DistributedDim &dim : tensor.distribution.dims)
      shape.push_back(dim.size);
    text += (&tensor == tensors.begin() ? " (" : ", ");
    text += "'" + tensor.symbol + "' " + shapeText(shape);
  }
  return tensors.empty() ? text : text + ")";
}

/// The type that the linalg interpreter calls the elements.
static std::optional<ElementType> elementTypeOf(const SymbolData &data,
                                                Fp16Format fp16) {
  if (data.kind == ElementKind::Float && data.elementBytes == 4)
    return ElementType::F32;
  if (data.kind == ElementKind::Float)
    return fp16 == Fp16Format::F16    ? std::optional(ElementType::F16)
           : fp16 == Fp16Format::BF16 ? std::optional(ElementType::BF16)
                                      : std::nullopt;
  switch (data.elementBytes) {
  case 1:
    return ElementType::I8;
  case 2:
    return ElementType::I16;
  case 4:
    return ElementType::I32;
  }
  return std::nullopt;
}

static llvm::SmallVector<int64_t, 4> shapeOf(const Distribution &distribution) {
  llvm::SmallVector<int64_t, 4> shape;
  for (const DistributedDim &dim : distribution.dims)
    shape.push_back(dim.size);
  return shape;
}

llvm::Expected<sim::HostArray> tools::gatherWhole(const Transfer &transfer,
                                                  llvm::ArrayRef<uint8_t> local,
                                                  const Program &program) {
  auto type = elementTypeOf(transfer.data, program.fp16);
  if (!type)
    return llvm::createStringError(
        "'" + transfer.symbol->name + "' has elements of " +
        typeText(transfer.data, program.fp16) + ", which linalg does not");
  return sim::HostArray{
      *type, shapeOf(*transfer.distribution),
      transfer.distribution->gather(local, transfer.data.elementBytes,
                                    program.width, program.height)};
}

static llvm::Expected<Plan> makeEntryPlan(const RunOptions &options,
                                          const api::WaferEntry &entry,
                                          const Session &session) {
  const Program &program = session.program();
  Plan plan;
  plan.entry = &entry;
  if (options.inputs.size() != entry.arguments.size())
    return llvm::createStringError(
        "the program takes " + describe(entry.arguments, "input") +
        ", --input is given " + Twine(options.inputs.size()) + " times");
  if (options.outputs.size() > entry.results.size())
    return llvm::createStringError(
        "the program has " + describe(entry.results, "output") +
        ", --output is given " + Twine(options.outputs.size()) + " times");
  for (const auto &[tensor, path] :
       llvm::zip(entry.arguments, options.inputs)) {
    auto input = makeWhole(tensor, path, session);
    if (!input)
      return input.takeError();
    auto array = readNpy(path);
    if (!array)
      return array.takeError();
    llvm::SmallVector<int64_t, 4> shape;
    for (const DistributedDim &dim : tensor.distribution.dims)
      shape.push_back(dim.size);
    if (llvm::ArrayRef<int64_t>(array->shape) != llvm::ArrayRef(shape))
      return llvm::createStringError(
          "'" + path + "': shape is " + shapeText(array->shape) +
          ", argument '" + tensor.symbol + "' has shape " + shapeText(shape));
    auto bytes =
        toElements(*array, path, tensor.symbol, input->data, program.fp16);
    if (!bytes)
      return bytes.takeError();
    input->bytes = tensor.distribution.scatter(*bytes, input->data.elementBytes,
                                               program.width, program.height);
    plan.inputs.push_back(std::move(*input));
  }
  for (const auto &[tensor, path] : llvm::zip(entry.results, options.outputs)) {
    auto output = makeWhole(tensor, path, session);
    if (!output)
      return output.takeError();
    plan.outputs.push_back(std::move(*output));
  }
  auto function = session.symbol(entry.function);
  if (!function)
    return function.takeError();
  Launch launch;
  launch.place.name = entry.function;
  launch.function = *function;
  launch.where = session.all();
  plan.launches.push_back(std::move(launch));
  return plan;
}

/// Everything that can be wrong before anything runs.
static llvm::Expected<Plan> makeNamedPlan(const RunOptions &options,
                                          const Session &session) {
  Plan plan;
  llvm::StringSet<> names;
  for (StringRef text : options.inputs) {
    auto input = parseTransfer(text, "--input", /*toDevice=*/true, session);
    if (!input)
      return input.takeError();
    if (!input->place.where && !names.insert(input->place.name).second)
      return llvm::createStringError("--input gives '" + input->place.name +
                                     "' twice");
    auto array = readNpy(input->path);
    if (!array)
      return array.takeError();
    if (input->stream) {
      auto words = toWords(*array, input->path, *input->stream, input->where);
      if (!words)
        return words.takeError();
      input->words = std::move(*words);
    } else {
      auto bytes =
          toSymbolBytes(*array, input->path, input->symbol->name, input->data,
                        session.program().fp16, input->where);
      if (!bytes)
        return bytes.takeError();
      input->bytes = std::move(*bytes);
    }
    plan.inputs.push_back(std::move(*input));
  }
  for (StringRef text : options.outputs) {
    auto output = parseTransfer(text, "--output", /*toDevice=*/false, session);
    if (!output)
      return output.takeError();
    plan.outputs.push_back(std::move(*output));
  }
  for (StringRef text : options.wafer.launches) {
    auto launch = parseLaunch(text, session);
    if (!launch)
      return launch.takeError();
    plan.launches.push_back(std::move(*launch));
  }
  return plan;
}

llvm::Expected<Plan> tools::makePlan(const RunOptions &options,
                                     const api::WaferModule &module,
                                     const Session &session) {
  if (usesEntry(options, module, session.program()))
    return makeEntryPlan(options, *module.entry(), session);
  return makeNamedPlan(options, session);
}
