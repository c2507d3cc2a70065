#include "apps/loadshare/calibration/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <iterator>

#include "apps/common/system_reason.hpp"
#include "apps/loadshare/calibration/series_fields.hpp"
#include "runtime/timing/output_path.hpp"

namespace loadshare::tool {
namespace {

using calibration::Calibration;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kind = "loadshare calibration";

/// An array with an element a line.
template <class Values>
void add_list(std::string& text, const char* key, const Values& values) {
  text += fmt::format(",\n\"{}\": [", key);
  const char* separator = "\n";
  for (const auto& value : values) {
    text += separator + series_json(value).dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    separator = ",\n";
  }
  text += "]";
}

/// `3:17`, of the byte at which the parser stopped.
std::string position_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const std::size_t line_end = before.rfind('\n');
  const std::size_t column = line_end == before.npos ? before.size() : before.size() - line_end - 1;
  return fmt::format("{}:{}", std::ranges::count(before, '\n') + 1, column + 1);
}

json parsed(const std::string& text, const std::string& path) {
  if (text.empty()) throw UsageError(fmt::format("{} is empty", path), "a calibration is JSON");
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    throw UsageError(fmt::format("{}:{}: this is no JSON", path, position_of(text, error.byte)),
                     "the file is cut short or damaged, or was not written by loadshare calibrate");
  }
}

void require_schema(const Fields& file) {
  if (!file.has("kind") || !file.any("kind").is_string() || file.text("kind") != kind)
    file.refuse("this is no calibration", fmt::format("its 'kind' is not \"{}\"", kind),
                "give what loadshare calibrate wrote");
  if (const Index schema = file.whole("schema", 0); schema != Calibration::schema)
    file.refuse(fmt::format("a calibration of schema {}", schema),
                fmt::format("this program reads {}", Calibration::schema), "use the loadshare that wrote it");
}

template <class Value>
void read_list(const Fields& file, const char* key, std::vector<Value>& values,
               Value (*read)(const Fields&, const Calibration&), const Calibration& calibration) {
  for (const json& element : file.list(key))
    values.push_back(
        read(Fields(element, file.place(), fmt::format("{} {}", key, values.size() + 1)), calibration));
}

void require_round_trips(const Fields& file, const Calibration& calibration) {
  for (const calibration::Pair& pair : pairs_of(calibration))
    if (std::ranges::none_of(calibration.round_trips, [&pair](const calibration::RoundTrips& trips) {
          return calibration::Pair{trips.sender, trips.receiver} == pair;
        }))
      file.refuse(fmt::format("there are no round trips of rank {} and rank {}", pair.sender, pair.receiver),
                  "every pair has some");
}

}  // namespace

std::string to_json(const Calibration& calibration) {
  std::string text = fmt::format("{{\n\"kind\": \"{}\",\n\"schema\": {}", kind, Calibration::schema);
  add_list(text, "launches", calibration.launches);
  add_list(text, "messages", calibration.messages);
  add_list(text, "round_trips", calibration.round_trips);
  add_list(text, "chunks", calibration.chunks);
  return text + "\n}\n";
}

Calibration parse_calibration(const std::string& text, const std::string& path) {
  const json whole = parsed(text, path);
  const Fields file(whole, path, "the calibration");
  require_schema(file);
  Calibration calibration;
  read_list(file, "launches", calibration.launches, read_launch, calibration);
  if (calibration.launches.empty()) file.refuse("there are no launches", "every calibration has one");
  read_list(file, "messages", calibration.messages, read_messages, calibration);
  if (calibration.messages.empty()) file.refuse("there are no messages", "every calibration has some");
  read_list(file, "round_trips", calibration.round_trips, read_round_trips, calibration);
  require_round_trips(file, calibration);
  read_list(file, "chunks", calibration.chunks, read_chunks, calibration);
  return calibration;
}

void write_calibration(const std::string& path, const Calibration& calibration) {
  replace_file(path, [&](const ByteSink& sink) { sink(to_json(calibration)); });
}

Calibration read_calibration(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad())
    throw UsageError(fmt::format("cannot read {}", path), system_reason(errno));
  return parse_calibration(text, path);
}

}  // namespace loadshare::tool
