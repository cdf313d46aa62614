// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/AttentionProjections.h"

using namespace mlir;
using namespace heddle;

namespace {
class ProjectionFinder {
public:
  ProjectionFinder(Operation *op, LayerParameters &parameters, StringRef prefix,
                   int64_t heads, int64_t kvHeads)
      : op(op), parameters(parameters), prefix(prefix), heads(heads),
        kvHeads(kvHeads) {}

  FailureOr<AttentionProjections> find(Value x, Value memory) {
    bool isSeparate = !has("in_proj_weight") && has("q_proj_weight");
    // No rows of one weight multiply inputs of two widths.
    isSeparate |= channels(x) != channels(memory);
    return isSeparate ? separate(x, memory) : combined(x, x == memory);
  }

private:
  std::string named(const Twine &name) const { return joinNames(prefix, name); }
  bool has(StringRef name) const { return parameters.has(named(name)); }
  FailureOr<WeightOp> take(StringRef name, Value input) {
    return parameters.take(named(name), {kAny, channels(input)});
  }

  // The rows of each of `count` parts of `weight`; `what` they are.
  FailureOr<int64_t> rowsOfPart(WeightOp weight, int64_t count,
                                StringRef what) {
    if (rows(weight) > 0 && rows(weight) % count == 0)
      return rows(weight) / count;
    InFlightDiagnostic error =
        op->emitOpError("expected ")
        << count << what << ", to divide the rows of "
        << FlatSymbolRefAttr::get(weight.getSymNameAttr()) << ", found "
        << rows(weight);
    error.attachNote(weight.getLoc()) << "the weight";
    return error;
  }

  // in_proj_bias, null where there is none.
  FailureOr<WeightOp> takeBias(int64_t size) {
    return has("in_proj_bias") ? parameters.take(named("in_proj_bias"), {size})
                               : FailureOr<WeightOp>(WeightOp());
  }

  Value part(WeightOp of, int64_t first, int64_t count) {
    return of ? parameters.getRows(of, first, count) : Value();
  }

  FailureOr<AttentionProjections> combined(Value x, bool isSelf);
  FailureOr<AttentionProjections> separate(Value x, Value memory);

  Operation *op;
  LayerParameters &parameters;
  StringRef prefix;
  int64_t heads, kvHeads;
};
} // namespace

// in_proj_weight, whose rows are those of query, key and value. Where query and
// memory differ it is read in parts.
FailureOr<AttentionProjections> ProjectionFinder::combined(Value x,
                                                           bool isSelf) {
  FailureOr<WeightOp> weight = take("in_proj_weight", x);
  if (failed(weight))
    return failure();
  FailureOr<int64_t> size =
      rowsOfPart(*weight, heads + 2 * kvHeads,
                 ", as many as heads and twice the kv heads");
  if (failed(size))
    return failure();
  FailureOr<WeightOp> bias = takeBias(rows(*weight));
  if (failed(bias))
    return failure();
  AttentionProjections result;
  result.headDim = *size;
  result.outputs = *size * heads;
  if (isSelf) {
    result.combined = part(*weight, 0, rows(*weight));
    result.combinedBias = part(*bias, 0, rows(*weight));
    return result;
  }
  int64_t width = *size * heads, kvWidth = *size * kvHeads;
  result.query = part(*weight, 0, width);
  result.queryBias = part(*bias, 0, width);
  result.key = part(*weight, width, kvWidth);
  result.keyBias = part(*bias, width, kvWidth);
  result.value = part(*weight, width + kvWidth, kvWidth);
  result.valueBias = part(*bias, width + kvWidth, kvWidth);
  return result;
}

// q_proj_weight, k_proj_weight and v_proj_weight, whose biases are in one.
FailureOr<AttentionProjections> ProjectionFinder::separate(Value x,
                                                           Value memory) {
  FailureOr<WeightOp> query = take("q_proj_weight", x);
  if (failed(query))
    return failure();
  FailureOr<WeightOp> key = take("k_proj_weight", memory);
  if (failed(key))
    return failure();
  FailureOr<WeightOp> value = take("v_proj_weight", memory);
  if (failed(value))
    return failure();
  FailureOr<int64_t> ofQuery = rowsOfPart(*query, heads, " heads"),
                     ofKey = rowsOfPart(*key, kvHeads, " kv heads"),
                     ofValue = rowsOfPart(*value, kvHeads, " kv heads");
  if (failed(ofQuery) || failed(ofKey) || failed(ofValue))
    return failure();
  int64_t afterQuery = rows(*query), afterKey = afterQuery + rows(*key);
  FailureOr<WeightOp> bias = takeBias(afterKey + rows(*value));
  if (failed(bias))
    return failure();
  AttentionProjections result;
  result.headDim = *ofQuery;
  result.outputs = *ofValue * heads;
  result.query = part(*query, 0, rows(*query));
  result.key = part(*key, 0, rows(*key));
  result.value = part(*value, 0, rows(*value));
  result.queryBias = part(*bias, 0, rows(*query));
  result.keyBias = part(*bias, afterQuery, rows(*key));
  result.valueBias = part(*bias, afterKey, rows(*value));
  return result;
}

FailureOr<AttentionProjections>
heddle::findProjections(Operation *op, LayerParameters &parameters,
                        StringRef prefix, Value x, Value memory, int64_t heads,
                        int64_t kvHeads) {
  return ProjectionFinder(op, parameters, prefix, heads, kvHeads)
      .find(x, memory);
}
