// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sizes of dynamic dimensions, as expressions over the symbols of a function.

#ifndef HEDDLE_SIZES_TD
#define HEDDLE_SIZES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/TensorEncoding.td"

def Heddle_SizeAttr : AttrDef<Heddle_Dialect, "Size"> {
  let mnemonic = "size";
  let summary = "a number of elements, as an expression over named symbols";
  let description = [{
    An expression over the symbols of an entry point and numbers:

    ```
    expression ::= term (("+" | "-") term)*
    term       ::= factor ("*" factor)*
    factor     ::= number | name | "-" factor | "(" expression ")"
                 | ("floordiv" | "ceildiv" | "mod" | "min" | "max")
                   "(" expression "," expression ")"
    ```

    Expressions are kept in one normal form, a polynomial whose variables are symbols
    and the five functions, so that equal ones are the same attribute whatever way they
    were written: `2 * (b + 1) * l` is `2 * b * l + 2 * l`. Numbers that leave 64 bits
    stay at the largest or smallest one.

    ```mlir
    #heddle.size<"batch * (past + length)">
    #heddle.size<"ceildiv(length, 32)">
    ```
  }];
  let parameters = (ins "::heddle::SizeKind":$kind, "int64_t":$number,
      "::mlir::StringAttr":$name, ArrayRefParameter<"::mlir::Attribute">:$operands);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static SizeAttr number(::mlir::MLIRContext *context, int64_t number);
    static SizeAttr symbol(::mlir::MLIRContext *context, ::llvm::StringRef name);
    /// Parses an expression as above; of a text that is none returns null and says
    /// why in `error`.
    static SizeAttr parse(::mlir::MLIRContext *context, ::llvm::StringRef text,
                          std::string &error);

    /// The number that this is, whatever the symbols are.
    std::optional<int64_t> asNumber() const;
    /// The expression as `parse` takes it.
    std::string str() const;

    /// Tells `visit` the name of each symbol, some several times.
    void walkSymbols(::llvm::function_ref<void(::llvm::StringRef)> visit) const;
    /// The expression with each symbol replaced; null leaves it as it is.
    SizeAttr substitute(
        ::llvm::function_ref<SizeAttr(::llvm::StringRef)> replace) const;
    /// The value for given values of the symbols; none where it leaves 64 bits or
    /// divides by zero.
    std::optional<int64_t>
    evaluate(::llvm::function_ref<int64_t(::llvm::StringRef)> valueOf) const;
  }];
}

def Heddle_SizeArrayAttr
    : TypedArrayAttrBase<Heddle_SizeAttr, "array of sizes">;

def Heddle_SizesAttr : AttrDef<Heddle_Dialect, "Sizes",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "sizes";
  let summary = "the sizes of a tensor's dynamic dimensions";
  let description = [{
    The encoding of tensor types whose sizes are known: one expression for each `?`.
    `--heddle-resolve-sizes` gives it to every tensor of a function.

    ```mlir
    tensor<?x?x64xf32, #heddle.sizes<"batch", "past + length">>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::heddle::SizeAttr">:$sizes);
  let hasCustomAssemblyFormat = 1;
}

#endif // HEDDLE_SIZES_TD
