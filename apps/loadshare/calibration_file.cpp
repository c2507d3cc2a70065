#include "apps/loadshare/calibration_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/loadshare/calibration_series.hpp"
#include "base/io/files.hpp"

namespace loadshare::tool {
namespace {

using calibration::Calibration;
using nlohmann::ordered_json;

constexpr const char* file_kind = "loadshare calibration";

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

void require_schema(const Fields& file) {
  if (!file.has("kind") || !file.any("kind").is_string() || file.text("kind") != file_kind)
    file.refuse("this is not a calibration", fmt::format("its 'kind' is not \"{}\"", file_kind),
                "give a file that loadshare calibrate wrote");
  if (const Index schema = file.integer("schema", 0); schema != Calibration::schema)
    file.refuse(fmt::format("a calibration of schema {}", schema),
                fmt::format("this program reads {}", Calibration::schema), "use the loadshare that wrote it");
}

/// Reads the lists of a file, whose errors name the line of their element.
class ListReader {
 public:
  ListReader(const Fields& file, const LocatedJson& whole) : file_(file), whole_(whole) {}

  template <class Value>
  void add(const char* key, std::vector<Value>& values, Value (*read)(const Fields&, const Calibration&),
           const Calibration& calibration) const {
    for (const nlohmann::json& element : file_.list(key)) {
      const std::string place = element.is_object() ? place_of(key, values.size()) : file_.place();
      values.push_back(
          read(Fields(element, place, fmt::format("{} {}", key, values.size() + 1)), calibration));
    }
  }

 private:
  std::string place_of(const char* key, std::size_t number) const {
    return fmt::format("{}:{}", file_.place(), whole_.lines.at(key).at(number));
  }

  const Fields& file_;
  const LocatedJson& whole_;
};

void require_round_trips(const Fields& file, const Calibration& calibration) {
  for (const calibration::Pair& pair : pairs_of(calibration))
    if (std::ranges::none_of(calibration.round_trips, [&pair](const calibration::RoundTrips& trips) {
          return calibration::Pair{trips.sender, trips.receiver} == pair;
        }))
      file.refuse(
          fmt::format("there are no round trips between rank {} and rank {}", pair.sender, pair.receiver),
          "every pair needs some");
}

}  // namespace

std::string to_json(const Calibration& calibration) {
  std::string text = fmt::format("{{\n\"kind\": \"{}\",\n\"schema\": {}", file_kind, Calibration::schema);
  add_list(text, "launches", calibration.launches);
  add_list(text, "messages", calibration.messages);
  add_list(text, "round_trips", calibration.round_trips);
  add_list(text, "bursts", calibration.bursts);
  add_list(text, "collectives", calibration.collectives);
  add_list(text, "rooted_calls", calibration.rooted_calls);
  add_list(text, "chunks", calibration.chunks);
  return text + "\n}\n";
}

Calibration parse_calibration(const std::string& text, const std::string& path) {
  const LocatedJson whole = parse_json_file(text, path, {"calibration", "loadshare calibrate"});
  const Fields file(whole.json, path, "the calibration");
  const ListReader lists(file, whole);
  require_schema(file);
  Calibration calibration;
  lists.add("launches", calibration.launches, read_launch, calibration);
  if (calibration.launches.empty()) file.refuse("there are no launches", "every calibration has one");
  lists.add("messages", calibration.messages, read_messages, calibration);
  if (calibration.messages.empty()) file.refuse("there are no messages", "every calibration has some");
  lists.add("round_trips", calibration.round_trips, read_round_trips, calibration);
  require_round_trips(file, calibration);
  if (file.has("bursts")) lists.add("bursts", calibration.bursts, read_bursts, calibration);
  if (file.has("collectives"))
    lists.add("collectives", calibration.collectives, read_collectives, calibration);
  if (file.has("rooted_calls"))
    lists.add("rooted_calls", calibration.rooted_calls, read_rooted_calls, calibration);
  lists.add("chunks", calibration.chunks, read_chunks, calibration);
  return calibration;
}

void write_calibration(const std::string& path, const Calibration& calibration) {
  replace_file(path, to_json(calibration));
}

Calibration read_calibration(const std::string& path) {
  return parse_calibration(read_text_file(path), path);
}

}  // namespace loadshare::tool
