//===- ImportCsl.cpp - A CSL program as a csl module ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "Regions.h"
#include "Unused.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "sequin/Dialect/Csl/IR/ExportSigns.h"
#include "sequin/Target/CslImport/SourceNames.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/thread.h"
#include <set>

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

//===----------------------------------------------------------------------===//
// Finding files
//===----------------------------------------------------------------------===//

std::string Session::resolve(llvm::StringRef name, llvm::StringRef importer,
                             std::vector<std::string> &tried, bool &isLibrary) {
  auto look = [&](llvm::SmallString<128> path) -> std::string {
    for (bool withSuffix : {false, true}) {
      llvm::SmallString<128> candidate = path;
      if (withSuffix)
        candidate += ".csl";
      // Files that are not on disk were added under their names, or are the
      // editor's.
      llvm::SmallString<128> plain = candidate;
      llvm::sys::path::remove_dots(plain, /*remove_dot_dot=*/true);
      for (FileId file = 1; file <= sources.numFiles(); ++file)
        if (sources.path(file) == candidate || sources.path(file) == plain)
          return sources.path(file).str();
      if (sources.overlay && sources.overlay(plain))
        return plain.str().str();
      if (llvm::sys::fs::is_regular_file(candidate))
        return candidate.str().str();
      tried.push_back(candidate.str().str());
    }
    return "";
  };
  if (name.starts_with("<") && name.ends_with(">")) {
    llvm::StringRef inner = name.drop_front().drop_back();
    for (const std::string &folder : options.importPaths) {
      llvm::SmallString<128> path(folder);
      llvm::sys::path::append(path, inner);
      if (std::string found = look(path); !found.empty())
        return found;
    }
    llvm::SmallString<128> path(options.libraryPath);
    llvm::sys::path::append(path, inner);
    isLibrary = true;
    return look(path);
  }
  if (llvm::sys::path::is_absolute(name))
    return look(name);
  llvm::StringRef folder = llvm::sys::path::parent_path(importer);
  for (llvm::StringRef base : {folder, llvm::StringRef(topFolder)}) {
    llvm::SmallString<128> path = base;
    llvm::sys::path::append(path, name);
    if (std::string found = look(path); !found.empty())
      return found;
    if (folder == topFolder)
      break;
  }
  return "";
}

std::string Session::suggestModule(llvm::StringRef name) const {
  std::vector<std::string> folders = options.importPaths;
  folders.push_back(options.libraryPath);
  bool isBracketed = name.consume_front("<") && name.consume_back(">");
  name.consume_back(".csl");
  if (!isBracketed)
    for (const std::string &folder : folders) {
      llvm::SmallString<128> path(folder);
      llvm::sys::path::append(path, name + ".csl");
      if (llvm::sys::fs::is_regular_file(path))
        return (llvm::Twine("found in '") + folder + "': write <" + name + ">")
            .str();
    }
  // Names in the folder that the name says.
  std::set<std::string> there;
  llvm::StringRef parent = llvm::sys::path::parent_path(name);
  for (llvm::StringRef folder : folders) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, parent);
    std::error_code failed;
    for (llvm::sys::fs::directory_iterator entry(path, failed), end;
         !failed && entry != end; entry.increment(failed)) {
      llvm::StringRef file = llvm::sys::path::filename(entry->path());
      if (file.consume_back(".csl"))
        there.insert(file.str());
    }
  }
  std::vector<llvm::StringRef> candidates(there.begin(), there.end());
  auto close = suggestName(llvm::sys::path::filename(name), candidates);
  if (!close)
    return "";
  std::string prefix = parent.empty() ? "" : parent.str() + "/";
  return "did you mean '<" + prefix + close->str() + ">'?";
}

//===----------------------------------------------------------------------===//
// PEs that share code
//===----------------------------------------------------------------------===//

