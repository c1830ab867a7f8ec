//===- CslOutputTest.cpp --------------------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Wafer/CslOutput.h"
#include "Row.h"
#include "WaferTestSupport.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gmock/gmock.h>

using namespace sequin;
using namespace sequin::wafer;
using ::testing::HasSubstr;

namespace {

class CslOutputTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("csl-output", root));
    directory = (root + "/out").str();
  }
  void TearDown() override { llvm::sys::fs::remove_directories(root); }

  void write(const std::string &name, llvm::StringRef text) {
    std::error_code code;
    llvm::raw_fd_ostream os(directory + "/" + name, code);
    ASSERT_FALSE(code);
    os << text;
  }
  std::string failure() {
    auto output = readCslOutput(directory);
    return output ? "" : llvm::toString(output.takeError());
  }

  llvm::SmallString<128> root;
  std::string directory;
};

llvm::json::Object parseFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return {};
  auto value = llvm::json::parse((*buffer)->getBuffer());
  if (!value) {
    llvm::consumeError(value.takeError());
    return {};
  }
  return std::move(*value->getAsObject());
}

} // namespace

TEST_F(CslOutputTest, round_trip) {
  SEQUIN_ROW("HST-022");
  SEQUIN_ROW("HST-021");
  Program program = sequin::testing::makeSample();
  CslOutput output;
  output.params = {{"M", "4"}, {"MEMCPYH2D_DATA_1_ID", "2"}};
  output.source = "layout.csl";
  output.channels = 1;
  ASSERT_FALSE(bool(writeCslOutput(directory, output, program)));

  llvm::json::Object json = parseFile(directory + "/out.json");
  ASSERT_TRUE(json.getObject("params"));
  EXPECT_EQ(json.getObject("params")->getString("M"), "4");
  EXPECT_EQ(json.getString("arch"), "wse3");
  EXPECT_EQ(json.getInteger("offset_x"), 4);

  auto read = readCslOutput(directory);
  ASSERT_TRUE(bool(read));
  EXPECT_EQ(read->first.params, output.params);
  EXPECT_EQ(read->first.channels, 1);
  EXPECT_EQ(read->second, program);
}

// One for each code, which readers of ELF take.
TEST_F(CslOutputTest, elf_files) {
  SEQUIN_ROW("HST-021");
  SEQUIN_ROW("LAY-020");
  Program program = sequin::testing::makeSample();
  ASSERT_FALSE(bool(writeCslOutput(directory, {}, program)));
  write("bin/out_7_7.elf", "old");
  ASSERT_FALSE(bool(writeCslOutput(directory, {}, program)));
  EXPECT_FALSE(llvm::sys::fs::exists(directory + "/bin/out_7_7.elf"));
  llvm::json::Object json = parseFile(directory + "/out.json");
  const llvm::json::Array *paths = json.getArray("elf");
  ASSERT_TRUE(paths);
  ASSERT_EQ(paths->size(), program.codes.size());
  for (auto [number, path] : llvm::enumerate(*paths)) {
    auto file = llvm::object::ObjectFile::createObjectFile(
        directory + "/" + path.getAsString()->str());
    ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
    const Code &code = program.codes[number];
    std::map<std::string, std::pair<uint64_t, uint64_t>> found;
    for (const llvm::object::ELFSymbolRef symbol : file->getBinary()->symbols())
      found[llvm::cantFail(symbol.getName()).str()] = {
          llvm::cantFail(symbol.getAddress()), symbol.getSize()};
    EXPECT_EQ(found.size(), code.variables.size() + code.functions.size());
    for (const Variable &variable : code.variables) {
      EXPECT_EQ(found[variable.name].first, variable.address);
      EXPECT_EQ(found[variable.name].second, uint64_t(variable.bytes()));
      for (const llvm::object::SectionRef section :
           file->getBinary()->sections()) {
        if (llvm::cantFail(section.getName()) != ".data")
          continue;
        llvm::StringRef bytes = llvm::cantFail(section.getContents());
        for (auto [offset, byte] : llvm::enumerate(variable.data)) {
          size_t at = variable.address + offset - section.getAddress();
          EXPECT_EQ(at < bytes.size() ? uint8_t(bytes[at]) : 0, byte);
        }
      }
    }
  }
}

// A file of memory from an earlier run does not outlive its program.
TEST_F(CslOutputTest, writing_again_removes_the_memory_image) {
  Program program = sequin::testing::makeSample();
  ASSERT_FALSE(bool(writeCslOutput(directory, {}, program)));
  write("bin/out_memory.bin", "old");
  ASSERT_FALSE(bool(writeCslOutput(directory, {}, program)));
  EXPECT_FALSE(llvm::sys::fs::exists(memoryFileOf(directory)));
}

