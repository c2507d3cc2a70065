#include "models/efficiency/waiting/accounts.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <tuple>

#include "models/efficiency/waiting/calls.hpp"
#include "models/efficiency/waiting/ideal_network.hpp"
#include "models/efficiency/waiting/notes.hpp"
#include "models/efficiency/waiting/telling.hpp"

namespace loadshare::waiting {
namespace {

using profile::Event;
using profile::Portion;
using profile::Profile;
using profile::RankProfile;

/// What is accounted for, of each rank and of the run.
class Accounted {
 public:
  Accounted(const Profile& profile, Extent extent) : is_all_(extent == Extent::whole) {
    std::vector<Span> spans;
    for (const RankProfile& rank : profile.ranks) {
      portions_.push_back(is_all_ || !rank.counted ? all_of(rank) : *rank.counted);
      spans.insert(spans.end(), portions_.back().spans.begin(), portions_.back().spans.end());
    }
    run_ns_ = length_ns(std::move(spans));
  }

  /// From the first begin to the last end, or of what counts of any rank.
  std::int64_t length_ns(std::vector<Span> spans) const {
    if (!is_all_ || spans.empty()) return length_of_union_ns(std::move(spans));
    return std::ranges::max(spans, {}, &Span::end_ns).end_ns -
           std::ranges::min(spans, {}, &Span::begin_ns).begin_ns;
  }

  std::int64_t run_ns() const { return run_ns_; }
  const Portion& of(std::uint32_t rank) const { return portions_[rank]; }
  std::span<const Span> calls_of(std::uint32_t rank) const {
    return is_all_ ? std::span(&all_of_time, 1) : std::span<const Span>(portions_[rank].spans);
  }
  /// How long the rank had nothing of what others had.
  std::int64_t absent_ns(std::uint32_t rank) const {
    std::int64_t own_ns = 0;
    for (const Span& span : portions_[rank].spans) own_ns += span.end_ns - span.begin_ns;
    return run_ns_ - own_ns;
  }

