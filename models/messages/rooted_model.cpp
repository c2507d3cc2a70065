#include "models/messages/rooted_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/statistics.hpp"
#include "models/messages/fits/interpolated.hpp"

namespace loadshare::communication {
namespace {

using Set = std::vector<bool>;  // by member
using Calls = std::vector<RootedSample>;

constexpr double least_s = 1e-9;
/// From so many calls of a size on it is learned from them alone who waits for whom.
constexpr std::size_t enough_calls = 8;
/// Of more members not every set on the way is looked at, which takes the fourth power of their number.
constexpr std::size_t most_searched = 16;
/// A smaller set may tell the end so much worse than the best one.
constexpr double about_as_good = 1.05;

/// When members came, and when one of them left, in calls: itself, the last of those it waits for, its end.
struct Visit {
  double own_s = 0;
  double awaited_s = 0;
  double ended_s = 0;
};

/// A member leaves so long after its own begin, and so long after the last of those that it waits for,
/// whichever is later: how long that is, and how far ends are off it, in seconds. The mean of absolute
/// deviations: a member that is the last one in few calls shows in those alone.
struct Stay {
  double after_own_s = 0;
  double after_awaited_s = 0;
  double scatter_s = std::numeric_limits<double>::infinity();

  bool is_own(const Visit& visit) const {
    return visit.own_s + after_own_s >= visit.awaited_s + after_awaited_s;
  }
  double leaves_s(const Visit& visit) const {
    return std::max(visit.own_s + after_own_s, visit.awaited_s + after_awaited_s);
  }
};

std::vector<Visit> visits_of(const Calls& calls, std::size_t member, const std::vector<int>& awaited) {
  std::vector<Visit> visits;
  for (const RootedSample& call : calls) {
    double last_s = -std::numeric_limits<double>::infinity();
    for (const int other : awaited) last_s = std::max(last_s, call.begun_s[static_cast<std::size_t>(other)]);
    visits.push_back({call.begun_s[member], last_s, call.ended_s[member]});
  }
  return visits;
}

/// The times of each of the two, where it was the later one; a member that came last may have found all that
/// it needs, or not: so which it was follows from the times, and they from that, a few times over.
Stay settled(const std::vector<Visit>& visits, Stay stay) {
  constexpr int rounds = 5;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> own_s, awaited_s;
    for (const Visit& visit : visits)
      if (stay.is_own(visit))
        own_s.push_back(visit.ended_s - visit.own_s);
      else
        awaited_s.push_back(visit.ended_s - visit.awaited_s);
    if (!own_s.empty()) stay.after_own_s = median_of(std::move(own_s));
    if (!awaited_s.empty()) stay.after_awaited_s = median_of(std::move(awaited_s));
  }
  double sum_s = 0;
  for (const Visit& visit : visits) sum_s += std::abs(visit.ended_s - stay.leaves_s(visit));
  stay.scatter_s = sum_s / static_cast<double>(visits.size());
  return stay;
}

/// From two beginnings: who comes last finds nothing there yet, or all.
Stay stay_of(const std::vector<Visit>& visits) {
  std::vector<double> last_s, first_s;
  for (const Visit& visit : visits)
    if (visit.own_s >= visit.awaited_s)
      last_s.push_back(visit.ended_s - visit.own_s);
    else
      first_s.push_back(visit.ended_s - visit.awaited_s);
  const double after_awaited_s = median_of(first_s.empty() ? last_s : first_s);
  if (last_s.empty()) return settled(visits, {0, after_awaited_s});
  const Stay nothing = settled(visits, {median_of(last_s), after_awaited_s});
  const Stay all = settled(visits, {std::ranges::min(last_s), after_awaited_s});
  return all.scatter_s < nothing.scatter_s ? all : nothing;
}

std::vector<int> others_in(const Set& set, std::size_t member) {
  std::vector<int> others;
  for (std::size_t other = 0; other < set.size(); ++other)
    if (set[other] && other != member) others.push_back(static_cast<int>(other));
  return others;
}

double scatter_s(const Calls& calls, std::size_t member, const Set& set) {
  return stay_of(visits_of(calls, member, others_in(set, member))).scatter_s;
}

struct Candidate {
  Set set;
  double scatter = 0;

