// A program that says a prompt and gets text: text LIBRARY_FOLDER_OF_TOKENIZER
// [STOP].

#include "dates.h"
#include "heddle_text.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  heddle_error error = {0};
  heddle_tokenizer *tokenizer = NULL;
  heddle_weights *weights = NULL;
  heddle_generator *generator = NULL;
  heddle_generator_options options = HEDDLE_GENERATOR_OPTIONS;
  int32_t *ids = NULL;
  size_t count = 0;
  const char *prompt = "3rd of March, 2021\n";
  if (heddle_tokenizer_open(argv[1], &tokenizer, &error) ||
      heddle_tokenizer_encode(tokenizer, prompt, strlen(prompt), 1, &ids,
                              &count, &error) ||
      heddle_weights_open(&dates_model, NULL, 0, NULL, &weights, &error)) {
    printf("%s\n", error.message);
    return 1;
  }
  const char *stops[] = {argc > 2 ? argv[2] : ""};
  options.stops = stops;
  options.stop_count = argc > 2;
  options.end_ids = heddle_tokenizer_end_ids(tokenizer, &options.end_count);
  heddle_piece piece = {0};
  if (heddle_generator_create(&dates_model, weights, NULL, tokenizer, &options,
                              &generator, &error) ||
      heddle_generator_prompt(generator, ids, count, &error)) {
    printf("%s\n", error.message);
    return 1;
  }
  while (!piece.finish && !heddle_generator_next(generator, &piece, &error))
    printf("%s%s", piece.text, piece.size ? "|" : "");
  printf(" %d %s\n", piece.finish, error.message);
  heddle_generator_destroy(generator);
  heddle_text_free(ids);
  heddle_tokenizer_close(tokenizer);
  heddle_weights_close(weights);
  return 0;
}