namespace {
/// PEs of one file whose parameters have the same names and types.
struct Group {
  std::string path;
  std::vector<int64_t> pes;
  const TileCode *first = nullptr;
};

/// A program and the PEs that run it.
struct Code {
  ProgramState state;
  std::string name;
  std::vector<size_t> members; ///< indices into the group's PEs
  const Group *group = nullptr;
};

class Importer {
public:
  Importer(Session &session) : session(session), builder(&session.context) {}

  mlir::OwningOpRef<mlir::ModuleOp> run(llvm::StringRef path,
                                        ParamValues *layoutParams);
  /// After run().
  std::vector<HostSymbol> hostSymbols() const;

private:
  bool runLayout(llvm::StringRef path, ParamValues *layoutParams);
  bool bindParams(ModuleInstance &module);
  bool checkTiles();
  bool makePrograms();
  bool makePrograms(Group &group);
  std::unique_ptr<Code> instantiate(Group &group, const Value &params,
                                    ProgramState prototype, size_t member);
  void emitLayout();
  void emitTiles(Code &code);

  Session &session;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  csl::LayoutOp layout;
  std::unique_ptr<ModuleInstance> root;
  std::vector<std::unique_ptr<Group>> groups;
  std::vector<std::unique_ptr<Code>> codes;
  llvm::StringSet<> names;
};
} // namespace

/// Whether a parameter may differ between PEs that share their code.
static bool isLeaf(const Value &value) {
  const Type *type = value.type();
  return (value.isInteger() &&
          (type->isInteger() || type->is(TypeKind::Bool) || type->isId()) &&
          value.integer().fits(63, true)) ||
         (value.isFloat() && type->is(TypeKind::Float));
}

/// What must be equal for PEs to share code in any case.
static void describeShape(const Value &value, std::string &key) {
  const Type *type = value.type();
  key.append(reinterpret_cast<const char *>(&type), sizeof(type));
  if (value.isAggregate()) {
    constexpr size_t kMaxParts = 256;
    if (value.elements().size() > kMaxParts) {
      key += value.key();
      return;
    }
    for (const Value &part : value.elements()) {
      key += ',';
      describeShape(part, key);
    }
    key += ')';
    return;
  }
  if (isLeaf(value))
    return;
  key += '=' + value.key();
}

bool Importer::makePrograms() {
  auto [width, height] = *session.layout.rectangle;
  llvm::StringMap<Group *> byShape;
  for (int64_t pe = 0; pe < width * height; ++pe) {
    const TileCode &tile = *session.layout.tiles[pe];
    std::string key = tile.path + "\n";
    if (tile.params) {
      for (const Type::Field &field : tile.params.type()->fields)
        key += field.name + ",";
      describeShape(tile.params, key);
    }
    Group *&group = byShape[key];
    if (!group) {
      groups.push_back(std::make_unique<Group>());
      group = groups.back().get();
      group->path = tile.path;
      group->first = &tile;
    }
    group->pes.push_back(pe);
  }
  for (auto &group : groups)
    if (!makePrograms(*group) && !session.options.observations)
      return false;
  return !session.diagnostics.hadErrors();
}

/// `part` of the first PE with a symbol for every leaf that differs; `at` gives
/// the part of any PE.
static Value makeSymbols(const Value &part, const std::string &name,
                         size_t count,
                         llvm::function_ref<const Value &(size_t)> at,
                         ProgramState &state) {
  if (part.isAggregate()) {
    std::vector<Value> parts;
    for (size_t i = 0; i < part.elements().size(); ++i) {
      std::string inner = name + (name.empty() ? "" : ".") +
                          (part.type()->isStruct() ? part.type()->fields[i].name
                                                   : std::to_string(i));
      parts.push_back(makeSymbols(
          part.elements()[i], inner, count,
          [&](size_t pe) -> const Value & { return at(pe).elements()[i]; },
          state));
    }
    return Value(part.type(), std::move(parts));
  }
  if (!isLeaf(part))
    return part;
  bool differs = false;
  for (size_t pe = 0; pe < count && !differs; ++pe) {
    const Value &other = at(pe);
    differs = part.isInteger() ? !(other.integer() == part.integer())
                               : other.number() != part.number();
  }
  if (!differs)
    return part;
  auto values = std::make_shared<std::vector<Value>>();
  for (size_t pe = 0; pe < count; ++pe)
    values->push_back(at(pe));
  state.params[name] = {part.type(), std::move(values), nullptr};
  SymbolicValue symbol;
  symbol.kind = SymbolicValue::Kind::Param;
  symbol.name = name;
  symbol.key = part.type()->str() + ":" + name;
  return Value(part.type(),
               std::make_shared<const SymbolicValue>(std::move(symbol)));
}

