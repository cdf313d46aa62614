// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The trained model of the real data: what its folder says it computes is what
// the evaluator computes, before and after fusion.

#include "compiler/Fusion/Passes.h"
#include "compiler/Import/HuggingFaceFolder.h"
#include "compiler/Prepare/Passes.h"
#include "test/Reference/ReferenceTesting.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

namespace heddle::reference {
namespace {

class Stories260K : public testing::Test {
protected:
  void SetUp() override {
    const char *root = std::getenv("HEDDLE_REALDATA");
    if (!root)
      GTEST_SKIP() << "HEDDLE_REALDATA does not name the folder of real data";
    mlir::DialectRegistry registry;
    registerElementwiseSizes(registry);
    registerDecompositions(registry);
    registerReferenceModels(registry);
    context.appendDialectRegistry(registry);
    llvm::SmallString<128> folder(root);
    llvm::sys::path::append(folder, "stories260K");
    llvm::Expected<ImportedModel> imported =
        importHuggingFaceFolder(folder, {}, context);
    ASSERT_TRUE(bool(imported)) << llvm::toString(imported.takeError());
    model = std::move(*imported);
    readExpected(folder);
  }

  void readExpected(llvm::StringRef folder) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, "expected.json");
    auto file = llvm::MemoryBuffer::getFile(path);
    ASSERT_TRUE(bool(file)) << path.c_str();
    auto parsed = llvm::json::parse((*file)->getBuffer());
    ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
    const llvm::json::Object &root = *parsed->getAsObject();
    for (const llvm::json::Value &id : *root.getArray("greedy_ids"))
      ids.push_back(id.getAsInteger().value_or(-1));
    const llvm::json::Object &logits = *root.getObject("logits_float64");
    const llvm::json::Array &positions = *logits.getArray("positions");
    for (size_t i = 0; i < positions.size(); ++i) {
      std::vector<double> &row =
          expectedLogits[positions[i].getAsInteger().value_or(-1)];
      for (const llvm::json::Value &value :
           *(*logits.getArray("values"))[i].getAsArray())
        row.push_back(value.getAsNumber().value_or(nan));
    }
    ASSERT_FALSE(ids.empty());
    ASSERT_FALSE(expectedLogits.empty());
  }

  CacheView newCache(int64_t batch, int64_t capacity) {
    auto function =
        model.module->getOps<mlir::func::FuncOp>().begin().operator*();
    return CacheView::create(
        llvm::cast<CacheType>(function.getResultTypes().back()), batch,
        capacity);
  }

  /// One call: the logits, [batch, vocabulary]; goes on with `cache`.
  Tensor forward(llvm::StringRef function, Tensor tokens,
                 std::vector<double> starts, std::vector<double> lengths,
                 Value &cache) {
    int64_t batch = tokens.shape[0];
    Evaluator evaluator(*model.module, model.tensors.get());
    auto results = evaluator.run(
        function, {std::move(tokens), Tensor({batch}, std::move(starts)),
                   Tensor({batch}, std::move(lengths)), cache});
    if (!results) {
      ADD_FAILURE() << llvm::toString(results.takeError());
      std::abort();
    }
    cache = (*results)[1];
    return *(*results)[0].tensor();
  }

  /// Feeds the story token by token, and demands that each is the best after
  /// those before it.
  void expectStory(llvm::StringRef function, double tolerance) {
    Value cache = newCache(1, ids.size());
    double largestError = 0;
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      Tensor logits = forward(function, Tensor({1, 1}, {double(ids[i])}),
                              {double(i)}, {1}, cache);
      int64_t best = llvm::max_element(logits.data) - logits.data.begin();
      ASSERT_EQ(best, ids[i + 1]) << "after position " << i;
      auto expected = expectedLogits.find(i);
      if (expected == expectedLogits.end())
        continue;
      for (auto [found, wanted] :
           llvm::zip_equal(logits.data, expected->second))
        largestError = std::max(largestError, std::abs(found - wanted));
    }
    EXPECT_LT(largestError, tolerance);
    RecordProperty("largest_error", std::to_string(largestError));
    llvm::outs() << "largest error of a logit: " << largestError << "\n";
  }

  mlir::MLIRContext context;
  ImportedModel model;
  std::vector<int64_t> ids;
  std::map<int64_t, std::vector<double>> expectedLogits;
};