  std::ptrdiff_t size() const { return std::ranges::count(set, true); }
};

/// The best of the sets with one other member more, or one less.
std::optional<Candidate> best_neighbour(const Calls& calls, std::size_t member, const Set& set, bool grows) {
  std::optional<Candidate> best;
  for (std::size_t other = 0; other < set.size(); ++other) {
    if (other == member || set[other] == grows) continue;
    Set changed = set;
    changed[other] = grows;
    const double scatter = scatter_s(calls, member, changed);
    if (!best || scatter < best->scatter) best = {std::move(changed), scatter};
  }
  return best;
}

/// Nobody, the root, everybody.
std::vector<Candidate> plain_candidates(const Calls& calls, std::size_t member) {
  const std::size_t members = calls.front().begun_s.size();
  std::vector<Candidate> found;
  for (const auto is_in : {+[](std::size_t) { return false; }, +[](std::size_t other) { return other == 0; },
                           +[](std::size_t) { return true; }}) {
    Set set(members);
    for (std::size_t other = 0; other < members; ++other) set[other] = other == member || is_in(other);
    found.push_back({set, scatter_s(calls, member, set)});
  }
  return found;
}

std::vector<Candidate> candidates(const Calls& calls, std::size_t member) {
  const std::size_t members = calls.front().begun_s.size();
  if (members > most_searched) return plain_candidates(calls, member);
  std::vector<Candidate> found;
  for (const bool grows : {true, false}) {
    Set set(members, !grows);
    set[member] = true;
    for (std::optional<Candidate> at = Candidate{set, scatter_s(calls, member, set)}; at;
         at = best_neighbour(calls, member, found.back().set, grows))
      found.push_back(*at);
  }
  return found;
}

/// Who else must have begun for the member to leave.
std::vector<int> awaited_by(std::size_t member, const Calls& calls) {
  const std::vector<Candidate> all = candidates(calls, member);
  const double best = std::ranges::min_element(all, {}, &Candidate::scatter)->scatter;
  const Candidate* chosen = nullptr;
  for (const Candidate& one : all)
    if (one.scatter <= about_as_good * best + least_s && (chosen == nullptr || one.size() < chosen->size()))
      chosen = &one;
  return others_in(chosen->set, member);
}

void require_times(const RootedSample& sample) {
  if (sample.bytes < 0) throw UsageError("a call of less than 0 bytes");
  for (std::size_t member = 0; member < sample.begun_s.size(); ++member)
    if (sample.ended_s[member] < sample.begun_s[member])
      throw UsageError("a member of a call ended it before it began");
}

/// The entry whose size is nearest, of a map that has one.
template <class Value>
const Value& nearest(const std::map<double, Value>& by_bytes, double bytes) {
  return std::ranges::min_element(
             by_bytes, {},
             [bytes](const auto& entry) { return std::abs(std::log((entry.first + 1) / (bytes + 1))); })
      ->second;
}

/// Of the sizes with enough calls. Where none has it is taken to wait for all, as if members left together.
std::map<double, std::vector<int>> awaited_by_bytes(std::size_t member,
                                                    const std::map<double, Calls>& by_bytes) {
  std::map<double, std::vector<int>> awaited;
  for (const auto& [bytes, calls] : by_bytes)
    if (calls.size() >= enough_calls) awaited[bytes] = awaited_by(member, calls);
  if (!awaited.empty()) return awaited;
  const std::size_t members = by_bytes.begin()->second.front().begun_s.size();
  std::vector<int>& others = awaited[by_bytes.begin()->first];
  for (std::size_t other = 0; other < members; ++other)
    if (other != member) others.push_back(static_cast<int>(other));
  return awaited;
}

/// How long a member stayed in calls, since it began itself, or since the last of those that it waited for.
struct Stays {
  std::vector<Sample> after_own;
  std::vector<Sample> after_awaited;

