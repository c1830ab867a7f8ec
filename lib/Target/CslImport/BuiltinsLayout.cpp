//===- BuiltinsLayout.cpp - Placement, colors, exported names -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"
#include "sequin/Dialect/Csl/IR/CslRouteAttrs.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

//===----------------------------------------------------------------------===//
// The rectangle
//===----------------------------------------------------------------------===//

Value Evaluator::builtinSetRectangle(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2) || !expectPhase(call, {Phase::Layout}))
    return Value();
  LayoutState &layout = session.layout;
  if (layout.rectangle) {
    Diagnostic &diagnostic = report(call.span(), "@set_rectangle is called "
                                                 "twice, a program has one "
                                                 "rectangle");
    note(diagnostic, layout.rectangleSpan, "first here");
    return Value();
  }
  std::optional<int64_t> width =
      evalKnownInt(arg(call, 0), "the width of the rectangle", 1,
                   session.machine.fabricWidth);
  std::optional<int64_t> height =
      evalKnownInt(arg(call, 1), "the height of the rectangle", 1,
                   session.machine.fabricHeight);
  if (!width || !height)
    return Value();
  layout.rectangle = {*width, *height};
  layout.rectangleSpan = call.span();
  layout.tiles.resize(*width * *height);
  return makeVoid();
}

Value Evaluator::builtinGetRectangle(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 0, 0))
    return Value();
  if (!session.layout.rectangle)
    return error(call.span(), "@get_rectangle comes after @set_rectangle");
  auto [width, height] = *session.layout.rectangle;
  auto fabric = session.options.fabric.value_or(std::pair(width, height));
  auto offsets =
      session.options.offsets.value_or(std::pair<int64_t, int64_t>());
  auto pair = [&](std::pair<int64_t, int64_t> sizes) {
    return Value(types.anonymous(
                     {{"width", types.u16()}, {"height", types.u16()}}, false),
                 std::vector<Value>{makeInt(types.u16(), sizes.first),
                                    makeInt(types.u16(), sizes.second)});
  };
  Value fabricValue = pair(fabric), offsetValue = pair(offsets);
  return Value(types.anonymous({{"width", types.u16()},
                                {"height", types.u16()},
                                {"fabric", fabricValue.type()},
                                {"offsets", offsetValue.type()}},
                               false),
               std::vector<Value>{makeInt(types.u16(), width),
                                  makeInt(types.u16(), height), fabricValue,
                                  offsetValue});
}

/// The coordinates of a PE of the rectangle.
std::optional<std::pair<int64_t, int64_t>>
Evaluator::evalCoordinates(const BuiltinCall &call) {
  if (!session.layout.rectangle) {
    error(call.span(), "@" + call.name().text + " comes after @set_rectangle");
    return std::nullopt;
  }
  auto [width, height] = *session.layout.rectangle;
  std::optional<int64_t> x =
      evalKnownInt(arg(call, 0), "the x coordinate of a PE", 0, width - 1);
  std::optional<int64_t> y =
      evalKnownInt(arg(call, 1), "the y coordinate of a PE", 0, height - 1);
  if (!x || !y)
    return std::nullopt;
  return std::pair(*x, *y);
}

