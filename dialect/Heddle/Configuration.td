// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What kernels are compiled for, and the numbers that their loops are made with.

#ifndef HEDDLE_CONFIGURATION_TD
#define HEDDLE_CONFIGURATION_TD

include "mlir/IR/AttrTypeBase.td"

def Heddle_TargetAttr : AttrDef<Heddle_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "what a module is compiled for";
  let description = [{
    The attribute `heddle.target` of a module. `cpu` is LLVM's name; `features` has all
    that is there, and what is not although a CPU of that name has it. `device` is what
    runs the kernels, "opencl" or "cuda:" and the chip as LLVM names it; without one the
    CPU does. `--heddle-set-target` writes it; each later stage goes by it.

    ```mlir
    module attributes {heddle.target = #heddle.target<cpu = "x86-64-v3", features = "+avx2,+fma,...">} {}
    module attributes {heddle.target = #heddle.target<cpu = "x86-64-v3", features = "+avx2,+fma,...", device = "opencl">} {}
    ```
  }];
  let parameters = (ins StringRefParameter<>:$cpu, StringRefParameter<>:$features,
      StringRefParameter<"", "\"\"">:$device);
  let assemblyFormat = "`<` struct(params) `>`";
}

//===-- Configurations of kernels -------------------------------------------------===//

