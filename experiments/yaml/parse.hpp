#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace loadshare::yaml {

/// A position in a file; both numbers count from 1.
struct Position {
  int line = 1;
  int column = 1;
};

enum class Kind { null, scalar, list, map };

struct Node;
using NodePointer = std::shared_ptr<const Node>;

/// One `key: value` of a map.
struct Entry {
  std::string key;
  Position key_position;
  NodePointer value;
};

/// A file's content as it is written: scalars stay text, maps keep their order. An alias shares the node of
/// its anchor, with the anchor's position.
struct Node {
  Kind kind = Kind::null;
  Position position;
  std::string text;                ///< of a scalar
  bool is_quoted = false;          ///< a scalar in quotes or a block is text, even if it looks like a number
  std::vector<NodePointer> items;  ///< of a list
  std::vector<Entry> entries;      ///< of a map; no key twice
};

/// Returns `file:line:column: problem (why); suggestion`, exit code 2.
UsageError error_at(const std::string& file, Position position, std::string_view problem,
                    std::string_view why = {}, std::string_view suggestion = {});

/// Parses one YAML document; errors name `file`. Throws UsageError for bad syntax, a repeated key, an alias
/// within its own anchor, an empty file, and a second document.
NodePointer parse(const std::string& text, const std::string& file);

}  // namespace loadshare::yaml
