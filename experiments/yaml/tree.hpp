#pragma once

#include <memory>
#include <string>
#include <vector>

namespace loadshare::yaml {

/// A place in a file, both counted from 1.
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

/// A file's content as it was written: scalars stay text, maps keep their order. What an alias repeats is
/// shared, not copied, and has the position of its anchor.
struct Node {
  Kind kind = Kind::null;
  Position position;
  std::string text;                ///< of a scalar
  bool is_quoted = false;          ///< a scalar in quotes or a block is text, whatever it looks like
  std::vector<NodePointer> items;  ///< of a list
  std::vector<Entry> entries;      ///< of a map; no key twice
};

}  // namespace loadshare::yaml
