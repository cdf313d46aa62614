// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_attention_c1(%q: tensor<?x?x64xf32>, %k: tensor<?x?x24xf32>, %v: tensor<?x?x24xf32>) {
  // expected-error @+1 {{expected kv heads that divide the heads, found 8 and 3}}
  %0 = heddle.attention %q, %k, %v heads(8, kv = 3) scale(0.35)
     : tensor<?x?x64xf32>, tensor<?x?x24xf32>, tensor<?x?x24xf32>
  return
}

// -----

func.func @negative_attention_c1_zero(%q: tensor<?x?x64xf32>, %k: tensor<?x?x32xf32>, %v: tensor<?x?x32xf32>) {
  // expected-error @+1 {{expected kv heads that divide the heads, found 8 and 0}}
  %0 = heddle.attention %q, %k, %v heads(8, kv = 0) scale(0.35)
     : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return
}

// -----

func.func @negative_attention_c1_below_zero(%q: tensor<?x?x64xf32>, %k: tensor<?x?x32xf32>, %v: tensor<?x?x32xf32>) {
  // expected-error @+1 {{expected kv heads that divide the heads, found -8 and 4}}
  %0 = heddle.attention %q, %k, %v heads(-8, kv = 4) scale(0.35)
     : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return
}

// -----

func.func @negative_attention_c2_query(%q: tensor<?x?x63xf32>, %k: tensor<?x?x32xf32>, %v: tensor<?x?x32xf32>) {
  // expected-error @+1 {{expected 8 to divide the channels of the query, found 63}}
  %0 = heddle.attention %q, %k, %v heads(8, kv = 4) scale(0.35)
     : tensor<?x?x63xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return
}

// -----

func.func @negative_attention_c2_returned(%q: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  // expected-error @+1 {{expected 5 to divide the channels of the query, found 64}}
  %0 = heddle.attention %q, %q, %q heads(5, kv = 5)
     : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %0 : tensor<?x?x64xf32>
}

// -----

func.func @negative_attention_c2_key(%q: tensor<?x?x64xf32>, %k: tensor<?x?x30xf32>, %v: tensor<?x?x32xf32>) {
  // expected-error @+1 {{expected 4 to divide the channels of the key, found 30}}
  %0 = heddle.attention %q, %k, %v heads(8, kv = 4) scale(0.35)
     : tensor<?x?x64xf32>, tensor<?x?x30xf32>, tensor<?x?x32xf32>
  return
}

// -----

func.func @negative_attention_c2_value(%q: tensor<?x?x64xf32>, %k: tensor<?x?x32xf32>, %v: tensor<?x?x30xf32>) {
  // expected-error @+1 {{expected 4 to divide the channels of the value, found 30}}
  %0 = heddle.attention %q, %k, %v heads(8, kv = 4) scale(0.35)
     : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x30xf32>
  return
}

// -----

func.func @negative_attention_c3(%q: tensor<?x?x64xf32>, %k: tensor<?x?x64xf32>, %v: tensor<?x?x32xf32>) {
  // expected-error @+1 {{expected heads of one size, found 8 for the query and 16 for the key}}
  %0 = heddle.attention %q, %k, %v heads(8, kv = 4) scale(0.35)
     : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x32xf32>
  return
}

// -----

func.func @negative_attention_c4(%q: tensor<?x?x64xf32>, %k: tensor<?x?x32xf32>, %v: tensor<?x?x32xf32>) {
  // expected-error @+1 {{expected a scale of at most 1.701412e+38 on either side of 0, found INF}}
  %0 = heddle.attention %q, %k, %v heads(8, kv = 4) scale(0x7FF0000000000000)
     : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return
}

// -----

func.func @negative_attention_c5(%q: tensor<?x64xf32>, %k: tensor<?x?x32xf32>, %v: tensor<?x?x32xf32>) {
  // expected-error @+1 {{expected operands of 3 or 4 dimensions where there is no layout, found 'tensor<?x64xf32>'}}
  %0 = heddle.attention %q, %k, %v heads(8, kv = 4) scale(0.35)
     : tensor<?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return
}

// -----

func.func @negative_attention_c6_dynamic(%q: tensor<?x?x64xf32>, %k: tensor<?x?x32xf32>, %v: tensor<?x?x?xf32>) {
  // expected-error @+1 {{expected operands with channels, found 'tensor<?x?x?xf32>'}}
  %0 = heddle.attention %q, %k, %v heads(8, kv = 4) scale(0.35)
     : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x?xf32>
  return
}

// -----

