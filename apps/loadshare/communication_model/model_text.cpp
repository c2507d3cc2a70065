#include "apps/loadshare/communication_model/model_text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "apps/loadshare/communication_model/wording.hpp"
#include "apps/loadshare/metrics/wording.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

using communication::Curve;
using communication::Segment;

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
        fmt::format("nothing was measured below {} {}; a line that would be negative there gives "
                    "way to one through the origin",
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

std::string model_text(const FittedModel& model) {
  std::string text = fmt::format("fit {}: t(n) = k + c n, n in {}\n", model.fit, model.size_name);
  for (const FittedGroup& group : model.groups) text += text_of(group, model.size_name);
  return text;
}

}  // namespace loadshare::tool
