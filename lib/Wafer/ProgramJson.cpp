//===- ProgramJson.cpp - The wafer program as JSON ------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fields.h has the keys. Here is how values look:
//
//     enumerators    their names
//     registers      numbers, none is -1
//     instruction    [opcode, width, dest, left, right, immediate]
//     map            [[key, value], ...]
//     bytes          base64
//     pes            [{x, y, width, height, setup, router, ...}, ...]: every PE
//                    of the rectangle is the same
//
//===----------------------------------------------------------------------===//

#include "Fields.h"
#include "sequin/Support/JsonText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SHA1.h"

using namespace sequin;
using namespace sequin::wafer;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

//===----------------------------------------------------------------------===//
// Enumerators
//===----------------------------------------------------------------------===//

namespace {
/// Spellings of enumerators that only this file needs.
constexpr llvm::StringLiteral kZeroNames[] = {"none", "first", "second"};
constexpr llvm::StringLiteral kOperandNames[] = {"none", "dsd", "dsr", "scalar",
                                                 "pointer"};
constexpr llvm::StringLiteral kCompletionNames[] = {"none", "activate",
                                                    "unblock"};
constexpr llvm::StringLiteral kOnControlNames[] = {"none", "terminate",
                                                   "activate", "unblock"};
constexpr llvm::StringLiteral kFormNames[] = {"unsigned", "signed", "hex",
                                              "binary",   "float",  "bool"};
constexpr llvm::StringLiteral kSymbolNames[] = {"tensor", "pointer", "scalar",
                                                "function"};
constexpr llvm::StringLiteral kStreamNames[] = {"per_pe", "edge"};

llvm::StringRef nameOf(ZeroSource v) { return kZeroNames[unsigned(v)]; }
llvm::StringRef nameOf(Operand::Kind v) { return kOperandNames[unsigned(v)]; }
llvm::StringRef nameOf(Completion v) { return kCompletionNames[unsigned(v)]; }
llvm::StringRef nameOf(OnControl v) { return kOnControlNames[unsigned(v)]; }
llvm::StringRef nameOf(Print::Form v) { return kFormNames[unsigned(v)]; }
llvm::StringRef nameOf(Symbol::Kind v) { return kSymbolNames[unsigned(v)]; }
llvm::StringRef nameOf(Stream::Kind v) { return kStreamNames[unsigned(v)]; }
llvm::StringRef nameOf(DsdOpcode v) { return getInfo(v).name; }
template <typename E> llvm::StringRef nameOf(E v) { return getName(v); }

/// How many enumerators there are.
template <typename E> constexpr unsigned kCount = 0;
template <> constexpr unsigned kCount<ZeroSource> = 3;
template <> constexpr unsigned kCount<Operand::Kind> = 5;
template <> constexpr unsigned kCount<Completion> = 3;
template <> constexpr unsigned kCount<OnControl> = 4;
template <> constexpr unsigned kCount<Print::Form> = 6;
template <> constexpr unsigned kCount<Symbol::Kind> = 4;
template <> constexpr unsigned kCount<Stream::Kind> = 2;
template <> constexpr unsigned kCount<DsdOpcode> = kDsdOpcodes;
template <> constexpr unsigned kCount<DescriptorKind> = 7;
template <> constexpr unsigned kCount<Priority> = 4;
template <> constexpr unsigned kCount<SimdMode> = 6;
template <> constexpr unsigned kCount<DsrFile> = 3;
template <> constexpr unsigned kCount<Direction> = kDirections;
template <> constexpr unsigned kCount<PopMode> = 4;
template <> constexpr unsigned kCount<FilterKind> = 3;
template <> constexpr unsigned kCount<TaskKind> = 3;
template <> constexpr unsigned kCount<FifoAction> = 4;
template <> constexpr unsigned kCount<ElementKind> = 8;
template <> constexpr unsigned kCount<Fp16Format> = 3;

template <typename T> struct IsVector : std::false_type {};
template <typename T> struct IsVector<std::vector<T>> : std::true_type {};
template <typename T, unsigned N>
struct IsVector<llvm::SmallVector<T, N>> : std::true_type {};
template <typename T> struct IsOptional : std::false_type {};
template <typename T> struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T> struct IsMap : std::false_type {};
template <typename K, typename T>
struct IsMap<std::map<K, T>> : std::true_type {};
template <typename T> struct IsPair : std::false_type {};
template <typename A, typename B>
struct IsPair<std::pair<A, B>> : std::true_type {};

template <typename T>
constexpr bool kIsInteger = std::is_integral_v<T> && !std::is_same_v<T, bool>;
} // namespace

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {
template <typename T> Value write(const T &value);

/// Registers are 16-bit numbers whose last means none; other 16-bit fields
/// never hold it where it would be mistaken: -1 reads back as 65535.
Value writeRegister(Register value) {
  return value == kNoRegister ? int64_t(-1) : int64_t(value);
}

struct Writer {
  Object &object;
  template <typename T> void required(llvm::StringRef key, const T &value) {
    object[key] = write(value);
  }
  template <typename T> void operator()(llvm::StringRef key, const T &value) {
    if constexpr (IsOptional<T>::value) {
      if (value)
        required(key, *value);
    } else if (!isDefault(key, value)) {
      required(key, value);
    }
  }

private:
  /// Registers default to none, `writable` to true, sizes and strides to what
  /// the structs say; all else to zero.
  template <typename T> static bool isDefault(llvm::StringRef key, const T &v) {
    if constexpr (std::is_same_v<T, bool>)
      return v == (key == "writable");
    else if constexpr (std::is_same_v<T, Register>)
      return key == "value" || key == "scalar" || key == "index" ||
                     key.ends_with("_target")
                 ? v == kNoRegister
             : key == "element_bytes" ? v == 2
                                      : v == 0;
    else if constexpr (kIsInteger<T>)
      return v == (key == "stride" ? 1 : 0);
    else
      return v == T();
  }
};

template <typename T> Value write(const T &value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value;
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    return value;
  } else if constexpr (std::is_same_v<T, Register>) {
    return writeRegister(value);
  } else if constexpr (kIsInteger<T>) {
    return static_cast<int64_t>(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    // JSON holds UTF-8 only.
    return llvm::json::isUTF8(value) ? value : llvm::json::fixUTF8(value);
  } else if constexpr (std::is_same_v<T, std::vector<uint8_t>>) {
    return llvm::encodeBase64(value);
  } else if constexpr (std::is_enum_v<T>) {
    return nameOf(value);
  } else if constexpr (std::is_same_v<T, Instruction>) {
    // An initializer list would copy every one of very many.
    Array array;
    array.reserve(6);
    array.emplace_back(getInfo(value.opcode).name);
    array.emplace_back(int64_t(value.width));
    array.push_back(writeRegister(value.dest));
    array.push_back(writeRegister(value.left));
    array.push_back(writeRegister(value.right));
    array.emplace_back(int64_t(value.immediate));
    return array;
  } else if constexpr (IsVector<T>::value) {
    Array array;
    array.reserve(value.size());
    for (const auto &element : value)
      array.push_back(write(element));
    return array;
  } else if constexpr (IsMap<T>::value) {
    Array array;
    for (const auto &[key, element] : value)
      array.push_back(Array{int64_t(key), write(element)});
    return array;
  } else if constexpr (IsPair<T>::value) {
    return Array{write(value.first), write(value.second)};
  } else if constexpr (IsOptional<T>::value) {
    return value ? write(*value) : Value(nullptr);
  } else {
    Object object;
    Writer writer{object};
    // The list of fields serves reading too and takes a mutable struct.
    fields(writer, const_cast<T &>(value));
    return object;
  }
}
} // namespace