func.func @negative_attention_c2_outside(%q: tensor<?x4x?x64xf32>, %k: tensor<?x4x?x64xf32>) {
  // expected-error @+1 {{expected 8 as dimension 1 of the query, found 4}}
  %0 = heddle.attention %q, %k, %k heads(8, kv = 4) scale(0.35)
     : tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32>
  return
}

// -----

func.func @negative_attention_c2_dynamic_heads(%q: tensor<?x8x?x64xf32>, %k: tensor<?x?x?x64xf32>) {
  // expected-error @+1 {{expected 8 as dimension 1 of the key, found ?}}
  %0 = heddle.attention %q, %k, %k heads(8, kv = 8) scale(0.35)
     : tensor<?x8x?x64xf32>, tensor<?x?x?x64xf32>, tensor<?x?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c3_outside(%q: tensor<?x8x?x64xf32>, %k: tensor<?x4x?x32xf32>) {
  // expected-error @+1 {{expected heads of one size, found 64 for the query and 32 for the key}}
  %0 = heddle.attention %q, %k, %k heads(8, kv = 4) scale(0.35)
     : tensor<?x8x?x64xf32>, tensor<?x4x?x32xf32>, tensor<?x4x?x32xf32>
  return
}

// -----

func.func @negative_attention_c5_layout(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expected operands of 2 dimensions, as the layout has, found 'tensor<?x?x64xf32>'}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) layout(length, channel)
     : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c12_channel(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expected a layout with length and channel once, and head at most once}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) layout(batch, batch, length)
     : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c12_heads(%q: tensor<?x8x?x8xf32>) {
  // expected-error @+1 {{expected a layout with length and channel once, and head at most once}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) output_layout(head, head, length, channel)
     : tensor<?x8x?x8xf32>, tensor<?x8x?x8xf32>, tensor<?x8x?x8xf32>
  return
}

// -----

func.func @negative_attention_c12_batches(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expected an output layout with 1 dimensions of batches, found 0}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) output_layout(head, length, channel)
     : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_layout_word(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expected one of batch, length, head, channel, found 'tokens'}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) layout(batch, tokens, channel)
     : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_elements(%q: tensor<?x?x64xi32>) {
  // expected-error @+1 {{operand #0 must be ranked tensor of f32, f64, bf16 or f16 values}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8)
     : tensor<?x?x64xi32>, tensor<?x?x64xi32>, tensor<?x?x64xi32>
  return
}

// -----

func.func @negative_attention_c4_f32(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expected a scale of at most 1.701412e+38 on either side of 0, found 1.000000e+300}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) scale(1.0e300)
     : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c6(%q: tensor<1x1x0xf32>) {
  // expected-error @+1 {{expected operands with channels, found 'tensor<1x1x0xf32>'}}
  %0 = heddle.attention %q, %q, %q heads(1, kv = 1) scale(1.0)
     : tensor<1x1x0xf32>, tensor<1x1x0xf32>, tensor<1x1x0xf32>
  return
}

// -----

func.func @negative_attention_c7_none(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expected at least one result}}
  "heddle.attention"(%q, %q, %q) <{heads = 8 : i64, kvHeads = 8 : i64, wanted = [],
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0>}> ({}, {}, {}) : (tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>) -> ()
  return
}

// -----

