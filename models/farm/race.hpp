#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace loadshare::predictor {

/// By how much a prediction may be longer than the best and still be level with it: a model knows no better.
inline constexpr double level_ratio = 1.01;

/// Which simulations tell the best of several candidates: all race over the same replicates (common random
/// numbers), and who is certainly behind runs no more of them.
///
/// What is compared is, replicate by replicate, a candidate's makespan and the leader's, so only whether it
/// is more than `level_ratio` times as long: the median over the pairs, by which choose() judges, is beyond
/// that ratio where more than half of them are. A candidate leaves by a sign test, which asks for no
/// distribution: were half of the pairs beyond, as many as were seen would be by chance only in one race of
/// twenty (Bonferroni over candidates and looks). After the last replicate the majority decides. A run is
/// needed only until it surely takes longer than the ratio allows, so the slow candidates, which take the
/// most chunks, cost next to nothing.
///
/// Races: Maron and Moore, "Hoeffding races", NIPS 1993; Birattari et al., "A racing algorithm for
/// configuring metaheuristics", GECCO 2002. Ending a run that is already worse: Hutter et al., "ParamILS",
/// JAIR 36, 2009.
///
/// Decides only, and knows no clock: the answer is the same however many runs are simulated at a time.
class Race final {
 public:
  /// A simulation that is wanted. `enough_s`: it may end where its makespan is surely more than that.
  struct Run {
    std::size_t candidate = 0;
    std::size_t replicate = 0;
    double enough_s = std::numeric_limits<double>::infinity();
  };

  /// At least one of each.
  Race(std::size_t candidates, std::size_t replicates);

  /// The runs that are wanted next, replicate by replicate; none: it is over. took() must have been told of
  /// all those before.
  std::vector<Run> next();
  /// The makespan, or, where the run was ended before, what it surely exceeds.
  void took(const Run& run, double seconds, bool is_whole);

  /// Whether it is certain, or after the last replicate so, that it takes more than `level_ratio` times as
  /// long as the leader. All others have run every replicate to its end when the race is over.
  bool is_beaten(std::size_t candidate) const { return lanes_[candidate].is_beaten; }

 private:
  struct Time {
    double seconds = -1;  ///< less than 0: not run
    bool is_whole = false;
  };
  struct Lane {
    std::vector<Time> times;  ///< by replicate
    bool is_beaten = false;
  };

  std::vector<Run> missing_of(std::size_t candidate) const;
  std::vector<Run> missing() const;
  std::vector<Run> unfinished() const;
  double enough_s(std::size_t replicate) const;
  std::size_t beyond(const Lane& lane) const;
  void choose_leader();
  void judge();
  bool is_certain(std::size_t beyond) const;

  std::vector<Lane> lanes_;
  std::size_t replicates_;
  std::size_t until_ = 1;  // the replicates before this one are run, or wanted
  std::size_t leader_ = 0;
  bool has_leader_ = false;
  bool has_looked_ = false;  // who leads after the replicates so far; others are yet to be judged by it
  bool is_judged_ = false;   // by all replicates
};

/// P(Binomial(n, 1/2) >= k).
double sign_test(std::size_t n, std::size_t k);

}  // namespace loadshare::predictor
