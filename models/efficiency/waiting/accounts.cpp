#include "models/efficiency/waiting/accounts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <tuple>

#include "models/efficiency/waiting/calls.hpp"

namespace loadshare::waiting {
namespace {

using profile::Event;
using profile::Portion;
using profile::Profile;
using profile::RankProfile;

/// Time that is in any of these spans.
std::int64_t length_of_union_ns(std::vector<Span> spans) {
  std::ranges::sort(spans, {}, &Span::begin_ns);
  std::int64_t length_ns = 0;
  std::int64_t covered_ns = std::numeric_limits<std::int64_t>::min();
  for (const Span& span : spans) {
    length_ns += std::max<std::int64_t>(0, span.end_ns - std::max(span.begin_ns, covered_ns));
    covered_ns = std::max(covered_ns, span.end_ns);
  }
  return length_ns;
}

/// What is accounted for, of each rank and of the run.
class Accounted {
 public:
  Accounted(const Profile& profile, Extent extent) : is_all_(extent == Extent::whole) {
    std::vector<Span> spans;
    for (const RankProfile& rank : profile.ranks) {
      portions_.push_back(is_all_ || !rank.counted ? all_of(rank) : *rank.counted);
      spans.insert(spans.end(), portions_.back().spans.begin(), portions_.back().spans.end());
    }
    const Span run = span_of(profile);
    run_ns_ = is_all_ ? run.end_ns - run.begin_ns : length_of_union_ns(std::move(spans));
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
  const double granted = granted_inside(accounted.of(number));
  for_each_call(rank.events, [&](const Call& call) {
    if (!begins_within(accounted.calls_of(number), call.event)) return;
    const Wait wait = wait_of(matching, number, call);
    const std::int64_t waited_ns = idle_ns(wait, call.event);
    const std::int64_t moved_ns = std::max<std::int64_t>(0, call.event.inside_ns - waited_ns);
    const std::string_view name = profile::facts(call.event).name;
    const std::string_view place = place_of(rank, call.event);
    if (waited_ns > 0) sums[{name, place, wait.state}] += static_cast<double>(waited_ns);
    sums[{name, place, WaitState::none}] += static_cast<double>(moved_ns) * granted;
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

constexpr double tolerance = 0.01;                ///< of the run: what is less needs no note
constexpr std::int64_t least_cpu_ns = 1'000'000;  ///< ditto: MPI's own threads take some

/// "rank 3", "ranks 0, 2, 5": those for which `is_one` holds; empty where it holds for none.
template <typename Predicate>
std::string ranks_with(const Profile& profile, Predicate is_one) {
  constexpr int most_named = 8;
  std::string list;
  int count = 0;
  for (const RankProfile& rank : profile.ranks)
    if (is_one(rank) && ++count <= most_named) list += fmt::format("{}{}", count == 1 ? "" : ", ", rank.rank);
  if (count > most_named) list += fmt::format(" and {} more", count - most_named);
  return count == 0 ? list : fmt::format("{} {}", count == 1 ? "rank" : "ranks", list);
}

/// Up to when no rank's events were dropped.
std::int64_t known_until_ns(const Profile& profile) {
  std::int64_t until_ns = std::numeric_limits<std::int64_t>::max();
  for (const RankProfile& rank : profile.ranks)
    if (rank.events_dropped > 0) until_ns = std::min(until_ns, rank.events_end_ns);
  return until_ns;
}

/// The share of the ranks' time in MPI that lies behind the first event dropped.
double unrecorded_share(const Profile& profile) {
  const std::int64_t until_ns = known_until_ns(profile);
  double inside_ns = 0;
  double recorded_ns = 0;
  for (const RankProfile& rank : profile.ranks) {
    inside_ns += static_cast<double>(rank.inside_ns);
    for_each_call(rank.events, [&](const Call& call) {
      if (call.event.end_ns <= until_ns) recorded_ns += static_cast<double>(call.event.inside_ns);
    });
  }
  return inside_ns > 0 ? std::clamp(1 - recorded_ns / inside_ns, 0.0, 1.0) : 0;
}

/// The share of the ranks' time in MPI that is in their events.
double kept_share(const Profile& profile) {
  double inside_ns = 0;
  double kept_ns = 0;
  for (const RankProfile& rank : profile.ranks) {
    inside_ns += static_cast<double>(rank.inside_ns);
    for_each_call(rank.events,
                  [&](const Call& call) { kept_ns += static_cast<double>(call.event.inside_ns); });
  }
  return inside_ns > 0 ? std::clamp(kept_ns / inside_ns, 0.0, 1.0) : 1;
}

/// How long the ranks were in collective operations that could not be matched.
double in_unmatched_s(const Matching& matching) {
  std::int64_t inside_ns = 0;
  for (std::uint32_t rank = 0; rank < matching.profile.ranks.size(); ++rank)
    for_each_call(matching.profile.ranks[rank].events, [&](const Call& call) {
      if (is_collective(call.kind()) && matching.collectives.arrival({rank, call.index}) == nullptr)
        inside_ns += call.event.inside_ns;
    });
  return static_cast<double>(inside_ns) * 1e-9;
}

/// How long the ranks tested in vain, and it is not known for what.
double in_polling_s(const Matching& matching) {
  std::int64_t inside_ns = 0;
  for (std::uint32_t rank = 0; rank < matching.profile.ranks.size(); ++rank)
    for_each_call(matching.profile.ranks[rank].events, [&](const Call& call) {
      if (call.event.repeats > 0 && wait_of(matching, rank, call).state == WaitState::polling)
        inside_ns += call.event.inside_ns;
    });
  return static_cast<double>(inside_ns) * 1e-9;
}

class Notes {
 public:
  explicit Notes(const Matching& matching) : matching_(matching), profile_(matching.profile) {
    notes_ = profile_.notes;
  }

  void on_ranks() {
    if (static_cast<int>(profile_.ranks.size()) < profile_.ranks_started)
      add("the figures are of {} of {} ranks alone, and waiting for the others stands as communicating",
          profile_.ranks.size(), profile_.ranks_started);
    on_unknown_ends();
  }

  void on_dropped_events() {
    const auto cut = ranks_with(profile_, [](const RankProfile& rank) { return rank.events_dropped > 0; });
    if (cut.empty()) return;
    add("for {:.1f} % of the time in MPI, behind the first event of {} that is missing, waiting may not be "
        "told from moving data and stands as communicating; the losses by call are of {:.1f} % of the time "
        "in MPI alone",
        100 * unrecorded_share(profile_), cut, 100 * kept_share(profile_));
  }

  void on_threads(double run_s) {
    const auto calling =
        ranks_with(profile_, [](const RankProfile& rank) { return rank.calls_of_other_threads > 0; });
    if (!calling.empty())
      add("other threads of {} called MPI: waiting in collective calls with them stands as communicating, "
          "and what is told of waiting for messages with them may be wrong",
          calling);
    const auto working = ranks_with(profile_, [&](const RankProfile& rank) {
      return rank.other_threads_cpu_ns > least_cpu_ns &&
             static_cast<double>(rank.other_threads_cpu_ns) * 1e-9 > tolerance * run_s;
    });
    if (!working.empty())
      add("other threads of {} computed too: the account is of the thread that calls MPI", working);
  }

  void on_stolen_time() {
    const auto silent = ranks_with(profile_, [](const RankProfile& rank) { return !rank.tells_stolen; });
    if (!silent.empty())
      add("the kernel of {} does not tell stolen time: what was stolen or slept away stands as computing",
          silent);
  }

  void on_unknown_partners(double run_s) {
    const double all_s = run_s * static_cast<double>(profile_.ranks.size());
    if (const double unmatched_s = in_unmatched_s(matching_); unmatched_s > tolerance * all_s)
      add("for {:.1f} % of the ranks' time, in collective calls whose members or their calls are not known "
          "(as of intercommunicators), waiting stands as communicating",
          100 * unmatched_s / all_s);
    if (const double polling_s = in_polling_s(matching_); polling_s > tolerance * all_s)
      add("for {:.1f} % of the ranks' time they tested in vain, and what for is not known: all of that "
          "stands as idle, also where data moved",
          100 * polling_s / all_s);
  }

  void on_contradictions() {
    if (const auto count = matching_.messages.contradictions(); count > 0)
      add("{} messages arrived before they were sent: the profile lacks calls, and waiting for messages may "
          "be wrong",
          count);
    if (const auto count = matching_.collectives.contradictions(); count > 0)
      add("on {} communicators the ranks' collective calls do not agree: the profile lacks calls, and "
          "waiting in those behind stands as communicating",
          count);
    if (const auto count = matching_.messages.receives_without_send(); count > 0 && should_be_complete())
      add("the sends of {} messages are not in the profile: waiting for them stands as communicating", count);
    if (const auto count = matching_.messages.sends_without_receive(); count > 0 && should_be_complete())
      add("the receives of {} messages are not in the profile: waiting for them stands as communicating",
          count);
  }

  std::vector<std::string> result() && { return std::move(notes_); }

 private:
  /// When a rank was killed is not known where it did not get to say it.
  void on_unknown_ends() {
    const std::int64_t run_end_ns = span_of(profile_).end_ns;
    const auto is_unknown = [](const RankProfile& rank) {
      return !rank.has_finalized && !rank.has_aborted && rank.ended_by.empty();
    };
    const auto in_calls =
        ranks_with(profile_, [&](const RankProfile& rank) { return is_unknown(rank) && rank.open_call; });
    if (!in_calls.empty())
      add("when {} ended is not known: the last call is taken to have lasted as long as any rank is known to "
          "have lived, but not for more than 0.1 s behind a sign of life",
          in_calls);
    std::int64_t longest_ns = 0;
    const auto silent = ranks_with(profile_, [&](const RankProfile& rank) {
      const std::int64_t silence_ns = run_end_ns - rank.end_ns;
      if (!is_unknown(rank) || (rank.open_call && silence_ns == 0)) return false;
      longest_ns = std::max(longest_ns, silence_ns);
      return true;
    });
    if (!silent.empty())
      add("what {} did behind the last sign of life is not known: up to {:.6g} s to the last that is known "
          "of the run stand as idle, and what came later is missing",
          silent, static_cast<double>(longest_ns) * 1e-9);
  }

  template <typename... Values>
  void add(fmt::format_string<Values...> text, Values&&... values) {
    notes_.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  /// Whether no other note explains why a call's partner is missing.
  bool should_be_complete() const {
    return static_cast<int>(profile_.ranks.size()) >= profile_.ranks_started &&
           std::all_of(profile_.ranks.begin(), profile_.ranks.end(), [](const RankProfile& rank) {
             return rank.has_finalized && rank.events_dropped == 0 && rank.calls_of_other_threads == 0;
           });
  }

  const Matching& matching_;
  const Profile& profile_;
  std::vector<std::string> notes_;
};

constexpr double second_ns = 1e9;

granularity::RankTimes times_of(const Matching& matching, const Accounted& accounted, std::uint32_t number) {
  const RankProfile& rank = matching.profile.ranks[number];
  const Portion& own = accounted.of(number);
  const RankWaits waits = waits_of(matching, number, accounted.calls_of(number));
  const std::int64_t waiting_ns = std::min(waits.total_ns(), own.inside_ns);
  const auto moving_ns = static_cast<double>(own.inside_ns - waiting_ns);
  const double granted_ns = moving_ns * granted_inside(own);
  const std::int64_t computing_ns = own.outside_ns - own.stolen_ns - own.blocked_ns;
  granularity::RankTimes times;
  times.rank = rank.rank;
  times.host = rank.host;
  times.computing_s = static_cast<double>(computing_ns) / second_ns;
  times.communicating_s = granted_ns / second_ns;
  times.idle_s = static_cast<double>(waiting_ns + accounted.absent_ns(number) + own.blocked_ns) / second_ns;
  times.stolen_s = (static_cast<double>(own.stolen_ns) + moving_ns - granted_ns) / second_ns;
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

std::vector<std::string> notes_of(const Matching& matching, double run_s) {
  Notes notes(matching);
  notes.on_ranks();
  notes.on_dropped_events();
  notes.on_threads(run_s);
  notes.on_stolen_time();
  notes.on_unknown_partners(run_s);
  notes.on_contradictions();
  return std::move(notes).result();
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
  times.notes = notes_of(matching, times.run_s);
  return times;
}

}  // namespace loadshare::waiting
