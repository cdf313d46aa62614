halide.schedule @f_attention {
  halide.compute_root @inverse
  halide.bound_extent @inverse "i" 3
  halide.compute_root @query_tile
  halide.bound_extent @query_tile "i" 3
  halide.store_in @query_tile register
  halide.vectorize @query_tile "d" by 8
  halide.compute_root @begin_key
  halide.store_in @begin_key register
  halide.compute_root @end_key
  halide.store_in @end_key register
  halide.compute_at @block_kind @state "c"
  halide.store_in @block_kind register
  halide.bound_extent @block_kind "c" 1
  halide.compute_at @blocks_before @state "c"
  halide.store_in @blocks_before register
  halide.bound_extent @blocks_before "c" 1
  halide.compute_at @block_order @state "c"
  halide.store_in @block_order register
  halide.bound_extent @block_order "c" 1
  halide.bound_extent @block_kind "slot" 16
  halide.bound_extent @blocks_before "slot" 17
  halide.bound_extent @block_order "jb" 16
  halide.vectorize @block_kind "slot" by 8
  halide.compute_root @state
  halide.store_in @state register
  halide.bound_extent @state "i" 3
  halide.bound_extent @state "d" 32
  halide.vectorize @state "d" by 8
  halide.split @state update(0) "d" into ("slice", "column") by 16
  halide.split @state update(0) "i" into ("rows", "row") by 3
  halide.reorder @state update(0) ["column", "row", "rows", "slice", "c"]
  halide.vectorize @state update(0) "column" by 8
  halide.unroll @state update(0) "column"
  halide.unroll @state update(0) "row"
  halide.compute_at @scores @state "c"
  halide.store_in @scores register
  halide.bound_extent @scores "j" 32
  halide.bound_extent @scores "i" 3
  halide.bound_extent @scores "jb" 16
  halide.bound_extent @scores "c" 1
  halide.compute_at @weights @state "c"
  halide.store_in @weights register
  halide.bound_extent @weights "j" 32
  halide.bound_extent @weights "i" 3
  halide.bound_extent @weights "jb" 16
  halide.bound_extent @weights "c" 1
  halide.split @scores update(0) "i" into ("single_rows", "row") by 3
  halide.reorder @scores update(0) ["j", "row", "single_rows", "block"]
  halide.vectorize @scores update(0) "j" by 8
  halide.unroll @scores update(0) "j"
  halide.unroll @scores update(0) "row"
  halide.compute_at @score_sum @scores "single_rows"
  halide.store_in @score_sum register
  halide.bound_extent @score_sum "jb" 1
  halide.bound_extent @score_sum "j" 32
  halide.bound_extent @score_sum "i" 3
  halide.vectorize @score_sum "j" by 8
  halide.unroll @score_sum "j"
  halide.unroll @score_sum "i"
  halide.reorder @score_sum update(0) ["j", "i", "d"]
  halide.vectorize @score_sum update(0) "j" by 8
  halide.unroll @score_sum update(0) "j"
  halide.unroll @score_sum update(0) "i"
  halide.bound_extent @score_sum "c" 1
  halide.reorder @weights update(0) ["j", "block", "i"]
  halide.vectorize @weights update(0) "j" by 8
  halide.unroll @weights update(0) "j"
  halide.reorder @weights update(1) ["j", "block", "i"]
  halide.vectorize @weights update(1) "j" by 8
  halide.unroll @weights update(1) "j"
  halide.compute_at @extremes @state "c"
  halide.bound_extent @extremes "i" 3
  halide.bound_extent @extremes "c" 1
  halide.compute_at @block_extremes @extremes "i"
  halide.store_in @block_extremes register
  halide.bound_extent @block_extremes "j" 32
  halide.vectorize @block_extremes "j" by 8
  halide.unroll @block_extremes "j"
  halide.reorder @block_extremes update(0) ["j", "jb", "i"]
  halide.vectorize @block_extremes update(0) "j" by 8
  halide.unroll @block_extremes update(0) "j"
  halide.reorder @block_extremes update(1) ["j", "jb", "i"]
  halide.vectorize @block_extremes update(1) "j" by 8
  halide.unroll @block_extremes update(1) "j"
  halide.compute_at @row_max @extremes "i"
  halide.store_in @row_max register
  halide.atomic @row_max update(0)
  halide.vectorize @row_max update(0) "j" by 32
  halide.compute_at @row_min @extremes "i"
  halide.store_in @row_min register
  halide.atomic @row_min update(0)
  halide.vectorize @row_min update(0) "j" by 32
  halide.compute_at @sum @state "c"
  halide.bound_extent @sum "i" 3
  halide.bound_extent @sum "c" 1
  halide.compute_at @block_sum @sum "i"
  halide.store_in @block_sum register
  halide.bound_extent @block_sum "j" 32
  halide.vectorize @block_sum "j" by 8
  halide.unroll @block_sum "j"
  halide.reorder @block_sum update(0) ["j", "jb", "i"]
  halide.vectorize @block_sum update(0) "j" by 8
  halide.unroll @block_sum update(0) "j"
  halide.compute_at @row_sum @sum "i"
  halide.store_in @row_sum register
  halide.atomic @row_sum update(0)
  halide.vectorize @row_sum update(0) "j" by 4
  halide.compute_at @plain_blocks @state "c"
  halide.store_in @plain_blocks register
  halide.bound_extent @plain_blocks "c" 1
  halide.compute_at @rest_keys @state "c"
  halide.store_in @rest_keys register
  halide.bound_extent @rest_keys "c" 1
  halide.compute_at @value_sum @state "rows"
  halide.store_in @value_sum register
  halide.bound_extent @value_sum "d" 16
  halide.bound_extent @value_sum "i" 3
  halide.bound_extent @value_sum "c" 1
  halide.vectorize @value_sum "d" by 8
  halide.unroll @value_sum "d"
  halide.unroll @value_sum "i"
  halide.reorder @value_sum update(0) ["d", "i", "j", "jb"]
  halide.vectorize @value_sum update(0) "d" by 8
  halide.unroll @value_sum update(0) "d"
  halide.unroll @value_sum update(0) "i"
  halide.reorder @value_sum update(1) ["d", "i", "j", "jb"]
  halide.vectorize @value_sum update(1) "d" by 8
  halide.unroll @value_sum update(1) "d"
  halide.unroll @value_sum update(1) "i"
  halide.reorder @attention update(0) ["d", "i"]
  halide.vectorize @attention update(0) "d" by 8
}
