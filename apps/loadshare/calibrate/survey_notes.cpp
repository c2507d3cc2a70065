#include "apps/loadshare/calibrate/survey_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/loadshare/calibrate/timing.hpp"
#include "runtime/timing/wording.hpp"

namespace loadshare::tool {
namespace {

using calibration::MessageSeries;

/// Nothing takes less than the clock tells, which is what a time becomes that is less.
bool is_clamped(const calibration::MessageTiming& message) {
  return std::min(message.sender_s, message.receiver_s) <= least_time_s;
}

Index clamped_among(std::span<const MessageSeries> measured) {
  Index count = 0;
  for (const MessageSeries& series : measured) count += std::ranges::count_if(series.messages, is_clamped);
  return count;
}

Index too_few_among(std::span<const MessageSeries> measured, Index repetitions) {
  return std::ranges::count_if(measured, [repetitions](const MessageSeries& series) {
    return std::ssize(series.messages) < repetitions;
  });
}

std::string messages_text(Index count) {
  return count_text(count, "message", "messages");
}

}  // namespace

std::vector<std::string> survey_notes(std::span<const MessageSeries> measured, const SurveyOptions& options,
                                      const LeftOut& left_out) {
  std::vector<std::string> notes;
  if (left_out.most_bytes < options.most_size())
    notes.push_back(fmt::format("{:g} seconds are too few for messages of more than {} bytes: left out",
                                options.budget_s, grouped_text(left_out.most_bytes)));
  if (const Index few = too_few_among(measured, options.repetitions); few > 0)
    notes.push_back(fmt::format("{} of {} kinds and sizes have fewer than {}: give more --seconds", few,
                                measured.size(), messages_text(options.repetitions)));
  if (left_out.visits > 0)
    notes.push_back(fmt::format("{} of messages were sent again, as one of the two had lost its processor",
                                count_text(left_out.visits, "series", "series")));
  if (left_out.messages > 0)
    notes.push_back(
        fmt::format("{} left out whose receive was posted too early", messages_text(left_out.messages)));
  if (const Index clamped = clamped_among(measured); clamped > 0)
    notes.push_back(fmt::format("{} took less than the clock tells: kept as 1 ns", messages_text(clamped)));
  return notes;
}

}  // namespace loadshare::tool
