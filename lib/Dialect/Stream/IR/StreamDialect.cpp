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
#include "sequin/Dialect/Stream/IR/ResolvedMappings.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"
#include <utility>

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

/// The name of an axis or a table. Names such as B' are no keywords and are
/// written as strings.
static ParseResult parseName(AsmParser &parser, StringAttr &name) {
  std::string text;
  if (failed(parser.parseOptionalString(&text))) {
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    text = keyword.str();
  }
  name = StringAttr::get(parser.getContext(), text);
  return success();
}

/// "B - A", behind the name.
static FailureOr<SkewAttr> parseSkew(AsmParser &parser, StringAttr name) {
  StringAttr base, by;
  if (parseName(parser, base))
    return failure();
  bool plus = succeeded(parser.parseOptionalPlus());
  if (!plus && parser.parseMinus())
    return failure();
  if (parseName(parser, by))
    return failure();
  return SkewAttr::get(parser.getContext(), name, base, by, plus);
}

/// "3, 1, 4]", behind the bracket.
static FailureOr<TableAttr> parseTable(AsmParser &parser, StringAttr name) {
  SmallVector<int64_t> entries;
  if (failed(parser.parseOptionalRSquare()))
    if (parser.parseCommaSeparatedList(
            [&] { return parser.parseInteger(entries.emplace_back()); }) ||
        parser.parseRSquare())
      return failure();
  return TableAttr::get(parser.getContext(), name, entries);
}

static void printSkew(AsmPrinter &printer, SkewAttr skew) {
  printer.printKeywordOrString(skew.getName().getValue());
  printer << " = ";
  printer.printKeywordOrString(skew.getBase().getValue());
  printer << (skew.getPlus() ? " + " : " - ");
  printer.printKeywordOrString(skew.getBy().getValue());
}

static void printTable(AsmPrinter &printer, TableAttr table) {
  printer.printKeywordOrString(table.getName().getValue());
  printer << " = [";
  llvm::interleaveComma(table.getEntries(), printer);
  printer << ']';
}

static ParseResult parseAxes(AsmParser &parser, SmallVector<StringAttr> &names,
                             SmallVector<int64_t> &sizes,
                             SmallVector<SkewAttr> &skews,
                             SmallVector<TableAttr> &tables) {
  bool isFirst = true;
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    StringAttr name;
    // There may be none: a tensor of one element has no axes.
    if (std::exchange(isFirst, false)) {
      std::string text;
      if (failed(parser.parseOptionalKeywordOrString(&text)))
        return success();
      name = StringAttr::get(parser.getContext(), text);
    } else if (parseName(parser, name)) {
      return failure();
    }
    if (parser.parseEqual())
      return failure();
    int64_t size;
    OptionalParseResult isSize = parser.parseOptionalInteger(size);
    if (isSize.has_value()) {
      names.push_back(name);
      sizes.push_back(size);
      return *isSize;
    }
    if (succeeded(parser.parseOptionalLSquare())) {
      FailureOr<TableAttr> table = parseTable(parser, name);
      if (failed(table))
        return failure();
      tables.push_back(*table);
      return success();
    }
    FailureOr<SkewAttr> skew = parseSkew(parser, name);
    if (failed(skew))
      return failure();
    skews.push_back(*skew);
    return success();
  });
}

static void printAxes(AsmPrinter &printer, ArrayRef<StringAttr> names,
                      ArrayRef<int64_t> sizes, ArrayRef<SkewAttr> skews,
                      ArrayRef<TableAttr> tables) {
  llvm::ListSeparator comma;
  for (auto [name, size] : llvm::zip_equal(names, sizes)) {
    printer << StringRef(comma);
    printer.printKeywordOrString(name.getValue());
    printer << " = " << size;
  }
  for (SkewAttr skew : skews) {
    printer << StringRef(comma);
    printSkew(printer, skew);
  }
  for (TableAttr table : tables) {
    printer << StringRef(comma);
    printTable(printer, table);
  }
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

/// A loop's name in front of it; empty if it has none.
static StringAttr parseLoopName(AsmParser &parser) {
  std::string name;
  (void)parser.parseOptionalString(&name);
  return StringAttr::get(parser.getContext(), name);
}

static void printLoopName(AsmPrinter &printer, StringAttr name) {
  if (!name.empty())
    printer << name << ' ';
}

/// No names are all empty ones.
static void dropEmpty(SmallVector<StringAttr> &names) {
  if (llvm::all_of(names, [](StringAttr name) { return name.empty(); }))
    names.clear();
}

static ParseResult parseNamedLoops(AsmParser &parser,
                                   SmallVector<int64_t> &sizes,
                                   SmallVector<int64_t> &strides,
                                   SmallVector<StringAttr> &terms) {
  ParseResult result = parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        terms.push_back(parseLoopName(parser));
        return failure(parser.parseInteger(sizes.emplace_back()) ||
                       parser.parseColon() ||
                       parser.parseInteger(strides.emplace_back()));
      });
  dropEmpty(terms);
  return result;
}