 private:
  bool is_all_;
  std::vector<Portion> portions_;
  std::int64_t run_ns_ = 0;
};

using Key = std::tuple<std::string_view, std::string_view, WaitState>;
using Sums = std::map<Key, double>;  // in nanoseconds

std::string_view place_of(const RankProfile& rank, const Event& event) {
  return event.place < rank.places.size() ? std::string_view(rank.places[event.place]) : std::string_view();
}

void add_losses(const Matching& matching, const Accounted& accounted, std::uint32_t number, Sums& sums) {
  const RankProfile& rank = matching.profile.ranks[number];
  const double granted =
      granted_beside(accounted.of(number), waits_of(matching, number, accounted.calls_of(number)));
  for_each_call(rank.events, [&](const Call& call) {
    if (!begins_within(accounted.calls_of(number), call.event)) return;
    const Wait wait = wait_of(matching, number, call);
    const std::int64_t waited_ns = idle_ns(wait, call.event);
    const std::int64_t rest_ns = std::max<std::int64_t>(0, call.event.inside_ns - waited_ns);
    const std::int64_t moved_ns = rest_ns - stolen_beside_ns(waited_ns, call.event);
    const std::int64_t not_told_ns = untold_ns(matching, number, call, wait);
    const std::string_view name = profile::facts(call.event).name;
    const std::string_view place = place_of(rank, call.event);
    const auto add = [&](WaitState state, double lost_ns) {
      if (lost_ns > 0) sums[{name, place, state}] += lost_ns;
    };
    for (const StateTime& one : idle_by_state(wait, call.event))
      add(one.state, static_cast<double>(one.length_ns));
    add(WaitState::unknown, granted * static_cast<double>(not_told_ns));
    add(WaitState::none, granted * static_cast<double>(moved_ns - not_told_ns));
  });
}

/// Of the account's idle time, what no call has.
void add_idle_outside(const Accounted& accounted, std::uint32_t rank, Sums& sums) {
  constexpr std::string_view outside = "outside MPI";
  const std::int64_t blocked_ns = accounted.of(rank).blocked_ns;
  if (blocked_ns > 0) sums[{outside, "", WaitState::asleep}] += static_cast<double>(blocked_ns);
  const std::int64_t away_ns = accounted.absent_ns(rank);
  if (away_ns > 0) sums[{outside, "", WaitState::absent}] += static_cast<double>(away_ns);
}

constexpr double second_ns = 1e9;

double ideal_run_s(const Matching& matching, const Accounted& accounted, Theft theft) {
  const IdealNetwork ideal(matching, theft);
  std::vector<Span> spans;
  for (std::uint32_t rank = 0; rank < matching.profile.ranks.size(); ++rank)
    for (const Span& span : accounted.of(rank).spans)
      spans.push_back({std::llround(ideal.instant_ns(rank, span.begin_ns)),
                       std::llround(ideal.instant_ns(rank, span.end_ns))});
  return static_cast<double>(accounted.length_ns(std::move(spans))) / second_ns;
}

/// How long the same would have lasted on a network of no cost; nothing where calls are missing.
std::optional<granularity::IdealRun> ideal_run(const Matching& matching, const Accounted& accounted) {
  const Profile& profile = matching.profile;
  const bool has_all = std::cmp_greater_equal(profile.ranks.size(), profile.ranks_started) &&
                       std::ranges::none_of(profile.ranks, [](const RankProfile& rank) {
                         return rank.events_dropped > 0 || rank.calls_of_other_threads > 0;
                       });
  if (!has_all || profile.ranks.empty()) return std::nullopt;
  return granularity::IdealRun{ideal_run_s(matching, accounted, Theft::left_out),
                               ideal_run_s(matching, accounted, Theft::kept)};
}

granularity::RankTimes times_of(const Matching& matching, const Accounted& accounted, std::uint32_t number) {
  const RankProfile& rank = matching.profile.ranks[number];
  const Portion& own = accounted.of(number);
  const RankWaits waits = waits_of(matching, number, accounted.calls_of(number));
  const std::int64_t waiting_ns = std::min(waits.total_ns(), own.inside_ns);
  const std::int64_t told_ns = std::min(waits.stolen_ns, own.inside_ns - waiting_ns);
  const auto moving_ns = static_cast<double>(own.inside_ns - waiting_ns - told_ns);
  const double granted_ns = moving_ns * granted_beside(own, waits);
  const std::int64_t computing_ns = own.outside_ns - own.stolen_ns - own.blocked_ns;
  granularity::RankTimes times;
  times.rank = rank.rank;
  times.host = rank.host;
  times.computing_s = static_cast<double>(computing_ns) / second_ns;
  times.communicating_s = granted_ns / second_ns;
  times.idle_s = static_cast<double>(waiting_ns + accounted.absent_ns(number) + own.blocked_ns) / second_ns;
  times.stolen_s = (static_cast<double>(own.stolen_ns + told_ns) + moving_ns - granted_ns) / second_ns;
  return times;
}

/// A call and its place, as numbers of its rank's.
using PlaceNumbers = std::pair<std::uint32_t, std::uint32_t>;
constexpr PlaceNumbers no_call{0xffffffff, 0};

/// Of one rank, the time outside MPI by the calls before and behind it.
class BetweenCalls {
 public:
  using Sums = std::map<std::pair<PlaceNumbers, PlaceNumbers>, std::int64_t>;  // in nanoseconds

  void begin(std::int64_t now_ns) {
    since_ns_ = now_ns;
    last_ = no_call;
  }
  void take(const Event& call) {
    const PlaceNumbers place{call.call, call.place};
    add(call.begin_ns - since_ns_, place);
    last_ = place;
    add(call.end_ns - call.begin_ns - call.inside_ns, place);
    since_ns_ = call.end_ns;
  }
  void end(std::int64_t now_ns) { add(now_ns - since_ns_, no_call); }
  const Sums& sums() const { return sums_; }

 private:
  void add(std::int64_t length_ns, PlaceNumbers next) {
    if (length_ns > 0) sums_[{last_, next}] += length_ns;
  }

