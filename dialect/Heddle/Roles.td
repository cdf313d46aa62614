// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the symbols, arguments and results of an entry point mean.

#ifndef HEDDLE_ROLES_TD
#define HEDDLE_ROLES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Heddle_SymbolRole : I32EnumAttr<"SymbolRole", "what a size counts",
    [I32EnumAttrCase<"Other", 0, "other">, I32EnumAttrCase<"Batch", 1, "batch">,
     I32EnumAttrCase<"Length", 2, "length">,
     I32EnumAttrCase<"Capacity", 3, "capacity">]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}

def Heddle_SymbolAttr : AttrDef<Heddle_Dialect, "Symbol"> {
  let mnemonic = "symbol";
  let summary = "a size that the caller of an entry point chooses";
  let description = [{
    Functions have an array of these, `heddle.symbols`, in the order in which the C
    function takes them. `counts` says what the size is a number of: sequences
    (`batch`), tokens of each (`length`), or positions of a cache (`capacity`). Where it does
    not, --heddle-declare-roles finds it by the ops that use the size.

    ```mlir
    #heddle.symbol<"capacity", 1 to 512, counts capacity>
    ```

    Constraints:
    * (C1) the name is that of a symbol of a size, not empty.
    * (C2) 0 <= minimum <= maximum.
    * (C3) of `heddle.symbols`: no two have one name.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$minimum,
      "int64_t":$maximum,
      DefaultValuedParameter<"::heddle::SymbolRole",
                             "::heddle::SymbolRole::Other">:$role);
  let assemblyFormat =
      "`<` $name `,` $minimum `to` $maximum (`,` `counts` $role^)? `>`";
  let genVerifyDecl = 1;
}

def Heddle_BroadcastAttr : AttrDef<Heddle_Dialect, "Broadcast"> {
  let mnemonic = "broadcast";
  let summary = "a size that is 1 or another one in each call";
  let description = [{
    Functions have an array of these, `heddle.broadcasts`: what their heddle.broadcast and
    heddle.broadcast_tensors need of sizes that have symbols. --heddle-declare-broadcasts
    writes it, and nobody else; calls check it before any kernel runs.

    ```mlir
    #heddle.broadcast<"b" to "batch * length">
    ```
  }];
  let parameters = (ins "::heddle::SizeAttr":$size, "::heddle::SizeAttr":$target);
  let hasCustomAssemblyFormat = 1;
}

def Heddle_ArgumentRole : I32EnumAttr<"ArgumentRole", "what an argument is",
    [I32EnumAttrCase<"Other", 0, "other">, I32EnumAttrCase<"Ids", 1, "ids">,
     I32EnumAttrCase<"Lengths", 2, "lengths">,
     I32EnumAttrCase<"Starts", 3, "starts">,
     I32EnumAttrCase<"Positions", 4, "positions">,
     I32EnumAttrCase<"Logits", 5, "logits">, I32EnumAttrCase<"Pages", 6, "pages">,
     I32EnumAttrCase<"Pool", 7, "pool">, I32EnumAttrCase<"Types", 8, "types">,
     I32EnumAttrCase<"Hidden", 9, "hidden">, I32EnumAttrCase<"Pooled", 10, "pooled">,
     I32EnumAttrCase<"Embedding", 11, "embedding">,
     I32EnumAttrCase<"Cross", 12, "cross">,
     I32EnumAttrCase<"CrossLengths", 13, "cross_lengths">]> {
  let cppNamespace = "::heddle";
  let genSpecializedAttr = 0;
}

def Heddle_ArgumentRoleAttr
    : EnumAttr<Heddle_Dialect, Heddle_ArgumentRole, "role"> {
  let summary = "what an argument or a result of an entry point is";
  let description = [{
    The attribute `heddle.role` of an argument or a result: token `ids`, `lengths` of
    sequences, `starts` (how many positions of each sequence a cache holds already),
    `positions` (of tokens, or of the first ones, in a table), `pages` (numbers of those of a
    cache that each sequence's positions lie in), `types` of tokens (which text of a pair),
    of a cache `pool` (it has pages where others have sequences) and `cross` (an encoder
    fills it for a decoder, which has `cross_lengths` beside it), and of a result `logits`,
    `hidden` (a vector for each token), `pooled` (one for each sequence or image) and
    `embedding` (one that is compared with those of others).

    ```mlir
    func.func @f(%n: tensor<4xi32> {heddle.role = #heddle.role<lengths>})
    ```

    Constraints:
    * (C1) `logits`, `hidden`, `pooled` and `embedding` are results, all others are
      arguments.
    * (C2) `pool` and `cross` are caches, and no others are.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Heddle_ValuesAttr : AttrDef<Heddle_Dialect, "Values"> {
  let mnemonic = "values";
  let summary = "what the integers of an argument must satisfy";
  let description = [{
    The attribute `heddle.values` of an i32 or i64 argument. Each value v is one that

        minimum <= v   and   v + added <= maximum

    holds for. `added` is a size, or the value for the same sequence in another
    argument, which has the lengths of sequences; without either it is 0. Calls check
    this before any kernel runs.

    ```mlir
    #heddle.values<0 to "99">                           // ids of 100 rows
    #heddle.values<1 to "length">                       // lengths
    #heddle.values<0 to "capacity", plus argument(2)>   // starts in a cache
    #heddle.values<0 to "512", plus "length">           // positions of tokens
    ```

    Constraints:
    * (C1) the argument is a tensor of i32 or i64.
    * (C2) `argument` is another argument, a tensor of i32 or i64 of one dimension, which
      is the first one of this argument.
    * (C3) some value satisfies it, as far as numbers say.
  }];
  let parameters = (ins "int64_t":$minimum, "::heddle::SizeAttr":$maximum,
      OptionalParameter<"::mlir::IntegerAttr">:$lengths,
      OptionalParameter<"::heddle::SizeAttr">:$size);
  let hasCustomAssemblyFormat = 1;
}

#endif // HEDDLE_ROLES_TD
