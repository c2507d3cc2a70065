#pragma once

#include <memory>
#include <string>

namespace loadshare::timing_graph {

/// Where a part of a graph comes from, for errors and tables.
struct Place {
  std::shared_ptr<const std::string> source;  ///< a file, or of a profile the call's place in the program
  int line = 0;                               ///< from 1; 0: `source` says it all
  int column = 0;
};

/// `ring.yaml:12:7`; empty without a source.
std::string text_of(const Place& place);

/// A formula as a person writes it, in the parameters of its graph, `p`, `rank` and the variables of the
/// loops around it: `8 * n / p`. Operators + - * / % ^, comparisons, && || and `condition ? a : b`; functions
/// floor, ceil, round, mod, abs, min, max, sqrt, exp, ln, log2, log10.
struct Expression {
  std::string text;
  Place place;
};

/// A number as an expression: the shortest text that reads back as `value`.
Expression constant(double value, Place place = {});

}  // namespace loadshare::timing_graph
