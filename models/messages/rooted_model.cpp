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

double last_begin_s(const RootedSample& call, const Set& set) {
  double last_s = -std::numeric_limits<double>::infinity();
  for (std::size_t member = 0; member < set.size(); ++member)
    if (set[member]) last_s = std::max(last_s, call.begun_s[member]);
  return last_s;
}

/// How far a member's ends scatter about a fixed time after the last begin in the set, in seconds. The mean
/// of absolute deviations: a member that is the last one in few calls shows in those alone.
double scatter_s(const Calls& calls, std::size_t member, const Set& set) {
  std::vector<double> after_s;
  for (const RootedSample& call : calls) after_s.push_back(call.ended_s[member] - last_begin_s(call, set));
  const double middle_s = median_of(after_s);
  double sum_s = 0;
  for (const double seconds : after_s) sum_s += std::abs(seconds - middle_s);
  return sum_s / static_cast<double>(after_s.size());
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
    if (one.scatter <= about_as_good * best && (chosen == nullptr || one.size() < chosen->size()))
      chosen = &one;
  std::vector<int> awaited;
  for (std::size_t other = 0; other < chosen->set.size(); ++other)
    if (other != member && chosen->set[other]) awaited.push_back(static_cast<int>(other));
  return awaited;
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

double last_of_s(const RootedSample& call, const std::vector<int>& members) {
  double last_s = -std::numeric_limits<double>::infinity();
  for (const int member : members) last_s = std::max(last_s, call.begun_s[static_cast<std::size_t>(member)]);
  return last_s;
}

/// How long a member stayed in calls, since whoever was the last to come: itself, or another one.
struct Stays {
  std::vector<Sample> after_own;
  std::vector<Sample> after_awaited;

  void add(const Stays& more) {
    after_own.insert(after_own.end(), more.after_own.begin(), more.after_own.end());
    after_awaited.insert(after_awaited.end(), more.after_awaited.begin(), more.after_awaited.end());
  }
};

/// Of one size. Where it was always the one, or always the other, the other is taken to be alike.
Stays stays_of(int member, const Calls& calls, const std::vector<int>& awaited) {
  const auto own = static_cast<std::size_t>(member);
  Stays stays;
  for (const RootedSample& call : calls) {
    const double others_s = last_of_s(call, awaited);
    const double taken_s = call.ended_s[own] - std::max(call.begun_s[own], others_s);
    (call.begun_s[own] >= others_s ? stays.after_own : stays.after_awaited)
        .push_back({call.bytes, std::max(least_s, taken_s), call.launch});
  }
  if (stays.after_own.empty()) stays.after_own = stays.after_awaited;
  if (stays.after_awaited.empty()) stays.after_awaited = stays.after_own;
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
