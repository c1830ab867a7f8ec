//===- NpyFile.cpp - NumPy .npy files -------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/NpyFile.h"
#include "sequin/Support/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <optional>

using namespace sequin;
using llvm::StringRef;

static constexpr StringRef kMagic("\x93NUMPY", 6);
static constexpr StringRef kAllowedDtypes =
    "f2, f4, f8, i1, i2, i4, i8, u1, u2, u4, u8, b1";

int64_t NpyArray::elementCount() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// The size in a dtype such as "f4"; 0 if it is none.
static unsigned dtypeBytes(StringRef dtype) {
  unsigned bytes = 0;
  if (dtype.drop_front().getAsInteger(10, bytes))
    return 0;
  return bytes;
}

unsigned NpyArray::elementBytes() const { return dtypeBytes(dtype); }

namespace {

/// What the header's dictionary says.
struct Header {
  std::string descr;
  bool fortranOrder = false;
  llvm::SmallVector<int64_t, 4> shape;
};

/// Reads the Python dictionary literal of the header: string keys; strings,
/// True/False and tuples of integers as values.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  llvm::Expected<Header> parse() {
    Header header;
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!take("{"))
      return error("a dictionary");
    while (!take("}")) {
      std::optional<std::string> key = string();
      if (!key || !take(":"))
        return error("a quoted key and ':'");
      if (*key == "descr") {
        std::optional<std::string> value = string();
        if (!value)
          return error("a plain dtype string for 'descr' (structured dtypes "
                       "are not supported)");
        header.descr = *value;
        hasDescr = true;
      } else if (*key == "fortran_order") {
        if (take("True"))
          header.fortranOrder = true;
        else if (!take("False"))
          return error("True or False for 'fortran_order'");
        hasOrder = true;
      } else if (*key == "shape") {
        if (!shape(header.shape))
          return error("a tuple of non-negative integers for 'shape'");
        hasShape = true;
      } else {
        return error("one of the keys 'descr', 'fortran_order', 'shape'");
      }
      if (!take(",") && !rest.ltrim().starts_with("}"))
        return error("',' or '}'");
    }
    if (!hasDescr || !hasOrder || !hasShape)
      return error("all of the keys 'descr', 'fortran_order', 'shape'");
    if (!rest.trim(StringRef(" \n\0", 3)).empty())
      return error("nothing after the dictionary");
    return header;
  }

private:
  static llvm::Error error(const llvm::Twine &expected) {
    return llvm::createStringError("malformed header, expected " + expected);
  }

  bool take(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }

  std::optional<std::string> string() {
    rest = rest.ltrim();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return std::nullopt;
    size_t end = rest.find(rest.front(), 1);
    if (end == StringRef::npos)
      return std::nullopt;
    std::string text = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return text;
  }

  bool shape(llvm::SmallVectorImpl<int64_t> &sizes) {
    if (!take("("))
      return false;
    while (!take(")")) {
      rest = rest.ltrim();
      int64_t size = 0;
      if (rest.consumeInteger(10, size) || size < 0)
        return false;
      sizes.push_back(size);
      if (!take(",") && !rest.ltrim().starts_with(")"))
        return false;
    }
    return true;
  }

  StringRef rest;
};

} // namespace

llvm::Expected<std::string> sequin::parseNpyDtype(StringRef descr) {
  StringRef dtype = descr;
  char order = '|';
  if (!dtype.empty() && StringRef("<>=|").contains(dtype.front())) {
    order = dtype.front();
    dtype = dtype.drop_front();
  }
  llvm::SmallVector<StringRef, 12> allowed;
  kAllowedDtypes.split(allowed, ", ");
  if (!llvm::is_contained(allowed, dtype))
    return llvm::createStringError("dtype '" + descr +
                                   "' is not supported, allowed are " +
                                   kAllowedDtypes);
  if (order == '>' && dtypeBytes(dtype) > 1)
    return llvm::createStringError(
        "dtype '" + descr + "' is big-endian, allowed is little-endian '<" +
        dtype + "'");
  return dtype.str();
}

/// Column-major to row-major.
static std::vector<uint8_t> toRowMajor(const uint8_t *data,
                                       llvm::ArrayRef<int64_t> shape,
                                       int64_t count, unsigned bytes) {
  std::vector<uint8_t> result(count * bytes);
  llvm::SmallVector<int64_t, 4> index(shape.size(), 0);
  llvm::SmallVector<int64_t, 4> stride(shape.size(), 1);
  for (size_t i = 1; i < shape.size(); ++i)
    stride[i] = stride[i - 1] * shape[i - 1];
  int64_t from = 0;
  for (int64_t to = 0; to < count; ++to) {
    std::memcpy(&result[to * bytes], data + from * bytes, bytes);
    for (size_t i = shape.size(); i-- > 0;) {
      from += stride[i];
      if (++index[i] < shape[i])
        break;
      from -= shape[i] * stride[i];
      index[i] = 0;
    }
  }
  return result;
}