Value Evaluator::builtinSetTileCode(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 4) || !expectPhase(call, {Phase::Layout}))
    return Value();
  auto at = evalCoordinates(call);
  if (!at)
    return Value();
  std::optional<TileCode> &tile =
      session.layout
          .tiles[at->second * session.layout.rectangle->first + at->first];
  if (tile) {
    Diagnostic &diagnostic =
        report(call.span(), "PE (" + llvm::Twine(at->first) + ", " +
                                llvm::Twine(at->second) + ") has code already");
    note(diagnostic, tile->span, "given here");
    return Value();
  }
  TileCode code;
  code.span = call.span();
  code.path = frame->module->path;
  if (call.arguments().size() >= 3) {
    Value name = evalKnown(arg(call, 2), "the name of a file", types.string());
    if (!name)
      return Value();
    std::string key = frame->module->path + "\n" + name.string();
    auto [entry, isNew] = session.resolved.try_emplace(key);
    if (isNew) {
      std::vector<std::string> tried;
      bool isLibrary = false;
      entry->second =
          session.resolve(name.string(), frame->module->path, tried, isLibrary);
      if (entry->second.empty()) {
        Diagnostic &diagnostic = report(
            arg(call, 2).span(), "file '" + name.string() + "' not found");
        for (const std::string &candidate : tried)
          note(diagnostic, arg(call, 2).span(), "tried '" + candidate + "'");
        return Value();
      }
    }
    if (entry->second.empty())
      return Value();
    code.path = entry->second;
  }
  if (call.arguments().size() == 4) {
    Value params = eval(arg(call, 3));
    if (!params)
      return Value();
    if (params.isVoid())
      params = Value(types.anonymous({}, false), std::vector<Value>());
    if (!params.isAggregate() || !params.type()->isStruct())
      return error(arg(call, 3).span(), "parameters of a program are given as "
                                        "a struct, found type '" +
                                            params.type()->str() + "'");
    code.params = params;
  }
  tile = std::move(code);
  session.allowStepsOfPe();
  return makeVoid();
}

//===----------------------------------------------------------------------===//
// Colors
//===----------------------------------------------------------------------===//

std::optional<uint32_t> Evaluator::readDirections(const Value &value,
                                                  Span span) {
  uint32_t set = 0;
  auto add = [&](const Value &part) {
    if (!part.type()->is(TypeKind::Direction) || !part.isInteger()) {
      error(span,
            "expected a direction, found type '" + part.type()->str() + "'");
      return false;
    }
    uint32_t bit = 1u << part.small();
    if (set & bit) {
      error(span, "direction " + part.str() + " is given twice");
      return false;
    }
    set |= bit;
    return true;
  };
  if (value.isAggregate()) {
    for (const Value &part : value.elements())
      if (!add(part))
        return std::nullopt;
    return set;
  }
  if (value.isVoid())
    return 0;
  if (!add(value))
    return std::nullopt;
  return set;
}

/// Bits of the vector of @set_color_config: receive below transmit.
static constexpr unsigned kDirections = 5;
static constexpr uint32_t kAllDirections = (1u << kDirections) - 1;

csl::PositionAttr Evaluator::readPosition(const Value &value, Span span,
                                          llvm::StringRef name,
                                          csl::RoutesAttr before) {
  auto emitError = [&] {
    return mlir::emitError(session.location(span.Start));
  };
  if (value.isInteger() && value.type()->isInteger()) {
    int64_t bits = value.small(-1);
    if (bits < 0 || bits >= 1 << (2 * kDirections)) {
      error(span, "a vector of directions has 10 bits, found " + value.str());
      return {};
    }
    // No bits make a position invalid, those of one side give that side.
    std::optional<uint32_t> rx, tx;
    if (bits & kAllDirections)
      rx = bits & kAllDirections;
    if (bits >> kDirections)
      tx = bits >> kDirections;
    if (!rx && !tx)
      return {};
    // One side changes on WSE-2 (AMB-016).
    if (!session.machine.switchRxAndTx && rx && tx) {
      if (rx != before.getRx() && tx != before.getTx()) {
        error(span, "'" + name +
                        "' changes both sides of the position before it, " +
                        llvm::StringRef(session.machine.name) +
                        " switches one: give the bits of one side");
        return {};
      }
      if (rx == before.getRx() && tx != before.getTx())
        rx.reset();
      else
        tx.reset();
    }
    return csl::PositionAttr::getChecked(emitError, &session.context, rx, tx);
  }
  if (!value.isAggregate() || !value.type()->isStruct()) {
    error(span, "'" + name +
                    "' is a struct or a vector of directions, found type '" +
                    value.type()->str() + "'");
    return {};
  }
  if (!checkFields(value, {"rx", "tx", "invalid"}, span, "'" + name + "'"))
    return {};
  if (value.field("invalid")) {
    std::optional<bool> invalid = knownBool(value, "invalid", span);
    if (invalid && !*invalid)
      error(span, "field 'invalid' of '" + name +
                      "' is true or left out, found false");
    else if (value.type()->fields.size() != 1)
      error(span, "'" + name + "' is invalid and has directions");
    return {};
  }
  std::optional<uint32_t> rx, tx;
  if (const Value *part = value.field("rx")) {
    rx = readDirections(*part, span);
    if (!rx)
      return {};
  }
  if (const Value *part = value.field("tx")) {
    tx = readDirections(*part, span);
    if (!tx)
      return {};
  }
  if (!rx && !tx) {
    error(span, "'" + name + "' has one of .rx, .tx and .invalid");
    return {};
  }
  if (rx && tx && !session.machine.switchRxAndTx) {
    error(span, "'" + name + "' has both .rx and .tx, " +
                    llvm::StringRef(session.machine.name) + " switches one");
    return {};
  }
  return csl::PositionAttr::getChecked(emitError, &session.context, rx, tx);
}

