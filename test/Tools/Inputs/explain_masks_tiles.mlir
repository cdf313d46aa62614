// Tiles of 32 rows, on any machine.

heddle.configure @none_attention #heddle.attention_tiles<rows = 32, chunk = 2, register_rows = 4, keys = 32, columns = 16, vector = 8>
heddle.configure @top_left_attention #heddle.attention_tiles<rows = 32, chunk = 2, register_rows = 4, keys = 32, columns = 16, vector = 8>
heddle.configure @bottom_right_attention #heddle.attention_tiles<rows = 32, chunk = 2, register_rows = 4, keys = 32, columns = 16, vector = 8>
heddle.configure @offset_attention #heddle.attention_tiles<rows = 32, chunk = 2, register_rows = 4, keys = 32, columns = 16, vector = 8>
heddle.configure @window_attention #heddle.attention_tiles<rows = 32, chunk = 2, register_rows = 4, keys = 32, columns = 16, vector = 8>
heddle.configure @prefix_attention #heddle.attention_tiles<rows = 32, chunk = 2, register_rows = 4, keys = 32, columns = 16, vector = 8>
heddle.configure @padding_attention #heddle.attention_tiles<rows = 32, chunk = 2, register_rows = 4, keys = 32, columns = 16, vector = 8>
heddle.configure @documents_attention #heddle.attention_tiles<rows = 32, chunk = 2, register_rows = 4, keys = 32, columns = 16, vector = 8>
heddle.configure @other_documents_attention #heddle.attention_tiles<rows = 32, chunk = 2, register_rows = 4, keys = 32, columns = 16, vector = 8>
heddle.configure @blocks_attention #heddle.attention_tiles<rows = 32, chunk = 2, register_rows = 4, keys = 32, columns = 16, vector = 8>
heddle.configure @constant_attention #heddle.attention_tiles<rows = 32, chunk = 2, register_rows = 4, keys = 32, columns = 16, vector = 8>
heddle.configure @changed_attention #heddle.attention_tiles<rows = 32, chunk = 2, register_rows = 4, keys = 32, columns = 16, vector = 8>
heddle.configure @terms_attention #heddle.attention_tiles<rows = 32, chunk = 2, register_rows = 4, keys = 32, columns = 16, vector = 8>
