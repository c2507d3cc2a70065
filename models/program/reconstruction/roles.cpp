#include "models/program/reconstruction/roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"

namespace loadshare::reconstruction {
namespace {

constexpr std::size_t most_roles = 6;  // each bound has up to three readings, which are all tried

/// Where a role begins: `share` of p and `offset` more.
struct Bound {
  double share = 0;
  std::int64_t offset = 0;

  std::int64_t at(std::int64_t p) const {
    const auto part = static_cast<std::int64_t>(share * static_cast<double>(p));
    return part + offset;
  }
  std::string text() const {
    if (share == 0) return fmt::format("{}", offset);
    const std::string part = share == 1 ? "p" : "floor(p / 2)";
    if (offset == 0) return part;
    return fmt::format("{} {} {}", part, offset > 0 ? '+' : '-', std::abs(offset));
  }
};

/// The bounds that lie at `position` of p, the likeliest first.
std::vector<Bound> readings(std::int64_t position, std::int64_t p) {
  const Bound from_begin{0, position};
  const Bound from_middle{0.5, position - p / 2};
  const Bound from_end{1, position - p};
  if (position == p) return {from_end};
  if (position == 0) return {from_begin};
  if (position == p / 2 && p > 2) return {from_middle, from_begin, from_end};
  if (position < p / 2 || p == 2) return {from_begin, from_end, from_middle};
  return {from_end, from_middle, from_begin};
}

/// The sites of every rank of every run.
class Sequences {
 public:
  explicit Sequences(std::span<const ProfiledRun> runs) : runs_(runs) {
    for (const ProfiledRun& run : runs) {
      std::vector<std::vector<std::uint32_t>>& ranks = sequences_.emplace_back();
      for (const Trace& trace : run.traces) ranks.push_back(sites_.numbers_of(trace));
    }
  }

  std::span<const ProfiledRun> runs() const { return runs_; }
  const std::vector<std::uint32_t>& of(std::size_t run, std::size_t rank) const {
    return sequences_[run][rank];
  }
  std::string site(std::size_t run, std::size_t rank, std::uint32_t position) const {
    const std::vector<std::uint32_t>& sequence = of(run, rank);
    return position < sequence.size() ? sites_.name(sequence[position]) : "the end";
  }

  /// The run on most ranks, of those the one with most calls: its loops are the surest to have turned.
  std::size_t richest() const {
    const auto key = [this](std::size_t run) {
      return std::pair(sequences_[run].size(), sequences_[run].front().size());
    };
    std::size_t best = 0;
    for (std::size_t run = 1; run < runs_.size(); ++run)
      if (key(run) > key(best)) best = run;
    return best;
  }

 private:
  std::span<const ProfiledRun> runs_;
  Sites sites_;
  std::vector<std::vector<std::vector<std::uint32_t>>> sequences_;  ///< by run and rank
};

/// Neighbouring ranks of the richest run that do the same.
struct Neighbours {
  std::int64_t first = 0;
  Pattern pattern;
};

std::vector<Neighbours> neighbours_in(const Sequences& sequences, std::size_t run) {
  std::vector<Neighbours> all;
  const auto ranks = static_cast<std::int64_t>(sequences.runs()[run].traces.size());
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    Pattern pattern = fold(sequences.of(run, static_cast<std::size_t>(rank)));
    if (all.empty() || !(all.back().pattern == pattern)) all.push_back({rank, std::move(pattern)});
  }
  if (all.size() > most_roles)
    throw UsageError(
        fmt::format("the ranks of {} do {} different things", sequences.runs()[run].name, all.size()),
        fmt::format("up to {} groups of neighbours can be predicted for other numbers of ranks", most_roles));
  return all;
}

/// The first rank that does not what its role says.
struct OutsideRank {
  std::size_t run = 0;
  std::size_t rank = 0;
  std::optional<std::uint32_t> position{};  ///< nothing: the run has too few ranks for all roles
};

/// Puts all ranks of all runs into roles by these bounds, of which there is one more than patterns.
class Classification {
 public:
  Classification(const Sequences& sequences, std::vector<Role>& roles, const std::vector<Bound>& bounds)
      : sequences_(sequences), roles_(roles), bounds_(bounds) {}

  std::optional<OutsideRank> classify() {
    for (std::size_t run = 0; run < sequences_.runs().size(); ++run)
      if (!cover_all(run)) return OutsideRank{run};
    for (std::size_t run = 0; run < sequences_.runs().size(); ++run)
      for (std::size_t role = 0; role < roles_.size(); ++role)
        if (const auto outside = classify(run, role)) return outside;
    return std::nullopt;
  }