csl::FilterAttr Evaluator::readFilter(const Value &value, Span span) {
  if (!value.isAggregate() || !value.type()->isStruct()) {
    error(span, "field 'filter' is a struct, found type '" +
                    value.type()->str() + "'");
    return {};
  }
  if (!checkFields(value,
                   {"kind", "count_data", "count_control", "init_counter",
                    "limit1", "limit2", "max_counter", "filter_control",
                    "min_idx", "max_idx", "fast_mode"},
                   span, "a filter"))
    return {};
  const Value *kindValue = value.field("kind");
  if (!kindValue) {
    error(span, "a filter needs a field 'kind'");
    return {};
  }
  std::optional<std::string> kind = knownChoice(
      *kindValue, span, {"counter", "sparse_counter", "range"}, "field 'kind'");
  if (!kind)
    return {};
  std::optional<int64_t> initCounter, limit1, limit2, maxCounter, minIdx,
      maxIdx;
  std::pair<llvm::StringRef, std::optional<int64_t> *> numbers[] = {
      {"init_counter", &initCounter},
      {"limit1", &limit1},
      {"limit2", &limit2},
      {"max_counter", &maxCounter},
      {"min_idx", &minIdx},
      {"max_idx", &maxIdx}};
  for (auto &[name, number] : numbers)
    if (!knownInteger(value, name, span, *number))
      return {};
  std::optional<bool> data = knownBool(value, "count_data", span);
  std::optional<bool> control = knownBool(value, "count_control", span);
  std::optional<bool> only = knownBool(value, "filter_control", span);
  // Taken, without a meaning that is known (FAB-056).
  std::optional<bool> fast = knownBool(value, "fast_mode", span);
  if (!data || !control || !only || !fast)
    return {};
  return csl::FilterAttr::getChecked(
      [&] { return mlir::emitError(session.location(span.Start)); },
      &session.context, *csl::symbolizeFilterKind(*kind), *data, *control,
      *only, initCounter, limit1, limit2, maxCounter, minIdx, maxIdx);
}