TEST_F(CslOutputTest, rpc_symbols) {
  SEQUIN_ROW("RPC-009");
  SEQUIN_ROW("RPC-010");
  Program program;
  program.fp16 = Fp16Format::CB16;
  program.symbols.push_back({.name = "A",
                             .kind = Symbol::Kind::Pointer,
                             .element = ElementKind::Float,
                             .elementBytes = 2,
                             .places = {{}}});
  program.symbols.push_back({.name = "n",
                             .kind = Symbol::Kind::Scalar,
                             .writable = false,
                             .element = ElementKind::Unsigned,
                             .elementBytes = 4,
                             .places = {{}}});
  program.symbols.push_back(
      {.name = "f",
       .kind = Symbol::Kind::Function,
       .argumentBits = {16, 32},
       .argumentKinds = {ElementKind::Signed, ElementKind::Float},
       .places = {{}}});
  // No PE has it: its number is taken, and it is not there.
  program.symbols.push_back({.name = "never"});
  program.streams.push_back({.name = "in", .color = 7});
  std::string text = llvm::formatv("{0}", rpcSymbols(program)).str();
  EXPECT_EQ(
      text,
      R"({"rpc_symbols":[)"
      R"({"id":0,"immutable":false,"kind":"Var","name":"A","type":"[*]cb16"},)"
      R"({"id":1,"immutable":true,"kind":"Var","name":"n","type":"u32"},)"
      R"({"id":2,"inputs":[{"name":"arg0","type":"i16"},)"
      R"({"name":"arg1","type":"f32"}],)"
      R"("kind":"Func","name":"f","type":"void"},)"
      R"({"color":7,"id":4,"kind":"Stream","name":"in","type":"u32"}]})");

  // As the source declares them.
  text = llvm::formatv(
             "{0}",
             rpcSymbols(program,
                        {{"f", "i32", {{"count", "i16"}, {"factor", "f32"}}},
                         {"A", "[*]const cb16", {}}}))
             .str();
  EXPECT_THAT(text, HasSubstr(R"("name":"A","type":"[*]const cb16"})"));
  EXPECT_THAT(text, HasSubstr(R"("inputs":[{"name":"count","type":"i16"},)"
                              R"({"name":"factor","type":"f32"}],)"
                              R"("kind":"Func","name":"f","type":"i32"})"));
  EXPECT_THAT(text, HasSubstr(R"("name":"n","type":"u32"})"));
}

TEST_F(CslOutputTest, bad_directories) {
  EXPECT_THAT(failure(), HasSubstr("is no directory"));
  ASSERT_FALSE(llvm::sys::fs::create_directories(directory + "/bin"));
  EXPECT_THAT(failure(), HasSubstr("out.json"));
  write("out.json", "{");
  EXPECT_THAT(failure(), HasSubstr("not valid JSON"));
  write("out.json", "[]");
  EXPECT_THAT(failure(), HasSubstr("no format version"));
  write("out.json", R"({"version": 2})");
  EXPECT_THAT(failure(), HasSubstr("format version 2, expected 1"));
  write("out.json", R"({"version": 1})");
  EXPECT_THAT(failure(), HasSubstr("names no program"));
  write("out.json", R"({"version": 1, "program": "p.json"})");
  EXPECT_THAT(failure(), HasSubstr("p.json"));
  write("out.json", std::string(100000, '['));
  EXPECT_THAT(failure(), HasSubstr("nest more than"));
}

// A directory names no file outside of it, in whatever way.
TEST_F(CslOutputTest, the_program_is_in_the_directory) {
  Program program = sequin::testing::makeSample();
  ASSERT_FALSE(bool(writeCslOutput(directory, {}, program)));
  std::string other = (root + "/other.json").str();
  ASSERT_FALSE(
      llvm::sys::fs::copy_file(directory + "/bin/out_program.json", other));
  for (const std::string &name : {other, std::string("../other.json"),
                                  std::string("bin/../../other.json")}) {
    write("out.json", R"({"version": 1, "program": ")" + name + R"("})");
    EXPECT_THAT(failure(), HasSubstr("expected a file of the directory"));
  }
  ASSERT_FALSE(llvm::sys::fs::create_link(other, directory + "/link.json"));
  write("out.json", R"({"version": 1, "program": "link.json"})");
  EXPECT_THAT(failure(), HasSubstr("expected a file of the directory"));
  write("out.json", R"({"version": 1, "program": "bin/out_program.json"})");
  EXPECT_EQ(failure(), "");
}

// What was there stays when something cannot be written.
TEST_F(CslOutputTest, an_error_leaves_the_directory) {
  Program program = sequin::testing::makeSample();
  ASSERT_FALSE(bool(writeCslOutput(directory, {}, program)));
  llvm::json::Object before = parseFile(directory + "/out.json");
  program.fabricWidth += 1;
  llvm::Error error =
      writeCslOutput(directory, {}, program, directory + "/bin");
  EXPECT_THAT(llvm::toString(std::move(error)), HasSubstr("is a directory"));
  EXPECT_EQ(parseFile(directory + "/out.json"), before);
  EXPECT_EQ(failure(), "");
  error = writeCslOutput(directory, {}, program,
                         directory + "/bin/out_program.json");
  EXPECT_THAT(llvm::toString(std::move(error)),
              HasSubstr("another file of the compilation"));
  std::error_code code;
  size_t count = 0;
  for (llvm::sys::fs::directory_iterator entry(directory, code), end;
       !code && entry != end; entry.increment(code))
    ++count;
  EXPECT_EQ(count, 2u); // bin, out.json

  std::string fresh = (root + "/fresh").str();
  error = writeCslOutput(fresh, {}, program, (root + "/no/copy.json").str());
  EXPECT_TRUE(bool(error));
  llvm::consumeError(std::move(error));
  EXPECT_FALSE(llvm::sys::fs::exists(fresh));
}