static std::string keyOf(const Value &answer) {
  return answer ? answer.key() : std::string();
}

namespace {
/// Codes by what was asked of the first PE of each, and answered: after equal
/// answers the same is asked.
struct Choice {
  Value question;
  Code *asker = nullptr; ///< null where nothing is asked
  llvm::StringMap<std::unique_ptr<Choice>> answers;
  Code *code = nullptr;

  /// The code for a PE that answers everything alike; null if there is none.
  Code *find(Session &session, size_t member) const {
    for (const Choice *choice = this; choice;) {
      if (choice->code && choice->isFor(session, member))
        return choice->code;
      if (!choice->asker)
        return nullptr;
      Evaluator evaluator(session, &choice->asker->state);
      auto next = choice->answers.find(
          keyOf(evaluator.evaluateAt(choice->question, member)));
      choice = next == choice->answers.end() ? nullptr : next->second.get();
    }
    return nullptr;
  }

  void add(Code &made) {
    Choice *choice = this;
    for (const auto &[asked, answer] : made.state.facts) {
      if (!choice->asker) {
        choice->question = asked;
        choice->asker = &made;
      }
      std::unique_ptr<Choice> &next = choice->answers[keyOf(answer)];
      if (!next)
        next = std::make_unique<Choice>();
      choice = next.get();
    }
    choice->code = &made;
  }

private:
  bool isFor(Session &session, size_t member) const {
    Evaluator evaluator(session, &code->state);
    return llvm::all_of(code->state.facts, [&](const auto &fact) {
      return keyOf(evaluator.evaluateAt(fact.first, member)) ==
             keyOf(fact.second);
    });
  }
};
} // namespace

bool Importer::makePrograms(Group &group) {
  // Values that differ become symbols, which stay as long as nobody asks.
  ProgramState prototype;
  prototype.peCount = group.pes.size();
  prototype.pes = std::make_shared<const std::vector<int64_t>>(group.pes);
  Value params = group.first->params;
  if (params)
    params = makeSymbols(
        params, "", group.pes.size(),
        [&](size_t pe) -> const Value & {
          return session.layout.tiles[group.pes[pe]]->params;
        },
        prototype);
  Choice root;
  for (size_t member = 0; member < group.pes.size(); ++member) {
    Code *match = root.find(session, member);
    if (!match) {
      std::unique_ptr<Code> code =
          instantiate(group, params, prototype.copyForInstance(), member);
      if (!code)
        return false;
      match = code.get();
      root.add(*match);
      codes.push_back(std::move(code));
    }
    match->members.push_back(member);
  }
  return true;
}

