//===- DocumentTest.cpp - Pages as files ----------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Page/Document.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"
#include <gtest/gtest.h>

using namespace sequin;
using llvm::StringRef;

static std::string pageOf(StringRef title, StringRef data) {
  std::string text;
  llvm::raw_string_ostream os(text);
  page::writeDocument(os, title, data);
  return text;
}

/// What the scripts of a page get to see.
static std::string dataOf(StringRef text, size_t size) {
  StringRef packed = text.split("id=\"data\">").second.split("</script>").first;
  std::vector<char> bytes;
  EXPECT_FALSE(bool(llvm::decodeBase64(packed, bytes)));
  llvm::SmallVector<uint8_t> data;
  EXPECT_FALSE(bool(llvm::compression::zlib::decompress(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()),
                     bytes.size()),
      data, size)));
  return std::string(data.begin(), data.end());
}

TEST(PageDocument, DataComeBack) {
  std::string data = "{\"a\":[1,2,3],\"b\":\"</script><script>x()\"}";
  std::string text = pageOf("a run", data);
  EXPECT_EQ(dataOf(text, data.size()), data);
  EXPECT_TRUE(StringRef(text).starts_with("<!DOCTYPE html>"));
  EXPECT_NE(text.find("<title>a run</title>"), std::string::npos);
  // All that is to be filled in has been.
  EXPECT_EQ(text.find("<!--"), std::string::npos);
}

TEST(PageDocument, TitleIsNoMarkup) {
  std::string text = pageOf("</title><script>alert(1)</script>\xff&", "{}");
  EXPECT_NE(text.find("<title>&lt;/title&gt;&lt;script&gt;alert(1)"
                      "&lt;/script&gt;\xef\xbf\xbd&amp;</title>"),
            std::string::npos);
}

TEST(PageDocument, SameTwice) {
  EXPECT_EQ(pageOf("t", "[1]"), pageOf("t", "[1]"));
}

TEST(PageDocument, Strings) {
  page::Strings strings;
  EXPECT_EQ(strings["a"], 0);
  EXPECT_EQ(strings["b"], 1);
  EXPECT_EQ(strings["a"], 0);
  EXPECT_EQ(strings.list().size(), 2u);
}

TEST(PageDocument, NothingButSourceIsRead) {
  std::vector<page::Source> sources = {{"given.mlir", "text"}};
  page::readSources({"/etc/passwd:1:1", "/dev/zero:1:1", "none.mlir:1:1",
                     "given.mlir:1:1", "no place", ""},
                    sources);
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources[0].text, "text");
}
