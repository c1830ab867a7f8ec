//===- WaferLoweringBenchmark.cpp - linalg programs on the wafer ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cycles from launch to the last event, checked against the linalg interpreter,
// and what part of the PEs' peak that is: elements of multiply-adds (f32: 1 a
// cycle and PE, 16 bits: as the machine table says) or of other arithmetic. The
// table in docs/Rationale/WaferLowering.md is its output.
//
//===----------------------------------------------------------------------===//

#include "LinalgToCslRun.h"
#include "sequin/Machine/CslMachine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace sequin;
using Options = LinalgToCslRun::Options;

static std::string shape(llvm::ArrayRef<int64_t> sizes, llvm::StringRef type) {
  std::string text = "tensor<";
  for (int64_t size : sizes)
    text += std::to_string(size) + "x";
  return text + type.str() + ">";
}

static std::string matmul(int64_t m, int64_t n, int64_t k,
                          llvm::StringRef type) {
  std::string a = shape({m, k}, type), b = shape({k, n}, type),
              c = shape({m, n}, type);
  return "func.func @main(%A: " + a + ", %B: " + b + ") -> " + c +
         " {\n%z = arith.constant 0.0 : " + type.str() +
         "\n%e = tensor.empty() : " + c +
         "\n%f = linalg.fill ins(%z : " + type.str() + ") outs(%e : " + c +
         ") -> " + c + "\n%c = linalg.matmul ins(%A, %B : " + a + ", " + b +
         ") outs(%f : " + c + ") -> " + c + "\nreturn %c : " + c + "\n}\n";
}

static std::string matvec(int64_t m, int64_t k) {
  std::string a = shape({m, k}, "f32"), x = shape({k}, "f32"),
              y = shape({m}, "f32");
  return "func.func @main(%A: " + a + ", %x: " + x + ", %y: " + y + ") -> " +
         y + " {\n%c = linalg.matvec ins(%A, %x : " + a + ", " + x +
         ") outs(%y : " + y + ") -> " + y + "\nreturn %c : " + y + "\n}\n";
}

/// Seven points, z in memory.
static std::string stencil(int64_t side, int64_t depth) {
  std::string whole = shape({side, side, depth}, "f32");
  std::string text = "func.func @main(%a: " + whole + ") -> " + whole +
                     " {\n%z = arith.constant 0.0 : f32\n"
                     "%k = arith.constant -6.0 : f32\n"
                     "%p = tensor.pad %a low[2, 2, 2] high[2, 2, 2] {\n"
                     "^bb0(%i: index, %j: index, %l: index):\n"
                     "tensor.yield %z : f32\n} : " +
                     whole + " to " +
                     shape({side + 4, side + 4, depth + 4}, "f32") +
                     "\n%e = tensor.empty() : " + whole +
                     "\n%r = linalg.generic {indexing_maps = [";
  std::string padded = shape({side + 4, side + 4, depth + 4}, "f32");
  int offsets[7][3] = {{2, 2, 2}, {1, 2, 2}, {3, 2, 2}, {2, 1, 2},
                       {2, 3, 2}, {2, 2, 1}, {2, 2, 3}};
  std::string ins, types, arguments;
  for (int n = 0; n < 7; ++n) {
    text += "affine_map<(i, j, l) -> (i + " + std::to_string(offsets[n][0]) +
            ", j + " + std::to_string(offsets[n][1]) + ", l + " +
            std::to_string(offsets[n][2]) + ")>, ";
    ins += n ? ", %p" : "%p";
    types += (n ? ", " : "") + padded;
    arguments += "%x" + std::to_string(n) + ": f32, ";
  }
  text += "affine_map<(i, j, l) -> (i, j, l)>], iterator_types = "
          "[\"parallel\", \"parallel\", \"parallel\"]} ins(" +
          ins + " : " + types + ") outs(%e : " + whole + ") {\n^bb0(" +
          arguments + "%o: f32):\n%y1 = arith.addf %x1, %x2 : f32\n";
  for (int n = 3; n < 7; ++n)
    text += "%y" + std::to_string(n - 1) + " = arith.addf %y" +
            std::to_string(n - 2) + ", %x" + std::to_string(n) + " : f32\n";
  text += "%c = arith.mulf %x0, %k : f32\n%s = arith.addf %y5, %c : f32\n"
          "linalg.yield %s : f32\n} -> " +
          whole + "\nreturn %r : " + whole + "\n}\n";
  return text;
}