std::optional<ColorConfig> Evaluator::readColorConfig(const Value &given,
                                                      Span span) {
  Value config = known(given, span, "the configuration of a color");
  if (!config)
    return std::nullopt;
  if (!config.isAggregate() || !config.type()->isStruct()) {
    error(span, "the configuration of a color is a struct, found type '" +
                    config.type()->str() + "'");
    return std::nullopt;
  }
  // The manual describes the mode and not how a program asks for it (FAB-075).
  for (const Value *part : {&std::as_const(config), config.field("routes")})
    if (part && part->isAggregate() && part->type()->isStruct() &&
        part->field("ce_injection")) {
      error(span, session.machine.generation == 2
                      ? std::string("'ce_injection' is not supported: how a "
                                    "program asks for it is not published")
                      : "'ce_injection' is of wse2, " +
                            session.machine.name.str() +
                            " has no CE injection");
      return std::nullopt;
    }
  llvm::SmallVector<llvm::StringRef> allowed = {"routes", "switches", "filter",
                                                "teardown"};
  if (frame->module->isLibrary)
    allowed.push_back("sequin_may_leave");
  if (!checkFields(config, allowed, span, "the configuration of a color"))
    return std::nullopt;
  const Value *routes = config.field("routes");
  if (!routes) {
    error(span, "the configuration of a color needs a field 'routes'");
    return std::nullopt;
  }
  auto emitError = [&] {
    return mlir::emitError(session.location(span.Start));
  };
  ColorConfig result;
  result.mayLeave = config.field("sequin_may_leave") != nullptr;
  const Value *popMode = nullptr;
  if (routes->isInteger() && routes->type()->isInteger()) {
    int64_t bits = routes->small(-1);
    if (bits < 0 || bits >= 1 << (2 * kDirections)) {
      error(span, "a vector of directions has 10 bits, found " + routes->str());
      return std::nullopt;
    }
    result.routes = csl::RoutesAttr::getChecked(
        emitError, &session.context, uint32_t(bits) & kAllDirections,
        uint32_t(bits) >> kDirections & kAllDirections, false, false);
  } else {
    if (routes->isVoid()) {
      result.routes = csl::RoutesAttr::getChecked(emitError, &session.context,
                                                  0u, 0u, false, false);
    } else {
      if (!routes->isAggregate() || !routes->type()->isStruct() ||
          !checkFields(*routes,
                       {"rx", "tx", "pop_mode", "color_swap_x", "color_swap_y"},
                       span, "'routes'")) {
        if (!routes->isAggregate())
          error(span, "field 'routes' is a struct or a vector of directions, "
                      "found type '" +
                          routes->type()->str() + "'");
        return std::nullopt;
      }
      uint32_t sides[2] = {0, 0};
      llvm::StringRef names[] = {"rx", "tx"};
      for (auto [name, side] : llvm::zip(names, sides))
        if (const Value *part = routes->field(name)) {
          std::optional<uint32_t> set = readDirections(*part, span);
          if (!set)
            return std::nullopt;
          side = *set;
        }
      std::optional<bool> swapX = knownBool(*routes, "color_swap_x", span);
      std::optional<bool> swapY = knownBool(*routes, "color_swap_y", span);
      if (!swapX || !swapY)
        return std::nullopt;
      popMode = routes->field("pop_mode");
      if (popMode)
        warnFormer(span, "'pop_mode' in 'routes'", "", "",
                   "it is a field of 'switches'");
      result.routes = csl::RoutesAttr::getChecked(
          emitError, &session.context, sides[0], sides[1], *swapX, *swapY);
    }
  }
  if (!result.routes)
    return std::nullopt;
  const Value *switches = config.field("switches");
  if (switches || popMode) {
    Value empty(types.anonymous({}, false), std::vector<Value>());
    const Value &fields = switches ? *switches : empty;
    if (!fields.isAggregate() || !fields.type()->isStruct()) {
      error(span, "field 'switches' is a struct, found type '" +
                      fields.type()->str() + "'");
      return std::nullopt;
    }
    if (!checkFields(fields,
                     {"pos1", "pos2", "pos3", "current_switch_pos", "ring_mode",
                      "pop_mode"},
                     span, "'switches'"))
      return std::nullopt;
    csl::PositionAttr positions[3];
    // Where the wavelets go at the position before.
    csl::RoutesAttr before = result.routes;
    unsigned errors = session.diagnostics.numErrors();
    for (unsigned i = 0; i < 3; ++i) {
      std::string name = "pos" + std::to_string(i + 1);
      if (const Value *part = fields.field(name))
        positions[i] = readPosition(*part, span, name, before);
      if (positions[i])
        before = csl::RoutesAttr::get(
            &session.context, positions[i].getRx().value_or(before.getRx()),
            positions[i].getTx().value_or(before.getTx()), false, false);
    }
    if (session.diagnostics.numErrors() != errors)
      return std::nullopt;
    std::optional<int64_t> current = 0;
    if (!knownInteger(fields, "current_switch_pos", span, current))
      return std::nullopt;
    std::optional<bool> ring = knownBool(fields, "ring_mode", span);
    if (!ring)
      return std::nullopt;
    csl::PopMode pop = csl::PopMode::NoPop;
    const Value *mode = fields.field("pop_mode");
    if (!mode)
      mode = popMode;
    if (mode) {
      std::optional<std::string> name = knownChoice(
          *mode, span,
          {"no_pop", "always_pop", "pop_on_advance", "pop_on_advance_nop"},
          "field 'pop_mode'");
      if (!name)
        return std::nullopt;
      pop = *csl::symbolizePopMode(*name);
    }
    result.switches = csl::SwitchesAttr::getChecked(
        emitError, &session.context, positions[0], positions[1], positions[2],
        *current, *ring, pop);
    if (!result.switches)
      return std::nullopt;
  }
  if (const Value *filter = config.field("filter")) {
    result.filter = readFilter(*filter, span);
    if (!result.filter)
      return std::nullopt;
  }
  std::optional<bool> teardown = knownBool(config, "teardown", span);
  if (!teardown)
    return std::nullopt;
  result.teardown = *teardown;
  return result;
}

