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
#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <pybind11/pybind11.h>
#include <vector>

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

/// The same for work that rarely asks whether it is wanted, as passes of MLIR:
/// it runs on a thread of its own, which is left alone when a handler raises
/// and ends by itself. So the work shares nothing with its caller: it owns what
/// it uses. `Abandoned::wait()` waits for such threads before Python ends.
class Abandoned {
public:
  static void add(std::future<void> end) { list().push_back(std::move(end)); }
  static void wait() {
    pybind11::gil_scoped_release release;
    list().clear(); // a future of std::async waits
  }

private:
  static std::vector<std::future<void>> &list() {
    static std::vector<std::future<void>> futures;
    return futures;
  }
};

template <typename Work> auto abandonable(Work work) {
  using Result = decltype(work());
  struct State {
    std::atomic<bool> isUnwanted = false;
    std::optional<Result> result;
    ~State() {
      if (result)
        discard(std::move(*result));
    }
  };
  auto state = std::make_shared<State>();
  std::future<void> end =
      std::async(std::launch::async, [state, work = std::move(work)] {
        auto ask = [&] { return state->isUnwanted.load(); };
        InterruptScope scope(ask);
        state->result.emplace(work());
      });
  while (true) {
    bool isDone = [&] {
      pybind11::gil_scoped_release release;
      return end.wait_for(InterruptScope::kPeriod) == std::future_status::ready;
    }();
    if (isDone)
      break;
    if (PyErr_CheckSignals() != 0) {
      state->isUnwanted = true;
      Abandoned::add(std::move(end));
      throw pybind11::error_already_set();
    }
  }
  end.get(); // raises what the work has thrown: there was no memory
  Result result = std::move(*state->result);
  state->result.reset();
  return result;
}

} // namespace sequin::python

#endif // SEQUIN_PYTHON_INTERRUPTIBLE_H
