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

/// One value of a file with its position and name, for errors.
///
/// Every getter throws UsageError as `file:line:column: name is ... (why)` if the value has another type.
class Value {
 public:
  /// `name` is the name that errors show: "size", "item 2 of hosts"; empty for the file itself.
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
  /// Whether it is `true` or `false`, without quotes.
  bool is_boolean() const;

  /// Returns a scalar as it is written, not empty: `gss:14`, `010`.
  std::string text() const;
  /// Returns a decimal integer (010 is ten) from `least` to `most`.
  Index integer(Index least = 0, Index most = std::numeric_limits<Index>::max()) const;
  /// Returns a number from `least` to `most`.
  double number(double least, double most) const;
  /// Returns `2%` as 0.02, at most `most`.
  double percentage(double most = 1) const;
  /// Returns `1.5s` in seconds.
  double duration_s() const;
  /// Returns `100mbit` in bits per second, above 0.
  double rate_bits_per_s() const;
  bool boolean() const;
  std::vector<Value> list() const;
  Map map() const;

  /// Returns an error at this position.
  UsageError error(std::string_view problem, std::string_view why = {},
                   std::string_view suggestion = {}) const;
  /// Returns the error `name is 'abc' (why); suggestion` at this position.
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

/// A map whose keys are requested one by one. finish() refuses keys that were never requested.
class Map {
 public:
  /// Returns the value of `key`, or nothing if it is missing.
  std::optional<Value> find(const std::string& key);
  /// Returns the value of `key`. Throws UsageError at the map's position if it is missing.
  Value at(const std::string& key);
  /// Returns every key with its value, in the file's order. All of them then count as requested.
  std::vector<std::pair<std::string, Value>> all();
  /// Throws UsageError at the first key that was never requested, and names the most similar requested one.
  void finish() const;
  /// Throws UsageError at the first key that is not in `known`.
  void require_known(std::span<const std::string> known) const;

  const Value& value() const { return value_; }

 private:
  friend class Value;
  Map(Value value, NodePointer node) : value_(std::move(value)), node_(std::move(node)) {}
  Value value_of(const Entry& entry) const;

  Value value_;
  NodePointer node_;
  std::vector<std::string> requested_;
};

/// Reads a file and returns its content as a value without a name. Throws UsageError if the file cannot be
/// read, is longer than 16 MB, or is not valid YAML.
Value load(const std::string& path);

/// Reads text that is already in memory; errors name `file`.
Value read(const std::string& text, const std::string& file);

}  // namespace loadshare::yaml
