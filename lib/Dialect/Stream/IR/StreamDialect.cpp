//===- StreamDialect.cpp - The stream dialect -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Dialect/Stream/IR/StreamDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::stream;

#include "sequin/Dialect/Stream/IR/StreamDialect.cpp.inc"

namespace {
/// Prints axes under a short alias, so that types stay readable.
struct StreamAsmInterface : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (!isa<AxesAttr>(attr))
      return AliasResult::NoAlias;
    os << "axes";
    return AliasResult::FinalAlias;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Custom directives
//===----------------------------------------------------------------------===//

static ParseResult parseAxes(AsmParser &parser, SmallVector<StringAttr> &names,
                             SmallVector<int64_t> &sizes) {
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    std::string name;
    int64_t size;
    // Derived axes such as B' are not keywords and are written as strings.
    if (failed(parser.parseOptionalString(&name))) {
      StringRef keyword;
      if (parser.parseKeyword(&keyword))
        return failure();
      name = keyword.str();
    }
    if (parser.parseEqual() || parser.parseInteger(size))
      return failure();
    names.push_back(StringAttr::get(parser.getContext(), name));
    sizes.push_back(size);
    return success();
  });
}

static void printAxes(AsmPrinter &printer, ArrayRef<StringAttr> names,
                      ArrayRef<int64_t> sizes) {
  llvm::interleaveComma(llvm::zip_equal(names, sizes), printer, [&](auto axis) {
    printer.printKeywordOrString(std::get<0>(axis).getValue());
    printer << " = " << std::get<1>(axis);
  });
}

static ParseResult parseMappingText(AsmParser &parser, std::string &text) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&text))
    return failure();
  if (llvm::Error error = Mapping::checkSyntax(text))
    return parser.emitError(loc) << "mapping \"" << text
                                 << "\": " << llvm::toString(std::move(error));
  return success();
}

static void printMappingText(AsmPrinter &printer, StringRef text) {
  printer << '"' << text << '"';
}

ParseResult stream::parseMapping(AsmParser &parser, MappingAttr &mapping) {
  SMLoc loc = parser.getCurrentLocation();
  std::string text;
  if (succeeded(parser.parseOptionalString(&text))) {
    if (llvm::Error error = Mapping::checkSyntax(text))
      return parser.emitError(loc)
             << "mapping \"" << text
             << "\": " << llvm::toString(std::move(error));
    mapping = MappingAttr::get(parser.getContext(), text);
    return success();
  }
  // The attribute itself, or an alias of it, is as good as the string.
  Attribute attr;
  if (parser.parseAttribute(attr))
    return failure();
  if ((mapping = dyn_cast<MappingAttr>(attr)))
    return success();
  return parser.emitError(loc)
         << "expected a mapping expression in quotes, found " << attr;
}

void stream::printMapping(AsmPrinter &printer, MappingAttr mapping) {
  printer << '"' << mapping.getText() << '"';
}

static ParseResult parseLoops(AsmParser &parser, SmallVector<int64_t> &sizes,
                              SmallVector<int64_t> &strides) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        return failure(parser.parseInteger(sizes.emplace_back()) ||
                       parser.parseColon() ||
                       parser.parseInteger(strides.emplace_back()));
      });
}

static void printLoops(AsmPrinter &printer, ArrayRef<int64_t> sizes,
                       ArrayRef<int64_t> strides) {
  printer << '[';
  llvm::interleaveComma(
      llvm::zip_equal(sizes, strides), printer, [&](auto loop) {
        printer << std::get<0>(loop) << " : " << std::get<1>(loop);
      });
  printer << ']';
}

#define GET_ATTRDEF_CLASSES
#include "sequin/Dialect/Stream/IR/StreamAttrs.cpp.inc"

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

LogicalResult AxesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<StringAttr> names,
                               ArrayRef<int64_t> sizes) {
  AxisSizes table;
  for (auto [name, size] : llvm::zip_equal(names, sizes)) {
    StringRef text = name.getValue();
    if (text.empty() || !llvm::isUpper(text.front()))
      return emitError() << "axis name \"" << text
                         << "\" must start with an upper-case letter";
    if (size < 1)
      return emitError() << "axis " << text << " has size " << size
                         << ", must be at least 1";
    if (!table.add(text, size))
      return emitError() << "axis " << text << " is declared twice";
  }
  return success();
}

AxisSizes AxesAttr::getTable() const {
  AxisSizes table;
  for (auto [name, size] : llvm::zip_equal(getNames(), getSizes()))
    table.add(name.getValue(), size);
  return table;
}

AxesAttr AxesAttr::get(MLIRContext *context, const AxisSizes &table) {
  SmallVector<StringAttr> names;
  SmallVector<int64_t> sizes;
  for (const auto &[name, size] : table.axes()) {
    names.push_back(StringAttr::get(context, name));
    sizes.push_back(size);
  }
  return get(context, names, sizes);
}

llvm::Expected<Mapping> MappingAttr::resolve(const AxisSizes &axes) const {
  return Mapping::parse(getText(), axes);
}

LogicalResult
SequencerAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                      int64_t packetEntries, int64_t baseAddress) {
  if (sizes.size() != strides.size())
    return emitError() << "sequencer has " << sizes.size() << " sizes and "
                       << strides.size() << " strides";
  if (packetEntries < 0 || packetEntries > static_cast<int64_t>(sizes.size()))
    return emitError() << "sequencer has " << packetEntries
                       << " packet entries of " << sizes.size() << " entries";
  for (int64_t size : sizes)
    if (size < 1)
      return emitError() << "sequencer entry has size " << size
                         << ", must be at least 1";
  return success();
}

void StreamDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "sequin/Dialect/Stream/IR/StreamAttrs.cpp.inc"
      >();
  addInterfaces<StreamAsmInterface>();
}
