//===- ReduceProgram.h - Chain and two-phase reduce by hand -----*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_WAFERSIM_REDUCEPROGRAM_H
#define SEQUIN_TEST_UNIT_WAFERSIM_REDUCEPROGRAM_H

#include "WaferBuilder.h"

namespace sequin::testing {

inline constexpr uint32_t kReduceData = 1024;

/// Element i of PE x is i % 64 + x.
inline float expectedSum(int64_t pes, unsigned i) {
  return static_cast<float>(pes * int64_t(i % 64) + pes * (pes - 1) / 2);
}

/// WSE-2, a row of `pes` PEs that sends its sum westwards to PE 0. Colors 0 and
/// 1 alternate from PE to PE within a group (each PE receives on one and sends
/// on the other); colors 2 and 3 do so from leader to leader and pass the PEs
/// in between.
inline Program makeReduce(int64_t pes, int64_t group, unsigned elements) {
  Program program = makeProgram("wse2", pes, 1);
  Descriptor data = mem1d(kReduceData, elements);

  /// Codes by place: what to do in phase 1 and 2, and on which colors.
  enum class Role { Nothing, Start, Middle, End };
  std::map<std::array<int, 4>, uint32_t> setups;
  auto setupOf = [&](Role one, int color1, Role two, int color2) {
    std::array<int, 4> key = {static_cast<int>(one), color1,
                              static_cast<int>(two), color2};
    auto [at, fresh] =
        setups.try_emplace(key, static_cast<uint32_t>(program.setups.size()));
    if (!fresh)
      return at->second;
    Code &code = program.codes.emplace_back();
    code.variables = {variable("data", kReduceData, 4, elements),
                      variable("x", 0, 4, 1)};
    FunctionBuilder f(code, "main");
    // The DSRs are loaded before the start.
    std::vector<InitialDsr> dsrs;
    auto dsr = [&](DsrFile file, const Descriptor &descriptor) {
      unsigned number = 1 + static_cast<unsigned>(dsrs.size());
      InitialDsr initial;
      initial.load.dsr = {file, static_cast<uint8_t>(number)};
      initial.descriptor = descriptor;
      dsrs.push_back(initial);
      return FunctionBuilder::dsr(file, number);
    };
    auto phase = [&](Role role, int color, unsigned in, unsigned out) {
      if (role == Role::Nothing)
        return;
      Operand to = dsr(DsrFile::Dest,
                       role == Role::End ? data : fabout(out, color, elements));
      if (role == Role::Start)
        f.run(makeOp(DsdOpcode::Fmovs, to, dsr(DsrFile::Source0, data)));
      else
        f.run(makeOp(DsdOpcode::Fadds, to,
                     dsr(DsrFile::Source0, fabin(in, elements)),
                     dsr(DsrFile::Source1, data)));
    };
    phase(one, color1, 0, 2);
    phase(two, color2, 1, 3);
    uint32_t main = f.finish();
    Setup setup = makeSetup(static_cast<uint32_t>(program.codes.size() - 1),
                            {{25, main}});
    setup.dsrs = dsrs;
    // It receives on the other color of the pair.
    setup.inputQueues = {queue(0, static_cast<uint8_t>(color1 ^ 1)),
                         queue(1, static_cast<uint8_t>(color2 ^ 1))};
    program.setups.push_back(setup);
    return at->second;
  };
  std::map<std::vector<uint8_t>, uint32_t> routers;
  int64_t groups = pes / group;
  for (int64_t x = 0; x < pes; ++x) {
    int64_t place = x % group, leader = x / group;
    Role one = group == 1           ? Role::Nothing
               : place == group - 1 ? Role::Start
               : place              ? Role::Middle
                                    : Role::End;
    int color1 = static_cast<int>(place % 2);
    Role two = place || groups == 1   ? Role::Nothing
               : leader == groups - 1 ? Role::Start
               : leader               ? Role::Middle
                                      : Role::End;
    int color2 = 2 + static_cast<int>(leader % 2);
    Pe &pe = program.pes[x];
    pe.setup = setupOf(one, color1, two, color2);

    Router router;
    if (one == Role::Start || one == Role::Middle)
      router.colors[color1] = route(R, W);
    if (one == Role::Middle || one == Role::End)
      router.colors[color1 ^ 1] = route(E, R);
    if (two == Role::Start || two == Role::Middle)
      router.colors[color2] = route(R, W);
    if (two == Role::Middle || two == Role::End)
      router.colors[color2 ^ 1] = route(E, R);
    if (place && leader + 1 < groups)
      router.colors[color2 ^ 1] = route(E, W);
    std::vector<uint8_t> key;
    for (auto &[color, config] : router.colors) {
      key.push_back(color);
      key.push_back(config.positions[0]->rx);
      key.push_back(config.positions[0]->tx);
    }
    auto [at, fresh] =
        routers.try_emplace(key, static_cast<uint32_t>(program.routers.size()));
    if (fresh)
      program.routers.push_back(router);
    pe.router = at->second;
    std::vector<float> values(elements);
    for (unsigned i = 0; i < elements; ++i)
      values[i] = static_cast<float>(i % 64 + x);
    Patch patch;
    patch.address = kReduceData;
    patch.data.resize(elements * 4);
    std::memcpy(patch.data.data(), values.data(), patch.data.size());
    pe.patches.push_back(std::move(patch));
  }
  return program;
}

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_WAFERSIM_REDUCEPROGRAM_H
