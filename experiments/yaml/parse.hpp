#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

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

/// `file:line:column: problem (why); suggestion`, exit code 2.
UsageError error_at(const std::string& file, Position position, std::string_view problem,
                    std::string_view why = {}, std::string_view suggestion = {});

/// Reads one YAML document; `file` is only named in errors. Throws UsageError: bad syntax, a key twice in one
/// map, an alias inside what it repeats, nothing at all, a second document.
NodePointer parse(const std::string& text, const std::string& file);

}  // namespace loadshare::yaml
