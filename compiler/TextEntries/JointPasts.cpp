// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/JointPasts.h"

#include "compiler/TextEntries/EntryBuilder.h"

using namespace mlir;
using namespace heddle;

namespace {
class JointPasts : EntryBuilder {
public:
  explicit JointPasts(func::FuncOp function) : EntryBuilder(function) {}

  void split() {
    SmallVector<BlockArgument> whole;
    for (BlockArgument argument :
         llvm::to_vector(function.getBody().getArguments()))
      if (split(argument))
        whole.push_back(argument);
    if (whole.empty())
      return;
    splitResults();
    eraseDead();
    eraseArguments(whole);
  }

private:
  // What reads a half as [batch, heads, past, channels], or nothing if
  // something else reads it.
  std::optional<SmallVector<Operation *>> readersOf(SliceOp half) {
    Sizes apart = sizesOf(half.getInput());
    apart.erase(apart.begin());
    SmallVector<Operation *> readers;
    for (Operation *reader : half->getUsers()) {
      if (!isa<ReshapeOp, SqueezeOp>(reader) ||
          sizesOf(reader->getResult(0)) != apart)
        return std::nullopt;
      readers.push_back(reader);
    }
    return readers;
  }

  // The number of a half that is all of it.
  static std::optional<int64_t> numberOf(SliceOp slice) {
    Sizes offsets = toSizes(slice.getOffsets()),
          sizes = toSizes(slice.getSizes()), whole = sizesOf(slice.getInput());
    bool isHalf = sizes[0].asNumber() == 1 &&
                  ArrayRef(sizes).drop_front() == ArrayRef(whole).drop_front();
    for (auto [offset, step] : llvm::zip_equal(offsets, slice.getSteps()))
      isHalf &= step == 1 && (offset == offsets[0] || offset.asNumber() == 0);
    return isHalf ? offsets[0].asNumber() : std::nullopt;
  }

  bool split(BlockArgument argument) {
    Sizes sizes = sizesOf(argument);
    if (sizes.size() != 5 || sizes[0].asNumber() != 2)
      return false;
    std::array<SmallVector<Operation *>, 2> readers;
    for (Operation *user : argument.getUsers()) {
      auto slice = dyn_cast<SliceOp>(user);
      auto number = slice ? numberOf(slice) : std::nullopt;
      auto found = number ? readersOf(slice) : std::nullopt;
      if (!found)
        return false;
      llvm::append_range(readers[*number], *found);
    }
    StringRef name = "";
    if (auto given = function.getArgAttrOfType<StringAttr>(
            argument.getArgNumber(), kNameAttr))
      name = given.getValue();
    Type type =
        tensorOf(ArrayRef(sizes).drop_front(), getElementTypeOrSelf(argument));
    for (auto [part, reading] : llvm::zip_equal(kParts, readers)) {
      BlockArgument half = addArgument((name + part).str(), type);
      for (Operation *reader : reading)
        reader->getResult(0).replaceAllUsesWith(half);
    }
    return true;
  }

  // Halves [1, batch, heads, past + length, channels], one behind the other.
  void splitResults() {
    Operation *end = body().getTerminator();
    SmallVector<Value> results;
    for (Value value : end->getOperands()) {
      auto whole = value.getDefiningOp<ConcatOp>();
      bool isJoint =
          whole && whole.getAxis() == 0 && whole.getInputs().size() == 2 &&
          llvm::all_of(whole.getInputs(), [](Value half) {
            auto expand = half.getDefiningOp<ExpandOp>();
            return expand && expand.getAxes() == ArrayRef<int64_t>{0} &&
                   expand.getInput().getDefiningOp<ConcatOp>();
          });
      if (!isJoint) {
        results.push_back(value);
        continue;
      }
      for (Value half : whole.getInputs())
        results.push_back(half.getDefiningOp<ExpandOp>().getInput());
    }
    end->setOperands(results);
    function.removeResAttrsAttr();
    function.setType(b.getFunctionType(body().getArgumentTypes(),
                                       ValueRange(results).getTypes()));
  }

  static constexpr std::array<StringLiteral, 2> kParts = {".key", ".value"};
};
} // namespace

void heddle::splitJointPasts(func::FuncOp function) {
  JointPasts(function).split();
}
