#include "apps/loadshare/calibrate/message_survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

using communication::ReceivePosted;
using communication::SendMode;

constexpr double share_for_spread = 0.5;   // of the budget, for the least repetitions of the first sizes
constexpr double share_for_sharpen = 0.4;  // until then sizes are added
constexpr double at_any_cost = std::numeric_limits<double>::infinity();
constexpr double least_long_s = 1e-3;
constexpr Index least_visits = 2;
constexpr int most_an_octave = 3;
constexpr std::size_t most_sizes_a_kind = 90;

template <class Sizes>
std::vector<SizePoint> points_of(const Sizes& sizes) {
  std::vector<SizePoint> points;
  for (const auto& [bytes, series] : sizes)
    if (!series.messages().empty()) points.push_back(series.point(bytes));
  return points;
}

}  // namespace

MessageSurvey::MessageSurvey(SurveyOptions options, PairExchange& exchange, OnProgress on_progress)
    : options_(std::move(options)),
      exchange_(exchange),
      on_progress_(std::move(on_progress)),
      random_(static_cast<std::uint64_t>(options_.seed)),
      begun_s_(exchange.now_s()),
      scouting_(options_, exchange) {
  for (const MessageKind& kind : kinds_of(options_)) kinds_[kind];
}

std::vector<calibration::MessageSeries> MessageSurvey::run() {
  require_time();
  spread();
  if (options_.sizes.empty()) {
    find_threshold();
    sharpen();
  }
  repeat();
  std::vector<calibration::MessageSeries> all;
  for (const auto& [kind, sizes] : kinds_)
    for (const auto& [bytes, series] : sizes)
      if (!series.messages().empty())
        all.push_back(
            {.mode = kind.mode, .posted = kind.posted, .bytes = bytes, .messages = series.messages()});
  return all;
}

bool MessageSurvey::has_time(double share, double for_s) const {
  return exchange_.now_s() - begun_s_ + for_s < share * options_.budget_s;
}

double MessageSurvey::seconds_for(const Visit& visit) const {
  return static_cast<double>(visit.warm_ups + visit.repetitions) * scouting_.seconds_a_message(visit);
}

double MessageSurvey::seconds_for(const std::vector<Index>& sizes) const {
  double sum_s = 0;
  for (const auto& [kind, none] : kinds_)
    for (const Index bytes : sizes)
      sum_s += static_cast<double>(options_.repetitions) *
               scouting_.seconds_a_message(scouting_.visit(kind.mode, kind.posted, bytes));
  return sum_s;
}

bool MessageSurvey::can_repeat(const std::vector<Index>& sizes) const {
  return seconds_for(sizes) <= share_for_spread * options_.budget_s;
}

void MessageSurvey::require_time() const {
  if (options_.least_size() <= scouting_.most_bytes()) return;
  throw UsageError(fmt::format("there is no time for messages of {} bytes", options_.least_size()),
                   fmt::format("--seconds is {:g}, and one of {} bytes takes {:.2g} s", options_.budget_s,
                               scouting_.most_bytes(), scouting_.message_s(scouting_.most_bytes())),
                   "give more --seconds or smaller sizes");
}

std::vector<Index> MessageSurvey::spread_sizes(int per_octave) const {
  sweep::SplitMix64 random(static_cast<std::uint64_t>(options_.seed));
  return tool::spread_sizes(options_.min_bytes, most_bytes(), per_octave, random);
}

std::vector<Index> MessageSurvey::first_sizes() {
  if (!options_.sizes.empty()) {
    std::vector<Index> sizes = options_.sizes;
    std::erase_if(sizes, [this](Index bytes) { return bytes > most_bytes(); });
    return sizes;
  }
  for (int per_octave = most_an_octave; per_octave > 0; --per_octave)
    if (std::vector<Index> sizes = spread_sizes(per_octave); can_repeat(sizes)) return sizes;
  return thinned_sizes();
}

std::vector<Index> MessageSurvey::thinned_sizes() {
  std::vector<Index> sizes = spread_sizes(1);
  const Index largest = sizes.back();
  for (long_s_ = 50e-3; long_s_ > least_long_s; long_s_ /= 2) {
    std::erase_if(sizes, [this](Index bytes) { return scouting_.message_s(bytes) > long_s_; });
    if (can_repeat(sizes)) break;
  }
  if (sizes.empty() || sizes.back() < largest) sizes.push_back(largest);
  return sizes;
}