func.func @negative_attention_c7_twice(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expected each result once, found 'sum' twice}}
  %0:2 = heddle.attention %q, %q, %q heads(8, kv = 8) results(sum, sum) : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c7_word(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expected one of output, weights, log_sum_exp, raw_scores, scaled_scores, changed_scores, masked_scores, unnormalized, maximum, sum, column_sums, found 'lse'}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) results(lse) : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c8_rank(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expected a score region with arguments of f32 and 4 dimensions, 1 of them, and for operands of types ; found 'tensor<?x?x?xf32>'}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) score {
    ^bb0(%s: tensor<?x?x?xf32>):
      heddle.yield %s : tensor<?x?x?xf32>
    } : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c8_empty(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expected a region that yields a tensor}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) score {} : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c8_operands(%q: tensor<?x?x64xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{for operands of types 'tensor<8xf32>'; found 'tensor<?x8x?x?xf32>'}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) score(%b : tensor<8xf32>) {
    ^bb0(%s: tensor<?x8x?x?xf32>):
      heddle.yield %s : tensor<?x8x?x?xf32>
    } : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c9(%q: tensor<?x?x64xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{expected a score region that yields a tensor of f32 and 4 dimensions}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) score(%b : tensor<8xf32>) {
    ^bb0(%s: tensor<?x8x?x?xf32>, %inside: tensor<8xf32>):
      heddle.yield %inside : tensor<8xf32>
    } : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c10(%q: tensor<?x?x64xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{expected a sink for each of 8 heads, found 'tensor<4xf32>'}}
  %0 = heddle.attention %q, %q, %q sinks(%s : tensor<4xf32>) heads(8, kv = 8) : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_outside_values(%q: tensor<?x?x64xf32>, %outside: tensor<?x8x?x?xf32>) {
  // expected-note @+1 {{required by region isolation constraints}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) score {
    ^bb0(%s: tensor<?x8x?x?xf32>):
      // expected-error @+1 {{using value defined outside the region}}
      heddle.yield %outside : tensor<?x8x?x?xf32>
    } : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c13_arguments(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expected a term region with arguments of f32 and 5 dimensions, 2 of them, and for operands of types ; found 'tensor<?x8x?x?x8xf32>'}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) term {
    ^bb0(%a: tensor<?x8x?x?x8xf32>):
      heddle.yield %a : tensor<?x8x?x?x8xf32>
    } : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c13_yield(%q: tensor<?x?x64xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{expected a term region that yields a tensor of f32 and 5 dimensions}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) term(%w : tensor<8xf32>) {
    ^bb0(%a: tensor<?x8x?x?x8xf32>, %b: tensor<?x8x?x?x8xf32>, %c: tensor<8xf32>):
      heddle.yield %c : tensor<8xf32>
    } : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c14(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expected a factors region that yields a tensor of f32 and 4 dimensions}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) factors {
    ^bb0(%a: tensor<?x8x?x?xf32>):
      heddle.yield
    } : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c15_sinks(%q: tensor<?x?x64xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{expected no sinks where weights are no softmax}}
  %0 = heddle.attention %q, %q, %q sinks(%s : tensor<8xf32>) heads(8, kv = 8) normalize(sum)
     : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c15_maximum(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expected no 'maximum' where weights are no softmax}}
  %0:2 = heddle.attention %q, %q, %q heads(8, kv = 8) normalize(none) results(output, maximum)
     : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_normalize_word(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expected one of softmax, sum, none, found 'l1'}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) normalize(l1)
     : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c16_count(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expected 2 to 1024 splits, found 1}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) splits(1)
     : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c16_results(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expected no 'weights' where there are splits}}
  %0:2 = heddle.attention %q, %q, %q heads(8, kv = 8) results(output, weights) splits(2)
     : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @negative_attention_c16_layout(%q: tensor<?x64xf32>) {
  // expected-error @+1 {{expected no layout and no other elements than f32 where there are splits}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) layout(length, channel) splits(2)
     : tensor<?x64xf32>, tensor<?x64xf32>, tensor<?x64xf32>
  return
}

// -----

func.func @negative_attention_c16_most(%q: tensor<?x?x64xf32>) {
  // expected-error @+1 {{expected 2 to 1024 splits, found 33554432}}
  %0 = heddle.attention %q, %q, %q heads(8, kv = 8) results(sum) splits(33554432)
     : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return
}

// -----

func.func @attention_c17(%q: tensor<2x5x16xf64>, %k: tensor<2x5x16xf32>) {
  // expected-error @+1 {{expected query, key and value of f64, or none of them, found 'tensor<2x5x16xf64>', 'tensor<2x5x16xf32>'}}
  %o = heddle.attention %q, %k, %k heads(2, kv = 2) : tensor<2x5x16xf64>, tensor<2x5x16xf32>, tensor<2x5x16xf32>
  return
}

// -----

func.func @attention_c17_sinks(%q: tensor<2x5x16xf32>, %s: tensor<2xf64>) {
  // expected-error @+1 {{expected query, key, value and sinks of f64, or none of them, found 'tensor<2x5x16xf32>', 'tensor<2x5x16xf32>', 'tensor<2x5x16xf32>', 'tensor<2xf64>'}}
  %o = heddle.attention %q, %q, %q sinks(%s : tensor<2xf64>) heads(2, kv = 2) : tensor<2x5x16xf32>, tensor<2x5x16xf32>, tensor<2x5x16xf32>
  return
}

// -----

func.func @attention_c17_packed(%q: tensor<2x5x16xf64>, %p: tensor<2x2x1x8x32xf32>) {
  // expected-error @+1 {{expected no packed keys of attention of f64}}
  %o = heddle.attention %q, %q, %q packed(%p : tensor<2x2x1x8x32xf32>) heads(2, kv = 2) : tensor<2x5x16xf64>, tensor<2x5x16xf64>, tensor<2x5x16xf64>
  return
}

// -----