std::unique_ptr<Code> Importer::instantiate(Group &group, const Value &params,
                                            ProgramState state, size_t member) {
  const TileCode &tile = *session.layout.tiles[group.pes[member]];
  const SourceFile *file = session.parse(group.path, tile.span);
  if (!file)
    return nullptr;
  auto code = std::make_unique<Code>();
  code->state = std::move(state);
  code->group = &group;
  ProgramState &program = code->state;
  program.representative = member;
  std::string stem = llvm::sys::path::stem(group.path).str();
  code->name = stem;
  for (unsigned i = 1; !names.insert(code->name).second; ++i)
    code->name = stem + "." + std::to_string(i);
  builder.setInsertionPointToEnd(module->getBody());
  mlir::Location start = mlir::FileLineColLoc::get(
      &session.context, session.sources.path(file->file), 1, 1);
  program.op =
      csl::ProgramOp::create(builder, start, code->name, mlir::StringAttr());
  mlir::Block &body = program.op.getBody().emplaceBlock();
  mlir::OpBuilder inner = mlir::OpBuilder::atBlockEnd(&body);
  program.comptime = csl::ComptimeOp::create(inner, start);
  program.comptime.getBody().emplaceBlock();

  auto instance = std::make_unique<ModuleInstance>();
  instance->file = file;
  instance->path = group.path;
  if (params)
    for (auto [field, value] :
         llvm::zip(params.type()->fields, params.elements()))
      instance->bindings[field.name] = {value, tile.span};
  ModuleInstance *rootModule = instance.get();
  program.roots.push_back(std::move(instance));
  unsigned errors = session.diagnostics.numErrors();
  Evaluator(session, &program).runProgram(*rootModule);
  if (session.diagnostics.numErrors() != errors)
    return nullptr;
  if (program.comptime.getBody().front().empty())
    program.comptime.erase();
  return code;
}

//===----------------------------------------------------------------------===//
// The layout
//===----------------------------------------------------------------------===//

bool Importer::bindParams(ModuleInstance &rootModule) {
  auto bind = [&](const auto &list, bool isColor) {
    for (const auto &[name, text] : list) {
      llvm::StringRef digits = text;
      bool negative = digits.consume_front("-");
      llvm::APInt value;
      llvm::StringRef flag = isColor ? "--colors" : "--params";
      // As CSL writes them: zeros may lead a decimal number.
      unsigned radix = digits.starts_with_insensitive("0x")   ? 16
                       : digits.starts_with_insensitive("0b") ? 2
                       : digits.starts_with_insensitive("0o") ? 8
                                                              : 10;
      if (radix != 10)
        digits = digits.drop_front(2);
      if (digits.empty() || digits.getAsInteger(radix, value)) {
        session.diagnostics.error(Loc(), flag + ": value '" + text + "' of '" +
                                             name + "' is no integer" +
                                             (text == "true" || text == "false"
                                                  ? ", nor can it be a bool: "
                                                    "compare an integer with 0"
                                                  : ""));
        return false;
      }
      Integer number(value.zext(value.getBitWidth() + 1));
      if (negative)
        number = *sub(Integer(0), number);
      Value bound(session.types.comptimeInt(), number);
      if (isColor) {
        if (!number.fits(16, false) ||
            number.small().value_or(0) >= session.machine.colors) {
          session.diagnostics.error(
              Loc(), "--colors: color " + number.str() + " of '" + name +
                         "' does not exist, " +
                         llvm::StringRef(session.machine.name) + " has 0 to " +
                         llvm::Twine(session.machine.colors - 1));
          return false;
        }
        bound.setType(session.types.simple(TypeKind::Color));
      }
      rootModule.bindings[name] = {bound, Span()};
    }
    return true;
  };
  return bind(session.options.params, false) &&
         bind(session.options.colors, true);
}

bool Importer::runLayout(llvm::StringRef path, ParamValues *layoutParams) {
  const SourceFile *file = session.parse(path, Span());
  if (!file)
    return false;
  const LayoutDecl *layoutDecl = nullptr;
  for (const Decl *decl : file->decls) {
    const auto *block = llvm::dyn_cast<LayoutDecl>(decl);
    if (!block)
      continue;
    if (layoutDecl) {
      Diagnostic &diagnostic = session.diagnostics.error(
          block->span(), "a program has one layout block");
      Diagnostics::note(diagnostic, layoutDecl->span(), "first here");
      return false;
    }
    layoutDecl = block;
  }
  if (!layoutDecl) {
    session.diagnostics.error(
        session.sources.locOf(file->file, 1, 1),
        "'" + path +
            "' has no layout block, the top file of a program has "
            "one");
    return false;
  }
  root = std::make_unique<ModuleInstance>();
  root->file = file;
  root->path = path.str();
  session.topFolder = llvm::sys::path::parent_path(path).str();
  if (!bindParams(*root))
    return false;
  Evaluator evaluator(session, nullptr);
  evaluator.runLayoutModule(*root, *layoutDecl);
  if (layoutParams)
    for (auto &entry : root->globals) {
      const Global &global = *entry.second;
      if (global.var() && global.var()->isParam() && global.value &&
          global.value.isInteger())
        layoutParams->emplace_back(global.name.str(),
                                   global.value.integer().str());
    }
  if (!session.diagnostics.hadErrors())
    return checkTiles();
  // An editor asks about the code of PEs even if the layout has an error.
  return session.options.observations && session.layout.rectangle &&
         llvm::all_of(session.layout.tiles,
                      [](const auto &tile) { return tile.has_value(); });
}

