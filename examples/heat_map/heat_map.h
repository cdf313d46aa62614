/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

/* Attention as a picture: what a text's characters take of another text's. */
#ifndef HEAT_MAP_H
#define HEAT_MAP_H

typedef struct heat_map {
  const char *columns;  /* the characters along the top */
  const char *rows;     /* the characters down the side */
  const char *across;   /* what the columns are */
  const char *down;     /* what the rows are */
  const char *subtitle; /* stands below the title, which is columns and rows */
  const float *weights; /* [rows, columns], from 0 to 1 */
} heat_map;

/* Writes an SVG file. The fill-opacity of each rectangle of the class "cell" is
 * its weight, row by row. Bytes that are no printable ASCII are drawn as '?'.
 * Returns 0, or -1 where the file cannot be written; errno says why. */
int heat_map_write(const heat_map *map, const char *path);

#endif /* HEAT_MAP_H */
