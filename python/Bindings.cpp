//===- Bindings.cpp - The native half of the Python package ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// sequin._core: sequin/Api for the modules beside it, which are what users see.
// Arrays are NumPy's, everything else is text, numbers and JSON.
//
// This is the only file that is compiled with exceptions. None passes through a
// frame of another file: the libraries return llvm::Error, which becomes an
// exception here, after they have returned, and nothing calls back into Python.
//
//===----------------------------------------------------------------------===//

#include "Interruptible.h"
#include "sequin/Api/MappingQuery.h"
#include "sequin/Api/Program.h"
#include "sequin/Api/VisaQuery.h"
#include "sequin/Machine/CslMachine.h"
#include "sequin/Page/TcpPage.h"
#include "sequin/Pipelines/Einsum.h"
#include "sequin/Stream/DrawSvg.h"
#include "sequin/Stream/Explain.h"
#include "sequin/Stream/StreamJson.h"
#include "sequin/Support/Progress.h"
#include "sequin/Support/Version.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace sequin;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Text of the user's may be no UTF-8.
static py::object toPython(llvm::StringRef text) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), text.size(), "replace"));
}

static py::object orNone(bool isThere, py::object object) {
  return isThere ? std::move(object) : py::none();
}

/// The arguments of sequin.errors.Diagnostic.
static py::tuple toPython(const api::Message &message) {
  py::list notes;
  for (const api::Message &note : message.notes)
    notes.append(toPython(note));
  bool placed = !message.file.empty() || message.line > 0;
  return py::make_tuple(api::getName(message.severity).str(),
                        toPython(message.text),
                        orNone(placed, toPython(message.file)),
                        orNone(placed, py::int_(message.line)),
                        orNone(placed, py::int_(message.column)), notes);
}

static py::list toPython(llvm::ArrayRef<api::Message> messages) {
  py::list list;
  for (const api::Message &message : messages)
    list.append(toPython(message));
  return list;
}

static const char *nameOf(api::Refusal::Kind kind) {
  switch (kind) {
  case api::Refusal::Kind::Program:
    return "CompileError";
  case api::Refusal::Kind::Input:
    return "InputError";
  case api::Refusal::Kind::Verification:
    return "VerificationError";
  }
  llvm_unreachable("a kind of refusal");
}

/// Raises what sequin.errors makes of `error`; errors of no class of the API
/// become `otherwise`. The interpreter lock is held.
[[noreturn]] static void raise(llvm::Error error, const char *otherwise) {
  py::module_ errors = py::module_::import("sequin.errors");
  py::object exception;
  llvm::handleAllErrors(
      std::move(error),
      [&](const api::Refusal &refusal) {
        exception = errors.attr(nameOf(refusal.getKind()))(
            toPython(refusal.getPrinted()), toPython(refusal.getMessages()));
      },
      [&](const sim::Trap &trap) {
        exception = errors.attr("SimulationTrap")(
            toPython("error: " + trap.message()), toPython(trap.getCommand()),
            toPython(trap.getStage()), toPython(trap.getWhat()));
      },
      [&](const llvm::ErrorInfoBase &other) {
        exception =
            errors.attr(otherwise)(toPython("error: " + other.message()));
      });
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())),
                  exception.ptr());
  throw py::error_already_set();
}

template <typename T>
static T valueOrRaise(llvm::Expected<T> value, const char *otherwise) {
  if (!value)
    raise(value.takeError(), otherwise);
  return std::move(*value);
}

