#include "apps/loadshare/fitted_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "apps/loadshare/output.hpp"
#include "base/io/json.hpp"
#include "base/io/text.hpp"

namespace loadshare::tool {
namespace {

using communication::Curve;
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

std::vector<std::string> names_in(const Fields& fields, const char* key) {
  std::vector<std::string> names;
  for (const nlohmann::json& name : fields.list(key)) {
    if (!name.is_string())
      fields.refuse(fmt::format("'{}' holds {}", key, name.dump()), "it must contain texts");
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
  return {std::move(names), group.integer("samples", 1), read_curve(group, path, name)};
}

/// Lines that are as near as this where one follows the other make a kink, not a jump.
constexpr double small_jump = 0.03;

/// Sizes a second: the rate to which the line comes near for large ones.
std::string rate_text(const Segment& segment, const std::string& size_name) {
  if (segment.c_s <= 0) return "-";
  const double rate = 1 / segment.c_s;
  if (size_name != "bytes") return fmt::format("{:.3g} /s", rate);
  return rate < 999.5e6 ? fmt::format("{:.3g} MB/s", rate / 1e6) : fmt::format("{:.3g} GB/s", rate / 1e9);
}

/// In percent, without a sign on a zero that was rounded.
double percent_off(double ratio) {
  return std::round((ratio - 1) * 1000) / 10 + 0.0;
}

std::string segments_text(const Curve& curve, const std::string& size_name) {
  std::vector<std::vector<std::string>> rows{{"from", "to", "k", "c", "1/c", "90 % of samples"}};
  for (const Segment& segment : curve.segments())
    rows.push_back(
        {size_text(std::ceil(segment.first_size)), size_text(segment.last_size),
         fine_duration_text(segment.k_s), fine_duration_text(segment.c_s), rate_text(segment, size_name),
         fmt::format("{:+.1f} to {:+.1f} %", percent_off(segment.low), percent_off(segment.high))});
  return table_text(rows);
}

std::vector<std::string> jumps_of(const Curve& curve, const std::string& size_name) {
  std::vector<std::string> notes;
  for (std::size_t i = 1; i < curve.segments().size(); ++i) {
    const Segment& left = curve.segments()[i - 1];
    const double size = curve.segments()[i].first_size;
    const double before_s = left.c_s * size + left.k_s, after_s = curve.seconds(size);
    if (std::abs(after_s - before_s) > small_jump * before_s)
      notes.push_back(fmt::format("jump at {} {}: from {} to {}", size_text(std::ceil(size)), size_name,
                                  fine_duration_text(before_s), fine_duration_text(after_s)));
  }
  return notes;
}

std::vector<std::string> notes_of(const Curve& curve, const std::string& size_name) {
  std::vector<std::string> notes = jumps_of(curve, size_name);
  if (curve.segments().front().first_size < curve.first_size())
    notes.push_back(
        fmt::format("nothing was measured below {} {}; a line that would be negative there is replaced by "
                    "one through the origin",
                    size_text(curve.first_size()), size_name));
  if (const auto size = curve.negative_below())
    notes.push_back(fmt::format("the line is negative below {:.5g} {}", *size, size_name));
  if (const auto size = curve.negative_above())
    notes.push_back(fmt::format("the line is negative above {:.5g} {}", *size, size_name));
  return notes;
}

std::string text_of(const FittedGroup& group, const std::string& size_name) {
  const std::string name = group.names.empty() ? "" : group_text(group.names) + ": ";
  return fmt::format("\n{}{}, {} to {} {}\n", name, count_text(group.samples, "sample", "samples"),
                     size_text(group.curve.first_size()), size_text(group.curve.last_size()), size_name) +
         segments_text(group.curve, size_name) + notes_text(notes_of(group.curve, size_name));
}

}  // namespace

std::string fine_duration_text(double seconds) {
  if (seconds == 0) return "0 s";
  return std::abs(seconds) < 999.5e-9 ? fmt::format("{:.3g} ns", seconds * 1e9) : duration_text(seconds);
}

std::string size_text(double size) {
  return size == std::round(size) ? fmt::format("{:.0f}", size) : fmt::format("{:.4g}", size);
}

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
  const nlohmann::json whole = parse_json_file(text, path, {"model", "loadshare model fit"}).json;
  const Fields fields(whole, path, "the model");
  if (!fields.has("schema") || !fields.has("groups"))
    fields.refuse("this is not a model", "it lacks schema or groups",
                  "give a file that loadshare model fit wrote with --out");
  if (const Index schema = fields.integer("schema", 0); schema != FittedModel::schema)
    fields.refuse(fmt::format("a model of schema {}", schema),
                  fmt::format("this program reads {}", FittedModel::schema), "fit it again");
  FittedModel model{fields.text("fit"), fields.text("size"), names_in(fields, "group_columns"), {}};
  for (const nlohmann::json& group : fields.list("groups"))
    model.groups.push_back(read_group(group, path, model));
  return model;
}

std::string model_text(const FittedModel& model) {
  std::string text = fmt::format("fit {}: t(n) = k + c n, n in {}\n", model.fit, model.size_name);
  for (const FittedGroup& group : model.groups) text += text_of(group, model.size_name);
  return text;
}

std::string group_text(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, " "));
}

}  // namespace loadshare::tool
