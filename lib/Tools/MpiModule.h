//===- MpiModule.h - What MPI does for sequin-run ---------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPI is in a library of its own, libsequin-mpi.so, which is loaded under
// mpirun only: a program that runs alone neither starts nor needs MPI. These
// are the functions of that library, which needs nothing of Sequin.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TOOLS_MPIMODULE_H
#define SEQUIN_LIB_TOOLS_MPIMODULE_H

#include <cstddef>

namespace sequin::tools {

struct MpiModule {
  static constexpr unsigned kVersion = 1;
  unsigned version;
  /// Whether MPI is there now; rank and size of the world.
  bool (*start)(unsigned *rank, unsigned *size);
  /// Copies what is sent, and does not wait.
  void (*send)(unsigned to, const void *bytes, size_t size);
  /// Waits for the next message and puts it to where `room` says.
  void (*receive)(unsigned from, void *(*room)(void *context, size_t size),
                  void *context);
  void (*gather)(const void *mine, size_t size, void *all);
  /// After the last message.
  void (*finish)();
};

using GetMpiModule = const MpiModule *();
inline constexpr const char *kGetMpiModule = "sequinGetMpiModule";

} // namespace sequin::tools

#endif // SEQUIN_LIB_TOOLS_MPIMODULE_H