  void add(const Stays& more) {
    after_own.insert(after_own.end(), more.after_own.begin(), more.after_own.end());
    after_awaited.insert(after_awaited.end(), more.after_awaited.begin(), more.after_awaited.end());
  }
};

/// Of one size. What was never the later one is known to take no more than the shortest that was seen.
Stays stays_of(int member, const Calls& calls, const std::vector<int>& awaited) {
  const std::vector<Visit> visits = visits_of(calls, static_cast<std::size_t>(member), awaited);
  const Stay stay = stay_of(visits);
  Stays stays;
  Sample own{calls.front().bytes, std::numeric_limits<double>::infinity(), calls.front().launch};
  Sample others = own;
  for (std::size_t i = 0; i < visits.size(); ++i) {
    const double own_s = std::max(least_s, visits[i].ended_s - visits[i].own_s);
    const double awaited_s = std::max(least_s, visits[i].ended_s - visits[i].awaited_s);
    own.seconds = std::min(own.seconds, own_s);
    others.seconds = std::min(others.seconds, awaited_s);
    if (stay.is_own(visits[i]))
      stays.after_own.push_back({calls[i].bytes, own_s, calls[i].launch});
    else
      stays.after_awaited.push_back({calls[i].bytes, awaited_s, calls[i].launch});
  }
  if (stays.after_own.empty()) stays.after_own.push_back(own);
  if (awaited.empty()) stays.after_awaited = stays.after_own;
  if (stays.after_awaited.empty()) stays.after_awaited.push_back(others);
  return stays;
}

}  // namespace

double MemberTime::leaves_s(double own_s, double awaited_s) const {
  const double alone_s = own_s + after_own.seconds;
  return awaited.empty() ? alone_s : std::max(alone_s, awaited_s + after_awaited.seconds);
}

RootedModel::RootedModel(std::span<const RootedSample> samples) {
  std::map<std::pair<std::string, int>, std::map<double, Calls>> parts;
  for (const RootedSample& sample : samples) {
    require_times(sample);
    parts[{sample.call, static_cast<int>(sample.begun_s.size())}][sample.bytes].push_back(sample);
  }
  for (const auto& [key, by_bytes] : parts)
    for (int member = 0; member < key.second; ++member) groups_[key].push_back(fit_member(member, by_bytes));
}

RootedModel::Member RootedModel::fit_member(int member, const std::map<double, Calls>& by_bytes) {
  const auto awaited = awaited_by_bytes(static_cast<std::size_t>(member), by_bytes);
  Stays all;
  for (const auto& [bytes, calls] : by_bytes) all.add(stays_of(member, calls, nearest(awaited, bytes)));
  return {awaited, fit_interpolated(all.after_own), fit_interpolated(all.after_awaited)};
}

const RootedModel::Group* RootedModel::group_of(const std::string& call, int members) const {
  const auto found = groups_.find({call, members});
  return found == groups_.end() ? nullptr : &found->second;
}

std::optional<std::vector<MemberTime>> RootedModel::times(const std::string& call, int members,
                                                          double bytes) const {
  const Group* group = group_of(call, members);
  if (group == nullptr) return std::nullopt;
  std::vector<MemberTime> times;
  for (const Member& member : *group) {
    const double asked = bytes == 0 ? member.after_own.first_size() : bytes;
    times.push_back(
        {nearest(member.awaited, asked), member.after_own.at(asked), member.after_awaited.at(asked)});
  }
  return times;
}

std::optional<SizeRange> RootedModel::measured_bytes(const std::string& call, int members) const {
  const Group* group = group_of(call, members);
  if (group == nullptr) return std::nullopt;
  const Curve& any = group->front().after_own;  // all have the same sizes
  return SizeRange{any.first_size(), any.last_size()};
}

}  // namespace loadshare::communication
