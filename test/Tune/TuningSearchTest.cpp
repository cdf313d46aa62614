// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search, with times that are formulas of a configuration.

#include "compiler/Tune/TuningSearch.h"

#include "compiler/Configure/ConfigureKernels.h"
#include "compiler/Configure/Passes.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Lowering/Names.h"
#include "compiler/Pipeline.h"
#include "compiler/Prepare/Passes.h"
#include "compiler/Target/Passes.h"
#include "compiler/Tune/Neighbours.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <gmock/gmock.h>

#include <cmath>

using namespace mlir;
using namespace heddle;

static constexpr char kKernels[] = R"(
heddle.kernel @rows(%x: tensor<?x8xf32> {heddle.sizes = ["n"]}) -> tensor<?x8xf32> {
  %y = heddle.activation relu %x : tensor<?x8xf32>
  heddle.yield %y : tensor<?x8xf32>
}
heddle.kernel @product(%x: tensor<5x80xf32>, %w: tensor<96x80xf32>
    {heddle.layout = #heddle.layout<panels of 32 along 0>, heddle.weight}) -> tensor<5x96xf32> {
  %z = heddle.linear %x, %w : tensor<5x80xf32>, tensor<96x80xf32>
  heddle.yield %z : tensor<5x96xf32>
}
heddle.kernel @attention(%q: tensor<1x64x128xf32>, %k: tensor<1x64x128xf32>) -> tensor<1x64x128xf32> {
  %o = heddle.attention %q, %k, %k heads(2, kv = 2) : tensor<1x64x128xf32>, tensor<1x64x128xf32>, tensor<1x64x128xf32>
  heddle.yield %o : tensor<1x64x128xf32>
}
)";

namespace {
class TuningSearchTest : public testing::Test {
protected:
  TuningSearchTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = parseSourceString<ModuleOp>(kKernels, &context);
    PassManager passes(&context);
    passes.addPass(createResolveSizes());
    passes.addPass(createDecompose());
    passes.addPass(createSetTarget({"x86-64-v4", ""}));
    passes.addPass(createFindContractions());
    passes.addPass(createConfigureKernels());
    EXPECT_TRUE(succeeded(passes.run(*module)));
  }

  KernelOp kernel(StringRef name) {
    return module->lookupSymbol<KernelOp>(name);
  }
  Attribute configurationOf(StringRef name) {
    return kernel(name)->getAttr(kConfigurationAttr);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  MachineModel machine = llvm::cantFail(MachineModel::forCpu("x86-64-v4"));
};
} // namespace

TEST_F(TuningSearchTest, NeighboursAreOthersThatTheKernelMayHave) {
  for (StringRef name : {"rows", "product", "attention"}) {
    Attribute own = configurationOf(name);
    SmallVector<Attribute> near = neighboursOf(kernel(name), own, machine);
    EXPECT_GE(near.size(), 4u) << name.str();
    EXPECT_THAT(near, testing::Not(testing::Contains(own))) << name.str();
    for (Attribute other : near) {
      EXPECT_EQ(other.getTypeID(), own.getTypeID());
      auto emitError = [&] { return kernel(name).emitError(); };
      EXPECT_TRUE(succeeded(
          checkConfiguration(kernel(name), other, machine, emitError)));
    }
  }
}

// Panels are in the weights' file, and a sum's depth changes answers.
TEST_F(TuningSearchTest, ProductsKeepColumnsAndDepth) {
  auto own = cast<ProductTilesAttr>(configurationOf("product"));
  for (Attribute other : neighboursOf(kernel("product"), own, machine)) {
    auto tiles = cast<ProductTilesAttr>(other);
    EXPECT_EQ(tiles.getColumns(), own.getColumns());
    EXPECT_EQ(tiles.getDepth(), own.getDepth());
    EXPECT_LE(tiles.getRows(), 5);
  }
}

TEST_F(TuningSearchTest, FindsWhatIsSeveralStepsAway) {
  // Fastest with tasks of 2048 elements, and strips as they are.
  auto timeOf = [](Attribute configuration) {
    auto tiles = cast<RowTilesAttr>(configuration);
    return 1 + std::abs(std::log2(tiles.getTask() / 2048.0)) +
           std::abs(std::log2(tiles.getStrip() / 512.0));
  };
  TuningSearch search(*module, machine, [](KernelOp kernel) {
    return kernel.getSymName() == "rows";
  });
  ASSERT_EQ(search.kernels().size(), 1u);
  const TuningSearch::Kernel &rows = search.kernels().front();
  ASSERT_EQ(cast<RowTilesAttr>(rows.first).getTask(), 32768);
  llvm::DenseSet<Attribute> measured;
  while (search.propose()) {
    EXPECT_TRUE(measured.insert(rows.candidate).second);
    search.learn("rows", timeOf(rows.candidate) / timeOf(rows.first));
  }
  EXPECT_EQ(cast<RowTilesAttr>(rows.best).getTask(), 2048);
  EXPECT_EQ(cast<RowTilesAttr>(rows.best).getStrip(), 512);
  EXPECT_EQ(rows.tried, measured.size());
}

TEST_F(TuningSearchTest, KeepsTheFirstWithoutAGain) {
  TuningSearch search(*module, machine, [](KernelOp) { return true; });
  ASSERT_EQ(search.kernels().size(), 3u);
  // The others have as many, or fewer.
  while (search.propose())
    for (const TuningSearch::Kernel &kernel : search.kernels())
      search.learn(KernelOp(kernel.op).getSymName(), 0.995);
  for (const TuningSearch::Kernel &kernel : search.kernels()) {
    EXPECT_EQ(kernel.best, kernel.first);
    EXPECT_GT(kernel.tried, 3u);
  }
}

TEST_F(TuningSearchTest, ForgetsWhatIsNotConfirmed) {
  TuningSearch search(*module, machine, [](KernelOp) { return true; });
  ASSERT_TRUE(search.propose());
  search.learn("rows", 0.5);
  search.learn("product", 0.5);
  search.proposeBest();
  search.confirm("rows", 1.0);
  search.confirm("product", 0.6);
  for (const TuningSearch::Kernel &kernel : search.kernels()) {
    bool isProduct = KernelOp(kernel.op).getSymName() == "product";
    EXPECT_EQ(kernel.best == kernel.first, !isProduct);
    EXPECT_EQ(kernel.ratio, isProduct ? 0.6 : 1);
  }
}
