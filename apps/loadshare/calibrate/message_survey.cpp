#include "apps/loadshare/calibrate/message_survey.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace loadshare::tool {
namespace {

using communication::ReceivePosted;
using communication::SendMode;

constexpr double share_for_spread = 0.5;   // of the budget, for the least repetitions of the first sizes
constexpr double share_for_sharpen = 0.4;  // until then sizes are added
constexpr double at_any_cost = std::numeric_limits<double>::infinity();
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
  for (const SendMode mode : options_.modes)
    for (const ReceivePosted posted : {ReceivePosted::before, ReceivePosted::after})
      if (mode != SendMode::ready || posted == ReceivePosted::before) kinds_[{mode, posted}];
}

std::vector<calibration::MessageSeries> MessageSurvey::run() {
  spread();
  find_threshold();
  sharpen();
  repeat();
  std::vector<calibration::MessageSeries> all;
  for (const auto& [kind, sizes] : kinds_)
    for (const auto& [bytes, series] : sizes)
      if (!series.messages().empty())
        all.push_back(
            {.mode = kind.mode, .posted = kind.posted, .bytes = bytes, .messages = series.messages()});
  return all;
}

bool MessageSurvey::has_time(double share) const {
  return exchange_.now_s() - begun_s_ < share * options_.budget_s;
}

double MessageSurvey::seconds_for(const std::vector<Index>& sizes) const {
  double sum_s = 0;
  for (const auto& [kind, none] : kinds_)
    for (const Index bytes : sizes)
      sum_s += static_cast<double>(options_.repetitions) *
               scouting_.seconds_a_message(scouting_.visit(kind.mode, kind.posted, bytes));
  return sum_s;
}

int MessageSurvey::sizes_an_octave() const {
  sweep::SplitMix64 any(0);
  int count = most_an_octave;
  while (count > 1 && seconds_for(spread_sizes(options_.min_bytes, options_.max_bytes, count, any)) >
                          share_for_spread * options_.budget_s)
    --count;
  return count;
}

void MessageSurvey::spread() {
  const int per_octave = sizes_an_octave();
  for (const Index bytes : spread_sizes(options_.min_bytes, options_.max_bytes, per_octave, random_))
    for (auto& [kind, sizes] : kinds_) sizes[bytes];
  visit_new();
}

void MessageSurvey::find_threshold() {
  const auto standard = kinds_.find({SendMode::standard, ReceivePosted::after});
  if (standard == kinds_.end()) return;
  Sizes& sizes = standard->second;
  while (const auto between = size_in_threshold(points_of(sizes))) {
    sizes[*between];
    visit_new();
  }
  for (const Index bytes : sizes_at_threshold(points_of(sizes)))
    for (auto& [kind, others] : kinds_) others[bytes];
  visit_new();
}

void MessageSurvey::sharpen() {
  visit_unfinished(share_for_sharpen);
  for (bool has_added = true; has_added && has_time(share_for_sharpen); visit_new()) {
    has_added = false;
    for (const auto& [kind, sizes] : kinds_) has_added |= add_sizes_at_jumps(kind);
  }
}

bool MessageSurvey::add_sizes_at_jumps(const Kind& kind) {
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

bool MessageSurvey::is_due(const Place& place, std::size_t among) const {
  const Visit visit = scouting_.visit(place.kind.mode, place.kind.posted, place.bytes);
  const auto messages = static_cast<Index>(place.series->messages().size());
  const double spent_s = static_cast<double>(messages) * scouting_.seconds_a_message(visit);
  return messages < least_visits * visit.repetitions ||
         spent_s < (exchange_.now_s() - begun_s_) / static_cast<double>(among);
}

void MessageSurvey::visit_new() {
  std::vector<Place> fresh = places();
  std::erase_if(fresh, [](const Place& place) { return !place.series->messages().empty(); });
  visit_all(std::move(fresh), at_any_cost);
}

bool MessageSurvey::visit_unfinished(double share) {
  std::vector<Place> unfinished = places();
  const std::size_t all = unfinished.size();
  std::erase_if(unfinished, [this](const Place& place) { return place.series->is_enough(options_); });
  std::vector<Place> due;
  std::ranges::copy_if(unfinished, std::back_inserter(due),
                       [&](const Place& place) { return is_due(place, all); });
  const bool has_any = !unfinished.empty();
  visit_all(std::move(due.empty() ? unfinished : due), share);
  return has_any && has_time(share);
}

void MessageSurvey::visit_all(std::vector<Place> places, double share) {
  sweep::shuffle(places, random_);
  for (const Place& place : places) {
    if (!has_time(share)) return;
    place.series->add(exchange_.visit(scouting_.visit(place.kind.mode, place.kind.posted, place.bytes)));
  }
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
