//===- CslOutput.cpp - The output directory of cslc -----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Wafer/CslOutput.h"
#include "sequin/Support/JsonText.h"
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

static llvm::Error addFile(OutputFiles &files, StringRef path,
                           const Value &value, StringRef format) {
  return files.add(path, [&](llvm::raw_ostream &os) -> llvm::Error {
    os << llvm::formatv(format.data(), value);
    return llvm::Error::success();
  });
}

/// The ELF files of an earlier program, all but those of `files`, are to go.
static llvm::Error replaceElfFiles(OutputFiles &files, StringRef bin) {
  std::error_code code;
  for (llvm::sys::fs::directory_iterator entry(bin, code), end;
       !code && entry != end; entry.increment(code)) {
    StringRef name = llvm::sys::path::filename(entry->path());
    if (name.consume_front("out_") && name.consume_back(".elf") &&
        llvm::all_of(name,
                     [](char c) { return c == '_' || llvm::isDigit(c); }) &&
        !files.contains(entry->path()))
      files.replace(entry->path());
  }
  if (code)
    return llvm::createStringError("cannot replace the ELF files in '" + bin +
                                   "': " + code.message());
  return llvm::Error::success();
}

/// One for each code, by the PE that stands for it; their paths within the
/// directory.
static llvm::Expected<Array>
addElfFiles(OutputFiles &files, StringRef directory, const Program &program) {
  Array paths;
  for (uint32_t code = 0; code < program.codes.size(); ++code) {
    auto place = representative(program, code);
    if (!place)
      continue;
    auto [x, y] = *place;
    std::string path = llvm::formatv("bin/out_{0}_{1}.elf", x, y);
    if (llvm::Error error = files.add(
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
                                  const Program &program, StringRef copy) {
  std::string bin = within(directory, "bin"),
              document = within(directory, "out.json");
  OutputFiles files;
  if (llvm::Error error = files.addFolder(bin))
    return error;
  llvm::Expected<Array> elfs = addElfFiles(files, directory, program);
  if (!elfs)
    return elfs.takeError();
  if (llvm::Error error = addFile(files, within(directory, kProgramPath),
                                  toJSON(program), "{0}\n"))
    return error;
  if (llvm::Error error =
          addFile(files, within(directory, kRpcPath),
                  rpcSymbols(program, output.advertised), "{0:2}\n"))
    return error;
  if (files.contains(copy))
    return llvm::createStringError("--output-json: '" + copy +
                                   "' is another file of the compilation");
  Object value{{"version", kCslOutputVersion},
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
               {"rpc", kRpcPath}};
  std::string text = llvm::formatv("{0:2}\n", Value(std::move(value)));
  for (StringRef path : {StringRef(document), copy})
    if (!path.empty() && (path == document || !files.contains(path)))
      if (llvm::Error error = files.addText(path, text))
        return error;
  // The document goes first and comes last, so that a directory that has it is
  // whole. What a run left belongs to another program.
  llvm::Expected<FolderLock> lock =
      FolderLock::take(directory, FolderLock::Kind::Write);
  if (!lock)
    return lock.takeError();
  files.replace(document);
  files.replace(memoryFileOf(directory));
  if (llvm::Error error = replaceElfFiles(files, bin))
    return error;
  return files.commit();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static llvm::Expected<Value> readJson(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  auto value = parseJson((*buffer)->getBuffer());
  if (!value)
    return llvm::createStringError("'" + path +
                                   "': " + llvm::toString(value.takeError()));
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

/// The wafer program's path, `name` within the directory and no link out of it.
static llvm::Expected<std::string> programPath(StringRef directory,
                                               StringRef name) {
  std::string path = within(directory, name);
  llvm::SmallString<128> folder, real;
  bool isInside = !llvm::sys::path::is_absolute(name);
  if (isInside) {
    std::error_code code = llvm::sys::fs::real_path(directory, folder);
    if (!code)
      code = llvm::sys::fs::real_path(path, real);
    if (code)
      return llvm::createStringError("cannot read '" + path +
                                     "': " + code.message());
    StringRef rest = real;
    isInside =
        rest.consume_front(folder) && (folder == "/" || rest.starts_with("/"));
  }
  if (!isInside)
    return llvm::createStringError("'" + within(directory, "out.json") +
                                   "' names the program '" + name +
                                   "', expected a file of the directory");
  return std::string(real);
}

llvm::Expected<std::pair<CslOutput, Program>>
wafer::readCslOutput(StringRef directory) {
  if (!llvm::sys::fs::is_directory(directory))
    return llvm::createStringError("'" + directory +
                                   "' is no directory, expected what cslc "
                                   "wrote with -o");
  llvm::Expected<FolderLock> lock =
      FolderLock::take(directory, FolderLock::Kind::Read);
  if (!lock)
    return lock.takeError();
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
  std::optional<StringRef> name = object->getString("program");
  if (!name)
    return llvm::createStringError("'" + path + "' names no program");
  CslOutput output;
  output.params = toPairs(object->getObject("params"));
  output.colors = toPairs(object->getObject("colors"));
  output.source = object->getString("source").value_or(StringRef()).str();
  output.channels = object->getInteger("channels").value_or(0);
  output.lacksMemcpy = object->getBoolean("memcpy") == false;
  output.westBuffers = object->getInteger("width_west_buf").value_or(0);
  output.eastBuffers = object->getInteger("width_east_buf").value_or(0);
  output.advertised = readAdvertised(directory);
  llvm::Expected<std::string> place = programPath(directory, *name);
  if (!place)
    return place.takeError();
  auto document = readJson(*place);
  if (!document)
    return document.takeError();
  auto program = fromJSON(*document);
  if (!program)
    return llvm::createStringError("'" + *place +
                                   "': " + llvm::toString(program.takeError()));
  return std::pair(std::move(output), std::move(*program));
}
