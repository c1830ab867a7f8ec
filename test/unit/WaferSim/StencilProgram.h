//===- StencilProgram.h - A 7-point stencil by hand -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_WAFERSIM_STENCILPROGRAM_H
#define SEQUIN_TEST_UNIT_WAFERSIM_STENCILPROGRAM_H

#include "WaferBuilder.h"

namespace sequin::testing {

inline constexpr uint32_t kStencilField = 1024, kStencilSum = 8192,
                          kStencilSide = 16384, kStencilSideBytes = 2048;
inline constexpr float kStencilFactor = 0.125f;

inline float stencilStart(int64_t x, int64_t y, int64_t z) {
  return static_cast<float>((3 * x + 5 * y + 7 * z) % 16);
}

/// WSE-2, `width` x `height` PEs with a column of `depth` f32 each and a zero
/// above and below. A step: side[i] = what comes from there, of the first two
/// with the element above or below added; sum = the sides; field += factor *
/// sum. A color per direction of travel and parity. Four microthreads send and
/// four receive; the next step begins when all of them have counted themselves
/// done, with the update of the field, which the senders read. (One multicast
/// to all four sides would stop for good as soon as a column does not fit into
/// the buffers: a PE that takes one side after the other holds up the sides
/// that it does not take yet.)
inline Program makeStencil(int64_t width, int64_t height, unsigned depth,
                           unsigned steps) {
  Program program = makeProgram("wse2", width, height);
  struct Side {
    int dx, dy;
    Directions direction;
    unsigned queue;
    uint8_t in, out; ///< colors of even PEs: what comes from there, goes there
  };
  // The parity is that of x or y; what a PE sends on c is heard as c.
  const Side sides[] = {{-1, 0, W, 0, 0, 2},
                        {1, 0, E, 1, 2, 0},
                        {0, -1, N, 2, 4, 6},
                        {0, 1, S, 3, 6, 4}};
  std::map<std::vector<int>, uint32_t> known;
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      std::vector<int> key = {static_cast<int>(x % 2), static_cast<int>(y % 2)};
      for (const Side &side : sides) {
        int64_t nx = x + side.dx, ny = y + side.dy;
        key.push_back(nx >= 0 && nx < width && ny >= 0 && ny < height);
      }
      auto [at, fresh] =
          known.try_emplace(key, static_cast<uint32_t>(program.codes.size()));
      Pe &pe = program.pes[y * width + x];
      pe.setup = pe.router = at->second;
      Patch patch;
      patch.address = kStencilField + 4;
      std::vector<float> column(depth);
      for (unsigned z = 0; z < depth; ++z)
        column[z] = stencilStart(x, y, z);
      patch.data.resize(4 * depth);
      std::memcpy(patch.data.data(), column.data(), 4 * depth);
      pe.patches.push_back(std::move(patch));
      if (!fresh)
        continue;

      Code &code = program.codes.emplace_back();
      code.variables = {variable("field", kStencilField, 4, depth + 2),
                        variable("sum", kStencilSum, 4, depth),
                        variable("left", 0, 2, 1), variable("done", 2, 2, 1)};
      for (unsigned i = 0; i < 4; ++i)
        code.variables.push_back(variable("side" + std::to_string(i),
                                          kStencilSide + i * kStencilSideBytes,
                                          4, depth));
      for (size_t i = 4; i < code.variables.size(); ++i)
        code.variables[i].data.resize(4 * depth);
      code.variables[2].data = {static_cast<uint8_t>(steps),
                                static_cast<uint8_t>(steps >> 8)};
      wafer::Setup setup = makeSetup(at->second, {{25, 1},
                                                  {26, 0},
                                                  {27, 0},
                                                  {24, 0},
                                                  {28, 0},
                                                  {20, 0},
                                                  {21, 0},
                                                  {22, 0},
                                                  {23, 0}});
      Router router;
      unsigned threads = 0;
      for (size_t i = 2; i < key.size(); ++i)
        threads += 2 * key[i];
      // Function 0: one more is done; the last one starts the next step.
      FunctionBuilder g(code, "count");
      Register done = g.load(2, 16);
      Register all = g.constant(threads);
      Register one = g.constant(1);
      Register more = g.emit(Opcode::Add, done, one, 0, 16);
      Register last = g.emit(Opcode::Equal, more, all, 0, 16);
      Register zero = g.constant(0);
      Register next = g.emit(Opcode::Select, last, zero, more);
      g.store(next, 2, 16);
      uint32_t skip = g.next();
      g.effect(Opcode::JumpIfNot, last);
      g.activate(25);
      g.at(skip).immediate = g.next();
      g.finish();
      FunctionBuilder f(code, "step");
      std::array<unsigned, 3> numbers = {};
      auto dsr = [&](DsrFile file, const Descriptor &descriptor) {
        unsigned number = numbers[static_cast<unsigned>(file)]++;
        InitialDsr initial;
        initial.load.dsr = {file, static_cast<uint8_t>(number)};
        initial.descriptor = descriptor;
        setup.dsrs.push_back(initial);
        return FunctionBuilder::dsr(file, number);
      };
      // Registers of one number in different files are different registers.
      auto dest = [&](const Descriptor &d) { return dsr(DsrFile::Dest, d); };
      auto first = [&](const Descriptor &d) {
        return dsr(DsrFile::Source0, d);
      };
      auto second = [&](const Descriptor &d) {
        return dsr(DsrFile::Source1, d);
      };
      Descriptor field = mem1d(kStencilField + 4, depth);
      Descriptor sum = mem1d(kStencilSum, depth);
      auto sideOf = [&](unsigned i) {
        return mem1d(kStencilSide + i * kStencilSideBytes, depth);
      };
      Operation update =
          makeOp(DsdOpcode::Fmacs, dest(field), first(field), second(sum));
      update.scalar = f.constant(llvm::bit_cast<uint32_t>(kStencilFactor));
      Operand sumDest = dest(sum), sumSource = first(sum);
      // The sum of the first step is 0.
      f.run(makeOp(DsdOpcode::Fadds, sumDest, first(sideOf(0)),
                   second(sideOf(1))));
      for (unsigned i : {2u, 3u})
        f.run(makeOp(DsdOpcode::Fadds, sumDest, sumSource, second(sideOf(i))));
      f.run(update);
      Register left = f.load(0, 16);
      uint32_t exit = f.next();
      f.effect(Opcode::JumpIfNot, left);
      Register unit = f.constant(1);
      Register less = f.emit(Opcode::Sub, left, unit, 0, 16);
      f.store(less, 0, 16);
      static constexpr unsigned sent[] = {24, 26, 27, 28};
      static constexpr unsigned got[] = {20, 21, 22, 23};
      const Descriptor above = mem1d(kStencilField, depth);
      const Descriptor below = mem1d(kStencilField + 8, depth);
      for (auto [i, side] : llvm::enumerate(sides)) {
        Operand to = dest(sideOf(static_cast<unsigned>(i)));
        const Descriptor &column = i == 0 ? above : below;
        if (!key[2 + i]) {
          // Nobody is there; what would be added to it is all.
          if (i < 2)
            f.run(makeOp(DsdOpcode::Fmovs, to, second(column)));
          continue;
        }
        uint8_t in = side.in + (1 - key[side.dx ? 0 : 1]);
        uint8_t out = side.out + key[side.dx ? 0 : 1];
        router.colors[in] = route(side.direction, R);
        router.colors[out] = route(R, side.direction);
        // Input queues 4 to 7 are microthreads 4 to 7, output queues the
        // others.
        setup.inputQueues.push_back(queue(4 + side.queue, in));
        Operand from = second(fabin(4 + side.queue, depth));
        Operation take = i < 2
                             ? makeOp(DsdOpcode::Fadds, to, first(column), from)
                             : makeOp(DsdOpcode::Fmovs, to, from);
        take.options.async = true;
        take.options.completion = Completion::Activate;
        take.options.completionTarget = f.constant(got[i]);
        f.run(take);
        Operation send =
            makeOp(DsdOpcode::Fmovs, dest(fabout(side.queue, out, depth)),
                   first(field));
        send.options.async = true;
        send.options.completion = Completion::Activate;
        send.options.completionTarget = f.constant(sent[i]);
        f.run(send);
      }
      f.at(exit).immediate = f.next();
      f.finish();
      program.setups.push_back(setup);
      program.routers.push_back(router);
    }
  return program;
}

} // namespace sequin::testing

#endif // SEQUIN_TEST_UNIT_WAFERSIM_STENCILPROGRAM_H