static void printNamedLoops(AsmPrinter &printer, ArrayRef<int64_t> sizes,
                            ArrayRef<int64_t> strides,
                            ArrayRef<StringAttr> terms) {
  printer << '[';
  llvm::ListSeparator comma;
  for (size_t i = 0; i < sizes.size(); ++i) {
    printer << StringRef(comma);
    if (!terms.empty())
      printLoopName(printer, terms[i]);
    printer << sizes[i] << " : " << strides[i];
  }
  printer << ']';
}

static ParseResult parseLoopStart(AsmParser &parser, int64_t &offset,
                                  std::optional<int64_t> &address,
                                  StringAttr &rule) {
  if (succeeded(parser.parseOptionalKeyword("offset")) &&
      parser.parseInteger(offset))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("at")) &&
      parser.parseInteger(address.emplace()))
    return failure();
  if (failed(parser.parseOptionalKeyword("by")))
    return success();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  rule = StringAttr::get(parser.getContext(), name);
  return success();
}

static void printLoopStart(AsmPrinter &printer, int64_t offset,
                           std::optional<int64_t> address, StringAttr rule) {
  if (offset)
    printer << " offset " << offset;
  if (address)
    printer << " at " << *address;
  if (rule)
    printer << " by " << rule.getValue();
}

static ParseResult parsePairedLoops(AsmParser &parser,
                                    SmallVector<int64_t> &sizes,
                                    SmallVector<int64_t> &sources,
                                    SmallVector<int64_t> &destinations,
                                    SmallVector<int64_t> &alongs,
                                    SmallVector<StringAttr> &terms) {
  ParseResult result = parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        terms.push_back(parseLoopName(parser));
        if (parser.parseInteger(sizes.emplace_back()) || parser.parseColon() ||
            parser.parseInteger(sources.emplace_back()) ||
            parser.parseArrow() ||
            parser.parseInteger(destinations.emplace_back()))
          return failure();
        int64_t &along = alongs.emplace_back(0);
        if (failed(parser.parseOptionalKeyword("along")))
          return success();
        return parser.parseInteger(along);
      });
  dropEmpty(terms);
  if (llvm::all_of(alongs, [](int64_t along) { return along == 0; }))
    alongs.clear();
  return result;
}

static void printPairedLoops(AsmPrinter &printer, ArrayRef<int64_t> sizes,
                             ArrayRef<int64_t> sources,
                             ArrayRef<int64_t> destinations,
                             ArrayRef<int64_t> alongs,
                             ArrayRef<StringAttr> terms) {
  printer << '[';
  llvm::ListSeparator comma;
  for (size_t i = 0; i < sizes.size(); ++i) {
    printer << StringRef(comma);
    if (!terms.empty())
      printLoopName(printer, terms[i]);
    printer << sizes[i] << " : " << sources[i] << " -> " << destinations[i];
    if (!alongs.empty() && alongs[i])
      printer << " along " << alongs[i];
  }
  printer << ']';
}

#define GET_ATTRDEF_CLASSES
#include "sequin/Dialect/Stream/IR/StreamAttrs.cpp.inc"

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

Attribute SkewAttr::parse(AsmParser &parser, Type) {
  StringAttr name;
  if (parser.parseLess() || parseName(parser, name) || parser.parseEqual())
    return {};
  FailureOr<SkewAttr> skew = parseSkew(parser, name);
  if (failed(skew) || parser.parseGreater())
    return {};
  return *skew;
}

void SkewAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printSkew(printer, *this);
  printer << '>';
}

Attribute TableAttr::parse(AsmParser &parser, Type) {
  StringAttr name;
  if (parser.parseLess() || parseName(parser, name) || parser.parseEqual() ||
      parser.parseLSquare())
    return {};
  FailureOr<TableAttr> table = parseTable(parser, name);
  if (failed(table) || parser.parseGreater())
    return {};
  return *table;
}

void TableAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printTable(printer, *this);
  printer << '>';
}

static AxisSizes::Skew toSkew(SkewAttr skew) {
  return {skew.getName().str(), skew.getBase().str(), skew.getBy().str(),
          skew.getPlus()};
}

