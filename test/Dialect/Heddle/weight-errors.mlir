// RUN: heddle-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected exactly one of 'source', 'value' and 'body'}}
"heddle.weight"() <{sym_name = "negative_weight_c1_neither", type = tensor<4xf32>}> ({}) : () -> ()

// -----

// expected-error @+1 {{expected exactly one of 'source', 'value' and 'body'}}
"heddle.weight"() <{sym_name = "negative_weight_c1_both", type = tensor<4xf32>,
    source = "w", value = dense<1.0> : tensor<4xf32>}> ({}) : () -> ()

// -----

// expected-error @+1 {{expected a static shape, found 'tensor<?x4xf32>'}}
heddle.weight @negative_weight_c2_dynamic from "w" : tensor<?x4xf32>

// -----

// expected-error @+1 {{expected a value of type 'tensor<4xf32>', found 'tensor<5xf32>'}}
"heddle.weight"() <{sym_name = "negative_weight_c2_value", type = tensor<4xf32>,
    value = dense<1.0> : tensor<5xf32>}> ({}) : () -> ()

// -----

// expected-error @+1 {{type attribute of ranked tensor of f32, f64, bf16, f16, f8E4M3FN, f8E5M2, i4, i8, i16, i32, i64, ui4, ui8, ui16, ui32, ui64 or i1 values}}
heddle.weight @negative_weight_elements from "w" : tensor<4xi5>

// -----

// expected-error @+1 {{expected a resource of 4 bytes, found 8 bytes}}
heddle.weight @negative_weight_c3_truth_values = dense_resource<two> : tensor<4xi1>

{-# dialect_resources: { builtin: { two: "0x040000000101000100000001" } } #-}

// -----

// expected-error @+1 {{expected a value that is dense or dense_resource}}
heddle.weight @negative_weight_c3_sparse = sparse<[[0, 1]], [1.0]> : tensor<2x2xf32>

// -----

// expected-error @+1 {{expected a resource of 16 bytes, found none}}
heddle.weight @negative_weight_c3_missing = dense_resource<missing> : tensor<4xf32>

// -----

// expected-error @+1 {{expected a resource of 16 bytes, found 8 bytes}}
heddle.weight @negative_weight_c3_bytes = dense_resource<two> : tensor<4xf32>

{-# dialect_resources: { builtin: { two: "0x040000000000803F00000040" } } #-}

// -----

heddle.weight @w from "w" : tensor<4xf32>

// expected-error @+1 {{expected exactly one of 'source', 'value' and 'body'}}
"heddle.weight"() <{sym_name = "negative_weight_c1_body", type = tensor<4xf32>, source = "w"}> ({
  %w = heddle.weight_ref @w : tensor<4xf32>
  heddle.yield %w : tensor<4xf32>
}) : () -> ()

// -----

heddle.weight @w from "w" : tensor<4xf32>

heddle.weight @negative_weight_c2_body : tensor<5xf32> {
  %w = heddle.weight_ref @w : tensor<4xf32>
  // expected-error @+1 {{expected a value of the weight's type 'tensor<5xf32>'}}
  heddle.yield %w : tensor<4xf32>
}

// -----

heddle.weight @w from "w" : tensor<4xf32>

heddle.weight @derived : tensor<4xf32> {
  %w = heddle.weight_ref @w : tensor<4xf32>
  heddle.yield %w : tensor<4xf32>
}

heddle.weight @negative_weight_c4 : tensor<4xf32> {
  // expected-error @+1 {{expected a weight without a body in the body of a weight, found @derived}}
  %w = heddle.weight_ref @derived : tensor<4xf32>
  heddle.yield %w : tensor<4xf32>
}