// The file holds logits to 9 decimals, of a double-precision computation.
constexpr double tolerance = 1e-6;

TEST_F(Stories260K, tellsTheStory) { expectStory("forward", tolerance); }

TEST_F(Stories260K, readsAPromptAtOnce) {
  // The whole story in one call, beside a shorter beginning of it in two calls.
  int64_t all = ids.size() - 1, part = 7, rest = 20;
  Value cache = newCache(2, all);
  Tensor first = Tensor::zeros({2, part});
  for (int64_t i = 0; i < part; ++i)
    first.row(0)[i] = first.row(1)[i] = ids[i];
  // The second sequence keeps 5 of these tokens.
  forward("forward", first, {0, 0}, {double(part), 5}, cache);
  Tensor second({2, all - part}, std::vector<double>(2 * (all - part), 1));
  for (int64_t i = 0; i < all - part; ++i)
    second.row(0)[i] = ids[part + i];
  for (int64_t i = 0; i < rest; ++i)
    second.row(1)[i] = ids[5 + i];
  Tensor logits = forward("forward", second, {double(part), 5},
                          {double(all - part), double(rest)}, cache);
  for (auto [found, wanted] :
       llvm::zip_equal(logits.row(0), expectedLogits.at(all - 1)))
    ASSERT_NEAR(found, wanted, tolerance);
  auto best = llvm::max_element(logits.row(1)) - logits.row(1).begin();
  EXPECT_EQ(best, ids[5 + rest]);
}

TEST_F(Stories260K, tellsTheStoryAfterFusion) {
  mlir::PassManager passes(&context);
  passes.addPass(createResolveSizes());
  passes.addPass(createSplitPhases());
  passes.addPass(createDecompose());
  passes.addPass(createGeneralizeElementwise());
  passes.addPass(createMergeGenerics());
  passes.addPass(createFormKernels());
  ASSERT_TRUE(succeeded(passes.run(*model.module)));
  ASSERT_FALSE(model.module->getOps<KernelOp>().empty());
  expectStory("decode", tolerance);

  int64_t all = ids.size() - 1;
  Tensor prompt = Tensor::zeros({1, all});
  for (int64_t i = 0; i < all; ++i)
    prompt.data[i] = ids[i];
  Value cache = newCache(1, all);
  Tensor logits = forward("prefill", prompt, {0}, {double(all)}, cache);
  for (auto [found, wanted] :
       llvm::zip_equal(logits.data, expectedLogits.at(all - 1)))
    ASSERT_NEAR(found, wanted, tolerance);
}

// Weights that are rounded to bf16 still tell a story, but not the same logits.
TEST_F(Stories260K, roundsWeights) {
  llvm::SmallString<128> folder(std::getenv("HEDDLE_REALDATA"));
  llvm::sys::path::append(folder, "stories260K");
  llvm::Expected<ImportedModel> narrow =
      importHuggingFaceFolder(folder, {WeightType::BF16, ""}, context);
  ASSERT_TRUE(bool(narrow)) << llvm::toString(narrow.takeError());
  model = std::move(*narrow);
  Value cache = newCache(1, 1);
  Tensor logits = forward("forward", tensor({1, 1}, {1}), {0}, {1}, cache);
  double largest = 0;
  for (auto [found, wanted] :
       llvm::zip_equal(logits.data, expectedLogits.at(0)))
    largest = std::max(largest, std::abs(found - wanted));
  // bf16 keeps 8 bits: 2^-9 of a logit's size, which is at most 9 here, a few
  // times over in 5 layers.
  EXPECT_GT(largest, 1e-4);
  EXPECT_LT(largest, 0.5);
}

} // namespace
} // namespace heddle::reference