bool Importer::checkTiles() {
  LayoutState &state = session.layout;
  if (!state.rectangle) {
    session.diagnostics.error(root->file->decls.front()->span(),
                              "the layout block does not call @set_rectangle");
    return false;
  }
  auto [width, height] = *state.rectangle;
  int64_t missing = 0;
  std::string first;
  for (int64_t pe = 0; pe < width * height; ++pe)
    if (!state.tiles[pe] && missing++ == 0)
      first = llvm::formatv("({0}, {1})", pe % width, pe / width).str();
  if (missing) {
    session.diagnostics.error(
        state.rectangleSpan,
        llvm::Twine(missing) + " PEs of the rectangle have no code, " + first +
            " is the first; every PE has one call of @set_tile_code");
    return false;
  }
  return true;
}

void Importer::emitLayout() {
  LayoutState &state = session.layout;
  auto [width, height] = *state.rectangle;
  builder.setInsertionPointToStart(module->getBody());
  mlir::IntegerAttr fabric[4];
  if (session.options.fabric) {
    auto offsets =
        session.options.offsets.value_or(std::pair<int64_t, int64_t>());
    int64_t numbers[] = {session.options.fabric->first,
                         session.options.fabric->second, offsets.first,
                         offsets.second};
    for (auto [attribute, number] : llvm::zip(fabric, numbers))
      attribute = builder.getI64IntegerAttr(number);
  }
  layout = csl::LayoutOp::create(
      builder, session.location(state.rectangleSpan.Start),
      builder.getI64IntegerAttr(width), builder.getI64IntegerAttr(height),
      fabric[0], fabric[1], fabric[2], fabric[3]);
  builder.createBlock(&layout.getBody());

  for (auto &code : codes)
    emitTiles(*code);

  // Equal configurations from one call are one operation per region.
  struct Same {
    const PlacedConfig *first;
    std::vector<std::pair<int64_t, int64_t>> places;
  };
  std::vector<Same> same;
  llvm::DenseMap<std::pair<const void *, const void *>,
                 llvm::SmallVector<unsigned, 2>>
      byConfig;
  for (const PlacedConfig &config : state.configs) {
    auto &candidates = byConfig[{config.config.routes.getAsOpaquePointer(),
                                 config.loc.getAsOpaquePointer()}];
    Same *match = nullptr;
    for (unsigned index : candidates)
      if (same[index].first->color == config.color &&
          same[index].first->config == config.config)
        match = &same[index];
    if (!match) {
      candidates.push_back(same.size());
      same.push_back({&config, {}});
      match = &same.back();
    }
    match->places.emplace_back(config.x, config.y);
  }
  for (const Same &entry : same)
    for (csl::RegionAttr region : coverRegions(&session.context, entry.places))
      csl::ColorConfigOp::create(
          builder, entry.first->loc,
          builder.getI64IntegerAttr(entry.first->color), region,
          entry.first->config.routes, entry.first->config.switches,
          entry.first->config.filter,
          entry.first->config.teardown ? builder.getUnitAttr()
                                       : mlir::UnitAttr());

  for (const HostStream &stream : state.streams)
    csl::StreamOp::create(
        builder, session.location(stream.span.Start),
        builder.getStringAttr(stream.name),
        builder.getI64IntegerAttr(stream.color),
        csl::StreamDirectionAttr::get(
            &session.context, stream.toDevice ? csl::StreamDirection::ToDevice
                                              : csl::StreamDirection::ToHost),
        mlir::IntegerAttr(), mlir::IntegerAttr(), csl::DirectionAttr());

  for (const ExportName &name : state.exports) {
    mlir::Type type = session.types.convert(name.type, &session.context);
    const Type *element = name.type;
    bool isUnsigned = false;
    llvm::SmallVector<bool> parts;
    bool hasSigned = false;
    if (element->is(TypeKind::Function)) {
      auto addPart = [&](const Type *part) {
        bool isInt = part->is(TypeKind::Int);
        parts.push_back(isInt && !part->isSigned);
        isUnsigned |= parts.back();
        hasSigned |= isInt && part->isSigned;
      };
      for (const Type *param : element->params)
        addPart(param);
      if (!element->element->isVoid())
        addPart(element->element);
    } else {
      if (element->isPointer())
        element = element->element;
      if (element->isArray())
        element = element->element;
      if (element->is(TypeKind::Enum))
        element = element->element;
      isUnsigned = element->is(TypeKind::Int) && !element->isSigned;
    }
    bool isMixed = isUnsigned && hasSigned;
    auto op = csl::ExportNameOp::create(
        builder, session.location(name.span.Start), name.name,
        isUnsigned && !isMixed, type, name.isMutable);
    if (isMixed)
      op->setAttr(csl::kUnsignedPartsAttrName,
                  builder.getDenseBoolArrayAttr(parts));
  }
}