static std::string sum(int64_t n) {
  std::string a = shape({n}, "f32");
  return "func.func @main(%a: " + a +
         ", %s: tensor<f32>) -> tensor<f32> {\n"
         "%r = linalg.reduce ins(%a : " +
         a +
         ") outs(%s : tensor<f32>) dimensions = [0] (%in: f32, %out: f32) {\n"
         "%q = arith.addf %in, %out : f32\nlinalg.yield %q : f32\n}\n"
         "return %r : tensor<f32>\n}\n";
}

int main() {
  struct Case {
    std::string name, text, target;
    int64_t width, height;
    std::string distribution;
    double work; ///< element operations
    DsdOpcode opcode;
  };
  auto gemm = [](int64_t n) { return double(n) * n * n; };
  std::vector<Case> cases;
  for (const char *target : {"wse2", "wse3"}) {
    auto add = [&](std::string name, std::string text, int64_t width,
                   int64_t height, std::string distribution, double work,
                   DsdOpcode opcode) {
      cases.push_back({std::move(name), std::move(text), target, width, height,
                       std::move(distribution), work, opcode});
    };
    add("GEMM 56, chosen", matmul(56, 56, 56, "f32"), 4, 4, "", gemm(56),
        DsdOpcode::Fmacs);
    add("GEMM 56, SUMMA", matmul(56, 56, 56, "f32"), 4, 4, "y,x;y,x", gemm(56),
        DsdOpcode::Fmacs);
    add("GEMM 128, SUMMA", matmul(128, 128, 128, "f32"), 4, 4, "y,x;y,x",
        gemm(128), DsdOpcode::Fmacs);
    add("GEMM 128, SUMMA, f16", matmul(128, 128, 128, "f16"), 4, 4, "y,x;y,x",
        gemm(128), DsdOpcode::Fmachs);
    add("GEMM 256, SUMMA", matmul(256, 256, 256, "f32"), 8, 8, "y,x;y,x",
        gemm(256), DsdOpcode::Fmacs);
    add("matvec 512", matvec(512, 512), 8, 8, "", 512.0 * 512,
        DsdOpcode::Fmacs);
    add("7 points, z = 128", stencil(16, 128), 16, 16, "", 7.0 * 16 * 16 * 128,
        DsdOpcode::Fmacs);
    add("sum of 65,536", sum(65536), 16, 16, "", 65536, DsdOpcode::Fadds);
  }
  llvm::outs() << "| program | machine | PEs | cycles | of peak | simulated in "
                  "|\n|---|---|---|---|---|---|\n";
  int bad = 0;
  for (const Case &one : cases) {
    Options options;
    options.target = one.target;
    options.width = one.width;
    options.height = one.height;
    options.distribution = one.distribution;
    options.magnitude = 1;
    LinalgToCslRun run(one.text, options);
    std::string wrong = run.check(1);
    if (!wrong.empty()) {
      llvm::errs() << one.name << " on " << one.target << ": " << wrong << "\n";
      bad = 1;
      continue;
    }
    double peak = double(one.width) * double(one.height) *
                  lookupCslMachine(one.target)->simdWidth(one.opcode);
    llvm::outs() << "| " << one.name << " | " << one.target << " | "
                 << one.width << " x " << one.height << " | " << run.cycles
                 << " | "
                 << llvm::format("%.0f %%",
                                 100 * one.work / (peak * double(run.cycles)))
                 << " | " << llvm::format("%.3f s", run.seconds) << " |\n";
  }
  return bad;
}
