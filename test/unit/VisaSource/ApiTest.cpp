//===- ApiTest.cpp - The table of the crate of kernels --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/VisaSource/Api.h"
#include "Parsed.h"
#include "llvm/Support/FileSystem.h"
#include <functional>
#include <set>

using namespace sequin;
using namespace sequin::visa_source;
using llvm::StringRef;
using sequin::testing::Parsed;
using sequin::testing::readInput;

namespace {

TEST(VisaApi, TheTableIsSound) {
  for (const std::string &mistake : checkApi())
    ADD_FAILURE() << mistake;
}

/// The mnemonics of the dialect, as its definitions spell them.
std::set<std::string> operations() {
  std::set<std::string> result;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(SEQUIN_TCP_OPERATIONS, error), end;
       it != end && !error; it.increment(error)) {
    if (!StringRef(it->path()).ends_with(".td"))
      continue;
    auto buffer = llvm::MemoryBuffer::getFile(it->path());
    StringRef rest = (*buffer)->getBuffer();
    while (!rest.empty()) {
      rest = rest.drop_front(std::min(rest.find("<\""), rest.size()));
      rest = rest.drop_front(std::min<size_t>(2, rest.size()));
      result.insert(rest.take_until([](char c) { return c == '"'; }).str());
    }
  }
  return result;
}

TEST(VisaApi, TheOperationsExist) {
  std::set<std::string> known = operations();
  ASSERT_TRUE(known.count("commit"));
  for (const ApiMethod &method : apiMethods())
    if (!method.operation.empty())
      EXPECT_TRUE(known.count(method.operation.str()))
          << method.type.str() << "::" << method.name.str();
}

TEST(VisaApi, Rows) {
  const ApiMethod *fetch = findApiMethod("BeginTensor", "fetch", Releases::V01);
  ASSERT_TRUE(fetch);
  ASSERT_EQ(fetch->genericList().size(), 3u);
  EXPECT_EQ(fetch->genericList()[0].what, "scalar");
  EXPECT_EQ(fetch->genericList()[1].name, "Time");
  EXPECT_EQ(fetch->result, "FetchTensor");
  EXPECT_EQ(fetch->section, "Fetch Engine");
  EXPECT_EQ(findApiMethod("BeginTensor", "fetch", Releases::V06)
                ->genericList()
                .size(),
            2u);
  EXPECT_TRUE(isApiValue("TrfAddress", "Full"));
  EXPECT_FALSE(isApiValue("TrfAddress", "Half"));
  EXPECT_EQ(releaseOfCrate("furiosa_opt_std"), Releases::V06);
  EXPECT_EQ(releaseOfCrate("rand"), std::nullopt);
}

TEST(VisaApi, MissingMethods) {
  EXPECT_EQ(describeMissing("BeginTensor", "fech", Releases::V01),
            "'BeginTensor' has no method 'fech', did you mean 'fetch'?");
  EXPECT_EQ(describeMissing("CollectTensor", "fetch", Releases::V01),
            "'CollectTensor' has no method 'fetch', which is one of "
            "'BeginTensor'");
  EXPECT_EQ(describeMissing("CollectTensor", "commit_trim", Releases::V01),
            "'CollectTensor' has no method 'commit_trim' in release 0.1 of "
            "the crate, only in 0.6");
  EXPECT_EQ(describeMissing("Context", "xyz", Releases::V01),
            "'Context' has no method 'xyz'");
}

/// Methods that kernels of ours call on engines are in the table.
TEST(VisaApi, KernelsUseIt) {
  Parsed parsed(readInput("mlp.rs"));
  unsigned calls = 0;
  std::function<void(const Node &)> visit = [&](const Node &node) {
    const auto *call = llvm::dyn_cast<MethodCall>(&node);
    if (call && call->name.text != "iter" && call->name.text != "enumerate") {
      EXPECT_TRUE(isApiMethod(call->name.text)) << call->name.text.str();
      ++calls;
    }
    forEachChild(node, visit);
  };
  for (const Item *item : parsed.file->items)
    visit(*item);
  EXPECT_GT(calls, 20u);
}

} // namespace