Value Evaluator::builtinSetColorConfig(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 4, 4) || !expectPhase(call, {Phase::Layout}))
    return Value();
  auto at = evalCoordinates(call);
  Value color = eval(arg(call, 2)), config = eval(arg(call, 3));
  if (!at || !color || !config)
    return Value();
  if (!color.type()->is(TypeKind::Color) || !color.isInteger())
    return error(arg(call, 2).span(),
                 "expected a color, found type '" + color.type()->str() + "'");
  if (!checkColor(color, arg(call, 2).span()))
    return Value();
  LayoutState &layout = session.layout;
  int64_t pe = at->second * layout.rectangle->first + at->first;
  auto [entry, isNew] =
      layout.configAt.try_emplace({pe, color.small()}, layout.configs.size());
  if (!isNew) {
    Diagnostic &diagnostic =
        report(call.span(), "config for this color has already been set");
    note(diagnostic, layout.configs[entry->second].span,
         "color " + llvm::Twine(color.small()) + " of PE (" +
             llvm::Twine(at->first) + ", " + llvm::Twine(at->second) +
             ") is configured here");
    return Value();
  }
  std::optional<ColorConfig> parsed = readColorConfig(config, call.span());
  if (!parsed) {
    layout.configAt.erase({pe, color.small()});
    return Value();
  }
  layout.configs.push_back({at->first, at->second, color.small(), *parsed,
                            loc(call.span()), call.span()});
  session.allowStepsOfPe();
  return makeVoid();
}

Value Evaluator::builtinSetLocalColorConfig(const BuiltinCall &call,
                                            const Type *) {
  if (!expectArgs(call, 2, 2) || !expectPhase(call, {Phase::TopComptime}))
    return Value();
  Value color = eval(arg(call, 0)), config = eval(arg(call, 1));
  if (!color || !config)
    return Value();
  if (!color.type()->is(TypeKind::Color))
    return error(arg(call, 0).span(),
                 "expected a color, found type '" + color.type()->str() + "'");
  if (color.isInteger()) {
    auto [entry, isNew] = program->localConfigs.try_emplace(color.small());
    if (!isNew) {
      Diagnostic &diagnostic =
          report(call.span(), "config for this color has already been set");
      note(diagnostic, entry->second.span, "first here");
      return Value();
    }
    entry->second.span = call.span();
  }
  std::optional<ColorConfig> parsed = readColorConfig(config, call.span());
  if (!parsed)
    return Value();
  if (parsed->filter && color.isInteger()) {
    program->localConfigs[color.small()].hasFilter = true;
    if (color.small() < program->lastFilterAsked)
      return error(call.span(),
                   "this filter changes the number of the filter of color " +
                       std::to_string(program->lastFilterAsked) +
                       ", which has been asked for");
  }
  SetupScope setup(*this);
  mlir::Value number = materialize(color, call.span());
  if (!number)
    return Value();
  auto made = csl::LocalColorConfigOp::create(
      builder, loc(call.span()), number, parsed->routes, parsed->switches,
      parsed->filter,
      parsed->teardown ? builder.getUnitAttr() : mlir::UnitAttr());
  if (parsed->mayLeave)
    made->setAttr(csl::kMayLeaveAttrName, builder.getUnitAttr());
  return makeVoid();
}

/// The number of a color's filter at a PE, in the order of colors; -1 without a
/// filter.
static int64_t filterNumberAt(const LayoutState &layout, int64_t pe,
                              const std::map<int64_t, LocalConfig> &local,
                              int64_t color) {
  auto hasFilter = [&](int64_t c) {
    auto placed = layout.configAt.find({pe, c});
    if (placed != layout.configAt.end())
      return bool(layout.configs[placed->second].config.filter);
    auto own = local.find(c);
    return own != local.end() && own->second.hasFilter;
  };
  if (!hasFilter(color))
    return -1;
  int64_t number = 0;
  for (int64_t c = 0; c < color; ++c)
    number += hasFilter(c);
  return number;
}

