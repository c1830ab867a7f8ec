//===- OutputFileTest.cpp - Where outputs end up --------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Support/OutputFile.h"
#include "sequin/Support/Excerpt.h"
#include "gtest/gtest.h"
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>

using namespace sequin;
namespace stdfs = std::filesystem;

namespace {

class OutputFileTest : public ::testing::Test {
protected:
  OutputFileTest() {
    std::string pattern =
        (stdfs::temp_directory_path() / "sequin-output-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  ~OutputFileTest() override { stdfs::remove_all(folder); }

  std::string at(const char *name) const { return (folder / name).string(); }
  std::string write(const char *name) {
    return llvm::toString(
        writeOutput(at(name), [](llvm::raw_ostream &os) -> llvm::Error {
          os << "text";
          return llvm::Error::success();
        }));
  }
  static std::string contents(const std::string &path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  size_t entries() const {
    return std::distance(stdfs::directory_iterator(folder), {});
  }

  stdfs::path folder;
};

TEST_F(OutputFileTest, LinksAreFollowed) {
  stdfs::create_directory(folder / "there");
  stdfs::create_symlink("there/file", folder / "link");
  stdfs::create_symlink("link", folder / "second");
  EXPECT_EQ(write("second"), "");
  EXPECT_TRUE(stdfs::is_symlink(folder / "second"));
  EXPECT_TRUE(stdfs::is_symlink(folder / "link"));
  EXPECT_TRUE(stdfs::is_regular_file(stdfs::symlink_status(at("there/file"))));
  EXPECT_EQ(contents(at("there/file")), "text");
  EXPECT_EQ(llvm::cantFail(findOutputPlace(at("second"))).identity(),
            llvm::cantFail(findOutputPlace(at("there/file"))).identity());
  EXPECT_NE(llvm::cantFail(findOutputPlace(at("second"))).identity(),
            llvm::cantFail(findOutputPlace(at("file"))).identity());
}

TEST_F(OutputFileTest, PipesAreNotReplaced) {
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  OutputPlace place = llvm::cantFail(findOutputPlace(at("pipe")));
  EXPECT_TRUE(place.inPlace);
  EXPECT_FALSE(place.keepsNothing);
}

TEST_F(OutputFileTest, RefusesByName) {
  stdfs::create_symlink("round", folder / "round");
  EXPECT_EQ(write("round"),
            "cannot write '" + at("round") + "': too many symbolic links");
  EXPECT_EQ(write("."), "cannot write '" + at(".") + "': is a directory");
  EXPECT_NE(write("none/file").find("cannot write '" + at("none/file") + "': "),
            std::string::npos);
}

TEST_F(OutputFileTest, AnErrorLeavesWhatWasThere) {
  std::ofstream(at("file")) << "old";
  llvm::Error error =
      writeOutput(at("file"), [](llvm::raw_ostream &os) -> llvm::Error {
        os << "new";
        return llvm::createStringError("no more");
      });
  EXPECT_EQ(llvm::toString(std::move(error)),
            "cannot write '" + at("file") + "': no more");
  EXPECT_EQ(contents(at("file")), "old");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFileTest, FilesAppearTogether) {
  std::ofstream(at("stale")) << "old";
  {
    OutputFiles files;
    ASSERT_FALSE(bool(files.addFolder(at("new/deep"))));
    ASSERT_FALSE(bool(files.addText(at("new/deep/file"), "text")));
    EXPECT_TRUE(files.contains(at("new/../new/deep/file")));
    EXPECT_FALSE(stdfs::exists(at("new/deep/file")));
  }
  EXPECT_FALSE(stdfs::exists(at("new"))); // not committed
  OutputFiles files;
  ASSERT_FALSE(bool(files.addFolder(at("new/deep"))));
  ASSERT_FALSE(bool(files.addText(at("new/deep/file"), "text")));
  files.replace(at("stale"));
  ASSERT_FALSE(bool(files.commit()));
  EXPECT_EQ(contents(at("new/deep/file")), "text");
  EXPECT_FALSE(stdfs::exists(at("stale")));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFileTest, FreshFilesReplaceLinks) {
  std::ofstream(at("victim")) << "old";
  stdfs::create_symlink("victim", folder / "name");
  ASSERT_FALSE(bool(writeOutput(at("name"), "text", OutputKind::Fresh)));
  EXPECT_FALSE(stdfs::is_symlink(at("name")));
  EXPECT_EQ(contents(at("name")), "text");
  EXPECT_EQ(contents(at("victim")), "old");
}

TEST_F(OutputFileTest, WhoMayReadAProgramMayRunIt) {
  mode_t mask = umask(027);
  ASSERT_FALSE(bool(writeOutput(at("program"), "", OutputKind::Program)));
  umask(mask);
  EXPECT_EQ(stdfs::status(at("program")).permissions(), stdfs::perms(0750));
}

TEST_F(OutputFileTest, WritersOfAFolderTakeTurns) {
  using Kind = FolderLock::Kind;
  auto reader = FolderLock::take(folder.string(), Kind::Read);
  ASSERT_TRUE(bool(reader));
  auto other = FolderLock::take(folder.string(), Kind::Read);
  ASSERT_TRUE(bool(other));
  std::atomic<bool> hasWritten = false;
  std::thread writer([&] {
    llvm::cantFail(FolderLock::take(folder.string(), Kind::Write));
    hasWritten = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(hasWritten);
  {
    FolderLock ended = std::move(*reader), too = std::move(*other);
  }
  writer.join();
  EXPECT_TRUE(hasWritten);
}

TEST(Excerpt, CutsWhatIsLong) {
  EXPECT_EQ(excerpt(""), "");
  EXPECT_EQ(excerpt(std::string(120, 'a')), std::string(120, 'a'));
  EXPECT_EQ(excerpt(std::string(121, 'a')), std::string(120, 'a') + "...");
  EXPECT_EQ(excerpt("a\nb"), "a?b");
}

} // namespace
