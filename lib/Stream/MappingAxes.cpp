//===- MappingAxes.cpp - Axes, skewed axes and tables ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Stream/Mapping.h"

#include "sequin/Support/Excerpt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace sequin;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;

llvm::Expected<AxisSizes> AxisSizes::parse(StringRef text) {
  AxisSizes result;
  if (text.trim().empty())
    return result;
  llvm::SmallVector<StringRef, 8> parts;
  text.split(parts, ',');
  std::vector<Skew> skews;
  for (StringRef part : parts) {
    auto [name, value] = part.split('=');
    name = name.trim();
    value = value.trim();
    if (!isAxisName(name))
      return llvm::createStringError(
          "'" + part.trim() +
          "' is not an axis size; expected NAME=SIZE with a name that starts "
          "with an upper-case letter");
    size_t sign = value.find_first_of("+-");
    if (sign != StringRef::npos && sign > 0 && !llvm::isDigit(value.front())) {
      skews.push_back({name.str(), value.take_front(sign).trim().str(),
                       value.drop_front(sign + 1).trim().str(),
                       value[sign] == '+'});
      continue;
    }
    int64_t size;
    if (value.empty() || value.getAsInteger(10, size)) {
      bool digits = !value.empty() && llvm::all_of(value, llvm::isDigit);
      return llvm::createStringError("size of axis '" + name + "' is '" +
                                     value + "', " +
                                     (digits ? "which does not fit in 64 bits"
                                             : "expected a positive integer"));
    }
    if (size < 1)
      return llvm::createStringError("size of axis '" + name + "' is " +
                                     Twine(size) + ", must be at least 1");
    if (!result.add(name, size))
      return llvm::createStringError("axis '" + name + "' is named twice");
  }
  for (const Skew &skew : skews)
    if (llvm::any_of(skews, [&](const Skew &other) {
          return other.name != skew.name &&
                 (other.name == skew.base || other.name == skew.by);
        }))
      return llvm::createStringError(
          "skewed axis '" + skew.name + "' is made from '" + skew.base +
          "' and '" + skew.by +
          "', one of which is skewed itself; skews do not chain");
  for (const Skew &skew : skews)
    if (llvm::Error error = result.addSkew(skew))
      return error;
  return result;
}

bool AxisSizes::add(StringRef name, int64_t size) {
  if (lookup(name) || lookupSkew(name))
    return false;
  list.emplace_back(name.str(), size);
  return true;
}

llvm::Error AxisSizes::addSkew(const Skew &skew) {
  auto fail = [&](const Twine &what) {
    return llvm::createStringError("skewed axis '" + skew.name + "' " + what);
  };
  if (!isAxisName(skew.name))
    return llvm::createStringError("'" + excerpt(skew.name) +
                                   "' is not the name of an axis");
  if (lookup(skew.name) || lookupSkew(skew.name))
    return llvm::createStringError("axis '" + skew.name + "' is named twice");
  for (const std::string *name : {&skew.base, &skew.by}) {
    if (*name == skew.name)
      return fail("is made from itself");
    if (lookupSkew(*name))
      return fail("is made from '" + *name +
                  "', which is skewed itself; skews do not chain");
    if (!lookup(*name))
      return fail("is made from '" + excerpt(*name) +
                  "', which is not an axis with a size");
  }
  if (skew.base == skew.by)
    return fail("is '" + skew.base +
                "' skewed by itself; expected two different axes");
  skewList.push_back(skew);
  return llvm::Error::success();
}

llvm::Error AxisSizes::addTable(StringRef name, ArrayRef<int64_t> values) {
  if (!isTableName(name))
    return llvm::createStringError(
        "'" + excerpt(name) +
        "' is not the name of a table: expected a lower-case letter, then "
        "letters, digits or '_'");
  if (lookupTable(name))
    return llvm::createStringError("table '" + name + "' is named twice");
  if (values.empty())
    return llvm::createStringError("table '" + name + "' has no entries");
  for (auto [i, value] : llvm::enumerate(values))
    if (value < 0)
      return llvm::createStringError("entry " + Twine(i) + " of table '" +
                                     name + "' is " + Twine(value) +
                                     ", must be at least 0");
  tableList.push_back({name.str(), std::make_shared<const std::vector<int64_t>>(
                                       values.begin(), values.end())});
  return llvm::Error::success();
}

llvm::Error AxisSizes::parseTable(StringRef text) {
  auto [name, entries] = text.split('=');
  name = name.trim();
  if (!text.contains('='))
    return llvm::createStringError("'" + excerpt(text) +
                                   "' is not a table; expected "
                                   "NAME=ENTRY,ENTRY,...");
  std::vector<int64_t> values;
  if (!entries.trim().empty()) {
    llvm::SmallVector<StringRef, 16> parts;
    entries.split(parts, ',');
    for (StringRef part : parts) {
      int64_t value;
      if (part.trim().getAsInteger(10, value))
        return llvm::createStringError(
            "entry " + Twine(values.size()) + " of table '" + excerpt(name) +
            "' is '" + excerpt(part.trim()) + "', expected an integer");
      values.push_back(value);
    }
  }
  return addTable(name, values);
}

std::optional<int64_t> AxisSizes::lookup(StringRef name) const {
  for (const auto &[axis, size] : list)
    if (axis == name)
      return size;
  return std::nullopt;
}

const AxisSizes::Skew *AxisSizes::lookupSkew(StringRef name) const {
  auto it = llvm::find_if(skewList,
                          [&](const Skew &skew) { return skew.name == name; });
  return it == skewList.end() ? nullptr : &*it;
}

const AxisSizes::Table *AxisSizes::lookupTable(StringRef name) const {
  auto it = llvm::find_if(
      tableList, [&](const Table &table) { return table.name == name; });
  return it == tableList.end() ? nullptr : &*it;
}

std::optional<int64_t> AxisSizes::linearSize() const {
  int64_t product = 1;
  for (const auto &axis : list) {
    auto next = llvm::checkedMul(product, axis.second);
    if (!next)
      return std::nullopt;
    product = *next;
  }
  return product;
}

llvm::Expected<AxisSizes> AxisSizes::unionWith(const AxisSizes &other) const {
  AxisSizes result = *this;
  for (const auto &[name, size] : other.list) {
    if (result.add(name, size) || result.lookup(name) == size)
      continue;
    if (result.lookupSkew(name))
      return llvm::createStringError(
          "axis '" + name + "' is skewed in one mapping and not in the other");
    return llvm::createStringError(
        "axis '" + name + "' has size " + Twine(*result.lookup(name)) +
        " in one mapping and " + Twine(size) + " in the other");
  }
  for (const Skew &skew : other.skewList) {
    const Skew *known = result.lookupSkew(skew.name);
    if (known && *known == skew)
      continue;
    if (known)
      return llvm::createStringError("skewed axis '" + skew.name +
                                     "' is declared in two ways");
    if (llvm::Error error = result.addSkew(skew))
      return error;
  }
  for (const Table &table : other.tableList) {
    const Table *known = result.lookupTable(table.name);
    if (!known)
      result.tableList.push_back(table);
    else if (known->values != table.values && !(*known == table))
      return llvm::createStringError("table '" + table.name +
                                     "' has two different contents");
  }
  return result;
}

std::string AxisSizes::str() const {
  std::string result;
  for (const auto &[name, size] : list) {
    if (!result.empty())
      result += ',';
    result += name + "=" + std::to_string(size);
  }
  for (const Skew &skew : skewList)
    result +=
        "," + skew.name + "=" + skew.base + (skew.plus ? "+" : "-") + skew.by;
  return result;
}
