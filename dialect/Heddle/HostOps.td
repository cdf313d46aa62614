// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The host program: entry points over buffers, which call kernels. Sizes, views and
// control flow are ops of arith, memref and scf.

def Heddle_HostInput : Type<Or<[AnySignlessInteger.predicate, AnyMemRef.predicate]>,
    "an integer or a buffer">;
def Heddle_Bytes : MemRefRankOf<[I8], [1]>;

def Heddle_SignatureOp : Heddle_Op<"signature", [Symbol]> {
  let summary = "what a kernel takes, whatever it is implemented by";
  let description = [{
    The arguments of a kernel's function after its context: parameters (i32), then the
    buffers that it reads and those that it writes. Their layouts are those of the
    types. The function returns an i32 that is 0 if all is well.

    ```mlir
    heddle.signature @add(i32, memref<?x64xf32>, memref<?x64xf32>)
    ```

    Constraints:
    * (C1) each is an i32, or a memref of at most 6 dimensions.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeArrayAttr:$types);
  let assemblyFormat = "$sym_name custom<Types>($types) attr-dict";
  let hasVerifier = 1;
}

def Heddle_FrameSizeOp : Heddle_Op<"frame.size", [Pure]> {
  let summary = "a size that the caller of an entry point has chosen";
  let description = [{
    The number of one of the function's `heddle.symbols`.

    ```mlir
    %batch = heddle.frame.size %frame[0]
    ```
  }];
  let arguments = (ins Heddle_FrameType:$frame, I64Attr:$number);
  let results = (outs Index:$result);
  let assemblyFormat = "$frame `[` $number `]` attr-dict";
}

def Heddle_FrameArgumentOp : Heddle_Op<"frame.argument", [Pure]> {
  let summary = "the memory of an argument of an entry point";
  let description = [{
    Inputs and caches, then outputs, in the order of the C function.

    ```mlir
    %x = heddle.frame.argument %frame[2] bytes(%bytes) : memref<?xi8>
    ```
  }];
  let arguments = (ins Heddle_FrameType:$frame, I64Attr:$number, Index:$bytes);
  let results = (outs Heddle_Bytes:$result);
  let assemblyFormat =
      "$frame `[` $number `]` `bytes` `(` $bytes `)` attr-dict `:` type($result)";
}

def Heddle_FrameWeightsOp : Heddle_Op<"frame.weights", [Pure]> {
  let summary = "the packed weights of the model";
  let description = [{
    ```mlir
    %weights = heddle.frame.weights %frame : memref<4096xi8>
    ```
  }];
  let arguments = (ins Heddle_FrameType:$frame);
  let results = (outs Heddle_Bytes:$result);
  let assemblyFormat = "$frame attr-dict `:` type($result)";
}

def Heddle_FrameWorkspaceOp : Heddle_Op<"frame.workspace", [Pure]> {
  let summary = "the scratch memory of a call";
  let description = [{
    ```mlir
    %workspace = heddle.frame.workspace %frame bytes(%bytes) : memref<?xi8>
    ```
  }];
  let arguments = (ins Heddle_FrameType:$frame, Index:$bytes);
  let results = (outs Heddle_Bytes:$result);
  let assemblyFormat = "$frame `bytes` `(` $bytes `)` attr-dict `:` type($result)";
}

def Heddle_DescriptorsOp : Heddle_Op<"descriptors"> {
  let summary = "room on the stack for the descriptors of a dispatch's buffers";
  let description = [{
    And for a number on its way from or to a device. One serves all dispatches of a function, so that entry points take a fixed amount
    of stack.

    ```mlir
    %room = heddle.descriptors : <7>
    ```
  }];
  let results = (outs Heddle_DescriptorsType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

// What entry points do with data themselves, where a device runs their kernels: memory is
// the device's. Each is in line with the kernels of the call.

def Heddle_FrameCopyOp : Heddle_Op<"frame.copy"> {
  let summary = "copies bytes in the memory of the device that runs the kernels";
  let description = [{
    As many bytes as `source` has. A status that is not 0 is returned from the function
    at once.

    ```mlir
    heddle.frame.copy %source, %target in %frame : memref<?xi8>, memref<?xi8>
    ```
  }];
  let arguments = (ins Heddle_Bytes:$source, Heddle_Bytes:$target,
      Heddle_FrameType:$frame);
  let assemblyFormat = [{
    $source `,` $target `in` $frame attr-dict `:` type($source) `,` type($target)
  }];
}

def Heddle_FrameLoadOp : Heddle_Op<"frame.load", [
    TypesMatchWith<"the result is an element of memory", "memory", "result",
                   "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">]> {
  let summary = "reads a number in the memory of the device that runs the kernels";
  let description = [{
    Waits for the kernels that were called before it. A status that is not 0 is returned
    from the function at once.

    ```mlir
    %count = heddle.frame.load %memory[%i] in %frame, %room : memref<?xi32>, <7>
    ```
  }];
  let arguments = (ins MemRefRankOf<[AnySignlessInteger, AnyFloat], [1]>:$memory,
      Index:$index, Heddle_FrameType:$frame, Heddle_DescriptorsType:$room);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $memory `[` $index `]` `in` $frame `,` $room attr-dict
    `:` type($memory) `,` type($room)
  }];
}

def Heddle_FrameStoreOp : Heddle_Op<"frame.store", [
    TypesMatchWith<"the value is an element of memory", "memory", "value",
                   "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">]> {
  let summary = "writes a number to the memory of the device that runs the kernels";
  let description = [{
    A status that is not 0 is returned from the function at once.

    ```mlir
    heddle.frame.store %count, %memory[%i] in %frame, %room : memref<?xi32>, <7>
    ```
  }];
  let arguments = (ins AnyType:$value,
      MemRefRankOf<[AnySignlessInteger, AnyFloat], [1]>:$memory,
      Index:$index, Heddle_FrameType:$frame, Heddle_DescriptorsType:$room);
  let assemblyFormat = [{
    $value `,` $memory `[` $index `]` `in` $frame `,` $room attr-dict
    `:` type($memory) `,` type($room)
  }];
}

def Heddle_DispatchOp : Heddle_Op<"dispatch",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a call of a kernel's function";
  let description = [{
    What a heddle.launch becomes in the host program. The observer of the call is told
    before and after it; `number` is the launch's in its entry point. A status that is
    not 0 is returned from the function at once.

    ```mlir
    heddle.dispatch @add number(3) in %frame, %room (%rows, %x, %y)
        : <2>, i32, memref<?x64xf32>, memref<?x64xf32>
    ```

    Constraints:
    * (C1) `kernel` names a heddle.signature.
    * (C2) the types of `inputs` are those of the signature.
    * (C3) there is room for the descriptors of all buffers.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, I64Attr:$number,
      Heddle_FrameType:$frame, Heddle_DescriptorsType:$room,
      Variadic<Heddle_HostInput>:$inputs);
  let assemblyFormat = [{
    $kernel `number` `(` $number `)` `in` $frame `,` $room `(` $inputs `)` attr-dict
    `:` type($room) (`,` type($inputs)^)?
  }];
}
