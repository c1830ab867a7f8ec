//===- GemmBenchmark.cpp - Functional simulation against sgemm ------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     GemmBenchmark [bf16|f8E4M3FN|f8E5M2|i8|i4|config.json ...]
//
// Simulates a matrix product and multiplies matrices of the same size with
// OpenBLAS on one thread, in turns. Prints multiply-accumulates per second of
// both (of the simulator by the report's sim.wall_seconds), and the ratio. A
// type stands for two programs that bench/gemm.py prints for it, a kernel by
// hand, C = A B^T, and a linalg.matmul, C = A B, in the compiler's own
// lowering; a configuration is taken as the first. Without arguments, bf16.
// Inputs are small integers, and the results are compared.
//
//===----------------------------------------------------------------------===//

#include "sequin/Sim/Simulator.h"
#include "sequin/Support/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace sequin;

static constexpr int kRounds = 7;

namespace {
/// OpenBLAS on one thread.
class Blas {
public:
  Blas() {
    // Before the library starts its threads.
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    auto library =
        llvm::sys::DynamicLibrary::getPermanentLibrary("libopenblas.so.0");
    if (library.isValid())
      sgemm =
          reinterpret_cast<Sgemm>(library.getAddressOfSymbol("cblas_sgemm"));
  }
  explicit operator bool() const { return sgemm; }
  /// C[m, n] = A[m, k] B[k, n], or A[m, k] B[n, k]^T.
  void multiply(int m, int n, int k, const float *a, const float *b,
                bool isTransposed, float *c) const {
    constexpr int rowMajor = 101, plain = 111, transposed = 112;
    sgemm(rowMajor, plain, isTransposed ? transposed : plain, m, n, k, 1, a, k,
          b, isTransposed ? k : n, 0, c, n);
  }

private:
  using Sgemm = void (*)(int order, int transA, int transB, int m, int n, int k,
                         float alpha, const float *a, int lda, const float *b,
                         int ldb, float beta, float *c, int ldc);
  Sgemm sgemm = nullptr;
};
} // namespace

static std::string outputOf(const std::string &command) {
  std::string text;
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    return text;
  char buffer[4096];
  while (size_t count = fread(buffer, 1, sizeof(buffer), pipe))
    text.append(buffer, count);
  pclose(pipe);
  return text;
}

namespace {
struct Case {
  std::string name;
  std::string config;       ///< as text
  bool isTransposed = true; ///< B has the rows and columns of B^T
};
} // namespace

/// The configuration in a file, or those of the programs for a type.
static std::vector<Case> casesOf(llvm::StringRef argument) {
  if (argument.ends_with(".json")) {
    auto file = llvm::MemoryBuffer::getFile(argument);
    return {{argument.str(), file ? (*file)->getBuffer().str() : ""}};
  }
  auto configOf = [&](const std::string &flag, const std::string &passes) {
    return outputOf(SEQUIN_PYTHON " " SEQUIN_BENCH "/gemm.py " + flag +
                    argument.str() + " | " SEQUIN_TOOLS "/sequin-opt " +
                    passes +
                    " --tcp-to-config"
                    " | " SEQUIN_TOOLS "/sequin-translate --tcp-to-json");
  };
  return {{argument.str() + " by hand", configOf("", "")},
          {argument.str() + " linalg.matmul",
           configOf("--linalg ", "--linalg-to-tcp"), false}};
}

static double secondsOf(llvm::function_ref<void()> work) {
  auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

/// Integers from -3 to 3 in any order, as an argument and as floats.
static sim::HostArray makeInput(const config::Argument &argument, uint32_t seed,
                                std::vector<float> &values) {
  sim::HostArray array{argument.type, argument.shape, {}};
  array.data.resize(values.size() *
                    std::max(1u, getBitWidth(argument.type) / 8));
  for (size_t i = 0; i < values.size(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    int value = static_cast<int>((seed >> 16) % 7) - 3;
    values[i] = static_cast<float>(value);
    if (getBitWidth(argument.type) < 8)
      array.data[i] = static_cast<uint8_t>(value);
    else
      storeElement(argument.type, array.data.data(), i,
                   isFloat(argument.type)
                       ? encodeFloat(argument.type, values[i])
                       : encodeInt(argument.type, value));
  }
  return array;
}

static uint32_t encode(ElementType type, float value) {
  return isFloat(type) ? encodeFloat(type, value)
                       : encodeInt(type, static_cast<int32_t>(value));
}

static double median(std::vector<double> values) {
  llvm::sort(values);
  return values[values.size() / 2];
}

static llvm::Error runCase(const Case &test, const Blas &blas) {
  llvm::Expected<config::Program> program = config::fromJSONText(test.config);
  if (!program)
    return program.takeError();
  const TcpMachine *machine = lookupTcpMachine(program->target);
  if (!machine || program->inputs.size() != 2 || program->outputs.size() != 1)
    return llvm::createStringError("the program is not a matrix product");
  int64_t m = program->inputs[0].shape[0], k = program->inputs[0].shape[1];
  int64_t n = program->inputs[1].shape[test.isTransposed ? 0 : 1];
  double macs = static_cast<double>(m) * n * k;
  std::vector<float> a(m * k), b(n * k), c(m * n);
  std::vector<sim::HostArray> inputs = {makeInput(program->inputs[0], 1, a),
                                        makeInput(program->inputs[1], 2, b)};
  std::vector<double> ours, theirs, ratios;
  for (int round = 0; round < kRounds; ++round) {
    double sgemm = secondsOf([&] {
      blas.multiply(m, n, k, a.data(), b.data(), test.isTransposed, c.data());
    });
    llvm::Expected<sim::Result> result = sim::run(*program, *machine, inputs);
    if (!result)
      return result.takeError();
    const sim::HostArray &output = result->outputs.front();
    for (int64_t i = 0; i < m * n; ++i)
      if (loadElement(output.type, output.data.data(), i) !=
          encode(output.type, c[i]))
        return llvm::createStringError("result " + llvm::Twine(i) +
                                       " differs from sgemm's");
    double seconds = result->report.wallSeconds;
    ours.push_back(macs / seconds / 1e9);
    theirs.push_back(macs / sgemm / 1e9);
    ratios.push_back(sgemm / seconds);
  }
  llvm::outs() << test.name << " " << m << " x " << n << " x " << k
               << ": simulator " << llvm::format("%.1f", median(ours))
               << " GMAC/s, sgemm " << llvm::format("%.1f", median(theirs))
               << " GMAC/s, ratio " << llvm::format("%.2f", median(ratios))
               << " (medians of " << kRounds << "; best "
               << llvm::format("%.1f and %.1f", *llvm::max_element(ours),
                               *llvm::max_element(theirs))
               << ")\n";
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  Blas blas;
  if (!blas) {
    llvm::errs() << "error: no libopenblas.so.0 (Debian's libopenblas0)\n";
    return 1;
  }
  std::vector<llvm::StringRef> arguments(argv + 1, argv + argc);
  if (arguments.empty())
    arguments = {"bf16"};
  for (llvm::StringRef argument : arguments)
    for (const Case &test : casesOf(argument))
      if (llvm::Error error = runCase(test, blas)) {
        llvm::errs() << "error: " << test.name << ": "
                     << llvm::toString(std::move(error)) << "\n";
        return 1;
      }
  return 0;
}