  std::int64_t since_ns_ = 0;
  PlaceNumbers last_ = no_call;
  Sums sums_;
};

Place place_of(const RankProfile& rank, PlaceNumbers numbers) {
  if (numbers == no_call) return {};
  Event event;
  event.call = static_cast<std::uint16_t>(numbers.first);
  event.place = numbers.second;
  return {profile::facts(event).name, std::string(place_of(rank, event))};
}

/// Of all ranks, in seconds by rank: places have numbers of their own in each.
using ByPlaces = std::map<std::pair<Place, Place>, std::vector<double>>;

void add_between_calls(const Profile& profile, const Accounted& accounted, std::uint32_t number,
                       ByPlaces& sums) {
  const RankProfile& rank = profile.ranks[number];
  BetweenCalls between;
  for (const Span& span : accounted.of(number).spans) {
    between.begin(span.begin_ns);
    const auto first = std::ranges::lower_bound(rank.events, span.begin_ns, {}, &Event::begin_ns);
    for (auto event = first; event != rank.events.end() && event->begin_ns < span.end_ns; ++event)
      if (event->part == profile::Part::call) between.take(*event);
    between.end(span.end_ns);
  }
  for (const auto& [places, length_ns] : between.sums()) {
    std::vector<double>& by_rank = sums[{place_of(rank, places.first), place_of(rank, places.second)}];
    by_rank.resize(profile.ranks.size());
    by_rank[number] += static_cast<double>(length_ns) * 1e-9;
  }
}

}  // namespace

bool says_what_counts(const Profile& profile) {
  return std::ranges::any_of(profile.ranks,
                             [](const RankProfile& rank) { return rank.counted.has_value(); }) &&
         std::ranges::all_of(profile.ranks, [](const RankProfile& rank) { return rank.events_dropped == 0; });
}

std::optional<Excess> excess_of(const Profile& profile, std::uint32_t number, Extent extent) {
  ByPlaces sums;
  const Accounted accounted(profile, extent);
  for (std::uint32_t rank = 0; rank < profile.ranks.size(); ++rank)
    add_between_calls(profile, accounted, rank, sums);
  std::optional<Excess> most;
  for (const auto& [places, by_rank] : sums) {
    const double own_s = by_rank[number];
    const double others_s = (std::accumulate(by_rank.begin(), by_rank.end(), 0.0) - own_s) /
                            static_cast<double>(std::max<std::size_t>(1, by_rank.size() - 1));
    if (own_s > others_s && (!most || own_s - others_s > most->own_s - most->others_s))
      most = {places.first, places.second, own_s, others_s};
  }
  return most;
}

std::vector<Loss> losses(const Matching& matching, Extent extent) {
  Sums sums;
  const Accounted accounted(matching.profile, extent);
  for (std::uint32_t rank = 0; rank < matching.profile.ranks.size(); ++rank) {
    add_losses(matching, accounted, rank, sums);
    add_idle_outside(accounted, rank, sums);
  }
  std::vector<Loss> all;
  for (const auto& [key, lost_ns] : sums)
    all.push_back({std::get<0>(key), std::string(std::get<1>(key)), std::get<2>(key), lost_ns * 1e-9});
  std::ranges::stable_sort(all, std::ranges::greater{}, &Loss::seconds);
  return all;
}

granularity::RunTimes account(const profile::Profile& profile) {
  return account(Matching(profile));
}

granularity::RunTimes account(const Matching& matching, Extent extent) {
  const profile::Profile& profile = matching.profile;
  const Accounted accounted(profile, extent);
  granularity::RunTimes times;
  times.program = profile.program;
  times.run_s = static_cast<double>(accounted.run_ns()) / second_ns;
  for (std::uint32_t rank = 0; rank < profile.ranks.size(); ++rank)
    times.ranks.push_back(times_of(matching, accounted, rank));
  times.ideal = ideal_run(matching, accounted);
  times.notes = notes_of(matching, times.run_s);
  return times;
}

}  // namespace loadshare::waiting
