//===- CslOutput.cpp - The output directory of cslc -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Wafer/CslOutput.h"
#include "sequin/Support/OutputFile.h"
#include "sequin/Wafer/ElfFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace sequin;
using namespace sequin::wafer;
using llvm::StringRef;
using llvm::Twine;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

static constexpr llvm::StringLiteral kProgramPath = "bin/out_program.json";
static constexpr llvm::StringLiteral kRpcPath = "bin/out_rpc.json";

static std::string within(StringRef directory, StringRef path) {
  llvm::SmallString<128> result(directory);
  llvm::sys::path::append(result, path);
  return std::string(result);
}

std::string wafer::memoryFileOf(StringRef directory) {
  return within(directory, "bin/out_memory.bin");
}

//===----------------------------------------------------------------------===//
// Names of the host
//===----------------------------------------------------------------------===//

std::string wafer::typeName(ElementKind kind, unsigned bits, Fp16Format fp16) {
  switch (kind) {
  case ElementKind::Bool:
    return "bool";
  case ElementKind::Signed:
    return ("i" + Twine(bits)).str();
  case ElementKind::Unsigned:
    return ("u" + Twine(bits)).str();
  case ElementKind::Float:
    return bits == 16 ? getName(fp16).str() : ("f" + Twine(bits)).str();
  case ElementKind::Pointer:
  case ElementKind::Id:
  case ElementKind::Dsd:
  case ElementKind::Bytes:
    return getName(kind).str();
  }
  llvm_unreachable("a kind of element");
}

Value wafer::rpcSymbols(const Program &program,
                        llvm::ArrayRef<AdvertisedSymbol> advertised) {
  Array symbols;
  for (const auto &[id, symbol] : llvm::enumerate(program.symbols)) {
    // A name that no PE advertises keeps its number.
    if (symbol.places.empty())
      continue;
    Object object{{"id", int64_t(id)}, {"name", symbol.name}};
    const AdvertisedSymbol *declared =
        llvm::find_if(advertised, [&](const AdvertisedSymbol &candidate) {
          return candidate.name == symbol.name;
        });
    if (declared == advertised.end())
      declared = nullptr;
    if (symbol.kind == Symbol::Kind::Function) {
      Array inputs;
      for (size_t i = 0; i < symbol.argumentBits.size(); ++i) {
        ElementKind kind = i < symbol.argumentKinds.size()
                               ? symbol.argumentKinds[i]
                               : ElementKind::Unsigned;
        std::string name = ("arg" + Twine(i)).str(),
                    type = typeName(kind, symbol.argumentBits[i], program.fp16);
        if (declared && i < declared->inputs.size())
          std::tie(name, type) = declared->inputs[i];
        inputs.push_back(Object{{"name", name}, {"type", type}});
      }
      object["kind"] = "Func";
      object["type"] = declared ? declared->type : "void";
      object["inputs"] = std::move(inputs);
    } else {
      std::string type =
          typeName(symbol.element, 8 * symbol.elementBytes, program.fp16);
      object["kind"] = "Var";
      object["type"] = declared                              ? declared->type
                       : symbol.kind == Symbol::Kind::Scalar ? type
                                                             : "[*]" + type;
      object["immutable"] = !symbol.writable;
    }
    symbols.push_back(std::move(object));
  }
  for (const auto &[number, stream] : llvm::enumerate(program.streams))
    symbols.push_back(Object{{"id", int64_t(program.symbols.size() + number)},
                             {"name", stream.name},
                             {"kind", "Stream"},
                             {"type", "u32"},
                             {"color", int64_t(stream.color)}});
  return Object{{"rpc_symbols", std::move(symbols)}};
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static Object
toObject(llvm::ArrayRef<std::pair<std::string, std::string>> values) {
  Object object;
  for (const auto &[name, value] : values)
    object[name] = value;
  return object;
}

static llvm::Error writeFile(StringRef directory, StringRef path, Value value,
                             StringRef format) {
  return writeOutput(within(directory, path),
                     [&](llvm::raw_ostream &os) -> llvm::Error {
                       os << llvm::formatv(format.data(), std::move(value));
                       return llvm::Error::success();
                     });
}

/// Removes the ELF files of an earlier program.
static llvm::Error removeElfFiles(StringRef bin) {
  std::vector<std::string> stale;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator entry(bin, code), end;
       !code && entry != end; entry.increment(code)) {
    StringRef name = llvm::sys::path::filename(entry->path());
    if (name.consume_front("out_") && name.consume_back(".elf") &&
        llvm::all_of(name, [](char c) { return c == '_' || llvm::isDigit(c); }))
      stale.push_back(entry->path());
  }
  for (const std::string &path : stale)
    if ((code = llvm::sys::fs::remove(path)))
      break;
  if (code)
    return llvm::createStringError("cannot replace the ELF files in '" + bin +
                                   "': " + code.message());
  return llvm::Error::success();
}

/// One for each code, by the PE that stands for it; their paths within the
/// directory.
static llvm::Expected<Array> writeElfFiles(StringRef directory,
                                           const Program &program) {
  Array paths;
  for (uint32_t code = 0; code < program.codes.size(); ++code) {
    auto place = representative(program, code);
    if (!place)
      continue;
    auto [x, y] = *place;
    std::string path = llvm::formatv("bin/out_{0}_{1}.elf", x, y);
    if (llvm::Error error = writeOutput(
            within(directory, path), [&](llvm::raw_ostream &os) -> llvm::Error {
              writeElf(os, program.codes[code], program.at(x, y));
              return llvm::Error::success();
            }))
      return std::move(error);
    paths.push_back(path);
  }
  return paths;
}