 private:
  /// The texts of bounds have no room for exceptions: they part every run into rows of ranks, one behind the
  /// other, of which some may be empty.
  bool cover_all(std::size_t run) const {
    const auto p = static_cast<std::int64_t>(sequences_.runs()[run].traces.size());
    const auto at = [p](const Bound& bound) { return bound.at(p); };
    return std::ranges::is_sorted(bounds_, {}, at) && at(bounds_.front()) == 0 && at(bounds_.back()) == p;
  }

  std::optional<OutsideRank> classify(std::size_t run, std::size_t role) {
    const ProfiledRun& of = sequences_.runs()[run];
    const auto p = static_cast<std::int64_t>(of.traces.size());
    for (std::int64_t rank = bounds_[role].at(p); rank < bounds_[role + 1].at(p); ++rank) {
      const auto index = static_cast<std::size_t>(rank);
      Match found = match(roles_[role].pattern, sequences_.of(run, index));
      if (found.mismatch) return OutsideRank{run, index, found.mismatch->position};
      roles_[role].members.push_back({&of, &of.traces[index], std::move(found.meetings)});
    }
    return std::nullopt;
  }

  const Sequences& sequences_;
  std::vector<Role>& roles_;
  const std::vector<Bound>& bounds_;
};

/// Tries the readings of every bound in turn.
class Search {
 public:
  Search(const Sequences& sequences, std::vector<Neighbours> neighbours, std::int64_t p)
      : sequences_(sequences), neighbours_(std::move(neighbours)), p_(p) {}

  std::vector<Role> found() {
    if (!try_from(0)) refuse();
    return std::move(roles_);
  }

 private:
  bool try_from(std::size_t bound) {
    if (bound > neighbours_.size()) return try_bounds();
    const std::int64_t position = bound == neighbours_.size() ? p_ : neighbours_[bound].first;
    for (const Bound& reading : readings(position, p_)) {
      bounds_.push_back(reading);
      if (try_from(bound + 1)) return true;
      bounds_.pop_back();
    }
    return false;
  }

  bool try_bounds() {
    roles_.clear();
    for (std::size_t i = 0; i < neighbours_.size(); ++i)
      roles_.push_back({bounds_[i].text(), last_before(bounds_[i + 1]), neighbours_[i].pattern, {}});
    const std::optional<OutsideRank> outside = Classification(sequences_, roles_, bounds_).classify();
    if (!outside) return true;
    if (!first_outside_) first_outside_ = outside;
    return false;
  }

  static std::string last_before(const Bound& bound) { return Bound{bound.share, bound.offset - 1}.text(); }

  [[noreturn]] void refuse() const {
    const OutsideRank& who = *first_outside_;
    if (!who.position)
      throw UsageError(fmt::format("{} has too few ranks for the {} groups of ranks that do different things",
                                   sequences_.runs()[who.run].name, neighbours_.size()),
                       "only what the runs have in common can be predicted", "leave it out");
    throw UsageError(
        fmt::format("{}: rank {} does something different from the same rank in other runs: call {}, {}",
                    sequences_.runs()[who.run].name, who.rank, *who.position + 1,
                    sequences_.site(who.run, who.rank, *who.position)),
        "only what the runs have in common can be predicted",
        "give runs of one program whose options differ only in size and ranks");
  }

  const Sequences& sequences_;
  std::vector<Neighbours> neighbours_;
  std::int64_t p_;
  std::vector<Bound> bounds_;
  std::vector<Role> roles_;
  std::optional<OutsideRank> first_outside_;
};

}  // namespace

std::vector<std::uint32_t> Sites::numbers_of(const Trace& trace) {
  std::vector<std::uint32_t> numbers;
  for (const Element& element : trace.elements) {
    const auto next = static_cast<std::uint32_t>(names_.size());
    const auto [place, is_new] = numbers_.try_emplace(element.site, next);
    if (is_new) names_.push_back(element.site);
    numbers.push_back(place->second);
  }
  return numbers;
}

std::vector<Role> roles_of(std::span<const ProfiledRun> runs) {
  const Sequences sequences(runs);
  const std::size_t richest = sequences.richest();
  return Search(sequences, neighbours_in(sequences, richest),
                static_cast<std::int64_t>(runs[richest].traces.size()))
      .found();
}

}  // namespace loadshare::reconstruction