LogicalResult AxesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<StringAttr> names,
                               ArrayRef<int64_t> sizes,
                               ArrayRef<SkewAttr> skews,
                               ArrayRef<TableAttr> tables) {
  AxisSizes table;
  for (auto [name, size] : llvm::zip_equal(names, sizes)) {
    StringRef text = name.getValue();
    if (text.empty() || !llvm::isUpper(text.front()))
      return emitError() << "axis name \"" << text
                         << "\" must start with an upper-case letter";
    if (!isAxisName(text))
      return emitError() << "axis name \"" << text
                         << "\" must consist of letters, digits, '_' and \'";
    if (size < 1)
      return emitError() << "axis " << text << " has size " << size
                         << ", must be at least 1";
    if (!table.add(text, size))
      return emitError() << "axis " << text << " is declared twice";
  }
  for (SkewAttr skew : skews)
    if (llvm::Error error = table.addSkew(toSkew(skew)))
      return emitError() << llvm::toString(std::move(error));
  for (TableAttr entries : tables)
    if (llvm::Error error =
            table.addTable(entries.getName().getValue(), entries.getEntries()))
      return emitError() << llvm::toString(std::move(error));
  return success();
}

AxisSizes AxesAttr::getTable() const {
  AxisSizes table;
  for (auto [name, size] : llvm::zip_equal(getNames(), getSizes()))
    table.add(name.getValue(), size);
  // The verifier has seen to it that these are well formed.
  for (SkewAttr skew : getSkews())
    llvm::cantFail(table.addSkew(toSkew(skew)));
  for (TableAttr entries : getTables())
    llvm::cantFail(
        table.addTable(entries.getName().getValue(), entries.getEntries()));
  return table;
}

AxesAttr AxesAttr::get(MLIRContext *context, const AxisSizes &table) {
  auto text = [&](StringRef name) { return StringAttr::get(context, name); };
  SmallVector<StringAttr> names;
  SmallVector<int64_t> sizes;
  for (const auto &[name, size] : table.axes()) {
    names.push_back(text(name));
    sizes.push_back(size);
  }
  SmallVector<SkewAttr> skews;
  for (const AxisSizes::Skew &skew : table.skews())
    skews.push_back(SkewAttr::get(context, text(skew.name), text(skew.base),
                                  text(skew.by), skew.plus));
  SmallVector<TableAttr> tables;
  for (const AxisSizes::Table &entries : table.tables())
    tables.push_back(
        TableAttr::get(context, text(entries.name), *entries.values));
  return get(context, names, sizes, skews, tables);
}

llvm::Expected<Mapping> MappingAttr::resolve(const AxisSizes &axes) const {
  return Mapping::parse(getText(), axes);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult PatternAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> sizes,
                                  ArrayRef<int64_t> strides, int64_t offset) {
  if (sizes.size() != strides.size())
    return emitError() << "pattern has " << sizes.size() << " sizes and "
                       << strides.size() << " strides";
  // What every loop adds at most, upwards and downwards.
  int64_t highest = offset, lowest = offset;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
    if (size < 1)
      return emitError() << "pattern loop has size " << size
                         << ", must be at least 1";
    auto reach = llvm::checkedMul(size - 1, stride);
    auto sum =
        reach ? llvm::checkedAdd(*reach < 0 ? lowest : highest, *reach) : reach;
    if (!sum)
      return emitError() << "pattern loop " << size << " : " << stride
                         << " reaches elements that do not fit in 64 bits";
    (*reach < 0 ? lowest : highest) = *sum;
  }
  return success();
}

llvm::Expected<MemDsd> PatternAttr::getMemDsd(DsdKind kind) const {
  SmallVector<int64_t, 4> strides(llvm::reverse(getStrides()));
  SmallVector<int64_t, 4> extents(llvm::reverse(getSizes()));
  auto stored = carryAdjusted(strides, extents);
  if (!stored)
    return stored.takeError();
  return MemDsd::fromTuples(kind, getOffset(), *stored, getSizes());
}

llvm::Expected<PatternAttr> PatternAttr::get(MLIRContext *context,
                                             const MemDsd &dsd) {
  auto strides = dsd.absolute();
  if (!strides)
    return strides.takeError();
  SmallVector<int64_t> sizes, outermostFirst(llvm::reverse(*strides));
  for (const DsdDimension &dimension : llvm::reverse(dsd.dimensions))
    sizes.push_back(dimension.extent);
  return get(context, sizes, outermostFirst, dsd.offset);
}