llvm::Error wafer::writeCslOutput(StringRef directory, const CslOutput &output,
                                  const Program &program) {
  std::string bin = within(directory, "bin");
  if (std::error_code code = llvm::sys::fs::create_directories(bin))
    return llvm::createStringError("cannot make the directory '" + bin +
                                   "': " + code.message());
  // What an earlier run left belongs to another program.
  for (const std::string &stale :
       {within(directory, "out.json"), memoryFileOf(directory)})
    if (std::error_code code = llvm::sys::fs::remove(stale))
      return llvm::createStringError("cannot replace '" + stale +
                                     "': " + code.message());
  if (llvm::Error error = removeElfFiles(bin))
    return error;
  llvm::Expected<Array> elfs = writeElfFiles(directory, program);
  if (!elfs)
    return elfs.takeError();
  if (llvm::Error error =
          writeFile(directory, kProgramPath, toJSON(program), "{0}\n"))
    return error;
  if (llvm::Error error =
          writeFile(directory, kRpcPath, rpcSymbols(program, output.advertised),
                    "{0:2}\n"))
    return error;
  return writeFile(directory, "out.json",
                   Object{{"version", kCslOutputVersion},
                          {"arch", program.target},
                          {"params", toObject(output.params)},
                          {"colors", toObject(output.colors)},
                          {"source", output.source},
                          {"width", program.width},
                          {"height", program.height},
                          {"fabric_width", program.fabricWidth},
                          {"fabric_height", program.fabricHeight},
                          {"offset_x", program.offsetX},
                          {"offset_y", program.offsetY},
                          {"memcpy", program.memcpy},
                          {"channels", output.channels},
                          {"width_west_buf", output.westBuffers},
                          {"width_east_buf", output.eastBuffers},
                          {"fp16_format", getName(program.fp16)},
                          {"program", kProgramPath},
                          {"elf", std::move(*elfs)},
                          {"rpc", kRpcPath}},
                   "{0:2}\n");
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static llvm::Expected<Value> readJson(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  auto value = llvm::json::parse((*buffer)->getBuffer());
  if (!value)
    return llvm::createStringError(
        "'" + path + "' is no JSON: " + llvm::toString(value.takeError()));
  return value;
}

static std::vector<std::pair<std::string, std::string>>
toPairs(const Object *object) {
  std::vector<std::pair<std::string, std::string>> pairs;
  if (object)
    for (const auto &[name, value] : *object)
      pairs.emplace_back(name.str(),
                         value.getAsString().value_or(StringRef()).str());
  // An object has no order.
  llvm::sort(pairs);
  return pairs;
}

/// What bin/out_rpc.json says of variables and functions; nothing if it is not
/// there, which a run does not need.
static std::vector<AdvertisedSymbol> readAdvertised(StringRef directory) {
  std::vector<AdvertisedSymbol> advertised;
  auto value = readJson(within(directory, kRpcPath));
  if (!value) {
    llvm::consumeError(value.takeError());
    return advertised;
  }
  const Object *document = value->getAsObject();
  const Array *symbols = document ? document->getArray("rpc_symbols") : nullptr;
  auto text = [](const Object &object, StringRef key) {
    return object.getString(key).value_or(StringRef()).str();
  };
  if (!symbols)
    return advertised;
  for (const Value &entry : *symbols) {
    const Object *object = entry.getAsObject();
    if (!object || object->getString("kind") == "Stream")
      continue;
    AdvertisedSymbol symbol{text(*object, "name"), text(*object, "type"), {}};
    if (const Array *inputs = object->getArray("inputs"))
      for (const Value &input : *inputs)
        if (const Object *part = input.getAsObject())
          symbol.inputs.emplace_back(text(*part, "name"), text(*part, "type"));
    advertised.push_back(std::move(symbol));
  }
  return advertised;
}

llvm::Expected<CslOutput> wafer::readCslOutput(StringRef directory) {
  if (!llvm::sys::fs::is_directory(directory))
    return llvm::createStringError("'" + directory +
                                   "' is no directory, expected what cslc "
                                   "wrote with -o");
  std::string path = within(directory, "out.json");
  auto value = readJson(path);
  if (!value)
    return value.takeError();
  const Object *object = value->getAsObject();
  std::optional<int64_t> version =
      object ? object->getInteger("version") : std::nullopt;
  if (version != kCslOutputVersion)
    return llvm::createStringError("'" + path + "' has " +
                                   (version
                                        ? "format version " + Twine(*version)
                                        : Twine("no format version")) +
                                   ", expected " + Twine(kCslOutputVersion));
  std::optional<StringRef> program = object->getString("program");
  if (!program)
    return llvm::createStringError("'" + path + "' names no program");
  CslOutput output;
  output.params = toPairs(object->getObject("params"));
  output.colors = toPairs(object->getObject("colors"));
  output.source = object->getString("source").value_or(StringRef()).str();
  output.channels = object->getInteger("channels").value_or(0);
  output.westBuffers = object->getInteger("width_west_buf").value_or(0);
  output.eastBuffers = object->getInteger("width_east_buf").value_or(0);
  output.program = within(directory, *program);
  output.advertised = readAdvertised(directory);
  return output;
}

llvm::Expected<Program> wafer::readProgram(const CslOutput &output) {
  auto value = readJson(output.program);
  if (!value)
    return value.takeError();
  auto program = fromJSON(*value);
  if (!program)
    return llvm::createStringError("'" + output.program +
                                   "': " + llvm::toString(program.takeError()));
  return program;
}