static llvm::Expected<NpyArray> parseNpy(StringRef file) {
  if (!file.starts_with(kMagic) || file.size() < kMagic.size() + 2)
    return llvm::createStringError("not a .npy file");
  unsigned major = static_cast<uint8_t>(file[6]);
  unsigned minor = static_cast<uint8_t>(file[7]);
  if (major < 1 || major > 3 || minor != 0)
    return llvm::createStringError(llvm::formatv(
        "format version {0}.{1}, allowed are 1.0, 2.0 and 3.0", major, minor));
  StringRef rest = file.drop_front(8);
  unsigned lengthBytes = major == 1 ? 2 : 4;
  if (rest.size() < lengthBytes)
    return llvm::createStringError("truncated in the header");
  uint64_t length = major == 1 ? llvm::support::endian::read16le(rest.data())
                               : llvm::support::endian::read32le(rest.data());
  rest = rest.drop_front(lengthBytes);
  if (rest.size() < length)
    return llvm::createStringError(
        llvm::formatv("truncated in the header, {0} of {1} bytes are there",
                      rest.size(), length));
  llvm::Expected<Header> header = HeaderParser(rest.take_front(length)).parse();
  if (!header)
    return header.takeError();
  llvm::Expected<std::string> dtype = parseNpyDtype(header->descr);
  if (!dtype)
    return dtype.takeError();

  NpyArray array;
  array.dtype = *dtype;
  array.shape = header->shape;
  unsigned bytes = dtypeBytes(*dtype);
  // A zero anywhere makes the array empty, whatever the other sizes multiply
  // to.
  int64_t total = bytes;
  if (llvm::is_contained(array.shape, 0))
    total = 0;
  for (int64_t size : array.shape)
    if (total != 0 && llvm::MulOverflow(total, size, total))
      return llvm::createStringError("shape is too large to address");
  rest = rest.drop_front(length);
  if (rest.size() < static_cast<uint64_t>(total))
    return llvm::createStringError(
        llvm::formatv("truncated in the data, {0} of {1} bytes are there",
                      rest.size(), total));
  const auto *data = reinterpret_cast<const uint8_t *>(rest.data());
  if (header->fortranOrder)
    array.data = toRowMajor(data, array.shape, total / bytes, bytes);
  else
    array.data.assign(data, data + total);
  return array;
}

llvm::Expected<NpyArray> sequin::readNpy(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (std::error_code error = buffer.getError())
    return llvm::createStringError("cannot read '" + path +
                                   "': " + error.message());
  llvm::Expected<NpyArray> array = parseNpy((*buffer)->getBuffer());
  if (!array)
    return llvm::createStringError("'" + path +
                                   "': " + llvm::toString(array.takeError()));
  return array;
}

void sequin::writeNpy(llvm::raw_ostream &os, const NpyArray &array) {
  std::string shape;
  for (int64_t size : array.shape)
    shape += (shape.empty() ? "" : " ") + std::to_string(size) + ",";
  // NumPy writes (3,) and (3, 4): the comma stays for one dimension only.
  if (array.shape.size() > 1)
    shape.pop_back();
  std::string header = llvm::formatv(
      "{{'descr': '{0}{1}', 'fortran_order': False, 'shape': ({2}), }",
      array.elementBytes() > 1 ? "<" : "|", array.dtype, shape);
  // The data starts at a multiple of 64 bytes; version 1 counts up to 65,535.
  unsigned lengthBytes = header.size() + 128 > 65535 ? 4 : 2;
  size_t prefix = kMagic.size() + 2 + lengthBytes;
  header.append(llvm::alignTo(prefix + header.size() + 1, 64) - prefix -
                    header.size() - 1,
                ' ');
  header += '\n';

  os << kMagic << (lengthBytes == 2 ? '\1' : '\2') << '\0';
  for (unsigned i = 0; i < lengthBytes; ++i)
    os << static_cast<char>(header.size() >> (8 * i));
  os << header;
  os.write(reinterpret_cast<const char *>(array.data.data()),
           array.data.size());
}

llvm::Error sequin::writeNpy(StringRef path, const NpyArray &array) {
  return writeOutput(path, [&](llvm::raw_ostream &os) -> llvm::Error {
    writeNpy(os, array);
    return llvm::Error::success();
  });
}