Value wafer::toJSON(const Program &program) {
  Object object = std::move(*write(program).getAsObject());
  object["version"] = kFormatVersion;
  Array pes;
  int64_t width = program.width, height = program.height;
  std::vector<bool> done(program.pes.size());
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      if (done[y * width + x])
        continue;
      const Pe &pe = program.at(x, y);
      auto isSame = [&](int64_t i, int64_t j) {
        return !done[j * width + i] && program.at(i, j) == pe;
      };
      int64_t right = x + 1, bottom = y + 1;
      while (right < width && isSame(right, y))
        ++right;
      auto isRow = [&](int64_t j) {
        for (int64_t i = x; i < right; ++i)
          if (!isSame(i, j))
            return false;
        return true;
      };
      while (bottom < height && isRow(bottom))
        ++bottom;
      for (int64_t j = y; j < bottom; ++j)
        for (int64_t i = x; i < right; ++i)
          done[j * width + i] = true;
      Object entry = std::move(*write(pe).getAsObject());
      entry["x"] = x;
      entry["y"] = y;
      entry["width"] = right - x;
      entry["height"] = bottom - y;
      pes.push_back(std::move(entry));
    }
  object["pes"] = std::move(pes);
  return object;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
template <typename T>
bool read(const Value &value, T &out, llvm::json::Path path);