PatternAttr PatternAttr::get(MLIRContext *context, const Sequencer &sequencer) {
  SmallVector<int64_t> sizes, strides;
  for (const SequencerEntry &entry : sequencer.entries) {
    sizes.push_back(entry.size);
    strides.push_back(entry.stride);
  }
  return get(context, sizes, strides, sequencer.base);
}

/// One name for each of `loops` loops, or none; every loop runs.
static LogicalResult verifyLoops(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef what, ArrayRef<int64_t> sizes,
                                 ArrayRef<int64_t> strides,
                                 ArrayRef<StringAttr> terms) {
  if (sizes.size() != strides.size())
    return emitError() << what << " has " << sizes.size() << " sizes and "
                       << strides.size() << " strides";
  if (!terms.empty() && terms.size() != sizes.size())
    return emitError() << what << " has " << terms.size() << " names of "
                       << sizes.size() << " loops";
  for (int64_t size : sizes)
    if (size < 1)
      return emitError() << what << " entry has size " << size
                         << ", must be at least 1";
  return success();
}

static constexpr StringLiteral kUnfitted[] = {"terms", "search"};
static constexpr StringLiteral kFitted[] = {"fit", "split", "merge",
                                            "refactor"};

LogicalResult
SequencerAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                      ArrayRef<StringAttr> terms, int64_t packetEntries,
                      int64_t offset, std::optional<int64_t> address,
                      StringAttr rule) {
  if (failed(verifyLoops(emitError, "sequencer", sizes, strides, terms)))
    return failure();
  if (packetEntries < 0 || packetEntries > static_cast<int64_t>(sizes.size()))
    return emitError() << "sequencer has " << packetEntries
                       << " packet entries of " << sizes.size() << " entries";
  if (rule && !llvm::is_contained(kUnfitted, rule.getValue()) &&
      !llvm::is_contained(kFitted, rule.getValue()))
    return emitError() << "sequencer is found by '" << rule.getValue()
                       << "', allowed are "
                       << llvm::join(ArrayRef(kUnfitted), ", ") << ", "
                       << llvm::join(ArrayRef(kFitted), ", ");
  if (address && (offset || rule))
    return emitError() << "sequencer at an address has an offset or says how "
                          "it was found, which one relative to a tensor does";
  return success();
}

SequencerAttr SequencerAttr::get(MLIRContext *context,
                                 const Sequencer &sequencer, StringRef rule) {
  SmallVector<int64_t> sizes, strides;
  SmallVector<StringAttr> terms;
  for (const SequencerEntry &entry : sequencer.entries) {
    sizes.push_back(entry.size);
    strides.push_back(entry.stride);
    terms.push_back(StringAttr::get(context, entry.termsStr()));
  }
  dropEmpty(terms);
  return get(context, sizes, strides, terms, sequencer.packetEntries,
             sequencer.base, std::nullopt, StringAttr::get(context, rule));
}

Sequencer SequencerAttr::getSequencer() const {
  Sequencer sequencer;
  sequencer.base = getOffset();
  sequencer.packetEntries = getPacketEntries();
  for (auto [size, stride] : llvm::zip_equal(getSizes(), getStrides()))
    sequencer.entries.push_back({size, stride, {}});
  for (auto [entry, term] : llvm::zip(sequencer.entries, getTerms()))
    if (!term.empty())
      entry.terms.push_back(LoopTerm(term.str()));
  for (const SequencerEntry &entry :
       ArrayRef(sequencer.entries).take_back(sequencer.packetEntries))
    sequencer.packetElements = std::min<uint64_t>(
        INT64_MAX, llvm::SaturatingMultiply<uint64_t>(sequencer.packetElements,
                                                      entry.size));
  return sequencer;
}

bool SequencerAttr::isFitted() const {
  return getRule() && llvm::is_contained(kFitted, getRule().getValue());
}

LogicalResult TransferAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> sizes,
                                   ArrayRef<int64_t> sources,
                                   ArrayRef<int64_t> destinations,
                                   ArrayRef<int64_t> alongs,
                                   ArrayRef<StringAttr> terms, int64_t, int64_t,
                                   int64_t, int64_t) {
  if (failed(verifyLoops(emitError, "transfer", sizes, sources, terms)))
    return failure();
  if (destinations.size() != sizes.size() ||
      (!alongs.empty() && alongs.size() != sizes.size()))
    return emitError() << "transfer has strides for " << sources.size()
                       << " loops of the source, " << destinations.size()
                       << " of the destination and " << alongs.size()
                       << " along them";
  return success();
}

void StreamDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "sequin/Dialect/Stream/IR/StreamAttrs.cpp.inc"
      >();
  addInterfaces<StreamAsmInterface, ResolvedMappings>();
}
