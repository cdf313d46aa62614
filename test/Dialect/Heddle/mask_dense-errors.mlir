// RUN: heddle-opt %s -split-input-file -verify-diagnostics

func.func @negative_mask_dense_c1_count(%m: tensor<?x?xi1>) {
  // expected-error @+1 {{expected 2 dimensions in 'over', as the mask has, found 1}}
  %0 = heddle.mask.dense %m over(key) : tensor<?x?xi1>
  return
}

// -----

func.func @negative_mask_dense_c1_twice(%m: tensor<?x?xi1>) {
  // expected-error @+1 {{expected each dimension once in 'over', found 'key' twice}}
  %0 = heddle.mask.dense %m over(key, key) : tensor<?x?xi1>
  return
}

// -----

func.func @negative_mask_dense_c2(%m: tensor<?x?xi1>) {
  // expected-error @+1 {{expected blocks from 1 to 16777216, found 0}}
  %0 = heddle.mask.dense %m over(query, key) blocks(4, 0) : tensor<?x?xi1>
  return
}

// -----

func.func @negative_mask_dense_c3(%m: tensor<?x?xi1>) {
  // expected-error @+1 {{expected a summary of 2 tensors, found 1}}
  %0 = heddle.mask.dense %m over(query, key) summary(%m : tensor<?x?xi1>) : tensor<?x?xi1>
  return
}

// -----

func.func @negative_mask_dense_word(%m: tensor<?xi1>) {
  // expected-error @+1 {{expected one of batch, head, query, key, found 'keys'}}
  %0 = heddle.mask.dense %m over(keys) : tensor<?xi1>
  return
}
