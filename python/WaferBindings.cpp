//===- WaferBindings.cpp - The native half of the wafer's runtime ---------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// sequin._wafer: a simulated wafer that a host drives, for sequin.host. It
// links no MLIR, so that importing the runtime is quick.
//
// As in Bindings.cpp no exception passes through a frame of another file. What
// the simulator writes into arrays it writes without the interpreter lock:
// sequin.host keeps an array alive until the task that fills it is done.
//
//===----------------------------------------------------------------------===//

#include "Interruptible.h"
#include "sequin/Page/WaferPage.h"
#include "sequin/Support/OutputFile.h"
#include "sequin/Wafer/CslOutput.h"
#include "sequin/WaferHost/CommandQueue.h"
#include "sequin/WaferHost/HostTensor.h"
#include "sequin/WaferHost/HostTraces.h"
#include "sequin/WaferHost/MemoryImage.h"
#include "sequin/WaferHost/Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <thread>

namespace py = pybind11;
using namespace sequin;
using namespace sequin::wafer;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Text of the user's may be no UTF-8.
static py::object toPython(llvm::StringRef text) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), text.size(), "replace"));
}

static py::list listToPython(llvm::ArrayRef<std::string> texts) {
  py::list list;
  for (const std::string &text : texts)
    list.append(toPython(llvm::StringRef(text)));
  return list;
}

/// A path may be no UTF-8 either, and must stay what it is: os.fsdecode().
static py::bytes pathToPython(llvm::StringRef path) {
  return {path.data(), path.size()};
}

static const char *nameOf(RunFailure::Kind kind) {
  switch (kind) {
  case RunFailure::Kind::Trap:
    return "trap";
  case RunFailure::Kind::Hang:
    return "hang";
  case RunFailure::Kind::StepLimit:
    return "step limit";
  case RunFailure::Kind::Race:
    return "race";
  }
  llvm_unreachable("a kind of failure");
}

/// Raises sequin.errors.WaferFailure if the program failed, else HostError. The
/// interpreter lock is held.
[[noreturn]] static void raise(llvm::Error error) {
  std::string text;
  std::optional<RunFailure::Kind> kind;
  llvm::handleAllErrors(std::move(error), [&](const llvm::ErrorInfoBase &one) {
    if (one.isA<RunFailure>() && !kind)
      kind = static_cast<const RunFailure &>(one).getKind();
    text += (text.empty() ? "" : "\n") + one.message();
  });
  py::module_ errors = py::module_::import("sequin.errors");
  py::object exception =
      kind ? errors.attr("WaferFailure")(toPython(text), nameOf(*kind))
           : errors.attr("HostError")(toPython(text));
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())),
                  exception.ptr());
  throw py::error_already_set();
}

template <typename T> static T valueOrRaise(llvm::Expected<T> value) {
  if (!value)
    raise(value.takeError());
  return std::move(*value);
}

static void check(llvm::Error error) {
  if (error)
    raise(std::move(error));
}

//===----------------------------------------------------------------------===//
// The compiler's output
//===----------------------------------------------------------------------===//

namespace {

/// A directory of cslc: the program and where its variables are.
struct Output {
  std::string directory;
  CslOutput output;
  Program program;

  static std::shared_ptr<Output> open(const std::string &directory) {
    auto read = [&]() -> llvm::Expected<std::shared_ptr<Output>> {
      auto result = std::make_shared<Output>();
      result->directory = directory;
      auto read = readCslOutput(directory);
      if (!read)
        return read.takeError();
      std::tie(result->output, result->program) = std::move(*read);
      const CslMachine *machine = lookupCslMachine(result->program.target);
      if (!machine)
        return llvm::createStringError(
            "the program is for '" + result->program.target + "', known are " +
            knownCslMachineNames());
      if (llvm::Error bad = wafer::check(result->program, *machine))
        return std::move(bad);
      return result;
    };
    return valueOrRaise(python::interruptible(read));
  }

