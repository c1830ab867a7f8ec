//===- Interruptible.h - Long work that Ctrl-C ends -------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_PYTHON_INTERRUPTIBLE_H
#define SEQUIN_PYTHON_INTERRUPTIBLE_H

#include "sequin/Support/Interrupt.h"
#include <optional>
#include <pybind11/pybind11.h>

namespace sequin::python {

inline void discard(llvm::Error error) { llvm::consumeError(std::move(error)); }
template <typename T> void discard(llvm::Expected<T> value) {
  llvm::consumeError(value.takeError());
}

/// Calls `work`, which returns an Error or an Expected and uses nothing of
/// Python, without the interpreter lock. Python's handlers of signals run
/// meanwhile, as they do between steps of a script; what one of them raises,
/// such as KeyboardInterrupt, is raised here in the place of a result.
template <typename Work> auto interruptible(Work work) {
  std::optional<pybind11::error_already_set> raised;
  auto ask = [&] {
    pybind11::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() == 0)
      return false;
    raised.emplace();
    return true;
  };
  auto result = [&] {
    pybind11::gil_scoped_release release;
    InterruptScope scope(ask);
    return work();
  }();
  if (raised) {
    discard(std::move(result));
    raised->restore();
    throw pybind11::error_already_set();
  }
  return result;
}

} // namespace sequin::python

#endif // SEQUIN_PYTHON_INTERRUPTIBLE_H
