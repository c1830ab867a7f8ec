//===- HostTraces.cpp - What SdkRuntime keeps of a run --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferHost/HostTraces.h"
#include "sequin/Support/DsdArithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <tuple>

using namespace sequin;
using namespace sequin::wafer;

void HostTraces::hop(const Moment &at, const Hop &hop) {
  Recorder::hop(at, hop);
  if (landings && landed.size() < kMostLandings)
    landed.push_back({at, hop});
}

void HostTraces::taskStarts(const Moment &at, llvm::StringRef kind,
                            const Function &function) {
  if (spans++ < kMostSpans)
    Recorder::taskStarts(at, kind, function);
}

void HostTraces::operationStarts(const Moment &at, unsigned thread,
                                 DsdOpcode opcode, uint32_t length,
                                 Location location) {
  if (spans++ < kMostSpans)
    Recorder::operationStarts(at, thread, opcode, length, location);
}

/// "+1.500(3)": mantissa and exponent; zero has the least exponent.
static std::string floatText(float value, Fp16Format format) {
  dsd::Fp16Layout layout = dsd::getLayout(format);
  int exponent = -static_cast<int>(layout.bias);
  double mantissa = std::fabs(value);
  if (std::isfinite(value) && mantissa != 0) {
    int power;
    mantissa = 2 * std::frexp(mantissa, &power);
    exponent = power - 1;
  }
  return llvm::formatv("{0}{1:f3}({2})", std::signbit(value) ? '-' : '+',
                       mantissa, exponent)
      .str();
}

std::vector<std::string> HostTraces::landingLog() const {
  auto sorted = landed;
  // A router moves one wavelet of a color from a link in a cycle.
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    auto key = [](const std::pair<Moment, Hop> &one) {
      return std::tuple(one.first.cycle, one.first.y, one.first.x,
                        one.second.color, one.second.from);
    };
    return key(a) < key(b);
  });
  bool halves = lookupCslMachine(program.target)->explicitMicrothreads;
  std::vector<std::string> lines;
  lines.reserve(sorted.size());
  for (const auto &[at, hop] : sorted) {
    unsigned data = hop.data & 0xffff;
    lines.push_back(
        llvm::formatv(
            "@{0} P{1}.{2} (hwtile) landing C{3} from link {4}, ctrl={5}, "
            "idx={6}, data={7} ({8}), {9}ident=0000000000000000, lf=0",
            at.cycle, at.x + program.offsetX, at.y + program.offsetY,
            static_cast<unsigned>(hop.color), getName(hop.from).take_front(),
            hop.control ? 1 : 0,
            llvm::utohexstr(hop.data >> 16, /*LowerCase=*/true, 4),
            llvm::utohexstr(data, /*LowerCase=*/true, 4),
            floatText(dsd::decodeFp16(program.fp16, data), program.fp16),
            halves ? "half=0, " : "")
            .str());
  }
  return lines;
}
