#include "apps/loadshare/calibrate/message_survey.hpp"

#include <limits>
#include <utility>

namespace loadshare::tool {
namespace {

using communication::ReceivePosted;
using communication::SendMode;

constexpr double share_for_spread = 0.5;   // of the budget, for the least repetitions of the first sizes
constexpr double share_for_sharpen = 0.4;  // until then sizes are added
constexpr double at_any_cost = std::numeric_limits<double>::infinity();
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
  visit_all(Which::unvisited, at_any_cost);
  visit_all(Which::unfinished, share_for_sharpen);
}

void MessageSurvey::sharpen() {
  while (has_time(share_for_sharpen) && add_sizes_at_jumps()) visit_all(Which::unvisited, 1);
  add_sizes_at_threshold();
}

bool MessageSurvey::add_sizes_at_jumps() {
  bool has_added = false;
  for (auto& [kind, sizes] : kinds_)
    for (const Index bytes : sizes_at_jumps(points_of(sizes)))
      if (sizes.size() < most_sizes_a_kind) has_added |= sizes.try_emplace(bytes).second;
  return has_added;
}

/// MPI changes its way there for all kinds of sends, wherever the receive is posted.
void MessageSurvey::add_sizes_at_threshold() {
  const auto standard = kinds_.find({SendMode::standard, ReceivePosted::after});
  if (standard == kinds_.end()) return;
  for (const Index bytes : sizes_at_threshold(points_of(standard->second)))
    for (auto& [kind, sizes] : kinds_) sizes[bytes];
}

void MessageSurvey::repeat() {
  while (visit_all(Which::unfinished, 1)) tell_progress();
}

bool MessageSurvey::visit_all(Which which, double share) {
  struct Place {
    Kind kind;
    Index bytes;
    Series* series;
  };
  std::vector<Place> places;
  for (auto& [kind, sizes] : kinds_)
    for (auto& [bytes, series] : sizes)
      if (which == Which::unvisited ? series.messages().empty() : !series.is_enough(options_))
        places.push_back({kind, bytes, &series});
  sweep::shuffle(places, random_);
  for (const Place& place : places) {
    if (!has_time(share)) return false;
    visit(place.kind, place.bytes, *place.series);
  }
  return !places.empty();
}

void MessageSurvey::visit(const Kind& kind, Index bytes, Series& series) {
  series.add(exchange_.visit(scouting_.visit(kind.mode, kind.posted, bytes)));
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
