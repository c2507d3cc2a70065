#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"

namespace loadshare {

/// The longest time in a record: 32 years.
inline constexpr double most_seconds = 1e9;

/// The fields of one JSON object of a record, read strictly. A missing field, or one of another type or out
/// of range, is a UsageError that begins with file and line.
class Fields {
 public:
  /// `place` is "runs.jsonl:3", `name` identifies the object within its line ("rank 2"). `json` must outlive
  /// this.
  Fields(const nlohmann::json& json, std::string place, std::string name = "the record");

  bool has(const char* key) const { return json_.contains(key); }
  bool is_null(const char* key) const { return value(key).is_null(); }
  std::string text(const char* key) const;  ///< as printable() shows it
  Index integer(const char* key, Index least) const;
  double seconds(const char* key) const;  ///< at least 0, at most most_seconds
  double amount(const char* key) const;   ///< at least 0
  double number(const char* key, double above, double most) const;
  bool truth(const char* key) const;
  const nlohmann::json& object(const char* key) const;
  const nlohmann::json& list(const char* key) const;
  const nlohmann::json& any(const char* key) const { return value(key); }

  const std::string& place() const { return place_; }
  [[noreturn]] void refuse(
      const std::string& problem, const std::string& why,
      const std::string& suggestion = "the file is damaged, or was not written by loadshare") const;

 private:
  double at_least_0(const char* key, const char* type, const char* why) const;
  const nlohmann::json& value(const char* key) const;
  const nlohmann::json& value(const char* key, bool is_right_type, const char* type) const;

  const nlohmann::json& json_;
  std::string place_;
  std::string name_;
};

/// Returns `3:17`, line and column of the byte (counted from 1) at which nlohmann's parser stopped.
std::string json_position(std::string_view text, std::size_t byte);

/// A JSON object, and for each list in it, by name, the lines of the text on which the list's objects begin.
struct LocatedJson {
  nlohmann::json json;
  std::map<std::string, std::vector<std::size_t>> lines;
};

/// The kind of a file, for the errors of its readers: a "calibration", written by "loadshare calibrate".
struct JsonKind {
  std::string what;
  std::string command;
};

/// Parses the text of a file. Throws UsageError, naming the place, if it is empty, is not JSON, or contains a
/// number outside the range of a double.
LocatedJson parse_json_file(std::string_view text, const std::string& path, const JsonKind& kind);

}  // namespace loadshare
