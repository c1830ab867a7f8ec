//===- NpyFileTest.cpp - Tests of the .npy reader and writer -------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/NpyFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace sequin;

namespace {

class NpyFile : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("npy", directory));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(directory); }

  std::string pathOf(llvm::StringRef name) {
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }

  /// Writes `bytes` as a file and reads it as an array.
  llvm::Expected<NpyArray> read(llvm::StringRef bytes) {
    std::string path = pathOf("x.npy");
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    os << bytes;
    os.close();
    return readNpy(path);
  }

  std::string errorOf(llvm::StringRef bytes) {
    llvm::Expected<NpyArray> array = read(bytes);
    if (array)
      return "no error";
    return llvm::toString(array.takeError());
  }

  llvm::SmallString<128> directory;
};

/// A file of the given version around a header dictionary.
std::string npy(int major, std::string header, llvm::StringRef data) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    file += static_cast<char>(header.size() >> (8 * i));
  return file + header + data.str();
}

constexpr llvm::StringRef kData("\1\0\2\0\3\0\4\0\5\0\6\0", 12);

std::string header(llvm::StringRef descr, llvm::StringRef order,
                   llvm::StringRef shape) {
  return ("{'descr': '" + descr + "', 'fortran_order': " + order +
          ", 'shape': " + shape + ", }\n")
      .str();
}

std::vector<uint8_t> bytesOf(llvm::ArrayRef<int> values) {
  std::vector<uint8_t> bytes;
  for (int value : values) {
    bytes.push_back(value);
    bytes.push_back(0);
  }
  return bytes;
}

} // namespace