bool readRegister(const Value &value, Register &out, llvm::json::Path path) {
  std::optional<int64_t> number = value.getAsInteger();
  if (!number || *number < -1 || *number > kNoRegister) {
    path.report("expected a number from -1 to 65535");
    return false;
  }
  out = static_cast<Register>(*number);
  return true;
}

struct Reader {
  const Object &object;
  llvm::json::Path path;
  bool good = true;
  llvm::StringSet<> known = {};

  template <typename T> void required(llvm::StringRef key, T &value) {
    known.insert(key);
    if (!good)
      return;
    if (const Value *found = object.get(key)) {
      good = read(*found, value, path.field(key));
    } else {
      path.field(key).report("missing value");
      good = false;
    }
  }
  template <typename T> void operator()(llvm::StringRef key, T &value) {
    known.insert(key);
    if (good)
      if (const Value *found = object.get(key))
        good = read(*found, value, path.field(key));
  }
  /// Whether all was read and nothing is left over.
  bool finish() {
    for (const auto &entry : object)
      if (good && !known.contains(entry.first)) {
        path.field(entry.first).report("unknown key");
        good = false;
      }
    return good;
  }
};

template <typename T>
bool read(const Value &value, T &out, llvm::json::Path path) {
  if constexpr (std::is_same_v<T, bool>) {
    if (std::optional<bool> found = value.getAsBoolean()) {
      out = *found;
      return true;
    }
    path.report("expected a boolean");
    return false;
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    if (std::optional<uint64_t> found = value.getAsUINT64()) {
      out = *found;
      return true;
    }
    path.report("expected a number that is not negative");
    return false;
  } else if constexpr (std::is_same_v<T, Register>) {
    return readRegister(value, out, path);
  } else if constexpr (kIsInteger<T>) {
    std::optional<int64_t> found = value.getAsInteger();
    if (found && *found >= int64_t(std::numeric_limits<T>::min()) &&
        *found <= int64_t(std::numeric_limits<T>::max())) {
      out = static_cast<T>(*found);
      return true;
    }
    path.report("expected an integer that fits");
    return false;
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (std::optional<llvm::StringRef> found = value.getAsString()) {
      out = found->str();
      return true;
    }
    path.report("expected a string");
    return false;
  } else if constexpr (std::is_same_v<T, std::vector<uint8_t>>) {
    std::vector<char> bytes;
    std::optional<llvm::StringRef> text = value.getAsString();
    if (!text) {
      path.report("expected base64 text");
      return false;
    }
    if (llvm::Error error = llvm::decodeBase64(*text, bytes)) {
      llvm::consumeError(std::move(error));
      path.report("expected base64 text");
      return false;
    }
    out.assign(bytes.begin(), bytes.end());
    return true;
  } else if constexpr (std::is_enum_v<T>) {
    static_assert(kCount<T> > 0, "an enumeration without a count");
    std::optional<llvm::StringRef> text = value.getAsString();
    for (unsigned i = 0; text && i < kCount<T>; ++i)
      if (nameOf(static_cast<T>(i)) == *text) {
        out = static_cast<T>(i);
        return true;
      }
    path.report("unknown name");
    return false;
  } else if constexpr (std::is_same_v<T, Instruction>) {
    const Array *array = value.getAsArray();
    if (!array || array->size() != 6) {
      path.report("expected [opcode, width, dest, left, right, immediate]");
      return false;
    }
    std::optional<llvm::StringRef> text = (*array)[0].getAsString();
    std::optional<Opcode> opcode = text ? parseOpcode(*text) : std::nullopt;
    if (!opcode) {
      path.index(0).report("unknown opcode");
      return false;
    }
    out.opcode = *opcode;
    return read((*array)[1], out.width, path.index(1)) &&
           readRegister((*array)[2], out.dest, path.index(2)) &&
           readRegister((*array)[3], out.left, path.index(3)) &&
           readRegister((*array)[4], out.right, path.index(4)) &&
           read((*array)[5], out.immediate, path.index(5));
  } else if constexpr (IsVector<T>::value) {
    const Array *array = value.getAsArray();
    if (!array) {
      path.report("expected an array");
      return false;
    }
    out.clear();
    for (size_t i = 0; i < array->size(); ++i)
      if (!read((*array)[i], out.emplace_back(), path.index(i)))
        return false;
    return true;
  } else if constexpr (IsMap<T>::value) {
    std::vector<std::pair<typename T::key_type, typename T::mapped_type>> pairs;
    if (!read(value, pairs, path))
      return false;
    out.clear();
    for (auto &[key, element] : pairs)
      if (!out.emplace(key, std::move(element)).second) {
        path.report("a key is given twice");
        return false;
      }
    return true;
  } else if constexpr (IsPair<T>::value) {
    const Array *array = value.getAsArray();
    if (!array || array->size() != 2) {
      path.report("expected a pair");
      return false;
    }
    return read((*array)[0], out.first, path.index(0)) &&
           read((*array)[1], out.second, path.index(1));
  } else if constexpr (IsOptional<T>::value) {
    return read(value, out.emplace(), path);
  } else {
    const Object *object = value.getAsObject();
    if (!object) {
      path.report("expected an object");
      return false;
    }
    Reader reader{*object, path};
    fields(reader, out);
    return reader.finish();
  }
}

