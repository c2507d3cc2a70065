#include "models/efficiency/waiting/notes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "models/efficiency/waiting/clocks.hpp"
#include "models/efficiency/waiting/telling.hpp"
#include "models/efficiency/waiting/wait_states.hpp"

namespace loadshare::waiting {
namespace {

using profile::Profile;
using profile::RankProfile;

constexpr double tolerance = 0.01;                ///< of the run: what is less needs no note
constexpr double least_untold = 0.001;            ///< of the ranks' time: ditto
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

/// "MPI_Comm_spawn (12.3 %) and MPI_Send (0.1 %)", of so much: the longest first, and no more than three.
std::string calls_text(const std::map<std::string_view, double>& seconds, double all_s) {
  constexpr std::size_t most_named = 3;
  std::vector<std::pair<std::string_view, double>> calls(seconds.begin(), seconds.end());
  std::ranges::sort(calls, std::ranges::greater{}, &std::pair<std::string_view, double>::second);
  std::string text;
  for (std::size_t i = 0; i < std::min(most_named, calls.size()); ++i)
    text += fmt::format("{}{} ({:.1f} %)", i == 0 ? "" : ", ", calls[i].first, 100 * calls[i].second / all_s);
  return text + (calls.size() > most_named ? " and others" : "");
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
      add("the figures are of only {} of {} ranks, and waiting for the others counts as communicating",
          profile_.ranks.size(), profile_.ranks_started);
    on_unknown_ends();
  }

  void on_dropped_events() {
    const auto cut = ranks_with(profile_, [](const RankProfile& rank) { return rank.events_dropped > 0; });
    if (cut.empty()) return;
    add("for {:.1f} % of the time in MPI, after the first missing event of {}, waiting may not be "
        "distinguished from moving data and counts as communicating; the losses by call cover {:.1f} % of "
        "the time in MPI",
        100 * unrecorded_share(profile_), cut, 100 * kept_share(profile_));
  }

  void on_threads(double run_s) {
    const auto calling =
        ranks_with(profile_, [](const RankProfile& rank) { return rank.calls_of_other_threads > 0; });
    if (!calling.empty())
      add("other threads of {} called MPI: waiting in collective calls with them counts as communicating, "
          "and figures on waiting for their messages may be wrong",
          calling);
    const auto working = ranks_with(profile_, [&](const RankProfile& rank) {
      return rank.other_threads_cpu_ns > least_cpu_ns &&
             static_cast<double>(rank.other_threads_cpu_ns) * 1e-9 > tolerance * run_s;
    });
    if (!working.empty())
      add("other threads of {} computed too: the times are of the thread that calls MPI", working);
  }

  void on_stolen_time() {
    const auto silent = ranks_with(profile_, [](const RankProfile& rank) { return !rank.is_stolen_known; });
    if (!silent.empty())
      add("the kernel of {} does not report stolen time: stolen time and sleep count as computing", silent);
  }

  void on_unknown_partners(double run_s) {
    const double all_s = run_s * static_cast<double>(profile_.ranks.size());
    const std::map<std::string_view, double> untold = untold_s(matching_);
    double sum_s = 0;
    for (const auto& [call, seconds] : untold) sum_s += seconds;
    if (sum_s > least_untold * all_s)
      add("{:.1f} % of the ranks' time may be waiting or moving data, and counts as communicating: in {}",
          100 * sum_s / all_s, calls_text(untold, all_s));
    if (const double polling_s = in_polling_s(matching_); polling_s > tolerance * all_s)
      add("for {:.1f} % of their time ranks tested in vain for unknown messages: all of it counts as idle, "
          "even if data moved",
          100 * polling_s / all_s);
  }

  void on_clocks() {
    const Contradictions found = contradictions_of(matching_);
    if (found.count > 0)
      add("the clocks of the hosts contradict each other in {} places, by up to {:.2f} us: waiting between "
          "hosts is accurate only to that, or the profile lacks calls",
          found.count, static_cast<double>(found.largest_ns) * 1e-3);
  }

  void on_contradictions() {
    if (const auto count = matching_.messages.contradictions(); count > 0)
      add("{} messages arrived before they were sent: the profile lacks calls, and waiting for messages may "
          "be wrong",
          count);
    if (const auto count = matching_.collectives.contradictions(); count > 0)
      add("on {} communicators the ranks' collective calls do not agree: the profile lacks calls, and "
          "waiting in the later ones counts as communicating",
          count);
    if (const auto count = matching_.messages.receives_without_send(); count > 0 && should_be_complete())
      add("the sends of {} messages are not in the profile: waiting for them counts as communicating", count);
    if (const auto count = matching_.messages.sends_without_receive(); count > 0 && should_be_complete())
      add("the receives of {} messages are not in the profile: waiting for them counts as communicating",
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
      add("the end of {} is not known: its last call is assumed to have lasted until the last known time of "
          "any rank, but at most 0.1 s after its last sign of life",
          in_calls);
    std::int64_t longest_ns = 0;
    const auto silent = ranks_with(profile_, [&](const RankProfile& rank) {
      const std::int64_t silence_ns = run_end_ns - rank.end_ns;
      if (!is_unknown(rank) || (rank.open_call && silence_ns == 0)) return false;
      longest_ns = std::max(longest_ns, silence_ns);
      return true;
    });
    if (!silent.empty())
      add("what {} did after its last sign of life is not known: up to {:.6g} s, until the last known time "
          "of the run, count as idle, and later time is missing",
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

}  // namespace

std::vector<std::string> notes_of(const Matching& matching, double run_s) {
  Notes notes(matching);
  notes.on_ranks();
  notes.on_dropped_events();
  notes.on_threads(run_s);
  notes.on_stolen_time();
  notes.on_unknown_partners(run_s);
  notes.on_clocks();
  notes.on_contradictions();
  return std::move(notes).result();
}

}  // namespace loadshare::waiting