/// Calls `work`, which returns an Expected and uses nothing of Python, without
/// the interpreter lock.
template <typename Work>
static auto withoutLock(const char *otherwise, Work work) {
  return valueOrRaise(python::interruptible(std::move(work)), otherwise);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

namespace {
/// An array of Python's, whose elements are read without the interpreter lock:
/// whoever calls keeps the array.
struct BorrowedArray {
  NpyArray head; ///< without elements
  llvm::ArrayRef<uint8_t> elements;

  NpyArray copy() const {
    NpyArray array = head;
    array.data.assign(elements.begin(), elements.end());
    return array;
  }
};
} // namespace

/// `array` is in C order, which the Python side sees to.
static BorrowedArray borrow(const std::string &name, const py::array &array) {
  BorrowedArray result;
  auto dtype = parseNpyDtype(py::cast<std::string>(array.dtype().attr("str")));
  if (!dtype)
    raise(api::refuse(api::Refusal::Kind::Input,
                      "'" + name + "': " + llvm::toString(dtype.takeError())),
          "InputError");
  result.head.dtype = std::move(*dtype);
  result.head.shape.assign(array.shape(), array.shape() + array.ndim());
  result.elements = {static_cast<const uint8_t *>(array.data()),
                     static_cast<size_t>(array.nbytes())};
  return result;
}

/// Takes the data over without copying it.
static py::array toPython(NpyArray array) {
  std::string dtype =
      (array.elementBytes() > 1 ? "<" : "|") + std::move(array.dtype);
  auto *data = new std::vector<uint8_t>(std::move(array.data));
  py::capsule owner(data, [](void *owned) {
    delete static_cast<std::vector<uint8_t> *>(owned);
  });
  return py::array(
      py::dtype(dtype),
      std::vector<py::ssize_t>(array.shape.begin(), array.shape.end()),
      data->data(), owner);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {

/// Shows the work of this thread on a line, if there is one.
class ShownWork {
public:
  explicit ShownWork(std::shared_ptr<ProgressLine> given)
      : line(std::move(given)) {
    if (line)
      scope.emplace(*line);
  }
  ~ShownWork() {
    if (line)
      line->clear();
  }

private:
  std::shared_ptr<ProgressLine> line;
  std::optional<ProgressScope> scope;
};

/// The report of one run; its forms are made when they are asked for.
struct RunReport {
  api::RunResult result; ///< without its outputs
  std::shared_ptr<const api::Program> program;
  std::optional<int64_t> maxSteps;

  /// The times of a run do not depend on its data, so what a page needs besides
  /// the report is not kept: the clock runs once more.
  std::string page(const std::string &title, const std::string &name,
                   const std::string &text) const {
    return withoutLock("InputError", [&]() -> llvm::Expected<std::string> {
      api::RunOptions options;
      options.timingOnly = options.keepAccesses = true;
      options.maxSteps = maxSteps;
      auto again = program->run({}, options);
      if (!again)
        return again.takeError();
      page::TcpRun run{program->config(), program->machine(), &again->report,
                       nullptr, &program->mappings()};
      if (!text.empty())
        run.sources.push_back({name, text});
      std::string made;
      llvm::raw_string_ostream os(made);
      page::writeTcpPage(os, {title, ""}, run);
      return made;
    });
  }
  std::string json() const {
    return llvm::formatv("{0}", api::toJSON(result)).str();
  }
  std::string timeline() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    sim::writeChromeTrace(os, result.report);
    return text;
  }
};

} // namespace

static std::shared_ptr<api::Program>
compile(std::string path, std::optional<std::string> text, std::string einsum,
        std::vector<std::string> sizes, std::string dtype,
        std::string outputDtype, std::string target,
        std::optional<int64_t> chips, std::string entry, bool allowBf16,
        bool allowNarrow, std::string argumentLayout, std::string addresses,
        std::map<std::string, std::string> operations,
        std::shared_ptr<ProgressLine> line) {
  api::CompileOptions options;
  options.operations = std::move(operations);
  options.recordMappings = true;
  options.path = std::move(path);
  options.text = std::move(text);
  options.einsum = std::move(einsum);
  options.sizes = std::move(sizes);
  options.dtype = std::move(dtype);
  options.outputDtype = std::move(outputDtype);
  options.target = std::move(target);
  options.chips = chips;
  options.entry = std::move(entry);
  options.allowBf16 = allowBf16;
  options.allowNarrow = allowNarrow;
  options.argumentLayout = std::move(argumentLayout);
  options.addresses = std::move(addresses);
  auto work = [options = std::move(options), line] {
    ShownWork shown(line);
    return api::Program::compile(options);
  };
  try {
    return valueOrRaise(python::abandonable(std::move(work)), "CompileError");
  } catch (py::error_already_set &) {
    if (line)
      line->hide(); // from passes that are not wanted any more
    throw;
  }
}

static std::shared_ptr<ProgressLine> makeLine(const std::string &name) {
  std::optional<ProgressMode> mode = parseProgressMode(name);
  if (!mode)
    raise(llvm::createStringError("progress is '" + name +
                                  "', known are auto, always and never"),
          "UsageError");
  return std::make_shared<ProgressLine>(*mode);
}

static py::list describe(llvm::ArrayRef<config::Argument> arguments) {
  py::list list;
  for (const config::Argument &argument : arguments)
    list.append(
        py::make_tuple(argument.name, getName(argument.type).str(),
                       py::tuple(py::cast(std::vector<int64_t>(
                           argument.shape.begin(), argument.shape.end())))));
  return list;
}

/// The results as arrays, the report and what verification says.
static py::tuple
run(const std::shared_ptr<api::Program> &shared,
    const std::vector<std::pair<std::string, py::array>> &given,
    bool timingOnly, bool verify, bool raw, std::optional<int64_t> maxSteps,
    std::shared_ptr<ProgressLine> line) {
  const api::Program &program = *shared;
  size_t count = program.inputs().size();
  if (!timingOnly && given.size() != count)
    raise(api::refuse(api::Refusal::Kind::Input,
                      "the program takes " + program.describeInputs() +
                          ", found " + llvm::Twine(given.size())),
          "InputError");
  std::vector<BorrowedArray> arrays;
  if (!timingOnly)
    for (const auto &[name, array] : given)
      arrays.push_back(borrow(name, array));

  struct Outcome {
    std::vector<NpyArray> arrays;
    api::RunResult result;
  };
  Outcome outcome = withoutLock("InputError", [&]() -> llvm::Expected<Outcome> {
    ShownWork shown(line);
    std::vector<sim::HostArray> inputs;
    for (auto [i, array] : llvm::enumerate(arrays)) {
      if (interrupted())
        return interruptedError();
      reportProgress({"read", "", static_cast<int64_t>(i),
                      static_cast<int64_t>(arrays.size()), "arrays"});
      auto input = program.toInput(i, array.copy(), given[i].first);
      if (!input)
        return input.takeError();
      inputs.push_back(std::move(*input));
    }
    api::RunOptions options;
    options.timingOnly = timingOnly;
    options.verify = verify;
    options.maxSteps = maxSteps;
    auto result = program.run(inputs, options);
    if (!result)
      return result.takeError();
    Outcome outcome{{}, std::move(*result)};
    if (!timingOnly)
      for (auto [i, array] : llvm::enumerate(outcome.result.outputs))
        outcome.arrays.push_back(program.toOutput(i, array, raw));
    return outcome;
  });
  py::list results;
  for (NpyArray &array : outcome.arrays)
    results.append(toPython(std::move(array)));
  outcome.result.outputs.clear();
  std::string verified = outcome.result.verified;
  return py::make_tuple(results,
                        RunReport{std::move(outcome.result), shared, maxSteps},
                        verified);
}

static std::string mlirOf(const api::Program &program,
                          const std::string &name) {
  std::optional<api::Level> level = api::parseLevel(name);
  if (!level)
    raise(llvm::createStringError("level is '" + name +
                                  "', known are given, tcp and config"),
          "UsageError");
  return withoutLock("InputError", [&] { return program.mlir(*level); });
}

static py::tuple parseEinsumText(const std::string &text) {
  auto parsed = parseEinsum(text);
  if (!parsed)
    raise(api::refuse(api::Refusal::Kind::Program,
                      llvm::toString(parsed.takeError())),
          "CompileError");
  return py::make_tuple(std::vector<std::string>(parsed->operands.begin(),
                                                 parsed->operands.end()),
                        parsed->result);
}

static std::string readVisa(const std::string &path,
                            const std::optional<std::string> &text,
                            const std::vector<std::string> &libraries) {
  return withoutLock("CompileError",
                     [&] { return api::readVisa(path, text, libraries); });
}

static std::string machineJson(const std::string &name) {
  if (const TcpMachine *machine = lookupTcpMachine(name))
    return llvm::formatv("{0}", toJSON(*machine)).str();
  if (const CslMachine *machine = lookupCslMachine(name))
    return llvm::formatv("{0}", toJSON(*machine)).str();
  raise(llvm::createStringError("unknown machine '" + name + "', known are " +
                                knownMachineNames() + ", " +
                                knownCslMachineNames()),
        "UsageError");
}

//===----------------------------------------------------------------------===//
// Mappings
//===----------------------------------------------------------------------===//

static Mapping parseMapping(const std::string &text, const std::string &axes,
                            const std::vector<std::string> &tables) {
  AxisSizes sizes = valueOrRaise(api::parseAxes(axes, tables), "MappingError");
  return valueOrRaise(Mapping::parse(text, sizes), "MappingError");
}

static std::string evaluate(const Mapping &mapping) {
  return withoutLock("MappingError", [&]() -> llvm::Expected<std::string> {
    if (llvm::Error error = api::checkListable(mapping))
      return error;
    std::string text;
    llvm::raw_string_ostream os(text);
    writeEvaluation(os, mapping);
    return text;
  });
}

/// None, or the JSON of the comparison and the sentence about it.
static py::object compare(const Mapping &left, const Mapping &right) {
  std::optional<int64_t> difference = withoutLock(
      "MappingError", [&] { return api::findDifference(left, right); });
  if (!difference)
    return py::none();
  std::string text;
  llvm::raw_string_ostream os(text);
  writeComparison(os, left, right, difference);
  return py::make_tuple(text,
                        api::describeDifference(left, right, *difference));
}

/// The JSON of the derivation, its loops as text, and how it came about.
static py::tuple deriveFor(const Mapping &time, const std::string &buffer,
                           const std::string &packet, const std::string &dtype,
                           const std::string &direction, bool minimal,
                           int64_t segments, const std::string &target) {
  api::DeriveRequest request;
  request.target = target;
  request.dtype = dtype;
  request.direction = direction;
  request.buffer = buffer;
  request.time = time.str();
  request.packet = packet;
  request.minimal = minimal;
  request.segments = segments;
  api::DeriveAnswer answer = withoutLock(
      "MappingError", [&] { return api::derive(request, time.axes()); });
  std::string json, why;
  llvm::raw_string_ostream jsonStream(json), whyStream(why);
  writeDerivation(jsonStream, answer.derivation);
  explain(whyStream, answer.buffer, answer.options, answer.derivation);
  return py::make_tuple(json, answer.derivation.sequencer.str(), why);
}

static std::string draw(const Mapping &mapping) {
  return withoutLock("MappingError", [&]() -> llvm::Expected<std::string> {
    std::string picture;
    llvm::raw_string_ostream os(picture);
    if (llvm::Error error = drawSvg(os, mapping))
      return error;
    return picture;
  });
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

PYBIND11_MODULE(_core, module) {
  module.doc() = "The native half of the package sequin; not for direct use.";

  module.attr("version") = version().str();
  module.attr("version_text") = versionText();

  py::module_::import("atexit").attr("register")(
      py::cpp_function(&python::Abandoned::wait));

  py::class_<RunReport>(module, "RunReport")
      .def("json", &RunReport::json)
      .def("timeline", &RunReport::timeline)
      .def("page", &RunReport::page, py::arg("title"), py::arg("name"),
           py::arg("text"));

  py::class_<ProgressLine, std::shared_ptr<ProgressLine>>(
      module, "ProgressLine",
      "The last line of stderr, which says how far long work is. `mode` is "
      "'auto' (if stderr is a terminal), 'always' or 'never'.")
      .def(py::init(&makeLine), py::arg("mode"))
      .def(
          "show",
          [](ProgressLine &line, const std::string &phase,
             const std::string &what, int64_t done, int64_t total,
             const std::string &unit) {
            line.show({phase, what, done, total, unit});
          },
          py::arg("phase"), py::arg("what"), py::arg("done"), py::arg("total"),
          py::arg("unit"))
      .def("clear", &ProgressLine::clear);

  py::class_<api::Program, std::shared_ptr<api::Program>>(module, "Program")
      .def_static("compile", &compile, py::kw_only(), py::arg("path"),
                  py::arg("text"), py::arg("einsum"), py::arg("sizes"),
                  py::arg("dtype"), py::arg("output_dtype"), py::arg("target"),
                  py::arg("chips"), py::arg("entry"), py::arg("allow_bf16"),
                  py::arg("allow_narrow"), py::arg("argument_layout"),
                  py::arg("addresses"), py::arg("operations"),
                  py::arg("progress"))
      .def("run", &run, py::arg("arrays"), py::kw_only(),
           py::arg("timing_only"), py::arg("verify"), py::arg("raw"),
           py::arg("max_steps"), py::arg("progress"))
      .def("mlir", &mlirOf, py::arg("level"))
      .def("json", &api::Program::json)
      .def("inputs", [](const api::Program &p) { return describe(p.inputs()); })
      .def("outputs",
           [](const api::Program &p) { return describe(p.outputs()); })
      .def("warnings",
           [](const api::Program &p) { return toPython(p.warnings()); })
      .def("target", [](const api::Program &p) { return p.config().target; })
      .def("chips", [](const api::Program &p) { return p.config().chips; });

  py::class_<Mapping>(module, "Mapping")
      .def(py::init(&parseMapping), py::arg("text"), py::arg("axes"),
           py::arg("tables"))
      .def("text", &Mapping::str)
      .def("normal", &Mapping::normalStr)
      .def("size", &Mapping::size)
      .def("valid_size", &Mapping::validSize)
      .def("evaluate", &evaluate)
      .def("compare", &compare, py::arg("other"))
      .def("derive", &deriveFor, py::arg("buffer"), py::arg("packet"),
           py::arg("dtype"), py::arg("direction"), py::arg("minimal"),
           py::arg("segments"), py::arg("target"))
      .def("draw", &draw);

  module.def("parse_einsum", &parseEinsumText, py::arg("text"));
  module.def("read_visa", &readVisa, py::arg("path"), py::arg("text"),
             py::arg("libraries"));
  module.def("end_search", &endSearch);
  module.def("machine", &machineJson, py::arg("name"));
  module.def("machine_names", [] {
    return py::make_tuple(knownMachineNames(), knownCslMachineNames());
  });
}
