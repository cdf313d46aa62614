// RUN: heddle-opt %s --heddle-add-sampling --split-input-file | FileCheck %s

// A decoder, whatever its caches are.
// CHECK-LABEL: func.func @forward
// CHECK-LABEL: func.func @sample(
// CHECK-SAME: %[[X:.*]]: tensor<?x7xf32> {heddle.name = "logits", heddle.sizes = ["batch"]}
// CHECK-SAME: %[[T:.*]]: tensor<?xf32> {heddle.name = "temperature", heddle.sizes = ["batch"]}
// CHECK-SAME: %[[P:.*]]: tensor<?xf32> {heddle.name = "min_p", heddle.sizes = ["batch"]}
// CHECK-SAME: %[[U:.*]]: tensor<?xf32> {heddle.name = "uniform", heddle.sizes = ["batch"]}
// CHECK-SAME: -> (tensor<?xi32> {heddle.name = "ids"})
// CHECK-NEXT: %[[I:.*]] = heddle.sample %[[X]] temperature(%[[T]]) min_p(%[[P]]) uniform(%[[U]]) : tensor<?x7xf32>, tensor<?xf32> -> tensor<?xi32>
// CHECK-NEXT: return %[[I]] : tensor<?xi32>
// CHECK-LABEL: func.func @sample_likely(
// CHECK-SAME: %[[X:.*]]: tensor<?x7xf32> {heddle.name = "logits", heddle.sizes = ["batch"]}
// CHECK-SAME: %[[T:.*]]: tensor<?xf32> {heddle.name = "temperature", heddle.sizes = ["batch"]}
// CHECK-SAME: %[[K:.*]]: tensor<?xi32> {heddle.name = "top_k", heddle.sizes = ["batch"]}
// CHECK-SAME: %[[Q:.*]]: tensor<?xf32> {heddle.name = "top_p", heddle.sizes = ["batch"]}
// CHECK-SAME: %[[P:.*]]: tensor<?xf32> {heddle.name = "min_p", heddle.sizes = ["batch"]}
// CHECK-SAME: %[[U:.*]]: tensor<?xf32> {heddle.name = "uniform", heddle.sizes = ["batch"]}
// CHECK-SAME: -> (tensor<?xi32> {heddle.name = "ids"})
// CHECK-NEXT: %[[L:.*]] = heddle.keep_likely %[[X]] temperature(%[[T]]) top_k(%[[K]]) top_p(%[[Q]]) : tensor<?x7xf32>, tensor<?xf32>, tensor<?xi32>
// CHECK-NEXT: %[[I:.*]] = heddle.sample %[[L]] temperature(%[[T]]) min_p(%[[P]]) uniform(%[[U]]) : tensor<?x7xf32>, tensor<?xf32> -> tensor<?xi32>
// CHECK-NEXT: return %[[I]] : tensor<?xi32>
func.func @forward(%c: !heddle.cache<1 x 1 x 4 x f32>, %x: tensor<?x7xf32>) -> (!heddle.cache<1 x 1 x 4 x f32>, tensor<?x7xf32> {heddle.role = #heddle.role<logits>}) attributes {heddle.decoder} {
  return %c, %x : !heddle.cache<1 x 1 x 4 x f32>, tensor<?x7xf32>
}

// -----

// What it would become.
// CHECK-LABEL: func.func @prefill
// CHECK: func.func @sample(%{{.*}}: tensor<?x7xf32>
func.func @prefill(%c: !heddle.cache<1 x 1 x 4 x f32>, %x: tensor<?x7xf32>) -> (tensor<?x7xf32> {heddle.role = #heddle.role<logits>}, !heddle.cache<1 x 1 x 4 x f32>) {
  return %x, %c : tensor<?x7xf32>, !heddle.cache<1 x 1 x 4 x f32>
}
func.func @decode(%c: !heddle.cache<1 x 1 x 4 x f32>, %x: tensor<?x7xf32>) -> (tensor<?x7xf32> {heddle.role = #heddle.role<logits>}, !heddle.cache<1 x 1 x 4 x f32>) {
  return %x, %c : tensor<?x7xf32>, !heddle.cache<1 x 1 x 4 x f32>
}

// -----

// Of different vocabularies.
// CHECK-LABEL: func.func @prefill
// CHECK-NOT: @sample
func.func @prefill(%c: !heddle.cache<1 x 1 x 4 x f32>, %x: tensor<?x7xf32>) -> (tensor<?x7xf32> {heddle.role = #heddle.role<logits>}) {
  return %x : tensor<?x7xf32>
}
func.func @decode(%c: !heddle.cache<1 x 1 x 4 x f32>, %x: tensor<?x8xf32>) -> (tensor<?x8xf32> {heddle.role = #heddle.role<logits>}) {
  return %x : tensor<?x8xf32>
}

// -----

// With a function of that name.
// CHECK-LABEL: func.func @forward
// CHECK: func.func @sample(%{{.*}}: tensor<2xf32>)
// CHECK-NOT: @sample(
func.func @forward(%c: !heddle.cache<1 x 1 x 4 x f32>, %x: tensor<?x7xf32>) -> (tensor<?x7xf32> {heddle.role = #heddle.role<logits>}) attributes {heddle.decoder} {
  return %x : tensor<?x7xf32>
}
func.func @sample(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// With one whose name the header needs.
// CHECK-LABEL: func.func @forward
// CHECK-NOT: @sample(
// CHECK: func.func @sample_workspace_size
// CHECK: func.func @sample_likely(
func.func @forward(%c: !heddle.cache<1 x 1 x 4 x f32>, %x: tensor<?x7xf32>) -> (tensor<?x7xf32> {heddle.role = #heddle.role<logits>}) attributes {heddle.decoder} {
  return %x : tensor<?x7xf32>
}
func.func @sample_workspace_size(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// These continue nothing, or give no logits.
// CHECK-LABEL: module
// CHECK-NOT: @sample
func.func @forward(%x: tensor<?x7xf32>) -> (tensor<?x7xf32> {heddle.role = #heddle.role<logits>}) attributes {heddle.decoder} {
  return %x : tensor<?x7xf32>
}

// -----

// CHECK-LABEL: module
// CHECK-NOT: @sample
func.func @forward(%c: !heddle.cache<1 x 1 x 4 x f32>, %x: tensor<?x7xbf16>) -> (tensor<?x7xbf16> {heddle.role = #heddle.role<logits>}) attributes {heddle.decoder} {
  return %x : tensor<?x7xbf16>
}

// -----

// Of several results the one that is declared counts.
// CHECK-LABEL: func.func @several
// CHECK: func.func @sample(%{{.*}}: tensor<?x7xf32>
func.func @several(%c: !heddle.cache<1 x 1 x 4 x f32>, %x: tensor<?x7xf32>, %y: tensor<?x5xf32>) -> (tensor<?x5xf32>, tensor<?x7xf32> {heddle.role = #heddle.role<logits>}) attributes {heddle.decoder} {
  return %y, %x : tensor<?x5xf32>, tensor<?x7xf32>
}

// -----

// CHECK-LABEL: module
// CHECK-NOT: @sample
func.func @forward(%c: !heddle.cache<1 x 1 x 4 x f32>, %x: tensor<?x?xf32>) -> (tensor<?x?xf32> {heddle.role = #heddle.role<logits>}) attributes {heddle.decoder} {
  return %x : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: module
// CHECK-NOT: @sample
func.func @prefill(%c: !heddle.cache<1 x 1 x 4 x f32>, %x: tensor<?x7xf32>) -> (tensor<?x7xf32> {heddle.role = #heddle.role<logits>}) {
  return %x : tensor<?x7xf32>
}

// -----

// Nothing says that these are logits.
// CHECK-LABEL: module
// CHECK-NOT: @sample
func.func @forward(%c: !heddle.cache<1 x 1 x 4 x f32>, %x: tensor<?x7xf32>) -> tensor<?x7xf32> attributes {heddle.decoder} {
  return %x : tensor<?x7xf32>
}
