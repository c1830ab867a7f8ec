//===- CslOutput.h - The output directory of cslc ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler leaves for the host's runtime: docs/Spec/CslOutput.md.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_WAFER_CSLOUTPUT_H
#define SEQUIN_WAFER_CSLOUTPUT_H

#include "sequin/Wafer/Program.h"

namespace sequin::wafer {

/// Format version of out.json.
inline constexpr int64_t kCslOutputVersion = 1;

/// What PEs advertise to the host, as the source declares it.
struct AdvertisedSymbol {
  std::string name = {};
  /// As CSL writes it; of a function what it returns.
  std::string type = {};
  /// Functions: name and type of each parameter.
  std::vector<std::pair<std::string, std::string>> inputs = {};
};

/// What out.json says beyond what the wafer program says itself.
struct CslOutput {
  /// --params and --colors: name and value, in the order given.
  std::vector<std::pair<std::string, std::string>> params = {}, colors = {};
  std::string source = {}; ///< the layout file
  int64_t channels = 0;    ///< 0: without memcpy
  /// Read only. Of a program that cslc did not compile nothing is known.
  bool lacksMemcpy = false;
  int64_t westBuffers = 0, eastBuffers = 0;
  /// For bin/out_rpc.json. What is not here is described by what the wafer
  /// program knows of it.
  std::vector<AdvertisedSymbol> advertised = {};
};

/// Makes the directory and its files, and a file `copy` of out.json if it is
/// named. After an error what was there before is there. Several writers of one
/// directory take turns.
llvm::Error writeCslOutput(llvm::StringRef directory, const CslOutput &output,
                           const Program &program, llvm::StringRef copy = "");

/// Reads out.json and the wafer program that it names, which must be in the
/// directory, of one compilation. The program is not checked yet. Errors say
/// what is missing in the directory.
llvm::Expected<std::pair<CslOutput, Program>>
readCslOutput(llvm::StringRef directory);

/// The document that bin/out_rpc.json holds.
llvm::json::Value rpcSymbols(const Program &program,
                             llvm::ArrayRef<AdvertisedSymbol> advertised = {});
/// "f32", "u16", "bf16": an element as CSL names its type.
std::string typeName(ElementKind kind, unsigned bits, Fp16Format fp16);
/// Where the memory of all PEs is kept after a run.
std::string memoryFileOf(llvm::StringRef directory);

} // namespace sequin::wafer

#endif // SEQUIN_WAFER_CSLOUTPUT_H
