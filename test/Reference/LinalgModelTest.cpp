// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The attention layer of the real data, in linalg: what its maker computed of
// it in double precision is what the evaluator computes.

#include "compiler/Pipeline.h"
#include "compiler/Reference/Evaluator.h"
#include "test/Reference/ReferenceTesting.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <cstdlib>

namespace heddle::reference {
namespace {

/// A file of NumPy with f32, in C order, for a tensor of `type`.
Tensor readNpy(const llvm::Twine &path, mlir::Type type) {
  Tensor tensor =
      Tensor::zeros(llvm::cast<mlir::RankedTensorType>(type).getShape());
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) {
    ADD_FAILURE() << path.str() << ": " << file.getError().message();
    return tensor;
  }
  llvm::StringRef bytes = (*file)->getBuffer();
  EXPECT_TRUE(bytes.contains("'descr': '<f4', 'fortran_order': False"));
  constexpr size_t count = 8, lengthBytes = 2; // magic and version, then length
  bytes =
      bytes.drop_front(count + lengthBytes +
                       llvm::support::endian::read16le(bytes.data() + count));
  EXPECT_EQ(bytes.size(), tensor.data.size() * sizeof(float));
  for (auto [index, element] : llvm::enumerate(tensor.data))
    element = llvm::bit_cast<float>(
        llvm::support::endian::read32le(bytes.data() + index * sizeof(float)));
  return tensor;
}

TEST(LinalgModel, attendsAsItsMakerSays) {
  const char *root = std::getenv("HEDDLE_REALDATA");
  if (!root)
    GTEST_SKIP() << "HEDDLE_REALDATA does not name the folder of real data";
  std::string folder =
      std::string(root) + "/linalg/bert-tiny-multi-head-attention";
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module =
      mlir::parseSourceFile<mlir::ModuleOp>(folder + ".mlir", &context);
  ASSERT_TRUE(module && succeeded(prepareReference(*module)));
  auto function = *module->getOps<mlir::func::FuncOp>().begin();

  // Arguments are numbered by the names of their files.
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator file(folder, error), end;
       file != end && !error; file.increment(error))
    if (!llvm::StringRef(file->path()).ends_with("expected.npy"))
      files.push_back(file->path());
  ASSERT_FALSE(error) << error.message();
  llvm::sort(files);
  ASSERT_EQ(files.size(), function.getNumArguments());
  llvm::SmallVector<Value> arguments;
  for (auto [file, type] : llvm::zip(files, function.getArgumentTypes()))
    arguments.push_back(readNpy(file, type));

  Evaluator evaluator(*module);
  auto results = evaluator.run(function.getSymName(), arguments);
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  const Tensor &found = *(*results)[0].tensor();
  Tensor expected =
      readNpy(folder + "/expected.npy", function.getResultTypes()[0]);
  ASSERT_EQ(found.shape, expected.shape);
  // The file rounds what it was computed as to f32.
  constexpr double tolerance = 1e-9, roundoff = 0x1p-24;
  double worst = 0;
  for (auto [x, y] : llvm::zip_equal(found.data, expected.data))
    worst = std::max(worst, std::abs(x - y) - roundoff * std::abs(y));
  EXPECT_LE(worst, tolerance);
}

} // namespace
} // namespace heddle::reference