/// A rectangle of equal PEs.
struct PeBlock {
  int64_t x = 0, y = 0, width = 0, height = 0;
  Pe pe;
};
template <typename V> void fields(V &v, PeBlock &s) {
  v.required("x", s.x);
  v.required("y", s.y);
  v.required("width", s.width);
  v.required("height", s.height);
  wafer::fields(v, s.pe);
}

/// What the file has beside the fields of the program.
struct ProgramFile {
  int64_t version = 0;
  Program program;
  std::vector<PeBlock> pes;
};
template <typename V> void fields(V &v, ProgramFile &s) {
  v.required("version", s.version);
  wafer::fields(v, s.program);
  v.required("pes", s.pes);
}
} // namespace

/// More PEs than any wafer has: a file must not ask for all memory there is.
static constexpr int64_t kMaxPes = int64_t(1) << 22;

llvm::Expected<Program> wafer::fromJSON(const Value &value) {
  const Object *object = value.getAsObject();
  // The version decides what else there may be, so it comes first.
  std::optional<int64_t> version =
      object ? object->getInteger("version") : std::nullopt;
  if (!version || *version != kFormatVersion)
    return llvm::createStringError(
        "wafer program has " +
        (version ? "format version " + llvm::Twine(*version)
                 : llvm::Twine("no format version")) +
        ", expected " + llvm::Twine(kFormatVersion));
  llvm::json::Path::Root root("wafer program");
  ProgramFile file;
  if (!read(value, file, llvm::json::Path(root)))
    return root.getError();
  Program program = std::move(file.program);
  int64_t pes;
  if (program.width < 1 || program.height < 1 ||
      __builtin_mul_overflow(program.width, program.height, &pes) ||
      pes > kMaxPes)
    return llvm::createStringError("wafer program is " +
                                   llvm::Twine(program.width) + " x " +
                                   llvm::Twine(program.height) + " PEs");
  program.pes.resize(pes);
  std::vector<bool> done(pes);
  int64_t count = 0;
  for (const PeBlock &block : file.pes) {
    if (block.x < 0 || block.y < 0 || block.width < 1 || block.height < 1 ||
        block.x > program.width - block.width ||
        block.y > program.height - block.height)
      return llvm::createStringError(
          "wafer program has PEs at (" + llvm::Twine(block.x) + ", " +
          llvm::Twine(block.y) + ") outside of its rectangle");
    for (int64_t y = block.y; y < block.y + block.height; ++y)
      for (int64_t x = block.x; x < block.x + block.width; ++x) {
        int64_t place = y * program.width + x;
        if (done[place])
          return llvm::createStringError("wafer program has PE (" +
                                         llvm::Twine(x) + ", " +
                                         llvm::Twine(y) + ") twice");
        done[place] = true;
        ++count;
        program.pes[place] = block.pe;
      }
  }
  if (count != pes)
    return llvm::createStringError("wafer program has " + llvm::Twine(count) +
                                   " of its " + llvm::Twine(pes) + " PEs");
  return program;
}

llvm::Expected<Program> wafer::fromJSONText(llvm::StringRef text) {
  llvm::Expected<Value> value = parseJson(text);
  if (!value)
    return value.takeError();
  return fromJSON(*value);
}

namespace {
/// Takes text in without keeping it.
class HashStream : public llvm::raw_ostream {
public:
  HashStream() : raw_ostream(/*unbuffered=*/false) { SetBufferSize(1 << 16); }
  ~HashStream() override { flush(); }
  uint64_t result() {
    flush();
    return llvm::support::endian::read64le(hash.final().data());
  }

private:
  void write_impl(const char *text, size_t size) override {
    hash.update(llvm::StringRef(text, size));
    position += size;
  }
  uint64_t current_pos() const override { return position; }
  llvm::SHA1 hash;
  uint64_t position = 0;
};
} // namespace

uint64_t wafer::fingerprint(const Program &program) {
  HashStream stream;
  stream << toJSON(program);
  return stream.result();
}