TEST_F(NpyFile, ReadsAllVersions) {
  for (int version : {1, 2, 3}) {
    llvm::Expected<NpyArray> array =
        read(npy(version, header("<i2", "False", "(2, 3)"), kData));
    ASSERT_TRUE(static_cast<bool>(array)) << llvm::toString(array.takeError());
    EXPECT_EQ(array->dtype, "i2");
    EXPECT_EQ(array->shape, (llvm::SmallVector<int64_t, 4>{2, 3}));
    EXPECT_EQ(array->data, bytesOf({1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(array->elementCount(), 6);
    EXPECT_EQ(array->elementBytes(), 2u);
  }
}

TEST_F(NpyFile, FortranOrderIsTurned) {
  llvm::Expected<NpyArray> array =
      read(npy(1, header("<u2", "True", "(2, 3)"), kData));
  ASSERT_TRUE(static_cast<bool>(array)) << llvm::toString(array.takeError());
  // Columns (1, 2), (3, 4), (5, 6).
  EXPECT_EQ(array->data, bytesOf({1, 3, 5, 2, 4, 6}));
}

TEST_F(NpyFile, ScalarsAndEmptyArrays) {
  llvm::Expected<NpyArray> scalar =
      read(npy(1, header("<i2", "False", "()"), llvm::StringRef("\7\0", 2)));
  ASSERT_TRUE(static_cast<bool>(scalar));
  EXPECT_TRUE(scalar->shape.empty());
  EXPECT_EQ(scalar->elementCount(), 1);
  llvm::Expected<NpyArray> empty =
      read(npy(1, header("<f4", "False", "(0, 9223372036854775807)"), ""));
  ASSERT_TRUE(static_cast<bool>(empty));
  EXPECT_TRUE(empty->data.empty());
  llvm::Expected<NpyArray> bytes =
      read(npy(1, header("|i1", "False", "(1,)"), "\7"));
  ASSERT_TRUE(static_cast<bool>(bytes));
  EXPECT_EQ(bytes->dtype, "i1");
}

TEST_F(NpyFile, TruncatedAnywhere) {
  std::string file = npy(1, header("<i2", "False", "(2, 3)"), kData);
  for (size_t size = 0; size < file.size(); ++size) {
    std::string error = errorOf(llvm::StringRef(file).take_front(size));
    EXPECT_TRUE(error.find("truncated") != std::string::npos ||
                error.find("not a .npy file") != std::string::npos)
        << size << ": " << error;
  }
  EXPECT_NE(errorOf(llvm::StringRef(file).drop_back())
                .find("truncated in the data, 11 of 12 bytes are there"),
            std::string::npos);
}

TEST_F(NpyFile, RefusedFiles) {
  struct Case {
    std::string file, message;
  };
  for (const Case &test : {
           Case{npy(1, header(">i2", "False", "(6,)"), kData),
                "dtype '>i2' is big-endian, allowed is little-endian '<i2'"},
           Case{npy(1, header("<c8", "False", "(1,)"), kData),
                "dtype '<c8' is not supported, allowed are"},
           Case{npy(4, header("<i2", "False", "(6,)"), kData),
                "format version 4.0, allowed are"},
           Case{npy(1, header("<i2", "Maybe", "(6,)"), kData),
                "expected True or False for 'fortran_order'"},
           Case{npy(1, header("<i2", "False", "(-6,)"), kData),
                "expected a tuple of non-negative integers"},
           Case{npy(1, header("<i2", "False", "(6"), kData), "malformed"},
           Case{npy(1, "{'descr': '<i2', 'shape': (6,)}", kData),
                "expected all of the keys"},
           Case{npy(1, "{'descr': [('a', '<i2')], }", kData),
                "structured dtypes are not supported"},
           Case{npy(1, "{'x': 1}", kData), "expected one of the keys"},
           Case{npy(1, header("<i2", "False", "(4294967296, 4294967296)"),
                    kData),
                "shape is too large"},
           Case{"PK\3\4", "not a .npy file"},
       })
    EXPECT_NE(errorOf(test.file).find(test.message), std::string::npos)
        << errorOf(test.file) << " instead of " << test.message;
}

TEST_F(NpyFile, ErrorsNameTheFile) {
  std::string path = pathOf("missing.npy");
  llvm::Expected<NpyArray> array = readNpy(path);
  ASSERT_FALSE(static_cast<bool>(array));
  EXPECT_NE(llvm::toString(array.takeError()).find("cannot read '" + path),
            std::string::npos);
}

TEST_F(NpyFile, WritesWhatItReads) {
  for (llvm::SmallVector<int64_t, 4> shape :
       {llvm::SmallVector<int64_t, 4>{}, {6}, {2, 3}, {1, 2, 3, 1}}) {
    NpyArray array;
    array.dtype = "f4";
    array.shape = shape;
    for (int64_t i = 0; i < array.elementCount() * 4; ++i)
      array.data.push_back(static_cast<uint8_t>(i * 7));
    std::string path = pathOf("out.npy");
    llvm::Error error = writeNpy(path, array);
    ASSERT_FALSE(static_cast<bool>(error)) << llvm::toString(std::move(error));
    auto file = llvm::MemoryBuffer::getFile(path);
    // NumPy aligns the data to 64 bytes.
    EXPECT_EQ(((*file)->getBufferSize() - array.data.size()) % 64, 0u);
    llvm::Expected<NpyArray> again = readNpy(path);
    ASSERT_TRUE(static_cast<bool>(again)) << llvm::toString(again.takeError());
    EXPECT_EQ(again->dtype, array.dtype);
    EXPECT_EQ(again->shape, array.shape);
    EXPECT_EQ(again->data, array.data);
  }
}

TEST_F(NpyFile, FailedWriteLeavesNothing) {
  NpyArray array;
  array.dtype = "i1";
  array.shape = {1};
  array.data = {1};
  std::string path = pathOf("no/such/folder/out.npy");
  llvm::Error error = writeNpy(path, array);
  ASSERT_TRUE(static_cast<bool>(error));
  EXPECT_NE(llvm::toString(std::move(error)).find("cannot write '" + path),
            std::string::npos);
  EXPECT_FALSE(llvm::sys::fs::exists(path));
}
