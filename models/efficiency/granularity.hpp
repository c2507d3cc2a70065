#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadshare::granularity {

/// Where one rank's time went in one run, in seconds of wall-clock time. The four parts and the time that it
/// was away add up to the run time where the account closes.
struct RankTimes {
  int rank = 0;
  std::string host;
  double capacity = 1;  ///< of a processor, what a quota leaves this rank: in (0, 1]
  double computing_s =
      0;  ///< at the full speed this host grants the rank; a quota makes a host slow, not stolen
  double communicating_s = 0;  ///< moving data; waiting too, where the run does not tell it apart
  double idle_s = 0;           ///< waiting for others, or nothing to do
  double stolen_s = 0;         ///< wanted to compute, and another program had the processor
  double away_s = 0;           ///< it was not there: no part of anybody's time
  std::optional<double>
      work;  ///< done by this rank, in units of one's own (iterations): speed = work / computing
};

/// T_p of a run on a network of no cost.
struct IdealRun {
  double run_s = 0;             ///< if nothing had been stolen
  double run_with_theft_s = 0;  ///< with all that was
};

/// Where the time of all ranks of one run went: what every figure of this model comes from.
struct RunTimes {
  std::string program;
  double run_s = 0;  ///< T_p: from the first rank's begin to the last one's end
  std::vector<RankTimes> ranks;
  std::optional<IdealRun> ideal;   ///< nothing: not known
  bool tells_idle = true;          ///< else idle_s is 0 throughout and communicating_s holds both
  std::vector<std::string> notes;  ///< what makes the figures partial, for people; empty where nothing does
};

/// Where time went, in seconds: of one rank, or the sum over all, while they were there.
struct Totals {
  double computing_s = 0;
  double communicating_s = 0;
  double idle_s = 0;
  double stolen_s = 0;

  /// All that was no computing.
  double lost_s() const { return communicating_s + idle_s + stolen_s; }
  double all_s() const { return computing_s + lost_s(); }
};

Totals totals(const RankTimes& rank);
Totals totals(const RunTimes& run);

/// computing / lost: infinite where nothing was lost, nothing where neither took time.
std::optional<double> granularity(double computing_s, double lost_s);

/// E = G / (G + 1), by Kwiatkowski, "Evaluation of Parallel Programs by Measurement of Its Granularity",
/// eq. 5; 1 for an infinite G.
double efficiency(double granularity);

/// The granularities of one rank or of a whole program.
///
/// The paper's is T_comp / T_comm; where ranks may wait, it takes the isogranularity T_comp / (T_comm +
/// T_idle). On a loaded host a third loss stands beside these two: the time in which the program wanted to
/// compute and others had the processor. Left out, it would pass for computing, and G would be too high.
struct Granularities {
  std::optional<double> all;             ///< G = T_comp / (T_comm + T_idle + T_stolen): gives the efficiency
  std::optional<double> without_stolen;  ///< T_comp / (T_comm + T_idle): of the time the program was given
  std::optional<double> communication;   ///< T_comp / T_comm; nothing where the run does not tell idle apart
};

Granularities granularities(const Totals& times, bool tells_idle);

/// So long was the rank there.
double stay_s(const RunTimes& run, const RankTimes& rank);

/// The efficiency of the POP project, split in two (Wagner et al., "A Structured Approach to Performance
/// Analysis", 2019). Every rank counts, one that only coordinates too: its processor was taken. Of a rank
/// that was not there throughout, T_comp counts as the share of its stay.
struct Balance {
  /// Mean over maximum of the ranks' T_comp: 1 where all compute equally long, and where none computes.
  double load_balance = 1;
  /// Maximum T_comp over the run time: what the busiest rank could not compute.
  double communication_efficiency = 0;

  /// Equals G / (G + 1) where the account closes.
  double parallel_efficiency() const { return load_balance * communication_efficiency; }
};

/// Of a run for which require_sound() holds.
Balance balance(const RunTimes& run);

/// What the efficiency is the product of: of each factor 1 is best, and one that has nothing to say is 1.
///
/// They are the factors of the POP project where nobody waits for less than what the ranks' computing differs
/// by, and nothing is stolen; what is stolen, for which POP has no place, is a factor beside the other two
/// (that of the processor), so that a loaded host is not taken for a bad program. Each is what is left of a
/// time by a loss: of all time what others took, of the rest moving data, of the rest waiting that is not for
/// unequal computing, of the rest that waiting.
///
/// Where it is known how long the run would take on a network of no cost, they are POP's own: that divides
/// serialisation (what is waited for there, too: others that compute) from transfer (moving data, and waiting
/// for who moves data), and what theft makes it longer, with all that others waited meanwhile, is the
/// processor's. Else waiting and moving divide, and each rank's own stolen time is the processor's.
struct Factors {
  double load_balance = 1;
  double communication = 1;             ///< serialisation x transfer
  std::optional<double> serialisation;  ///< of a run that does not tell idle from communicating: nothing
  std::optional<double> transfer;       ///< ditto
  double processor = 1;

  double efficiency() const { return load_balance * communication * processor; }
};

/// Of a run for which require_sound() holds, or of one rank of it as a program of one process.
Factors factors(const RunTimes& run);
Factors factors(const Totals& times, double most_computing_s, std::size_t ranks, bool tells_idle,
                const std::optional<IdealRun>& ideal = std::nullopt);

/// The share of the run time that a rank's four parts leave open; negative where they are more than it.
double account_gap(const RunTimes& run, const RankTimes& rank);

/// The gap of the rank where it is widest, with its sign; 0 without ranks.
double widest_account_gap(const RunTimes& run);

/// Throws UsageError, beginning with `place` ("runs.jsonl:3: "), where figures of this run would be wrong: no
/// ranks or a rank twice, a run without length, parts that are negative or no numbers, and an account that
/// leaves more than `account_tolerance` of the run time open on any rank.
void require_sound(const RunTimes& run, std::string_view place = {});

}  // namespace loadshare::granularity