// Numbers of elements, rows or steps.
class Heddle_ConfigurationAttr<string name, string attributeMnemonic>
    : AttrDef<Heddle_Dialect, name> {
  let mnemonic = attributeMnemonic;
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Heddle_ProductTilesAttr : Heddle_ConfigurationAttr<"ProductTiles", "product_tiles"> {
  let summary = "how a kernel of contractions is computed";
  let description = [{
    * `rows`, `columns`: of the register tile. Where the columns are a weight in panels,
      they are one panel. Columns that are too few for a tile are done by `vector`, then
      one by one; rows that are too few one by one.
    * `vector`: f32 in a vector.
    * `depth`: the terms that are summed up at most before their sum is added to others.
    * `block`: the register tiles below each other that a task computes for a panel.
    * `task`: the panels of a task where rows are too few for a tile.
    * `group`: the blocks whose tasks for a panel follow each other; of 1, which is not
      written, those of a block for all panels do.

    ```mlir
    #heddle.product_tiles<rows = 6, columns = 64, vector = 16, depth = 2048, block = 22, task = 1>
    #heddle.product_tiles<rows = 6, columns = 64, vector = 16, depth = 2048, block = 16, task = 1, group = 8>
    ```

    Constraints:
    * (C1) each is from 1 to 2^20, and `vector` a power of two of at most 32.
    * (C2) `columns` is a multiple of `vector`.
    * (C3) a register tile has at most 4096 elements, as they are straight code.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$vector,
      "int64_t":$depth, "int64_t":$block, "int64_t":$task,
      DefaultValuedParameter<"int64_t", "1">:$group);
}

def Heddle_AttentionTilesAttr
    : Heddle_ConfigurationAttr<"AttentionTiles", "attention_tiles"> {
  let summary = "how a kernel of attention is computed";
  let description = [{
    * `rows`: of a task: queries times the heads that read the same keys.
    * `chunk`: blocks of 32 keys that are scored before they are weighed and summed.
    * `register_rows`: rows of the register tiles of scores and of values.
    * `keys`: keys of a register tile of scores: blocks, or a part of one.
    * `columns`: channels of a value in a register tile of values.
    * `vector`: f32 in a vector.

    Where operands are read in pairs, the two products of one are added up at a time. Tile
    registers add up those that are packed, if `register_rows` are what a register has, `keys`
    one block or less, and `columns` as many as four registers have.

    ```mlir
    #heddle.attention_tiles<rows = 12, chunk = 16, register_rows = 6, keys = 64, columns = 64, vector = 16>
    ```

    Constraints:
    * (C1) each is from 1 to 2^20, and `vector` a power of two of at most 32.
    * (C2) `register_rows` divides `rows`; `keys` are a divisor of 32 in whole vectors, or a
      multiple of 32 that divides the keys of a chunk.
    * (C3) a register tile has at most 4096 elements, as they are straight code.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$chunk, "int64_t":$register_rows,
      "int64_t":$keys, "int64_t":$columns, "int64_t":$vector);
  let extraClassDeclaration = [{
    /// The blocks in a register tile of scores; 1 where it has a part of one.
    int64_t getGroup() const;
  }];
}

def Heddle_RowTilesAttr : Heddle_ConfigurationAttr<"RowTiles", "row_tiles"> {
  let summary = "how any other kernel is computed";
  let description = [{
    * `task`: the elements of a task, in whole rows.
    * `strip`: where rows lie side by side, as in a sum over the first dimension, those
      that are done together at most.
    * `vector`: f32 in a vector.

    ```mlir
    #heddle.row_tiles<task = 32768, strip = 512, vector = 16>
    ```

    Constraints:
    * (C1) each is from 1 to 2^20, and `vector` a power of two of at most 32.
    * (C2) `strip` is a multiple of `vector`.
  }];
  let parameters = (ins "int64_t":$task, "int64_t":$strip, "int64_t":$vector);
}

def Heddle_BlockRowsAttr : Heddle_ConfigurationAttr<"BlockRows", "block_rows"> {
  let summary = "how such a kernel is computed on a device";
  let description = [{
    * `threads`: of a block. Where rows are reduced a block computes one, and elsewhere
      each thread a few elements.
    * `lanes`: the partial sums of a row that are added last, by each thread.

    ```mlir
    #heddle.block_rows<threads = 128, lanes = 32>
    ```

    Constraints:
    * (C1) each is a power of two; `threads` of at most 1024, `lanes` of at most 32.
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$lanes);
}

def Heddle_BlockAttentionAttr
    : Heddle_ConfigurationAttr<"BlockAttention", "block_attention"> {
  let summary = "how a kernel of attention is computed on a device";
  let description = [{
    * `threads`: of a block, which computes a task.
    * `rows`: of a task: queries times the heads that read the same keys.
    * `chunk`: blocks of 32 keys that are scored before they are weighed and summed.

    ```mlir
    #heddle.block_attention<threads = 128, rows = 16, chunk = 2>
    ```

    Constraints:
    * (C1) `threads` is a power of two of at most 1024; the others are from 1 to 2^20.
  }];
  let parameters = (ins "int64_t":$threads, "int64_t":$rows, "int64_t":$chunk);
}

def Heddle_BlockProductAttr
    : Heddle_ConfigurationAttr<"BlockProduct", "block_product"> {
  let summary = "how a kernel of contractions is computed on a device";
  let description = [{
    Many rows: a block computes a tile, for which its threads share `depth` terms of each
    row and column at a time.

    * `rows`, `columns`: of that tile.
    * `depth`: terms that are in shared memory at a time, of the last dimension that is
      summed if it has so many, and otherwise of the longest.
    * `thread_rows`, `thread_columns`: of the part of the tile whose sums a thread has.
    * `vector`: columns side by side that a thread computes.
    * `sum`: the terms of that dimension that are summed up at most before their sum is added
      to others, with those of all other dimensions.

    Rows fewer than `thread_rows` are done one by one: a block computes `panel` columns of
    one, and its threads divide the terms among them.

    ```mlir
    #heddle.block_product<rows = 128, columns = 128, depth = 16, thread_rows = 8, thread_columns = 8, vector = 4, sum = 2048, panel = 16>
    ```

    Constraints:
    * (C1) each is a power of two, `sum` of at most 2^20 and the others of at most 1024.
    * (C2) `rows` is a multiple of `thread_rows`, `columns` of `thread_columns`,
      `thread_columns` and `panel` of `vector`, and `sum` of `depth`.
    * (C3) a thread's part has at most 256 elements, which its registers keep.
    * (C4) a tile has at most 1024 parts, each of which is a thread's, and these are enough
      for `panel`.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$depth,
      "int64_t":$thread_rows, "int64_t":$thread_columns, "int64_t":$vector, "int64_t":$sum,
      "int64_t":$panel);
  let extraClassDeclaration = [{
    /// Of a block: one for each part of a tile.
    int64_t getThreads() const {
      return getRows() / getThreadRows() * (getColumns() / getThreadColumns());
    }
    /// Where rows are few, into how many sums a block divides the terms.
    int64_t getSlices() const { return getThreads() / (getPanel() / getVector()); }
  }];
}

#endif // HEDDLE_CONFIGURATION_TD
