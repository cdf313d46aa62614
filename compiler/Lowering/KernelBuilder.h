// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lowering of each op works with: the pipeline under construction and,
// for each value of the kernel, the func or input that holds it.

#ifndef HEDDLE_COMPILER_LOWERING_KERNELBUILDER_H
#define HEDDLE_COMPILER_LOWERING_KERNELBUILDER_H

#include "dialect/Halide/HalideDialect.h"
#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <map>

namespace heddle {

/// A value of the kernel, as something that can be read at coordinates: the
/// input or the func that holds it, with the dimensions of the value in
/// reverse, as Halide counts them from the innermost.
struct Field {
  std::string symbol;
  mlir::Type type;
  /// Of a weight that is not dense.
  LayoutAttr layout;
  /// Where the func has several dimensions for one of the value: their extents,
  /// innermost first ({64, 8} for 8 heads of 64 channels), and which of the
  /// value's that is, in reverse.
  llvm::SmallVector<int64_t> split;
  unsigned splitDim = 0;
  /// Of a weight of half bytes: the dimension along which so many share a
  /// place, and whether each has a sign.
  std::optional<unsigned> shared = std::nullopt;
  int64_t shares = 1;
  bool hasSign = false;
  /// The dimension of which neighbours are in groups (#heddle.layout).
  std::optional<unsigned> grouped = std::nullopt;
};

/// A mask as predicates. Coordinates are i32.
struct MaskField {
  /// A pair of a query and a key.
  struct Point {
    mlir::Value batch, head, query, key;
  };
  /// All pairs of the rows of a task and a block of keys; limits are inclusive.
  struct Tile {
    mlir::Value batch, firstQuery, lastQuery, firstKey, lastKey;
    mlir::Value block;       ///< the number of the block
    mlir::Value slot, chunk; ///< where funcs have what is known of it
  };
  /// The rows of a task.
  struct Rows {
    int64_t count;
    /// A pair of row i, without a key.
    std::function<Point(mlir::OpBuilder &, mlir::Value i)> pointOf;
    /// The number of a block of keys.
    std::function<mlir::Value(mlir::OpBuilder &, mlir::Value slot,
                              mlir::Value chunk)>
        blockOf;
  };
  using Predicate =
      std::function<mlir::Value(mlir::OpBuilder &, const Point &)>;
  using TilePredicate =
      std::function<mlir::Value(mlir::OpBuilder &, const Tile &)>;

  Predicate keeps;
  /// False where no pair of a tile is kept; may be true of such a tile, too.
  TilePredicate keepsAny;
  /// True where every pair is kept; may be false of such a tile, too.
  TilePredicate keepsAll;
  /// The queries of a tile keep no key before `begin`, and none from `end` on,
  /// which may be any integers. The tile has no keys. Empty where no bound is
  /// known.
  TilePredicate begin, end;
  /// Emits the funcs that keepsAny and keepsAll read, if they need any: over
  /// (slot, chunk), or without coordinates (kMaskAttr).
  std::function<void(const Rows &)> prepare;
  /// Emits those without coordinates that begin and end read, too. It comes
  /// first, and knows no blocks.
  std::function<void(const Rows &)> prepareBounds;
};

/// The buffer of a part of one layer's cache (see LowerCache.cpp).
struct CacheBuffer {
  llvm::SmallVector<mlir::Value> dynamic;
  llvm::SmallVector<int64_t> extents;
  mlir::Type type;

  CacheBuffer(class KernelBuilder &k, mlir::Value cache, CachePart part);
};

class KernelBuilder {
public:
  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &,
                                              mlir::ValueRange arguments)>;

  KernelBuilder(KernelOp kernel, halide::PipelineOp pipeline)
      : kernel(kernel), pipeline(pipeline),
        configuration(kernel->getAttr(kConfigurationAttr)),
        builder(mlir::OpBuilder::atBlockEnd(&pipeline.getBody().front())) {}

  KernelOp kernel;
  halide::PipelineOp pipeline;
  mlir::Attribute configuration;
  mlir::OpBuilder builder; ///< at the end of the pipeline
  /// Numbers of queries and keys of the attention that is being lowered.
  mlir::Value queryCount, keyCount;

  //===-- Structure -------------------------------------------------------===//

  /// The value of `size`, computed of parameters before any func.
  mlir::Value size(SizeAttr size);
  /// The parameter that holds `size`.
  mlir::Value param(SizeAttr size);
  /// The size of dimension `dim` of `value`.
  mlir::Value sizeOf(mlir::Value value, unsigned dim) {
    return size(sizesOf(value)[dim]);
  }
  /// The number of the task that the pipeline computes, one of `count`, of
  /// which each `inOrder`, if given, run one after the other.
  mlir::Value task(SizeAttr count, SizeAttr inOrder = {});
  /// A name not used in the pipeline yet.
  std::string unique(llvm::StringRef name);

