//===- SourceRun.h - CSL programs, compiled and run ------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_TEST_UNIT_CSLIMPORT_SOURCERUN_H
#define SEQUIN_TEST_UNIT_CSLIMPORT_SOURCERUN_H

#include "mlir/IR/MLIRContext.h"
#include "sequin/Conversion/CslToWafer/DeriveProgram.h"
#include "sequin/Target/CslImport/CslImport.h"
#include "sequin/WaferSim/Simulator.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sequin {

/// The library of the build tree: beside the folder of the test programs.
inline std::string testLibrary() {
  return SEQUIN_BUILD_DIR "/share/sequin/csl";
}

/// A program of a few files, compiled; `errors` is what the compiler said.
class SourceRun {
public:
  using Files = std::vector<std::pair<std::string, std::string>>;

  explicit SourceRun(const Files &files, llvm::StringRef arch = "wse3",
                     csl_import::ImportOptions options = {})
      : options(options) {
    this->options.arch = arch.str();
    this->options.libraryPath = testLibrary();
    for (const auto &[name, text] : files)
      sources.add(name, text);
    csl_source::Diagnostics diagnostics(sources);
    module = csl_import::importCsl(files.front().first, this->options, context,
                                   sources, diagnostics);
    llvm::raw_string_ostream os(errors);
    diagnostics.print(os);
    if (!module)
      return;
    auto derived = csl_to_wafer::deriveProgram(*module);
    if (mlir::failed(derived)) {
      errors += "not derived";
      return;
    }
    program = std::move(*derived);
    auto made =
        wafer::Simulator::create(program, *lookupCslMachine(program.target));
    if (!made) {
      errors += llvm::toString(made.takeError());
      return;
    }
    simulator = std::move(*made);
  }

  bool good() const { return simulator != nullptr; }
  /// Launches a function everywhere and runs; the message of a trap or hang.
  std::string launch(llvm::StringRef name,
                     llvm::ArrayRef<uint64_t> arguments = {}) {
    if (llvm::Error error = simulator->launch(
            name, {0, 0, program.width, program.height}, arguments))
      return llvm::toString(std::move(error));
    return run();
  }
  std::string run() {
    switch (simulator->run()) {
    case wafer::Outcome::Finished:
      return "";
    case wafer::Outcome::Trapped:
      return simulator->trap()->message;
    default:
      return simulator->hang().str(program);
    }
  }
  template <typename T>
  void set(llvm::StringRef name, std::vector<T> values, int64_t x = 0,
           int64_t y = 0) {
    llvm::ArrayRef<uint8_t> bytes(
        reinterpret_cast<const uint8_t *>(values.data()),
        values.size() * sizeof(T));
    if (llvm::Error error = simulator->copyIn(name, x, y, bytes))
      ADD_FAILURE() << llvm::toString(std::move(error));
  }
  template <typename T>
  std::vector<T> get(llvm::StringRef name, size_t count, int64_t x = 0,
                     int64_t y = 0) {
    auto bytes = simulator->copyOut(name, x, y, count * sizeof(T));
    if (!bytes) {
      ADD_FAILURE() << llvm::toString(bytes.takeError());
      return {};
    }
    std::vector<T> values(count);
    memcpy(values.data(), bytes->data(), bytes->size());
    return values;
  }

  csl_import::ImportOptions options;
  mlir::MLIRContext context;
  csl_source::SourceManager sources;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string errors;
  wafer::Program program;
  std::unique_ptr<wafer::Simulator> simulator;
};

/// One PE whose function `main` fills `out`, 16 elements of a type.
inline SourceRun::Files onePe(llvm::StringRef type, llvm::StringRef body,
                              llvm::StringRef globals = "") {
  return {{"layout.csl", ("layout {\n"
                          "  @set_rectangle(1, 1);\n"
                          "  @set_tile_code(0, 0, \"pe.csl\");\n"
                          "  @export_name(\"out\", [*]" +
                          type +
                          ", true);\n"
                          "  @export_name(\"main\", fn() void);\n}\n")
                             .str()},
          {"pe.csl", ("var out: [16]" + type + ";\nvar out_ptr: [*]" + type +
                      " = &out;\n" + globals + "\nfn main() void {\n" + body +
                      "\n}\ncomptime {\n"
                      "  @export_symbol(out_ptr, \"out\");\n"
                      "  @export_symbol(main);\n}\n")
                         .str()}};
}

} // namespace sequin

#endif // SEQUIN_TEST_UNIT_CSLIMPORT_SOURCERUN_H