  py::dict params() const {
    py::dict result;
    for (const auto &[name, value] : output.params)
      result[py::str(name)] = value;
    return result;
  }
  /// (name, kind, writable, element type, element bytes, argument types)
  py::list symbols() const;
  /// (name, is an edge, color, to the device)
  py::list streams() const {
    py::list list;
    for (const Stream &stream : program.streams)
      list.append(py::make_tuple(stream.name, stream.kind == Stream::Kind::Edge,
                                 stream.color, stream.toDevice));
    return list;
  }
  int64_t memoryBytes() const {
    return lookupCslMachine(program.target)->memoryBytesPerPe;
  }
  /// A stream of the host that ends at the link `side` of PE (x, y).
  void addEdgeStream(const std::string &name, unsigned color, bool toDevice,
                     int64_t x, int64_t y, const std::string &side);
  /// Initial bytes of a variable of PE (x, y), from its beginning on.
  void setInitial(int64_t x, int64_t y, const std::string &name,
                  const py::bytes &data);
  /// Writes the directory again.
  void save() const {
    check(python::interruptible(
        [&] { return writeCslOutput(directory, output, program); }));
  }
  /// (address, bytes, element type) of a variable of PE (x, y), which need not
  /// be exported; `memory` is the PE's, for pointers.
  py::tuple find(int64_t x, int64_t y, const std::string &name,
                 const py::bytes &memory) const;

private:
  void checkPlace(int64_t x, int64_t y) const;
};

} // namespace

static const char *nameOf(Symbol::Kind kind) {
  switch (kind) {
  case Symbol::Kind::Tensor:
    return "tensor";
  case Symbol::Kind::Pointer:
    return "pointer";
  case Symbol::Kind::Scalar:
    return "scalar";
  case Symbol::Kind::Function:
    return "function";
  }
  llvm_unreachable("a kind of symbol");
}

py::list Output::symbols() const {
  py::list list;
  for (const Symbol &symbol : program.symbols) {
    py::list arguments;
    for (auto [i, bits] : llvm::enumerate(symbol.argumentBits))
      arguments.append(typeName(i < symbol.argumentKinds.size()
                                    ? symbol.argumentKinds[i]
                                    : ElementKind::Unsigned,
                                bits, program.fp16));
    list.append(py::make_tuple(
        symbol.name, nameOf(symbol.kind), symbol.writable,
        typeName(symbol.element, 8 * symbol.elementBytes, program.fp16),
        symbol.elementBytes, arguments));
  }
  return list;
}

void Output::addEdgeStream(const std::string &name, unsigned color,
                           bool toDevice, int64_t x, int64_t y,
                           const std::string &side) {
  std::optional<Direction> direction = parseDirection(side);
  if (!direction)
    raise(llvm::createStringError("'" + side + "' is no link of a router"));
  program.streams.push_back({.name = name,
                             .kind = Stream::Kind::Edge,
                             .color = static_cast<uint8_t>(color),
                             .toDevice = toDevice,
                             .x = x,
                             .y = y,
                             .side = *direction});
}

void Output::setInitial(int64_t x, int64_t y, const std::string &name,
                        const py::bytes &data) {
  checkPlace(x, y);
  std::string_view bytes = data;
  VariablePlace place = valueOrRaise(findVariable(program, x, y, name, {}));
  if (bytes.size() > place.bytes)
    raise(llvm::createStringError(
        "'" + name + "' of PE (" + llvm::Twine(x) + ", " + llvm::Twine(y) +
        ") has " + llvm::Twine(place.bytes) + " bytes, found data of " +
        llvm::Twine(bytes.size())));
  program.pes[y * program.width + x].patches.push_back(
      {static_cast<uint16_t>(place.address),
       std::vector<uint8_t>(bytes.begin(), bytes.end())});
}

void Output::checkPlace(int64_t x, int64_t y) const {
  if (x >= 0 && y >= 0 && x < program.width && y < program.height)
    return;
  raise(llvm::createStringError(
      "PE (" + llvm::Twine(x) + ", " + llvm::Twine(y) +
      ") is not within the program's rectangle of " +
      llvm::Twine(program.width) + " x " + llvm::Twine(program.height)));
}

