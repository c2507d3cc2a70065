#include "apps/loadshare/communication_model/model_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "apps/loadshare/json_places.hpp"
#include "apps/loadshare/metrics/fields.hpp"

namespace loadshare::tool {
namespace {

using communication::Segment;
using nlohmann::ordered_json;

ordered_json segment_json(const Segment& segment) {
  return {{"first_size", segment.first_size},
          {"last_size", segment.last_size},
          {"c_s", segment.c_s},
          {"k_s", segment.k_s},
          {"low", segment.low},
          {"high", segment.high}};
}

nlohmann::json parsed(const std::string& path, const std::string& text) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw UsageError(fmt::format("{}:{}: this is no JSON", path, json_position(text, error.byte)),
                     "a model is what model fit writes with --out", "fit it again");
  }
}

std::vector<std::string> names_in(const Fields& fields, const char* key) {
  std::vector<std::string> names;
  for (const nlohmann::json& name : fields.list(key)) {
    if (!name.is_string()) fields.refuse(fmt::format("'{}' holds {}", key, name.dump()), "it holds texts");
    names.push_back(name);
  }
  return names;
}

void require_order(const Fields& fields, const char* first, const char* last) {
  if (fields.amount(first) > fields.amount(last))
    fields.refuse(
        fmt::format("'{}' is {} and '{}' {}", first, fields.amount(first), last, fields.amount(last)),
        "the first is not more than the second");
}

Segment read_segment(const Fields& fields) {
  constexpr double any = std::numeric_limits<double>::infinity();
  require_order(fields, "first_size", "last_size");
  require_order(fields, "low", "high");
  return {fields.amount("first_size"),     fields.amount("last_size"), fields.number("c_s", -any, any),
          fields.number("k_s", -any, any), fields.amount("low"),       fields.amount("high")};
}

communication::Curve read_curve(const Fields& group, const std::string& path, const std::string& name) {
  std::vector<Segment> segments;
  for (const nlohmann::json& one : group.list("segments"))
    segments.push_back(read_segment(Fields(one, path, "a segment of " + name)));
  if (segments.empty()) group.refuse(name + " has no segments", "a curve has one at least");
  if (!std::ranges::is_sorted(segments, {}, &Segment::first_size))
    group.refuse(fmt::format("the segments of {} are not in order", name), "each begins where the last ends");
  return {std::move(segments), group.amount("first_size")};
}

FittedGroup read_group(const nlohmann::json& one, const std::string& path, const FittedModel& model) {
  const std::string name = fmt::format("group {}", model.groups.size() + 1);
  const Fields group(one, path, name);
  std::vector<std::string> names = names_in(group, "names");
  if (names.size() != model.group_columns.size())
    group.refuse(fmt::format("{} has {} names", name, names.size()),
                 fmt::format("there are {} group columns", model.group_columns.size()));
  return {std::move(names), group.whole("samples", 1), read_curve(group, path, name)};
}

}  // namespace

ordered_json group_json(const FittedGroup& group) {
  ordered_json segments = ordered_json::array();
  for (const Segment& segment : group.curve.segments()) segments.push_back(segment_json(segment));
  return {{"names", group.names},
          {"samples", group.samples},
          {"first_size", group.curve.first_size()},
          {"segments", segments}};
}

std::string model_json(const FittedModel& model) {
  ordered_json groups = ordered_json::array();
  for (const FittedGroup& group : model.groups) groups.push_back(group_json(group));
  return ordered_json{{"schema", FittedModel::schema},
                      {"fit", model.fit},
                      {"size", model.size_name},
                      {"group_columns", model.group_columns},
                      {"groups", groups}}
             .dump(2, ' ', false, ordered_json::error_handler_t::replace) +
         "\n";
}

FittedModel parse_model(const std::string& path, const std::string& text) {
  const nlohmann::json whole = parsed(path, text);
  const Fields fields(whole, path, "the model");
  if (!fields.has("schema") || !fields.has("groups"))
    fields.refuse("this is no model", "it lacks schema or groups", "give what model fit wrote with --out");
  if (const Index schema = fields.whole("schema", 0); schema != FittedModel::schema)
    fields.refuse(fmt::format("a model of schema {}", schema),
                  fmt::format("this program reads {}", FittedModel::schema), "fit it again");
  FittedModel model{fields.text("fit"), fields.text("size"), names_in(fields, "group_columns"), {}};
  for (const nlohmann::json& group : fields.list("groups"))
    model.groups.push_back(read_group(group, path, model));
  return model;
}

}  // namespace loadshare::tool