void Importer::emitTiles(Code &code) {
  int64_t width = session.layout.rectangle->first;
  std::vector<std::pair<int64_t, int64_t>> places;
  llvm::DenseMap<int64_t, size_t> memberOf;
  for (size_t member : code.members) {
    int64_t pe = code.group->pes[member];
    places.emplace_back(pe % width, pe / width);
    memberOf[pe] = member;
  }
  Evaluator evaluator(session, &code.state);
  std::vector<std::string> paramNames;
  for (auto &entry : code.state.params)
    if (entry.second.carrier)
      paramNames.push_back(entry.first().str());
  llvm::sort(paramNames);
  mlir::Location at = session.location(
      session.layout.tiles[code.group->pes[code.members[0]]]->span.Start);
  for (csl::RegionAttr region : coverRegions(&session.context, places)) {
    llvm::SmallVector<mlir::NamedAttribute> params;
    for (const std::string &name : paramNames) {
      ProgramState::Param &param = code.state.params[name];
      llvm::SmallVector<mlir::Attribute> values;
      region.forEach([&](int64_t x, int64_t y) {
        Value value = (*param.values)[memberOf[y * width + x]];
        value.setType(param.carrier);
        values.push_back(evaluator.attributeOf(value));
      });
      mlir::Attribute result = values.front();
      if (!llvm::all_equal(values))
        result = mlir::DenseElementsAttr::get(
            mlir::RankedTensorType::get(
                {region.getHeight(), region.getWidth()},
                llvm::cast<mlir::TypedAttr>(values.front()).getType()),
            values);
      params.push_back(builder.getNamedAttr(name, result));
    }
    csl::TileCodeOp::create(builder, at, code.name, region,
                            params.empty() ? mlir::DictionaryAttr()
                                           : builder.getDictionaryAttr(params));
  }
}

mlir::OwningOpRef<mlir::ModuleOp> Importer::run(llvm::StringRef path,
                                                ParamValues *layoutParams) {
  if (!runLayout(path, layoutParams))
    return {};
  module = mlir::ModuleOp::create(session.location(Loc()));
  (*module)->setAttr(
      csl::CslDialect::kTargetAttrName,
      csl::TargetAttr::get(&session.context, session.options.arch,
                           session.options.fp16, session.options.memcpy));
  if (!makePrograms())
    return {};
  // An editor looks at what is edited, and gives no advice on the rest.
  llvm::DenseSet<const Decl *> known;
  if (!session.options.observations && !session.diagnostics.hadErrors()) {
    warnOfUnused(session, *root, known);
    for (const std::unique_ptr<Code> &code : codes)
      warnOfUnused(session, code->state, known);
  }
  emitLayout();
  if (mlir::failed(mlir::verify(*module)))
    return {};
  return std::move(module);
}

