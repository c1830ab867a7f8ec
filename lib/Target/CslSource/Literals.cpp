//===- Literals.cpp - Numbers and settings as CSL spells them -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramEmitter.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <cmath>

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;

std::string csl_to_source::spellInteger(const APInt &value, bool isSigned) {
  llvm::SmallString<24> text;
  value.toString(text, 10, isSigned);
  return std::string(text);
}

std::optional<std::string> csl_to_source::spellFloat(const APFloat &value) {
  if (!value.isFinite())
    return std::nullopt;
  APFloat wide = value;
  bool lost;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  double number = wide.convertToDouble();
  // What a compiler makes of it: a double first, then the type.
  auto isRead = [&](const char *text) {
    APFloat back(strtod(text, nullptr));
    bool inexact;
    back.convert(value.getSemantics(), APFloat::rmNearestTiesToEven, &inexact);
    return back.bitwiseIsEqual(value);
  };
  constexpr int kDigits = 17;
  char buffer[64];
  // Up to here people write numbers without an exponent.
  constexpr double kSmall = 1e-4, kLarge = 1e7;
  double magnitude = std::fabs(number);
  if (magnitude == 0 || (magnitude >= kSmall && magnitude < kLarge))
    for (int digits = 1; digits <= kDigits; ++digits) {
      snprintf(buffer, sizeof(buffer), "%.*f", digits, number);
      if (isRead(buffer))
        return std::string(buffer);
    }
  for (int digits = 1; digits <= kDigits; ++digits) {
    snprintf(buffer, sizeof(buffer), "%.*e", digits, number);
    if (!isRead(buffer))
      continue;
    auto [mantissa, exponent] = StringRef(buffer).split('e');
    int power;
    if (exponent.ltrim('+').getAsInteger(10, power))
      return std::nullopt;
    return (mantissa + "e" + llvm::Twine(power)).str();
  }
  return std::nullopt;
}

std::string csl_to_source::spellChoice(StringRef name) {
  return (".{ ." + name + " = true }").str();
}

std::string csl_to_source::spellPriority(csl::Priority priority) {
  return spellChoice(csl::stringifyPriority(priority));
}

//===----------------------------------------------------------------------===//
// Colors
//===----------------------------------------------------------------------===//

/// `.{ WEST, EAST }`.
static Doc spellDirections(uint32_t set) {
  std::vector<Doc> names;
  for (unsigned d = 0; d <= csl::getMaxEnumValForDirection(); ++d)
    if (set >> d & 1)
      names.emplace_back(
          csl::stringifyDirection(static_cast<csl::Direction>(d)).str());
  return Doc::braces("", std::move(names));
}

Doc csl_to_source::spellColorConfig(csl::RoutesAttr routes,
                                    csl::SwitchesAttr switches,
                                    csl::FilterAttr filter, bool teardown) {
  std::vector<Doc> fields;
  auto flag = [](std::vector<Doc> &list, StringRef name, bool value) {
    if (value)
      list.push_back(Doc::field(name, "true"));
  };
  auto number = [](std::vector<Doc> &list, StringRef name,
                   std::optional<int64_t> value) {
    if (value)
      list.push_back(Doc::field(name, std::to_string(*value)));
  };

  std::vector<Doc> route;
  if (routes.getRx())
    route.push_back(Doc::field("rx", spellDirections(routes.getRx())));
  if (routes.getTx())
    route.push_back(Doc::field("tx", spellDirections(routes.getTx())));
  flag(route, "color_swap_x", routes.getSwapX());
  flag(route, "color_swap_y", routes.getSwapY());
  fields.push_back(Doc::field("routes", Doc::braces("", std::move(route))));

  if (switches) {
    std::vector<Doc> list;
    std::pair<StringRef, csl::PositionAttr> positions[] = {
        {"pos1", switches.getPos1()},
        {"pos2", switches.getPos2()},
        {"pos3", switches.getPos3()}};
    for (auto [name, position] : positions) {
      if (!position)
        continue;
      // Both sides go into the vector of bits: RX W1 E2 S4 N8 R16, TX above
      // (BLT-070). The structs take one.
      constexpr unsigned kTxShift = 5;
      if (position.getRx() && position.getTx())
        list.push_back(Doc::field(
            name, "0x" + llvm::utohexstr(*position.getRx() | *position.getTx()
                                                                 << kTxShift,
                                         /*LowerCase=*/true)));
      else if (position.getRx())
        list.push_back(Doc::field(
            name, Doc::braces("", {Doc::field("rx", spellDirections(
                                                        *position.getRx()))})));
      else
        list.push_back(Doc::field(
            name, Doc::braces("", {Doc::field("tx", spellDirections(
                                                        *position.getTx()))})));
    }
    if (switches.getCurrent())
      number(list, "current_switch_pos", switches.getCurrent());
    flag(list, "ring_mode", switches.getRing());
    if (switches.getPop() != csl::PopMode::NoPop)
      list.push_back(Doc::field(
          "pop_mode", spellChoice(csl::stringifyPopMode(switches.getPop()))));
    fields.push_back(Doc::field("switches", Doc::braces("", std::move(list))));
  }
  if (filter) {
    std::vector<Doc> list;
    list.push_back(Doc::field(
        "kind", spellChoice(csl::stringifyFilterKind(filter.getKind()))));
    flag(list, "count_data", filter.getCountData());
    flag(list, "count_control", filter.getCountControl());
    flag(list, "filter_control", filter.getFilterControl());
    number(list, "init_counter", filter.getInitCounter());
    number(list, "limit1", filter.getLimit1());
    number(list, "limit2", filter.getLimit2());
    number(list, "max_counter", filter.getMaxCounter());
    number(list, "min_idx", filter.getMinIdx());
    number(list, "max_idx", filter.getMaxIdx());
    fields.push_back(Doc::field("filter", Doc::braces("", std::move(list))));
  }
  flag(fields, "teardown", teardown);
  return Doc::braces("", std::move(fields));
}
