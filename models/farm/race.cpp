#include "models/farm/race.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/statistics.hpp"

namespace loadshare::predictor {
namespace {

constexpr double doubt = 0.05;  // that somebody leaves a race who should not have
/// Fewer signs convince nobody, whatever they are.
constexpr std::size_t least_signs = 12;

/// When it is looked again who leads: 1, 4, 8, 12, 18, 27, 40 ...
std::size_t look_after(std::size_t replicates) {
  constexpr std::size_t step = 4;
  return std::max((replicates / step + 1) * step, replicates * 3 / 2);
}

std::size_t deciding_looks(std::size_t replicates) {
  std::size_t looks = 0;
  for (std::size_t n = 1; n < replicates; n = look_after(n)) looks += n >= least_signs ? 1 : 0;
  return std::max<std::size_t>(looks, 1);
}

}  // namespace

// In logarithms, since 2^-n leaves no double.
double sign_test(std::size_t n, std::size_t k) {
  const double all = static_cast<double>(n);
  double sum = 0;
  for (std::size_t i = k; i <= n; ++i) {
    const double chosen = static_cast<double>(i);
    sum += std::exp(std::lgamma(all + 1) - std::lgamma(chosen + 1) - std::lgamma(all - chosen + 1) -
                    all * std::log(2.0));
  }
  return sum;
}

Race::Race(std::size_t candidates, std::size_t replicates)
    : lanes_(candidates, Lane{std::vector<Time>(replicates)}), replicates_(replicates) {}

std::vector<Race::Run> Race::next() {
  for (;;) {
    // Only who leads tells how long the others need to run.
    std::vector<Run> wanted = missing_of(leader_);
    if (wanted.empty() || !has_leader_) wanted = missing();
    if (wanted.empty() && is_judged_) wanted = unfinished();
    if (!wanted.empty() || is_judged_) return wanted;
    if (!has_looked_) {
      choose_leader();
      has_looked_ = true;
      continue;
    }
    judge();
    has_looked_ = false;
    is_judged_ = until_ == replicates_;
    until_ = std::min(replicates_, look_after(until_));
  }
}

void Race::took(const Run& run, double seconds, bool is_whole) {
  lanes_[run.candidate].times[run.replicate] = {seconds, is_whole};
}

std::vector<Race::Run> Race::missing_of(std::size_t candidate) const {
  std::vector<Run> runs;
  const Lane& lane = lanes_[candidate];
  const bool leads = has_leader_ && candidate == leader_;
  for (std::size_t replicate = 0; replicate < until_ && !lane.is_beaten; ++replicate) {
    const Time time = lane.times[replicate];
    if (leads ? !time.is_whole : time.seconds < 0)
      runs.push_back({candidate, replicate, enough_s(replicate)});
  }
  return runs;
}

// The first replicate is run to the end by everybody: it is what is known of those who leave. Candidates
// stand in their techniques' order, the finest and dearest last; begun first, they keep nobody waiting at the
// end.
std::vector<Race::Run> Race::missing() const {
  std::vector<Run> runs;
  for (std::size_t candidate = lanes_.size(); candidate-- > 0;)
    std::ranges::copy(missing_of(candidate), std::back_inserter(runs));
  std::ranges::stable_sort(runs, {}, &Run::replicate);
  return runs;
}

std::vector<Race::Run> Race::unfinished() const {
  std::vector<Run> runs;
  for (std::size_t replicate = 0; replicate < replicates_; ++replicate)
    for (std::size_t candidate = 0; candidate < lanes_.size(); ++candidate)
      if (!lanes_[candidate].is_beaten && !lanes_[candidate].times[replicate].is_whole)
        runs.push_back({candidate, replicate});
  return runs;
}

double Race::enough_s(std::size_t replicate) const {
  const Time leader = lanes_[leader_].times[replicate];
  return has_leader_ && leader.is_whole ? level_ratio * leader.seconds : Run{}.enough_s;
}

std::size_t Race::beyond(const Lane& lane) const {
  std::size_t count = 0;
  for (std::size_t replicate = 0; replicate < until_; ++replicate) {
    const Time time = lane.times[replicate];
    const double enough = enough_s(replicate);
    count += time.seconds > enough || (!time.is_whole && time.seconds >= enough) ? 1 : 0;
  }
  return count;
}

void Race::judge() {
  const bool is_last = until_ == replicates_;
  for (Lane& lane : lanes_) {
    const std::size_t count = beyond(lane);
    if (is_last ? 2 * count > until_ : is_certain(count)) lane.is_beaten = true;
  }
}

// Of a run that was ended, what it exceeds stands for it.
void Race::choose_leader() {
  double least_s = std::numeric_limits<double>::infinity();
  for (std::size_t candidate = 0; candidate < lanes_.size(); ++candidate) {
    if (lanes_[candidate].is_beaten) continue;
    std::vector<double> seconds;
    for (std::size_t replicate = 0; replicate < until_; ++replicate)
      seconds.push_back(lanes_[candidate].times[replicate].seconds);
    if (const double median_s = median_of(seconds); median_s < least_s)
      least_s = median_s, leader_ = candidate;
  }
  has_leader_ = true;
}

bool Race::is_certain(std::size_t beyond) const {
  if (until_ < least_signs) return false;
  const auto others = static_cast<double>(std::max<std::size_t>(lanes_.size(), 2) - 1);
  return sign_test(until_, beyond) * others * static_cast<double>(deciding_looks(replicates_)) <= doubt;
}

}  // namespace loadshare::predictor
