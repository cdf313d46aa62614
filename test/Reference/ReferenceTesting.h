// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_TEST_REFERENCE_REFERENCETESTING_H
#define HEDDLE_TEST_REFERENCE_REFERENCETESTING_H

#include "compiler/Reference/Evaluator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <cmath>
#include <deque>
#include <limits>

namespace heddle::reference {

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

inline Tensor tensor(std::initializer_list<int64_t> shape,
                     std::vector<double> data) {
  return Tensor(llvm::ArrayRef(shape.begin(), shape.size()), std::move(data));
}

/// Weights that a test holds itself; of a name the last one counts.
class TestSource {
public:
  void add(llvm::StringRef name, std::optional<heddle_type> type,
           std::initializer_list<int64_t> shape, std::vector<uint8_t> data) {
    values.push_back(std::move(data));
    llvm::erase_if(entries,
                   [&](const TensorEntry &e) { return e.name == name; });
    entries.push_back({name.str(), type, "", shape, values.back(), ""});
  }
  /// Its data is here.
  TensorSource open() const { return TensorSource("", entries); }

private:
  std::vector<TensorEntry> entries;
  std::deque<std::vector<uint8_t>> values;
};

class EvaluatorTest : public testing::Test {
protected:
  EvaluatorTest() {
    mlir::DialectRegistry registry;
    registerReferenceModels(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<mlir::func::FuncDialect, mlir::arith::ArithDialect,
                        mlir::math::MathDialect, mlir::scf::SCFDialect,
                        mlir::tensor::TensorDialect, HeddleDialect>();
  }

  /// Parses `text` and runs its function @f.
  llvm::Expected<Evaluator::Results> tryRun(const std::string &text,
                                            llvm::ArrayRef<Value> arguments) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "the test's text does not parse");
    TensorSource opened = source.open();
    Evaluator evaluator(*module, &opened);
    evaluator.setObserver(observer);
    return evaluator.run("f", arguments);
  }

  Evaluator::Results run(const std::string &text,
                         llvm::ArrayRef<Value> arguments) {
    llvm::Expected<Evaluator::Results> results = tryRun(text, arguments);
    if (results)
      return *results;
    ADD_FAILURE() << llvm::toString(results.takeError());
    return {};
  }

  /// Runs @f and compares its first result; NaN equals NaN.
  void expect(const std::string &text, llvm::ArrayRef<Value> arguments,
              const Tensor &expected, double tolerance = 1e-12) {
    Evaluator::Results results = run(text, arguments);
    if (!results.empty())
      expectNear(*results[0].tensor(), expected, tolerance);
  }

  /// The result, of type `type`, of heddle.`op` on %x, %y and %z, as far as
  /// there are operands; `types` are theirs.
  Tensor runOp(const std::string &op, const std::string &type,
               llvm::ArrayRef<Value> operands,
               llvm::ArrayRef<const char *> types) {
    std::string arguments, names[] = {"%x", "%y", "%z"};
    for (size_t i = 0; i < operands.size(); ++i)
      arguments += (i ? ", " : "") + names[i] + ": " + types[i];
    Evaluator::Results results =
        run("func.func @f(" + arguments + ") -> " + type + " {\n%r = heddle." +
                op + "\nreturn %r : " + type + " }",
            operands);
    return results.empty() ? Tensor() : *results[0].tensor();
  }

  static void expectNear(const Tensor &found, const Tensor &expected,
                         double tolerance = 1e-12) {
    ASSERT_EQ(found.shape, expected.shape);
    for (size_t i = 0; i < expected.data.size(); ++i) {
      if (std::isnan(expected.data[i]))
        EXPECT_TRUE(std::isnan(found.data[i])) << "element " << i;
      else if (std::isinf(expected.data[i]))
        EXPECT_EQ(found.data[i], expected.data[i]) << "element " << i;
      else
        EXPECT_NEAR(found.data[i], expected.data[i], tolerance)
            << "element " << i;
    }
  }

  void expectError(const std::string &text, llvm::ArrayRef<Value> arguments,
                   const std::string &part) {
    llvm::Expected<Evaluator::Results> results = tryRun(text, arguments);
    ASSERT_FALSE(bool(results)) << "expected an error";
    std::string message = llvm::toString(results.takeError());
    EXPECT_NE(message.find(part), std::string::npos)
        << "expected: " << part << "\nmessage:  " << message;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  TestSource source;
  Evaluator::Observer observer;
};

} // namespace heddle::reference

#endif // HEDDLE_TEST_REFERENCE_REFERENCETESTING_H
