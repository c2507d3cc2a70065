#pragma once

#include <string>

#include "apps/loadshare/metrics_text.hpp"
#include "apps/loadshare/output.hpp"

namespace loadshare::tool {

/// How a tree is printed.
struct TreeStyle {
  int columns = most_columns;  ///< no line is longer
  bool colours = false;
};

/// For a file descriptor: of a terminal its width, and colours unless NO_COLOR says not to.
TreeStyle tree_style(int descriptor);

/// What costs a point most of its time, and where.
struct Cause {
  std::string factor;  ///< "load_balance", as in the JSON's keys; empty: nothing stands out
  std::string text;    ///< a sentence
};

/// Of the point itself; computing that grows with the number of ranks is a cause, too.
Cause cause_of(const Point& point);

/// What the efficiency of a setting is made of, as a tree with a bar a factor, or of several numbers of ranks
/// as a table; then the cause of what is lost, on most ranks. Names in it are as their files have them.
std::string tree_text(const SettingStudy& setting, const Study& study, const TreeStyle& style);

/// A place of a profile in the source: "solve (main.c:41)"; where that is not known, what the profile tells.
std::string code_text(const SourcedRun& run, const std::string& place);

}  // namespace loadshare::tool
