// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that copies of a function with other arguments have in common.

#ifndef HEDDLE_COMPILER_TEXTENTRIES_ENTRYBUILDER_H
#define HEDDLE_COMPILER_TEXTENTRIES_ENTRYBUILDER_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// Changes a function whose types have sizes.
class EntryBuilder {
protected:
  explicit EntryBuilder(mlir::func::FuncOp function);

  mlir::Block &body() { return function.getBody().front(); }
  SizeAttr symbol(llvm::StringRef name) {
    return SizeAttr::symbol(context, name);
  }
  SizeAttr number(int64_t value) { return SizeAttr::number(context, value); }
  mlir::ArrayAttr array(llvm::ArrayRef<SizeAttr> list) {
    return toArray(context, list);
  }

  /// An op with one result of these sizes.
  template <typename Op, typename... Args>
  mlir::Value make(llvm::ArrayRef<SizeAttr> sizes, mlir::Type type,
                   Args &&...args) {
    return Op::create(b, tensorOf(sizes, type), std::forward<Args>(args)...);
  }
  /// One number for all elements.
  mlir::Value splat(double number, llvm::ArrayRef<SizeAttr> over,
                    mlir::Type type);
  /// counts[b], for each element of a tensor of sequences.
  mlir::Value forSequences(mlir::Value counts, llvm::ArrayRef<SizeAttr> over);
  /// Whether a token, of dimension `dim`, is below counts[b].
  mlir::Value isBelow(mlir::Value counts, llvm::ArrayRef<SizeAttr> over,
                      int64_t dim);
  /// counts[b] + s, where `dim` is the dimension of s.
  mlir::Value placesFrom(mlir::Value counts, llvm::ArrayRef<SizeAttr> over,
                         int64_t dim);
  /// The condition's elements, and one number where it does not hold.
  mlir::Value where(mlir::Value condition, mlir::Value x, double otherwise);

  /// A new one behind the others, whose type has sizes.
  mlir::BlockArgument addArgument(llvm::StringRef name, mlir::Type type);
  void setRole(mlir::BlockArgument argument, ArgumentRole role);
  /// Erases those that nobody uses, and what nobody reads, users first.
  void eraseArguments(llvm::ArrayRef<mlir::BlockArgument> old);
  void eraseDead();
  /// Puts what each sequence has of its own in the place of what all share.
  /// What is made of it gets its sizes anew; fails where some do not fit.
  mlir::LogicalResult replaceShared(mlir::Value shared, mlir::Value own);
  /// Reads rows of tables by other numbers than a caller's ids, which calls
  /// check, and returns how many rows the smallest table has.
  int64_t gatherBy(mlir::BlockArgument numbers);
  /// A result's name, and its role.
  mlir::DictionaryAttr describe(llvm::StringRef name, ArgumentRole role);
  /// Leaves types as an importer does: sizes follow from those of arguments.
  void dropSizes();

  mlir::func::FuncOp function;
  mlir::MLIRContext *context;
  mlir::ImplicitLocOpBuilder b;
};

/// The name of a size that is a symbol, or nothing.
std::string symbolOf(SizeAttr size);

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_ENTRYBUILDER_H