Value Evaluator::builtinGetFilterId(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 1))
    return Value();
  Value color = evalKnown(arg(call, 0), "the color of a filter",
                          types.simple(TypeKind::Color));
  if (!color)
    return Value();
  if (!expectPhase(call, {Phase::TopComptime, Phase::Initializer,
                          Phase::Comptime, Phase::Runtime}))
    return Value();
  if (!program)
    return error(call.span(), "@get_filter_id is for the code of a PE");
  // Comptime blocks configure colors.
  if (initializing && !program->roots.empty() &&
      !program->roots.front()->comptimeBlocksDone) {
    program->waitsForBlocks = true;
    return Value();
  }
  int64_t number = color.small();
  const LayoutState &layout = session.layout;
  auto numbers = std::make_shared<std::vector<Value>>();
  for (int64_t pe : *program->pes)
    numbers->push_back(
        makeInt(types.integer(32, true),
                filterNumberAt(layout, pe, program->localConfigs, number)));
  Value own = (*numbers)[program->representative];
  if (own.small() < 0) {
    // A configuration that comes later may have it.
    if (phase != Phase::Runtime)
      return error(call.span(), "color " + std::to_string(number) +
                                    " has no filter up to here");
    mlir::Value operand = materialize(color, call.span());
    return operand
               ? makeRuntime(types.u16(), csl::GetFilterIdOp::create(
                                              builder, loc(call.span()),
                                              builder.getI16Type(), operand))
               : Value();
  }
  // PEs of other parameters have code of their own where their number differs.
  auto paramsOf = [&](size_t member) {
    const TileCode &tile = *layout.tiles[(*program->pes)[member]];
    return tile.params ? tile.params.str() : std::string();
  };
  std::string params = paramsOf(program->representative);
  for (size_t member = 0; member < numbers->size(); ++member)
    if ((*numbers)[member].small() != own.small() &&
        paramsOf(member) == params) {
      int64_t width = layout.rectangle->first;
      int64_t pe = (*program->pes)[member];
      return error(call.span(),
                   "color " + std::to_string(number) +
                       " does not have the same filter at all PEs of the "
                       "program: PE (" +
                       std::to_string(pe % width) + ", " +
                       std::to_string(pe / width) + ") has " +
                       ((*numbers)[member].small() < 0
                            ? "none"
                            : "number " + (*numbers)[member].str()) +
                       ", others number " + own.str());
    }
  SymbolicValue symbol;
  symbol.name = "@get_filter_id(" + std::to_string(number) + ")";
  program->params[symbol.name] = {types.integer(32, true), numbers, nullptr};
  concretize(makeSymbolic(std::move(symbol), types.integer(32, true)));
  program->lastFilterAsked = std::max(program->lastFilterAsked, number);
  return makeInt(types.u16(), own.small());
}

//===----------------------------------------------------------------------===//
// Exported names
//===----------------------------------------------------------------------===//

static constexpr unsigned kMaxExportArguments = 15;

/// What the host may see (RPC-003): all that running code has as one value, in
/// `fp16` where it is a half. What a pointer leads to may be anything.
static bool isExportable(const Type *type, const Type *fp16) {
  while (type->isPointer() || type->isArray()) {
    if (type->isArray())
      return false;
    type = type->element;
    while (type->isArray())
      type = type->element;
    if (type->isStruct() || type->is(TypeKind::Enum) ||
        type->is(TypeKind::AnyOpaque) || type->is(TypeKind::Function))
      return true;
  }
  constexpr unsigned kMaxBits = 64;
  if (type->is(TypeKind::Int))
    return type->width >= 1 && type->width <= kMaxBits;
  if (type->is(TypeKind::Float))
    return !type->isHalf() || type == fp16;
  return type->is(TypeKind::Bool) || type->is(TypeKind::Direction) ||
         type->isId() || type->is(TypeKind::Dsd);
}