std::vector<HostSymbol> Importer::hostSymbols() const {
  std::vector<HostSymbol> symbols;
  for (auto [id, declared] : llvm::enumerate(session.layout.exports)) {
    const ProgramState::Advertised *found = nullptr;
    for (const std::unique_ptr<Code> &code : codes)
      for (const ProgramState::Advertised &entry : code->state.advertised)
        if (entry.id == int64_t(id) && !found)
          found = &entry;
    if (!found)
      continue;
    HostSymbol symbol{declared.name, declared.type->str(), {}};
    if (const FnDecl *function = found->function.decl) {
      symbol.type = declared.type->element->str();
      for (auto [param, type] :
           llvm::zip(function->params(), declared.type->params))
        symbol.inputs.emplace_back(param->name().text.str(), type->str());
    }
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

/// Comptime calls nest, and so does this program: on a stack of its own.
static constexpr unsigned kStackBytes = 512u << 20;
static constexpr unsigned kStackReserve = 4u << 20;

/// Where a location of the dialect is in the source.
static Loc getLoc(const SourceManager &sources, mlir::Location location) {
  if (auto place = llvm::dyn_cast<mlir::FileLineColLoc>(location)) {
    for (FileId file = 1; file <= sources.numFiles(); ++file)
      if (sources.path(file) == place.getFilename().getValue())
        return sources.locOf(file, place.getLine(), place.getColumn());
  }
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location))
    return getLoc(sources, call.getCallee());
  return Loc();
}

mlir::OwningOpRef<mlir::ModuleOp>
csl_import::importCsl(llvm::StringRef path, const ImportOptions &options,
                      mlir::MLIRContext &context, SourceManager &sources,
                      Diagnostics &diagnostics, ParamValues *layoutParams,
                      std::vector<HostSymbol> *hostSymbols) {
  const CslMachine *machine = lookupCslMachine(options.arch);
  if (!machine) {
    diagnostics.error(Loc(), "--arch: unknown architecture '" + options.arch +
                                 "', known are " + knownCslMachineNames());
    return {};
  }
  context.loadDialect<csl::CslDialect, mlir::arith::ArithDialect,
                      mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
                      mlir::math::MathDialect, mlir::memref::MemRefDialect>();
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &found) {
    if (found.getSeverity() != mlir::DiagnosticSeverity::Error &&
        found.getSeverity() != mlir::DiagnosticSeverity::Warning)
      return mlir::success();
    nameAsInSource(found);
    Loc loc = getLoc(sources, found.getLocation());
    if (found.getSeverity() == mlir::DiagnosticSeverity::Warning) {
      diagnostics.warning(Span(loc, loc), found.str());
      return mlir::success();
    }
    Diagnostic &diagnostic = diagnostics.error(loc, found.str());
    for (const mlir::Diagnostic &note : found.getNotes()) {
      Loc at = getLoc(sources, note.getLocation());
      Diagnostics::note(diagnostic, Span(at, at), note.str());
    }
    return mlir::success();
  });
  mlir::OwningOpRef<mlir::ModuleOp> result;
  llvm::thread worker(std::optional<unsigned>(kStackBytes), [&] {
    char here;
    Session session(options, *machine, context, sources, diagnostics);
    session.stackLimit =
        reinterpret_cast<uintptr_t>(&here) - kStackBytes + kStackReserve;
    Importer importer(session);
    result = importer.run(path, layoutParams);
    if (hostSymbols && result)
      *hostSymbols = importer.hostSymbols();
  });
  worker.join();
  if (diagnostics.hadErrors())
    return {};
  return result;
}
