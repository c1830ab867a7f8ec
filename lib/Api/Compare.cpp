//===- Compare.cpp - Comparing results with a reference -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "Arrays.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace sequin;
using namespace sequin::api;

int64_t api::elementCount(const sim::HostArray &array) {
  int64_t count = 1;
  for (int64_t size : array.shape)
    count *= size;
  return count;
}

/// Host arrays hold sub-byte elements in a byte each.
static uint32_t elementBits(ElementType type, const std::vector<uint8_t> &data,
                            int64_t i) {
  return getBitWidth(type) < 8 ? data[i] : loadElement(type, data.data(), i);
}

static double elementValue(ElementType type, const std::vector<uint8_t> &data,
                           int64_t i) {
  uint32_t bits = elementBits(type, data, i);
  return isFloat(type) ? static_cast<double>(decodeFloat(type, bits))
                       : decodeInt(type, bits);
}

/// Compares element by element; differs(output, i, found, expected) decides.
template <typename Expected, typename ArrayOf, typename Differs>
static std::optional<std::string>
compareArrays(llvm::ArrayRef<sim::HostArray> found,
              llvm::ArrayRef<Expected> expected, ArrayOf arrayOf,
              Differs differs) {
  if (found.size() != expected.size())
    return llvm::formatv("{0} outputs, expected {1}", found.size(),
                         expected.size())
        .str();
  for (size_t output = 0; output < found.size(); ++output) {
    const sim::HostArray &ours = found[output];
    const reference::Array &theirs = arrayOf(expected[output]);
    if (ours.type != theirs.type || ours.data.size() != theirs.data.size())
      return llvm::formatv("output {0} is {1} {2}, expected {3} {4}", output,
                           getName(ours.type), shapeText(ours.shape),
                           getName(theirs.type), shapeText(theirs.shape))
          .str();
    for (int64_t i = 0, n = elementCount(ours); i < n; ++i) {
      if (!theirs.padding.empty() && theirs.padding[i])
        continue;
      double value = elementValue(ours.type, ours.data, i);
      double wanted = elementValue(theirs.type, theirs.data, i);
      std::optional<std::string> allowed =
          differs(expected[output], i, value, wanted);
      if (!allowed)
        continue;
      llvm::SmallVector<int64_t, 4> index(theirs.shape.size());
      for (int64_t dim = static_cast<int64_t>(index.size()) - 1, rest = i;
           dim >= 0; rest /= theirs.shape[dim--])
        index[dim] = rest % theirs.shape[dim];
      // Nine digits tell floats apart; integers have up to ten.
      const char *digits = isFloat(ours.type) ? "%.9g" : "%.0f";
      return llvm::formatv("output {0} at {1}: found {2}, expected {3}", output,
                           shapeText(index), llvm::format(digits, value),
                           llvm::format(digits, wanted))
                 .str() +
             *allowed;
    }
  }
  return std::nullopt;
}

std::optional<std::string>
api::compareExactly(llvm::ArrayRef<sim::HostArray> found,
                    llvm::ArrayRef<reference::Array> expected) {
  return compareArrays(
      found, expected,
      [](const reference::Array &array) -> const reference::Array & {
        return array;
      },
      [](const reference::Array &, int64_t, double value,
         double wanted) -> std::optional<std::string> {
        // Elements of one type are equal as numbers iff their bits are, but for
        // the exceptions that are meant.
        if (value == wanted || (std::isnan(value) && std::isnan(wanted)))
          return std::nullopt;
        return "";
      });
}

std::optional<std::string>
api::compareClosely(llvm::ArrayRef<sim::HostArray> found,
                    llvm::ArrayRef<reference::LinalgResult> expected) {
  return compareArrays(
      found, expected,
      [](const reference::LinalgResult &result) -> const reference::Array & {
        return result.value;
      },
      [](const reference::LinalgResult &result, int64_t i, double value,
         double wanted) -> std::optional<std::string> {
        if (value == wanted || (std::isnan(value) && std::isnan(wanted)))
          return std::nullopt;
        // Where the reference knows nothing, NaN is right too: of infinities on
        // the way.
        double tolerance = result.tolerance.empty() ? 0 : result.tolerance[i];
        if (std::fabs(value - wanted) <= tolerance || std::isinf(tolerance))
          return std::nullopt;
        if (std::isnan(wanted))
          return "; the machine's Max and Min, unlike arith.maximumf and "
                 "arith.minimumf, return the operand that is not NaN";
        return llvm::formatv(" within {0}", llvm::format("%.3g", tolerance))
            .str();
      });
}
