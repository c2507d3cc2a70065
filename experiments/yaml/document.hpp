#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"
#include "experiments/yaml/parse.hpp"

namespace loadshare::yaml {

class Map;

/// One value of a file, with the place where it stands and the name it has there, for errors.
///
/// Every getter throws UsageError as `file:line:column: name is ... (why)` where the value is something else.
class Value {
 public:
  /// `name` as a person would call it: "size", "item 2 of hosts"; empty for the whole file.
  Value(std::shared_ptr<const std::string> file, NodePointer node, std::string name)
      : file_(std::move(file)), node_(std::move(node)), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  const std::string& file() const { return *file_; }
  Position position() const { return node_->position; }

  bool is_null() const { return node_->kind == Kind::null; }
  bool is_scalar() const { return node_->kind == Kind::scalar; }
  bool is_list() const { return node_->kind == Kind::list; }
  bool is_map() const { return node_->kind == Kind::map; }
  bool is_quoted() const { return node_->is_quoted; }
  /// `true` or `false`, not in quotes.
  bool is_boolean() const;

  /// A scalar as it was written, not empty: `gss:14`, `010`.
  std::string text() const;
  /// A whole number in decimal (010 is ten), from `least` to `most`.
  Index whole(Index least = 0, Index most = std::numeric_limits<Index>::max()) const;
  /// A number from `least` to `most`.
  double number(double least, double most) const;
  /// `2%` as 0.02; at most `most`.
  double percentage(double most = 1) const;
  /// `1.5s` in seconds.
  double duration_s() const;
  /// `100mbit` in bits a second, more than 0.
  double rate_bits_per_s() const;
  bool boolean() const;
  std::vector<Value> list() const;
  Map map() const;

  /// An error at this place.
  UsageError error(std::string_view problem, std::string_view why = {},
                   std::string_view suggestion = {}) const;
  /// `name is 'abc' (why); suggestion` at this place.
  UsageError wrong(std::string_view why, std::string_view suggestion = {}) const;

 private:
  friend class Map;
  std::string shown() const;
  std::string subject() const;
  const std::string& scalar(std::string_view why) const;

  std::shared_ptr<const std::string> file_;
  NodePointer node_;
  std::string name_;
};

/// A map whose keys are asked for one by one; what nobody asked for is refused by finish().
class Map {
 public:
  /// The value of `key`, or nothing where it is not there.
  std::optional<Value> find(const std::string& key);
  /// The same; throws UsageError at the map's own place where it is not there.
  Value at(const std::string& key);
  /// Every key with its value, in the file's order; all of them then count as asked for.
  std::vector<std::pair<std::string, Value>> all();
  /// Throws UsageError at the first key that was never asked for, naming the nearest that was.
  void finish() const;
  /// Throws UsageError at the first key that is not among `known`.
  void require_known(std::span<const std::string> known) const;

  const Value& value() const { return value_; }

 private:
  friend class Value;
  Map(Value value, NodePointer node) : value_(std::move(value)), node_(std::move(node)) {}
  Value value_of(const Entry& entry) const;

  Value value_;
  NodePointer node_;
  std::vector<std::string> asked_;
};

/// Reads a file and returns its whole content as a value without a name. Throws UsageError: it cannot be read
/// (no such file, a directory), is longer than 16 MB, or is no valid YAML.
Value load(const std::string& path);

/// The same for text that is already in memory; `file` is named in errors.
Value read(const std::string& text, const std::string& file);

}  // namespace loadshare::yaml
