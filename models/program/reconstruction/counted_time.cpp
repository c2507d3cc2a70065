#include "models/program/reconstruction/counted_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "profiler/calls.hpp"

namespace loadshare::reconstruction {
namespace {

using profile::Event;

/// Between two tests in vain: who sleeps as long as this between them does something else.
constexpr std::int64_t longest_nap_ns = 1'000'000;

}  // namespace

CountedTime::CountedTime(const profile::RankProfile& rank)
    : rank_(rank), counted_(rank.counted.value_or(waiting::all_of(rank))), last_end_ns_(rank.begin_ns) {
  if (counts_from_begin()) begin(rank.begin_ns);
}

/// Unless the first that it says is that something counts.
bool CountedTime::counts_from_begin() const {
  const auto first = std::ranges::find_if(rank_.events, is_control);
  return first == rank_.events.end() || first->tag == 0;
}

bool CountedTime::is_control(const Event& event) {
  return event.part == profile::Part::call &&
         static_cast<profile::CallId>(event.call) == profile::CallId::Pcontrol;
}

void CountedTime::take_control(const Event& event) {
  if (event.tag == 0 && counts_) end(event.begin_ns);
  if (event.tag != 0 && !counts_) begin(event.end_ns);
}

void CountedTime::take_call(const Event& event, bool is_in_vain) {
  computing_s_ += since_last_s(event.begin_ns);
  last_end_ns_ = event.end_ns;
  last_was_in_vain_ = is_in_vain;
}

void CountedTime::take_copying(const Event& event) {
  copying_s_ += static_cast<double>(event.end_ns - event.begin_ns) / 1e9;
}

double CountedTime::take_computing_s() {
  return waiting::granted_outside(counted_) * std::exchange(computing_s_, 0) +
         granted_inside() * std::exchange(copying_s_, 0);
}

void CountedTime::finish(Trace& trace) {
  if (counts_) end(rank_.end_ns);
  if (!has_begun_)
    throw UsageError(fmt::format("no part of rank {} counts", rank_.rank),
                     "the program called MPI_Pcontrol(0), but never MPI_Pcontrol(1)");
  trace.begin_s = begin_s_;
  trace.end_s = end_s_;
  trace.left_out_s = left_out_s_;
  trace.computing_at_end_s = take_computing_s();
  trace.stolen_s = static_cast<double>(counted_.stolen_ns + counted_.stolen_inside_ns) / 1e9;
}

double CountedTime::since_last_s(std::int64_t now_ns) const {
  const std::int64_t gap_ns = std::max<std::int64_t>(0, now_ns - last_end_ns_);
  const bool was_nap = last_was_in_vain_ && gap_ns < longest_nap_ns;
  return was_nap ? 0 : static_cast<double>(gap_ns) / 1e9;
}

void CountedTime::begin(std::int64_t now_ns) {
  counts_ = true;
  last_end_ns_ = now_ns;
  last_was_in_vain_ = false;
  const double now_s = static_cast<double>(now_ns) / 1e9;
  if (has_begun_)
    left_out_s_ += now_s - end_s_;
  else
    begin_s_ = now_s;
  has_begun_ = true;
}

void CountedTime::end(std::int64_t now_ns) {
  counts_ = false;
  computing_s_ += since_last_s(now_ns);
  end_s_ = static_cast<double>(now_ns) / 1e9;
}

}  // namespace loadshare::reconstruction
