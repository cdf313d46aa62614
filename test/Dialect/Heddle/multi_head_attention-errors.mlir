// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_multi_head_attention_c1(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>) {
  // expected-error @+1 {{expected kv heads that divide the heads, found 2 and 3}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 3)
       query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>) value(%w : tensor<8x8xf32>) output(%w : tensor<8x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c2_missing(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>) {
  // expected-error @+1 {{expected projections of query, key and value, or a combined one}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>) output(%w : tensor<8x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c2_both(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>, %c: tensor<24x8xf32>) {
  // expected-error @+1 {{expected projections of query, key and value, or a combined one}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w : tensor<8x8xf32>) combined(%c : tensor<24x8xf32>) output(%w : tensor<8x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c3(%x: tensor<?x?x8xf32>, %m: tensor<?x?x8xf32>, %w: tensor<8x8xf32>, %c: tensor<24x8xf32>) {
  // expected-error @+1 {{expected one value as query, key and value of a combined projection}}
  %0 = heddle.multi_head_attention %x, %m, %m heads(2, kv = 2)
       combined(%c : tensor<24x8xf32>) output(%w : tensor<8x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c4_key(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>, %k: tensor<8x6xf32>) {
  // expected-error @+1 {{expected as many columns of the key weight as the 8 channels that it multiplies, and at least one, found 6}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w : tensor<8x8xf32>) key(%k : tensor<8x6xf32>) value(%w : tensor<8x8xf32>) output(%w : tensor<8x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c4_none(%x: tensor<?x?x0xf32>, %w: tensor<8x8xf32>, %q: tensor<8x0xf32>) {
  // expected-error @+1 {{expected as many columns of the query weight as the 0 channels that it multiplies, and at least one, found 0}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%q : tensor<8x0xf32>) key(%q : tensor<8x0xf32>) value(%q : tensor<8x0xf32>) output(%w : tensor<8x8xf32>)
     : tensor<?x?x0xf32>, tensor<?x?x0xf32>, tensor<?x?x0xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c4_output(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>, %o: tensor<8x6xf32>) {
  // expected-error @+1 {{expected 8 columns of the output weight, found 6}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>) value(%w : tensor<8x8xf32>) output(%o : tensor<8x6xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c5_query(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>, %q: tensor<9x8xf32>) {
  // expected-error @+1 {{expected 2 to divide the rows of the query weight, found 9}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%q : tensor<9x8xf32>) key(%w : tensor<8x8xf32>) value(%w : tensor<8x8xf32>) output(%w : tensor<8x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c5_combined(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>) {
  // expected-error @+1 {{expected 6 to divide the rows of the combined weight, found 8}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       combined(%w : tensor<8x8xf32>) output(%w : tensor<8x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c5_no_rows(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>, %v: tensor<0x8xf32>) {
  // expected-error @+1 {{expected 2 to divide the rows of the value weight, found 0}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>) value(%v : tensor<0x8xf32>) output(%w : tensor<8x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c5_sizes(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>, %k: tensor<12x8xf32>) {
  // expected-error @+1 {{expected heads of one size, found 4 for the query and 6 for the key}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w : tensor<8x8xf32>) key(%k : tensor<12x8xf32>) value(%w : tensor<8x8xf32>) output(%w : tensor<8x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c5_output(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>, %o: tensor<0x8xf32>) {
  // expected-error @+1 {{expected an output weight with rows, found none}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>) value(%w : tensor<8x8xf32>) output(%o : tensor<0x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c6(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>, %b: tensor<6xf32>) {
  // expected-error @+1 {{expected a bias of the value weight of 8 elements, found 6}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>) value(%w, %b : tensor<8x8xf32>, tensor<6xf32>) output(%w : tensor<8x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c6_output(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>, %b: tensor<6xf32>) {
  // expected-error @+1 {{expected a bias of the output weight of 8 elements, found 6}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>) value(%w : tensor<8x8xf32>) output(%w, %b : tensor<8x8xf32>, tensor<6xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c6_no_weight(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{expected a weight for each bias}}
  %0 = "heddle.multi_head_attention"(%x, %x, %x, %w, %w, %w, %b, %w) <{heads = 2 : i64, kvHeads = 2 : i64,
       operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0>}> ({})
     : (tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>) -> tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c7_no_epsilon(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>, %n: tensor<4xf32>) {
  // expected-error @+1 {{expected norms of query and key and their epsilon, or none}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>) value(%w : tensor<8x8xf32>) output(%w : tensor<8x8xf32>) norms(%n, %n : tensor<4xf32>, tensor<4xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c7_no_norms(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>) {
  // expected-error @+1 {{expected norms of query and key and their epsilon, or none}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>) value(%w : tensor<8x8xf32>) output(%w : tensor<8x8xf32>) epsilon(1.0e-6)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c7_size(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>, %n: tensor<4xf32>, %k: tensor<8xf32>) {
  // expected-error @+1 {{expected a norm of the key of 4 elements, found 8}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>) value(%w : tensor<8x8xf32>) output(%w : tensor<8x8xf32>) norms(%n, %k : tensor<4xf32>, tensor<8xf32>) epsilon(1.0e-6)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c7_epsilon(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>, %n: tensor<4xf32>) {
  // expected-error @+1 {{expected an epsilon from 0 to the largest f32, found -1.0}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>) value(%w : tensor<8x8xf32>) output(%w : tensor<8x8xf32>) norms(%n, %n : tensor<4xf32>, tensor<4xf32>) epsilon(-1.0)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c8(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>) {
  // expected-error @+1 {{expected a scale of at most 1.701412e+38 on either side of 0, found 1.000000e+39}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>) value(%w : tensor<8x8xf32>) output(%w : tensor<8x8xf32>) scale(1.0e39)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c9_no_output(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>) {
  // expected-error @+1 {{expected 'output' among the results}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>) value(%w : tensor<8x8xf32>) output(%w : tensor<8x8xf32>) results(weights)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c9_other(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>) {
  // expected-error @+1 {{expected the results output and weights, found 'log_sum_exp'}}
  %0:2 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>) value(%w : tensor<8x8xf32>) output(%w : tensor<8x8xf32>) results(output, log_sum_exp)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c9_twice(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>) {
  // expected-error @+1 {{expected each result once, found 'output' twice}}
  %0:2 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w : tensor<8x8xf32>) key(%w : tensor<8x8xf32>) value(%w : tensor<8x8xf32>) output(%w : tensor<8x8xf32>) results(output, output)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_three_operands(%x: tensor<?x?x8xf32>, %w: tensor<8x8xf32>) {
  // expected-error @+2 {{expected a weight and a bias of 'query', found 3 operands}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2)
       query(%w, %w, %w : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_no_output(%x: tensor<?x?x8xf32>, %w: tensor<24x8xf32>) {
  // expected-error @+2 {{expected 'output'}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2) combined(%w : tensor<24x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_one_norm(%x: tensor<?x?x8xf32>, %w: tensor<24x8xf32>, %o: tensor<8x8xf32>, %n: tensor<4xf32>) {
  // expected-error @+2 {{expected norms of query and key, found 1 operands}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2) combined(%w : tensor<24x8xf32>) output(%o : tensor<8x8xf32>)
       norms(%n : tensor<4xf32>) epsilon(1.0e-6)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c10(%x: tensor<?x?x8xf32>, %w: tensor<24x8xf32>, %o: tensor<8x8xf32>, %c: !heddle.cache<2 x 2 x 4 x f32>, %d: !heddle.cache<2 x 2 x 8 x f32>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected a score region that yields a tensor of f32 and 4 dimensions}}
  %0 = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2) combined(%w : tensor<24x8xf32>) output(%o : tensor<8x8xf32>)
       score {
       ^bb0(%s: tensor<?x2x?x?xf32>):
         heddle.yield %s, %s : tensor<?x2x?x?xf32>, tensor<?x2x?x?xf32>
       } : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c11_channels(%x: tensor<?x?x8xf32>, %w: tensor<24x8xf32>, %o: tensor<8x8xf32>, %c: !heddle.cache<2 x 2 x 4 x f32>, %d: !heddle.cache<2 x 2 x 8 x f32>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected a cache of 2 heads of 4 and 4 channels, found '!heddle.cache<2 x 2 x 8 x f32>'}}
  %0:2 = heddle.multi_head_attention %x, %x, %x cache(%d : !heddle.cache<2 x 2 x 8 x f32>) layer(0) at(%n : tensor<?xi32>) lengths(%n : tensor<?xi32>)
       heads(2, kv = 2) combined(%w : tensor<24x8xf32>) output(%o : tensor<8x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c11_layer(%x: tensor<?x?x8xf32>, %w: tensor<24x8xf32>, %o: tensor<8x8xf32>, %c: !heddle.cache<2 x 2 x 4 x f32>, %d: !heddle.cache<2 x 2 x 8 x f32>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected a layer below 2, found 2}}
  %0:2 = heddle.multi_head_attention %x, %x, %x cache(%c : !heddle.cache<2 x 2 x 4 x f32>) layer(2) at(%n : tensor<?xi32>) lengths(%n : tensor<?xi32>)
       heads(2, kv = 2) combined(%w : tensor<24x8xf32>) output(%o : tensor<8x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c11_last_use(%x: tensor<?x?x8xf32>, %w: tensor<24x8xf32>, %o: tensor<8x8xf32>, %c: !heddle.cache<2 x 2 x 4 x f32>, %d: !heddle.cache<2 x 2 x 8 x f32>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected no use of the cache's old value after this, which changes it in place}}
  %0:2 = heddle.multi_head_attention %x, %x, %x cache(%c : !heddle.cache<2 x 2 x 4 x f32>) layer(1) at(%n : tensor<?xi32>) lengths(%n : tensor<?xi32>)
       heads(2, kv = 2) combined(%w : tensor<24x8xf32>) output(%o : tensor<8x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  // expected-note @+1 {{used here}}
  %k, %v = heddle.cache.read %c layer(1) : !heddle.cache<2 x 2 x 4 x f32>
  return
}

// -----

func.func @multi_head_attention_c11(%x: tensor<?x?x8xf32>, %w: tensor<24x8xf32>, %o: tensor<8x8xf32>, %c: !heddle.cache<2 x 2 x 4 x f32>, %d: !heddle.cache<2 x 2 x 8 x f32>, %n: tensor<?xi32>) {
  %0:2 = heddle.multi_head_attention %x, %x, %x cache(%c : !heddle.cache<2 x 2 x 4 x f32>) layer(1) at(%n : tensor<?xi32>) lengths(%n : tensor<?xi32>)
       heads(2, kv = 2) combined(%w : tensor<24x8xf32>) output(%o : tensor<8x8xf32>)
     : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  %k, %v = heddle.cache.read %c layer(0) : !heddle.cache<2 x 2 x 4 x f32>
  return
}

// -----

func.func @multi_head_attention_order(%x: tensor<2x5x16xf32>, %w: tensor<16x16xf32>) {
  // expected-error @+1 {{found 'scale' again or too late}}
  %y = heddle.multi_head_attention %x, %x, %x heads(2, kv = 2) query(%w : tensor<16x16xf32>) key(%w : tensor<16x16xf32>) value(%w : tensor<16x16xf32>) output(%w : tensor<16x16xf32>) results(output) scale(0.5) : tensor<2x5x16xf32>, tensor<2x5x16xf32>, tensor<2x5x16xf32>
  return
}

// -----

func.func @negative_multi_head_attention_c11_doubles(%x: tensor<?x?x8xf64>, %w: tensor<24x8xf32>, %o: tensor<8x8xf32>, %c: !heddle.cache<2 x 2 x 4 x f32>, %n: tensor<?xi32>) {
  // expected-error @+1 {{expected no cache with a query of f64}}
  %0:2 = heddle.multi_head_attention %x, %x, %x cache(%c : !heddle.cache<2 x 2 x 4 x f32>) layer(1) at(%n : tensor<?xi32>) lengths(%n : tensor<?xi32>)
       heads(2, kv = 2) combined(%w : tensor<24x8xf32>) output(%o : tensor<8x8xf32>)
     : tensor<?x?x8xf64>, tensor<?x?x8xf64>, tensor<?x?x8xf64>
  return
}

// -----

func.func @negative_multi_head_attention_c12(%x: tensor<2x5x16xf64>, %y: tensor<2x5x16xf32>, %w: tensor<16x16xf32>) {
  // expected-error @+1 {{expected query, key and value of f64, or none of them, found 'tensor<2x5x16xf64>', 'tensor<2x5x16xf32>'}}
  %z = heddle.multi_head_attention %x, %y, %x heads(2, kv = 2) query(%w : tensor<16x16xf32>) key(%w : tensor<16x16xf32>) value(%w : tensor<16x16xf32>) output(%w : tensor<16x16xf32>) : tensor<2x5x16xf64>, tensor<2x5x16xf32>, tensor<2x5x16xf64>
  return
}