  /// `name(vars) = body`.
  halide::FuncOp
  func(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> vars,
       mlir::TypeRange types,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &,
                                                         mlir::ValueRange)>
           body);
  halide::FuncOp func(llvm::StringRef name,
                      llvm::ArrayRef<llvm::StringRef> vars, mlir::Type type,
                      Body body);

  struct Range {
    llvm::StringRef var;
    int64_t extent = mlir::ShapedType::kDynamic;
    mlir::Value dynamicExtent = nullptr;
  };
  /// The numbers below `size`.
  Range rangeOf(llvm::StringRef var, SizeAttr size);
  /// An update of `func` over `ranges`; `body` gets the func's variables, then
  /// those of the ranges, and ends with halide.yield itself.
  void
  update(halide::FuncOp func, llvm::ArrayRef<Range> ranges,
         llvm::function_ref<void(mlir::OpBuilder &, mlir::ValueRange)> body);

  //===-- Values ----------------------------------------------------------===//

  const Field &field(mlir::Value value) const { return fields.at(value); }
  void setField(mlir::Value value, Field field) {
    fields[value] = std::move(field);
  }
  /// A value that is computed wherever it is read.
  using Inline = std::function<mlir::Value(
      mlir::OpBuilder &, llvm::ArrayRef<mlir::Value> coordinates)>;
  void setInline(mlir::Value value, Inline read) {
    inlined[value] = std::move(read);
  }
  const MaskField &mask(mlir::Value value) const { return masks.at(value); }
  void setMask(mlir::Value value, MaskField mask) {
    masks[value] = std::move(mask);
  }

  /// The funcs that hold the parts of a layer.
  using CacheFuncs = std::map<CachePart, std::string>;
  const CacheFuncs &cache(mlir::Value value) const { return caches.at(value); }
  void setCache(mlir::Value value, CacheFuncs funcs) {
    caches[value] = std::move(funcs);
  }
  /// Keys or values of a cache at position 32 * block + lane of sequence
  /// `batch`: an element as it is stored, the same without its scale as f32,
  /// and the scale of a head's elements there, which is empty where they have
  /// none.
  struct CachedRead {
    using Element = std::function<mlir::Value(
        mlir::OpBuilder &, mlir::Value batch, mlir::Value head,
        mlir::Value block, mlir::Value lane, mlir::Value channel)>;
    Element stored, element;
    std::function<mlir::Value(mlir::OpBuilder &, mlir::Value batch,
                              mlir::Value head, mlir::Value block,
                              mlir::Value lane)>
        scale;
  };
  /// Null of a value that is none.
  const CachedRead *findCached(mlir::Value value) const {
    auto known = cached.find(value);
    return known == cached.end() ? nullptr : &known->second;
  }
  void setCached(mlir::Value value, CachedRead read) {
    cached[value] = std::move(read);
  }

  /// Reads `value` at a coordinate for each of its dimensions, outermost first.
  mlir::Value read(mlir::OpBuilder &b, mlir::Value value,
                   llvm::ArrayRef<mlir::Value> coordinates);
  /// Reads at explicit coordinates.
  mlir::Value access(mlir::OpBuilder &b, llvm::StringRef symbol,
                     mlir::Type type, mlir::ValueRange coordinates,
                     int64_t index = 0);
  /// Reads a number as i32: one that i32 does not have is as far outside of
  /// what it counts.
  mlir::Value readNumber(mlir::OpBuilder &b, mlir::Value value,
                         llvm::ArrayRef<mlir::Value> coordinates);

  //===-- Few rows --------------------------------------------------------===//

  /// A contraction of which there are two forms, `few` for less rows than the
  /// threads of a device compute together. Its func reads `many`.
  struct TwoForms {
    halide::FuncOp many, few;
    SizeAttr rows;
  };
  llvm::SmallVector<TwoForms> twoForms;

  //===-- Scalar maths ----------------------------------------------------===//

  mlir::Value constant(mlir::OpBuilder &b, int64_t value);
  mlir::Value constantF(mlir::OpBuilder &b, double value);
  /// The number of element `inside` of part `part`, all of `count` elements,
  /// of which `divide` knows that again: Halide does not find out of vectors.
  mlir::Value compose(mlir::OpBuilder &b, mlir::Value part, int64_t count,
                      mlir::Value inside);
  /// `value`, known to be in [0, count).
  mlir::Value promiseBelow(mlir::OpBuilder &b, mlir::Value value,
                           mlir::Value count);
  mlir::Value toF32(mlir::OpBuilder &b, mlir::Value value);

  mlir::Location loc() const { return kernel->getLoc(); }

private:
  /// `element` becomes the number of its part, all of `count` elements, and
  /// what is returned its number there.
  mlir::Value divide(mlir::OpBuilder &b, mlir::Value &element, int64_t count);
  /// The half byte of that number in a place, as an i8.
  mlir::Value emitHalf(mlir::OpBuilder &b, const Field &field,
                       mlir::Value place, mlir::Value number);

  struct Less {
    bool operator()(mlir::Value a, mlir::Value b) const {
      return a.getAsOpaquePointer() < b.getAsOpaquePointer();
    }
  };
  std::map<mlir::Value, Field, Less> fields;
  std::map<mlir::Value, Inline, Less> inlined;
  std::map<mlir::Value, MaskField, Less> masks;
  std::map<mlir::Value, CacheFuncs, Less> caches;
  std::map<mlir::Value, CachedRead, Less> cached;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>,
                 std::pair<mlir::Value, mlir::Value>>
      composed;
  llvm::DenseMap<mlir::Attribute, mlir::Value> params, sizes;
  llvm::StringMap<unsigned> names;
};

/// 2^x for f32 that are not above 0, relative error below 2e-7 from -125 on;
/// smaller x give 0, and larger ones anything.
mlir::Value emitExp2NotAbove0(KernelBuilder &k, mlir::OpBuilder &b,
                              mlir::Value x);

//===-- Parts of kernels, in the files of their names ---------------------===//

void lowerInput(KernelBuilder &k, mlir::BlockArgument argument);
void lowerResult(KernelBuilder &k, mlir::Value value, unsigned index);
/// Returns false where `op` is no contraction, or none for register tiles.
bool lowerContraction(KernelBuilder &k, GenericOp op);
/// Where contractions have two forms, makes outputs choose between them.
void chooseForms(KernelBuilder &k);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_KERNELBUILDER_H