Value Evaluator::builtinExportName(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 3) || !expectPhase(call, {Phase::Layout}))
    return Value();
  Value name = evalKnown(arg(call, 0), "the name", types.string());
  const Type *type = evalType(arg(call, 1));
  if (!name || !type)
    return Value();
  for (const ExportName &other : session.layout.exports)
    if (other.name == name.string()) {
      Diagnostic &diagnostic =
          report(call.span(), "name '" + name.string() + "' is exported twice");
      note(diagnostic, other.span, "first here");
      return Value();
    }
  ExportName result;
  result.name = name.string();
  result.type = type;
  result.span = call.span();
  Span span = arg(call, 1).span();
  auto refuse = [&](const llvm::Twine &where, const Type *part) {
    std::string found;
    if (!where.isTriviallyEmpty())
      found = ": " + (where + " of type '" + part->str() + "'").str();
    return error(span,
                 "cannot export name with type '" + type->str() + "'" + found +
                     "; allowed are integers of 1 to 64 bits, bool, f32, " +
                     types.fp16()->str() +
                     ", pointers, ids, directions, DSDs, and functions "
                     "of those");
  };
  if (type->is(TypeKind::Function)) {
    if (type->params.size() > kMaxExportArguments)
      return error(span, "an exported function has at most " +
                             llvm::Twine(kMaxExportArguments) +
                             " parameters, found " +
                             llvm::Twine(type->params.size()));
    for (auto [index, param] : llvm::enumerate(type->params))
      if (!isExportable(param, types.fp16()))
        return refuse("parameter " + llvm::Twine(index + 1) + " is", param);
    if (!type->element->isVoid() && !isExportable(type->element, types.fp16()))
      return refuse("the result is", type->element);
  } else {
    if (!isExportable(type, types.fp16()))
      return refuse("", type);
    if (call.arguments().size() < 3)
      return error(call.span(), "@export_name of data says whether it is "
                                "mutable: a third argument");
  }
  if (call.arguments().size() == 3) {
    Value isMutable =
        evalKnown(arg(call, 2), "whether a name is mutable", types.boolType());
    if (!isMutable)
      return Value();
    result.isMutable = isMutable.truth() && !type->is(TypeKind::Function);
  }
  session.layout.exports.push_back(std::move(result));
  return makeVoid();
}

/// @sequin_stream("name", id, to_device): a streaming color of memcpy, as color
/// or by its number.
Value Evaluator::builtinSequinStream(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 3, 3))
    return Value();
  Value name = evalKnown(arg(call, 0), "the name", types.string());
  Value color = eval(arg(call, 1));
  Value toDevice = evalKnown(arg(call, 2), "the direction", types.boolType());
  if (!name || !color || !toDevice)
    return Value();
  bool isColor = color.type()->is(TypeKind::Color);
  if ((!isColor && !color.type()->isInteger()) || !color.isInteger())
    return error(frame->callSpan,
                 "parameter '" + name.string() +
                     "' is the number of a color, or a color, found type '" +
                     color.type()->str() + "'");
  if (isColor)
    sayFormer("a color as '" + name.string() + "'", "1.4", "2.10",
              "its number is given");
  int64_t number = color.small(-1);
  if (number < 0 || number >= session.machine.colors)
    return error(frame->callSpan, "parameter '" + name.string() +
                                      "' is the number of a color, 0 to " +
                                      llvm::Twine(session.machine.colors - 1) +
                                      ", found " + color.integer().str());
  for (const HostStream &stream : session.layout.streams) {
    if (stream.name == name.string())
      return makeVoid();
    if (stream.color == number)
      return error(frame->callSpan, "color " + llvm::Twine(number) +
                                        " is given to '" + stream.name +
                                        "' and to '" + name.string() +
                                        "'; a stream has a color of its own");
  }
  if (session.options.memcpy && (session.machine.memcpy.colors >> number & 1))
    session.diagnostics.warning(findUserOfLibrary(),
                                "'" + name.string() + "' has color " +
                                    llvm::Twine(number) +
                                    ", which the memcpy library needs");
  session.layout.streams.push_back(
      {name.string(), number, toDevice.truth(), frame->callSpan});
  return makeVoid();
}
