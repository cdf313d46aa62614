// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @negative_dispatch_c1(%frame: !heddle.frame) {
  %room = heddle.descriptors : <1>
  // expected-error @+1 {{expected a heddle.signature, found nothing named @k}}
  heddle.dispatch @k number(0) in %frame, %room () : <1>
  return
}

// -----

// expected-note @+1 {{the signature}}
heddle.signature @k(i32)
func.func @negative_dispatch_c2(%frame: !heddle.frame, %n: i64) {
  %room = heddle.descriptors : <1>
  // expected-error @+1 {{expected the types of the kernel's signature}}
  heddle.dispatch @k number(0) in %frame, %room (%n) : <1>, i64
  return
}

// -----

heddle.signature @k(memref<4xf32>, memref<4xf32>)
func.func @negative_dispatch_c3(%frame: !heddle.frame, %x: memref<4xf32>) {
  %room = heddle.descriptors : <1>
  // expected-error @+1 {{expected room for 2 descriptors, found '!heddle.descriptors<1>'}}
  heddle.dispatch @k number(0) in %frame, %room (%x, %x) : <1>, memref<4xf32>, memref<4xf32>
  return
}

// -----

// expected-error @+1 {{expected an i32 or a memref of at most 6 dimensions, found 'i64'}}
heddle.signature @negative_signature_c1(i64)

// -----

// expected-error @+1 {{expected an i32 or a memref of at most 6 dimensions, found 'memref<1x1x1x1x1x1x1xf32>'}}
heddle.signature @negative_signature_c1(memref<1x1x1x1x1x1x1xf32>)

// -----

func.func @negative_frame_load_memory(%frame: !heddle.frame, %x: memref<4x4xi32>, %i: index) {
  %room = heddle.descriptors : <1>
  // expected-error @+1 {{'memory' must be 1D memref of}}
  %value = heddle.frame.load %x[%i] in %frame, %room : memref<4x4xi32>, <1>
  return
}

// -----

// expected-note @+1 {{prior use here}}
func.func @negative_frame_store_type(%frame: !heddle.frame, %x: memref<4xi32>, %v: i64, %i: index) {
  %room = heddle.descriptors : <1>
  // expected-error @+1 {{use of value '%v' expects different type than prior uses: 'i32' vs 'i64'}}
  heddle.frame.store %v, %x[%i] in %frame, %room : memref<4xi32>, <1>
  return
}
