/* Part of Heddle, under the Apache License v2.0 with LLVM Exceptions. */
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "heat_map.h"

#include <stdio.h>
#include <string.h>

/* In pixels. */
enum { CELL = 24, LEFT = 76, TOP = 108, RIGHT = 28, BOTTOM = 52, LEGEND = 120 };

static const char style[] =
    "  <style>\n"
    "    text { font-family: Helvetica, Arial, 'DejaVu Sans', sans-serif; "
    "font-size: 12px; fill: #5b6675 }\n"
    "    .title { font-size: 17px; font-weight: bold; fill: #1c2733 }\n"
    "    .label { font-family: Menlo, Consolas, 'DejaVu Sans Mono', monospace; "
    "font-size: 15px; fill: #1c2733; text-anchor: middle }\n"
    "    .space { fill: #aab4c0 }\n"
    "    .cell { fill: #0b4f8a }\n"
    "  </style>\n"
    "  <linearGradient id=\"scale\"><stop offset=\"0\" stop-color=\"#0b4f8a\" "
    "stop-opacity=\"0\"/><stop offset=\"1\" stop-color=\"#0b4f8a\"/>"
    "</linearGradient>\n";

/* A character of a text as XML has it. */
static void put_character(FILE *file, char character) {
  if (character == '&')
    fputs("&amp;", file);
  else if (character == '<')
    fputs("&lt;", file);
  else if (character >= ' ' && character <= '~')
    fputc(character, file);
  else
    fputc('?', file);
}

static void put_characters(FILE *file, const char *text) {
  while (*text)
    put_character(file, *text++);
}

static void put_text(FILE *file, const char *attributes, const char *text) {
  fprintf(file, "  <text %s>", attributes);
  put_characters(file, text);
  fputs("</text>\n", file);
}

/* A character that stands by itself; a space is drawn as U+2423, open box. */
static void put_label(FILE *file, int x, int y, char character) {
  const char *kind = character == ' ' ? "label space" : "label";
  fprintf(file, "  <text class=\"%s\" x=\"%d\" y=\"%d\">", kind, x, y);
  if (character == ' ')
    fputs("&#x2423;", file);
  else
    put_character(file, character);
  fputs("</text>\n", file);
}

static void put_cells(FILE *file, const heat_map *map, int columns, int rows) {
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      double weight = (double)map->weights[row * columns + column];
      fprintf(file,
              "  <rect class=\"cell\" x=\"%d\" y=\"%d\" width=\"%d\" "
              "height=\"%d\" fill-opacity=\"%.6f\"><title>",
              LEFT + column * CELL + 1, TOP + row * CELL + 1, CELL - 2,
              CELL - 2, weight);
      put_character(file, map->rows[row]);
      fprintf(file, " takes %.3f of ", weight);
      put_character(file, map->columns[column]);
      fputs("</title></rect>\n", file);
    }
}

/* The shades from 0 to 1. */
static void put_legend(FILE *file, int x, int y) {
  fprintf(file,
          "  <text x=\"%d\" y=\"%d\" text-anchor=\"end\">weight 0</text>\n"
          "  <rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"12\" "
          "fill=\"#eef2f6\"/>\n"
          "  <rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"12\" "
          "fill=\"url(#scale)\"/>\n"
          "  <text x=\"%d\" y=\"%d\">1</text>\n",
          x - 8, y + 10, x, y, LEGEND, x, y, LEGEND, x + LEGEND + 8, y + 10);
}

int heat_map_write(const heat_map *map, const char *path) {
  int columns = (int)strlen(map->columns), rows = (int)strlen(map->rows);
  /* Short texts leave room for the title. */
  int width = columns * CELL > 420 ? columns * CELL : 420;
  int height = rows * CELL;
  FILE *file = fopen(path, "w");
  if (!file)
    return -1;
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
          "height=\"%d\" viewBox=\"0 0 %d %d\">\n%s"
          "  <rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
          LEFT + width + RIGHT, TOP + height + BOTTOM, LEFT + width + RIGHT,
          TOP + height + BOTTOM, style);
  fputs("  <text class=\"title\" x=\"28\" y=\"34\">", file);
  put_characters(file, map->columns);
  fputs(" &#x2192; ", file); /* an arrow */
  put_characters(file, map->rows);
  fputs("</text>\n", file);
  put_text(file, "x=\"28\" y=\"54\"", map->subtitle);
  fprintf(file, "  <g text-anchor=\"middle\">\n");
  char place[96];
  snprintf(place, sizeof(place), "x=\"%d\" y=\"%d\"", LEFT + columns * CELL / 2,
           TOP - 28);
  put_text(file, place, map->across);
  snprintf(place, sizeof(place), "transform=\"translate(%d %d) rotate(-90)\"",
           LEFT - 34, TOP + height / 2);
  put_text(file, place, map->down);
  fprintf(file, "  </g>\n");
  for (int column = 0; column < columns; ++column)
    put_label(file, LEFT + column * CELL + CELL / 2, TOP - 8,
              map->columns[column]);
  for (int row = 0; row < rows; ++row)
    put_label(file, LEFT - 14, TOP + row * CELL + CELL / 2 + 5, map->rows[row]);
  fprintf(file,
          "  <rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
          "fill=\"#eef2f6\"/>\n",
          LEFT, TOP, columns * CELL, height);
  put_cells(file, map, columns, rows);
  put_legend(file, LEFT + width - LEGEND - 16, TOP + height + 20);
  fputs("</svg>\n", file);
  int failed = ferror(file);
  return fclose(file) || failed ? -1 : 0;
}