/// Of these at least one visit each is made: that there is time for it is what they are chosen by.
void MessageSurvey::spread() {
  for (const Index bytes : first_sizes())
    for (auto& [kind, sizes] : kinds_) sizes[bytes];
  visit_new(at_any_cost);
}

void MessageSurvey::find_threshold() {
  const auto standard = kinds_.find({SendMode::standard, ReceivePosted::after});
  if (standard == kinds_.end()) return;
  Sizes& sizes = standard->second;
  while (const auto between = size_in_threshold(points_of(sizes))) {
    sizes[*between];
    if (!visit_new(1)) break;
  }
  for (const Index bytes : sizes_at_threshold(points_of(sizes)))
    for (auto& [kind, others] : kinds_) others[bytes];
  visit_new(1);
}

void MessageSurvey::sharpen() {
  visit_unfinished(share_for_sharpen);
  for (bool has_added = true; has_added && has_time(share_for_sharpen); visit_new(share_for_sharpen)) {
    has_added = false;
    for (const auto& [kind, sizes] : kinds_) has_added |= add_sizes_at_jumps(kind);
  }
}

bool MessageSurvey::add_sizes_at_jumps(const MessageKind& kind) {
  Sizes& sizes = kinds_[kind];
  bool has_added = false;
  for (const Index bytes : sizes_at_jumps(points_of(sizes)))
    if (sizes.size() < most_sizes_a_kind) has_added |= sizes.try_emplace(bytes).second;
  return has_added;
}

void MessageSurvey::repeat() {
  do tell_progress();
  while (visit_unfinished(1));
}

std::vector<MessageSurvey::Place> MessageSurvey::places() {
  std::vector<Place> all;
  for (auto& [kind, sizes] : kinds_)
    for (auto& [bytes, series] : sizes) all.push_back({kind, bytes, &series});
  return all;
}

Visit MessageSurvey::visit_of(const Place& place) const {
  return scouting_.visit(place.kind.mode, place.kind.posted, place.bytes);
}

bool MessageSurvey::is_due(const Place& place, std::size_t among) const {
  const Visit visit = visit_of(place);
  const auto messages = static_cast<Index>(place.series->messages().size());
  const bool is_long = scouting_.message_s(place.bytes) > long_s_;
  const double spent_s = static_cast<double>(messages) * scouting_.seconds_a_message(visit);
  return messages < (is_long ? least_visits * visit.repetitions : options_.repetitions) ||
         spent_s < (exchange_.now_s() - begun_s_) / static_cast<double>(among);
}

bool MessageSurvey::visit_new(double share) {
  std::vector<Place> fresh = places();
  std::erase_if(fresh, [](const Place& place) { return !place.series->messages().empty(); });
  return visit_all(std::move(fresh), share);
}

bool MessageSurvey::visit_unfinished(double share) {
  std::vector<Place> unfinished = places();
  const std::size_t all = unfinished.size();
  std::erase_if(unfinished, [&](const Place& place) {
    return place.series->is_enough(options_) || !has_time(share, seconds_for(visit_of(place)));
  });
  std::vector<Place> due;
  std::ranges::copy_if(unfinished, std::back_inserter(due),
                       [&](const Place& place) { return is_due(place, all); });
  return visit_all(std::move(due.empty() ? unfinished : due), share);
}

bool MessageSurvey::visit_all(std::vector<Place> places, double share) {
  bool has_visited = false;
  sweep::shuffle(places, random_);
  for (const Place& place : places) {
    const Visit visit = visit_of(place);
    if (!has_time(share, seconds_for(visit))) continue;
    place.series->add(exchange_.visit(visit));
    has_visited = true;
  }
  return has_visited;
}

void MessageSurvey::tell_progress() const {
  Index enough = 0, all = 0;
  for (const auto& [kind, sizes] : kinds_)
    for (const auto& [bytes, series] : sizes) {
      ++all;
      enough += series.is_enough(options_) ? 1 : 0;
    }
  on_progress_(enough, all);
}

}  // namespace loadshare::tool