func.func @attention_c17_score(%q: tensor<2x5x16xf64>) {
  // expected-error @+1 {{expected a score region with arguments of f64 and 4 dimensions}}
  %o = heddle.attention %q, %q, %q heads(2, kv = 2) score {
    ^bb0(%s: tensor<2x2x5x5xf32>):
      heddle.yield %s : tensor<2x2x5x5xf32>
    } : tensor<2x5x16xf64>, tensor<2x5x16xf64>, tensor<2x5x16xf64>
  return
}

// -----

func.func @attention_order(%q: tensor<2x5x16xf32>) {
  // expected-error @+1 {{expected options in this order: mask, sinks, packed, heads, scale, layout, output_layout, normalize, results, splits, products, term, score, factors; found 'layout' again or too late}}
  %y = heddle.attention %q, %q, %q heads(2, kv = 2) results(output) layout(batch, length, channel) : tensor<2x5x16xf32>, tensor<2x5x16xf32>, tensor<2x5x16xf32>
  return
}

// -----

func.func @negative_attention_c11_pairs(%q: tensor<2x5x16xf32>, %p: tensor<2x2x1x4x64xbf16>) {
  // expected-error @+1 {{expected products of bf16 where packed keys are}}
  %o = heddle.attention %q, %q, %q packed(%p : tensor<2x2x1x4x64xbf16>) heads(2, kv = 2)
      : tensor<2x5x16xf32>, tensor<2x5x16xf32>, tensor<2x5x16xf32>
  return
}

// -----

func.func @negative_attention_c11_values(%q: tensor<2x5x16xf32>, %p: tensor<2x2x1x8x32xf32>, %r: tensor<2x2x1x16x16xbf16>) {
  // expected-error @+1 {{expected packed keys of bf16 where values are}}
  %o = heddle.attention %q, %q, %q packed(%p, %r : tensor<2x2x1x8x32xf32>, tensor<2x2x1x16x16xbf16>)
      heads(2, kv = 2) products(bf16) : tensor<2x5x16xf32>, tensor<2x5x16xf32>, tensor<2x5x16xf32>
  return
}

// -----

func.func @negative_attention_c11_odd(%q: tensor<2x5x6xf32>, %p: tensor<2x2x1x1x64xbf16>, %r: tensor<2x2x1x16x6xbf16>) {
  // expected-error @+1 {{expected an even number of channels of a head where packed keys are bf16, found 3}}
  %o = heddle.attention %q, %q, %q packed(%p, %r : tensor<2x2x1x1x64xbf16>, tensor<2x2x1x16x6xbf16>)
      heads(2, kv = 2) products(bf16) : tensor<2x5x6xf32>, tensor<2x5x6xf32>, tensor<2x5x6xf32>
  return
}

// -----

func.func @negative_attention_c11_keys_alone(%q: tensor<2x5x16xf32>, %p: tensor<2x2x1x4x64xbf16>) {
  // expected-error @+1 {{expected packed values of bf16 where keys are}}
  %o = heddle.attention %q, %q, %q packed(%p : tensor<2x2x1x4x64xbf16>) heads(2, kv = 2) products(bf16)
      : tensor<2x5x16xf32>, tensor<2x5x16xf32>, tensor<2x5x16xf32>
  return
}

// -----

func.func @negative_attention_three_packed(%q: tensor<2x5x16xf32>, %p: tensor<2x2x1x8x32xf32>) {
  // expected-error @+1 {{expected packed keys, or keys and values}}
  %o = heddle.attention %q, %q, %q packed(%p, %p, %p : tensor<2x2x1x8x32xf32>, tensor<2x2x1x8x32xf32>, tensor<2x2x1x8x32xf32>)
      heads(2, kv = 2) : tensor<2x5x16xf32>, tensor<2x5x16xf32>, tensor<2x5x16xf32>
  return
}

// -----

func.func @negative_attention_c19(%q: tensor<2x5x16xf32>) {
  // expected-error @+1 {{expected products of bf16 only of a softmax in f32, without a term or factors}}
  %o = heddle.attention %q, %q, %q heads(2, kv = 2) normalize(sum) products(bf16)
      : tensor<2x5x16xf32>, tensor<2x5x16xf32>, tensor<2x5x16xf32>
  return
}

// -----

func.func @negative_attention_products(%q: tensor<2x5x16xf32>) {
  // expected-error @+1 {{failed to satisfy constraint: type attribute of bfloat16 type}}
  %o = heddle.attention %q, %q, %q heads(2, kv = 2) products(f16)
      : tensor<2x5x16xf32>, tensor<2x5x16xf32>, tensor<2x5x16xf32>
  return
}