py::tuple Output::find(int64_t x, int64_t y, const std::string &name,
                       const py::bytes &memory) const {
  checkPlace(x, y);
  std::string bytes = memory;
  auto found = valueOrRaise(findVariable(
      program, x, y, name,
      {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()}));
  return py::make_tuple(
      found.address, found.bytes,
      typeName(found.kind, 8 * found.elementBytes, program.fp16));
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

using Words = py::array_t<uint32_t, py::array::c_style>;

/// What memcpy's calls have in common.
struct Transfer {
  int64_t x, y, width, height, elements;
  unsigned bits; ///< 16 or 32
  bool columnMajor;
  int64_t stepX, stepY;

  PeGrid grid() const { return {{x, y, width, height}, stepX, stepY}; }
  HostTensor tensor() const {
    PeGrid pes = grid();
    return {pes.columns(), pes.rows(), elements,
            columnMajor ? MemcpyOrder::ColumnMajor : MemcpyOrder::RowMajor,
            bits / 8};
  }
};

/// How the host's array is spread over the rectangle.
enum class Spread : uint8_t { None, Rows, Columns };

/// The array as every PE gets it, PE-major. sequin.host has checked sizes.
static CommandQueue::Bytes
spread(const Transfer &transfer, llvm::ArrayRef<uint32_t> host, Spread spread) {
  HostTensor whole = transfer.tensor(), given = whole;
  if (spread == Spread::Rows)
    given.width = 1;
  if (spread == Spread::Columns)
    given.height = 1;
  CommandQueue::Bytes data;
  data.resize_for_overwrite(given.count() * given.elementBytes);
  toDevice(given, host, data);
  if (spread == Spread::None)
    return data;
  CommandQueue::Bytes all;
  all.reserve(whole.count() * whole.elementBytes);
  uint64_t each = whole.bytesPerPe();
  for (int64_t y = 0; y < whole.height; ++y)
    for (int64_t x = 0; x < whole.width; ++x) {
      const uint8_t *from =
          data.data() + each * (spread == Spread::Rows ? y : x);
      all.append(from, from + each);
    }
  return all;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

namespace {

/// A wafer at work. Calls are made one at a time, by whatever threads.
static std::vector<std::string> linesOf(llvm::ArrayRef<Race> findings) {
  std::vector<std::string> lines;
  for (const Race &finding : findings)
    lines.push_back("PE (" + std::to_string(finding.x) + ", " +
                    std::to_string(finding.y) + ") at cycle " +
                    std::to_string(finding.cycle) + ": " + finding.message);
  return lines;
}

class Device {
public:
  static std::unique_ptr<Device> create(std::shared_ptr<Output> output,
                                        uint64_t maxCycles, unsigned threads,
                                        bool timeline, SimLogs logs) {
    Options options;
    options.maxCycles = maxCycles;
    options.threads = threads;
    auto device = std::make_unique<Device>();
    device->output = output;
    if (timeline || logs) {
      device->traces =
          std::make_unique<HostTraces>(output->program, timeline, logs);
      options.observer = device->traces.get();
    }
    device->session = valueOrRaise(python::interruptible(
        [&] { return Session::create(output->program, options); }));
    device->queue = std::make_unique<CommandQueue>(*device->session);
    return device;
  }

  uint64_t copyIn(const std::string &symbol, const Words &words,
                  const Transfer &transfer, Spread how) {
    llvm::ArrayRef<uint32_t> host(words.data(), words.size());
    return issue([&] {
      return queue->copyIn(symbol, transfer.grid(),
                           spread(transfer, host, how));
    });
  }
  uint64_t copyOut(Words &words, const std::string &symbol,
                   const Transfer &transfer) {
    uint32_t *host = words.mutable_data();
    return issue([&] {
      HostTensor tensor = transfer.tensor();
      return queue->copyOut(symbol, transfer.grid(), tensor.bytesPerPe(),
                            [=](llvm::ArrayRef<uint8_t> data) {
                              toHost(tensor, data, {host, tensor.count()});
                            });
    });
  }
  uint64_t send(const std::string &stream, const Words &words,
                const Transfer &transfer, Spread how) {
    llvm::ArrayRef<uint32_t> host(words.data(), words.size());
    return issue([&] {
      // A wavelet has 32 bits whatever the element has; the high half is the
      // index that the host put there.
      Transfer wide = transfer;
      wide.bits = 32;
      CommandQueue::Bytes data = spread(wide, host, how);
      std::vector<uint32_t> sent(data.size() / sizeof(uint32_t));
      std::memcpy(sent.data(), data.data(), data.size());
      return queue->send(stream, transfer.grid(), std::move(sent));
    });
  }
  uint64_t receive(Words &words, const std::string &stream,
                   const Transfer &transfer) {
    uint32_t *host = words.mutable_data();
    return issue([&] {
      HostTensor tensor = transfer.tensor();
      tensor.elementBytes = sizeof(uint32_t);
      uint32_t mask = transfer.bits == 16 ? 0xffff : ~uint32_t(0);
      return queue->receive(stream, transfer.grid().where, tensor.elements,
                            [=](llvm::ArrayRef<uint8_t> data) {
                              llvm::MutableArrayRef<uint32_t> to(
                                  host, tensor.count());
                              toHost(tensor, data, to);
                              for (uint32_t &word : to)
                                word &= mask;
                            });
    });
  }
  uint64_t launch(const std::string &function,
                  const std::vector<uint64_t> &arguments) {
    return issue([&] { return queue->launch(function, arguments); });
  }
  /// All that has come out of an edge stream and was not received.
  py::array_t<uint32_t> drain(const std::string &stream) {
    std::vector<uint32_t> words;
    run([&]() -> llvm::Error {
      auto found = session->stream(stream, /*toDevice=*/false);
      if (!found)
        return found.takeError();
      auto count = session->received(stream, (*found)->x, (*found)->y);
      if (!count)
        return count.takeError();
      auto taken = session->receive(stream, session->all(), *count);
      if (!taken)
        return taken.takeError();
      words = std::move(*taken);
      return llvm::Error::success();
    });
    return py::array_t<uint32_t>(static_cast<py::ssize_t>(words.size()),
                                 words.data());
  }
  /// How many words of each stream have come out and were not received.
  py::dict unreceived() {
    py::dict left;
    std::vector<uint64_t> counts;
    run([&]() -> llvm::Error {
      for (const Stream &stream : session->program().streams) {
        uint64_t &count = counts.emplace_back();
        if (stream.toDevice)
          continue;
        Rectangle where = session->all();
        if (stream.kind == Stream::Kind::Edge)
          where = {stream.x, stream.y, 1, 1};
        for (int64_t y = where.y; y < where.y + where.height; ++y)
          for (int64_t x = where.x; x < where.x + where.width; ++x) {
            auto words = session->received(stream.name, x, y);
            if (!words)
              return words.takeError();
            count += *words;
          }
      }
      return llvm::Error::success();
    });
    for (auto [stream, count] :
         llvm::zip_equal(session->program().streams, counts))
      if (count)
        left[toPython(llvm::StringRef(stream.name))] = count;
    return left;
  }

  void wait(uint64_t task) {
    run([&] { return queue->wait(task); });
  }
  bool isDone(uint64_t task) {
    bool done = false;
    run([&]() -> llvm::Error {
      auto result = queue->isDone(task);
      if (!result)
        return result.takeError();
      done = *result;
      return llvm::Error::success();
    });
    return done;
  }
  void poke() {
    run([&] { return queue->poke(); });
  }
  void advance() {
    run([&] { return queue->run(); });
  }
  void finish() {
    run([&] { return queue->finish(); });
  }
  std::vector<uint64_t> done() { return queue->takeDone(); }
  py::list warnings() { return listToPython(queue->takeWarnings()); }

  uint64_t now() const { return session->simulator().now(); }
  /// Who waits although nothing moves; "" if nobody does.
  py::object waiting() const {
    const HangReport &hang = session->simulator().hang();
    return toPython(
        llvm::StringRef(hang.waiting ? hang.str(session->program()) : ""));
  }
  /// How many wait, if all of them are microthreads that are only ready for
  /// more; 0 otherwise.
  uint64_t armed() const {
    const HangReport &hang = session->simulator().hang();
    return hang.armed == hang.waiting ? hang.armed : 0;
  }
  py::list log(size_t from) const {
    llvm::ArrayRef<std::string> lines = session->simulator().log();
    return listToPython(lines.drop_front(std::min(from, lines.size())));
  }
  py::list races() const {
    return listToPython(linesOf(session->simulator().races()));
  }
  py::list undefinedReads() const {
    return listToPython(linesOf(session->simulator().undefinedReads()));
  }
  py::list lostControls() const {
    return listToPython(linesOf(session->simulator().lostControls()));
  }
  py::object report() const {
    return toPython(llvm::StringRef(
        llvm::formatv("{0:2}",
                      toJSON(makeReport(*session, seconds, traces.get())))
            .str()));
  }
  py::object timeline() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    traces->writeTimeline(os, *session);
    return toPython(llvm::StringRef(text));
  }
  /// `failure` and its kind, as RunFailure has them; both empty for none.
  py::object page(const std::string &title, const std::string &failure,
                  const std::string &kind) const {
    std::string text;
    llvm::raw_string_ostream os(text);
    page::writeWaferPage(os, {title, ""},
                         {*session, *traces, seconds, failure,
                          kind == nameOf(RunFailure::Kind::Hang) ||
                              kind == nameOf(RunFailure::Kind::StepLimit),
                          kind == nameOf(RunFailure::Kind::Trap)});
    return toPython(llvm::StringRef(text));
  }
  py::list simLog() const { return listToPython(traces->simLog()); }
  py::bytes memory(int64_t x, int64_t y) const {
    check(session->checkInside({x, y, 1, 1}));
    llvm::ArrayRef<uint8_t> bytes = session->simulator().memory(x, y);
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }
  void saveMemory(std::string path) {
    if (path == "-")
      path = "./-"; // a file as any other
    run([&] { return writeMemoryImage(path, *session); });
  }

private:
  template <typename Work> void run(Work work) {
    // A handler of a signal comes in between, and must not wait for itself.
    if (user == std::this_thread::get_id())
      raise(llvm::createStringError(
          "the runtime is called from within one of its calls"));
    check(python::interruptible([&] {
      std::lock_guard<std::mutex> guard(mutex);
      user = std::this_thread::get_id();
      auto begin = std::chrono::steady_clock::now();
      llvm::Error result = work();
      seconds += std::chrono::duration<double>(
                     std::chrono::steady_clock::now() - begin)
                     .count();
      user = std::thread::id();
      return result;
    }));
  }
  /// Adds a command and begins it if it is its turn.
  template <typename Add> uint64_t issue(Add add) {
    uint64_t task = 0;
    run([&]() -> llvm::Error {
      auto added = add();
      if (!added)
        return added.takeError();
      task = *added;
      return queue->poke();
    });
    return task;
  }

  std::shared_ptr<Output> output;
  std::unique_ptr<HostTraces> traces;
  std::unique_ptr<Session> session;
  std::unique_ptr<CommandQueue> queue;
  std::mutex mutex;
  std::atomic<std::thread::id> user; ///< who is in a call
  double seconds = 0;                ///< that calls have taken
};

} // namespace

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

PYBIND11_MODULE(_wafer, module) {
  module.doc() = "The native half of sequin.host.";

  // The writer that the programs have; what went wrong, or "".
  module.def(
      "write_file",
      [](std::string path, const py::bytes &data, bool fresh) {
        if (path == "-")
          path = "./-";
        std::string_view bytes = data;
        llvm::Error error = [&] {
          py::gil_scoped_release release;
          return writeOutput(path, llvm::StringRef(bytes),
                             fresh ? OutputKind::Fresh : OutputKind::Plain);
        }();
        return toPython(
            llvm::StringRef(error ? llvm::toString(std::move(error)) : ""));
      },
      py::arg("path"), py::arg("data"), py::arg("fresh") = false);
  module.def(
      "fabric_size",
      [](const std::string &machine) {
        const CslMachine *row = lookupCslMachine(machine);
        if (!row)
          throw py::value_error("no machine '" + machine + "'");
        return std::pair(row->fabricWidth, row->fabricHeight);
      },
      py::arg("machine"));

  py::class_<Output, std::shared_ptr<Output>>(module, "Output")
      .def_static("open", &Output::open, py::arg("directory"))
      .def_property_readonly(
          "directory",
          [](const Output &output) { return pathToPython(output.directory); })
      .def("params", &Output::params)
      .def("symbols", &Output::symbols)
      .def("streams", &Output::streams)
      .def("memory_bytes", &Output::memoryBytes)
      .def("add_edge_stream", &Output::addEdgeStream, py::arg("name"),
           py::arg("color"), py::arg("to_device"), py::arg("x"), py::arg("y"),
           py::arg("side"))
      .def("set_initial", &Output::setInitial, py::arg("x"), py::arg("y"),
           py::arg("name"), py::arg("data"))
      .def("save", &Output::save)
      .def("find", &Output::find, py::arg("x"), py::arg("y"), py::arg("name"),
           py::arg("memory"))
      .def_property_readonly("memory_file",
                             [](const Output &output) {
                               return pathToPython(
                                   memoryFileOf(output.directory));
                             })
      .def_property_readonly(
          "lacks_memcpy",
          [](const Output &output) { return output.output.lacksMemcpy; })
      .def_property_readonly(
          "target", [](const Output &output) { return output.program.target; })
      .def_property_readonly("fp16",
                             [](const Output &output) {
                               return getName(output.program.fp16).str();
                             })
      .def_property_readonly(
          "memcpy", [](const Output &output) { return output.program.memcpy; })
      .def_property_readonly("size",
                             [](const Output &output) {
                               return py::make_tuple(output.program.width,
                                                     output.program.height);
                             })
      .def_property_readonly("fabric",
                             [](const Output &output) {
                               return py::make_tuple(
                                   output.program.fabricWidth,
                                   output.program.fabricHeight);
                             })
      .def_property_readonly("offset", [](const Output &output) {
        return py::make_tuple(output.program.offsetX, output.program.offsetY);
      });

  py::enum_<Spread>(module, "Spread")
      .value("NONE", Spread::None)
      .value("ROWS", Spread::Rows)
      .value("COLUMNS", Spread::Columns);

  py::class_<Transfer>(module, "Transfer")
      .def(py::init([](int64_t x, int64_t y, int64_t width, int64_t height,
                       int64_t elements, unsigned bits, bool columnMajor,
                       int64_t stepX, int64_t stepY) {
             return Transfer{x,    y,           width, height, elements,
                             bits, columnMajor, stepX, stepY};
           }),
           py::arg("x"), py::arg("y"), py::arg("width"), py::arg("height"),
           py::arg("elements"), py::arg("bits") = 32,
           py::arg("column_major") = false, py::arg("step_x") = 1,
           py::arg("step_y") = 1);

  py::class_<Device>(module, "Device")
      .def_static(
          "create",
          [](std::shared_ptr<Output> output, uint64_t maxCycles,
             unsigned threads, bool timeline, bool landing, bool router,
             bool instructions) {
            return Device::create(std::move(output), maxCycles, threads,
                                  timeline, {landing, router, instructions});
          },
          py::arg("output"), py::arg("max_cycles"), py::arg("threads"),
          py::arg("timeline"), py::arg("landing"), py::arg("router"),
          py::arg("instructions"))
      .def("copy_in", &Device::copyIn, py::arg("symbol"),
           py::arg("words").noconvert(), py::arg("transfer"), py::arg("spread"))
      .def("copy_out", &Device::copyOut, py::arg("words").noconvert(),
           py::arg("symbol"), py::arg("transfer"))
      .def("send", &Device::send, py::arg("stream"),
           py::arg("words").noconvert(), py::arg("transfer"), py::arg("spread"))
      .def("receive", &Device::receive, py::arg("words").noconvert(),
           py::arg("stream"), py::arg("transfer"))
      .def("launch", &Device::launch, py::arg("function"), py::arg("arguments"))
      .def("drain", &Device::drain, py::arg("stream"))
      .def("unreceived", &Device::unreceived)
      .def("wait", &Device::wait, py::arg("task"))
      .def("is_done", &Device::isDone, py::arg("task"))
      .def("done", &Device::done)
      .def("advance", &Device::advance)
      .def("finish", &Device::finish)
      .def("warnings", &Device::warnings)
      .def("now", &Device::now)
      .def("waiting", &Device::waiting)
      .def("log", &Device::log, py::arg("start"))
      .def("races", &Device::races)
      .def("armed", &Device::armed)
      .def("undefined_reads", &Device::undefinedReads)
      .def("lost_controls", &Device::lostControls)
      .def("report", &Device::report)
      .def("timeline", &Device::timeline)
      .def("page", &Device::page, py::arg("title"), py::arg("failure"),
           py::arg("kind"))
      .def("sim_log", &Device::simLog)
      .def("memory", &Device::memory, py::arg("x"), py::arg("y"))
      .def("save_memory", &Device::saveMemory, py::arg("path"));
}
