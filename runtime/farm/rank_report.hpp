#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/load/injector.hpp"
#include "runtime/records/records.hpp"
#include "runtime/records/worker_name.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

/// Where one worker's or the master's time went in one run, as it measured it itself. Plain data: ranks send
/// theirs to the master as bytes.
struct Account {
  Index chunks = 0;
  Index iterations = 0;
  double computing_s = 0;      ///< processor time between begun and ended
  double stolen_s = 0;         ///< wall time minus processor time, ditto
  double blocked_s = 0;        ///< of that, not stolen: the iterations slept, or waited for something
  double communicating_s = 0;  ///< moving data
  double idle_s = 0;           ///< waiting with nothing to do
  double waiting_cpu_s = 0;    ///< processor time used while idle
  double start_s = 0;          ///< on its own host's clock
  double last_end_s = 0;       ///< end of its last chunk, ditto
  double end_s = 0;
};

/// What became of the background load of one rank.
struct LoadReport {
  int rank = 0;
  int cpu = 0;
  double capacity = 1;   ///< what the rank has of its processor when nobody disturbs it
  bool is_lost = false;  ///< its process was gone; nothing else is known
  LoadMeasure measure;
  std::string trouble = {};  ///< why it was lost, if it reported that
};

/// What one process tells the master at the end of a run.
struct RankReport {
  int rank = 0;
  std::string host;
  std::vector<int> cpus;
  double quota = 0;           ///< processors that its control group grants; 0: no limit
  double quota_period_s = 0;  ///< anew each; 0: ditto
  double tick_s = 0;          ///< of the kernel that watches it; 0: ditto
  /// It has fewer workers than processors, because its control group grants fewer.
  bool follows_quota = false;
  std::string wait;
  std::string way;  ///< Workload::way
  double clock_offset_s = 0;
  double carrying_cpu_s = 0;  ///< processor time of a thread that carried the worker's messages
  bool has_thinned = false;
  bool is_absent = false;            ///< it had not answered when the run ended; nothing else is known
  std::string unreadable_from = {};  ///< if it is absent: the sender of an answer that cannot be read
  std::vector<Account> workers;
  std::vector<LoadReport> loads;
};

/// This process: its host's name and the processors it may run on.
RankReport describe_process(int rank);

/// What the master knows of workers before a run, by worker number; nothing where they come and go.
struct KnownWorkers {
  std::vector<WorkerName> names;
  /// What its control group grants each of a processor: its speed, as far as anybody knows it. None where all
  /// are threads of one process.
  std::vector<double> shares;
};

/// On the master; elsewhere nothing. Collective.
KnownWorkers known_workers(Transport& transport);

/// In place of the report of a rank that had not answered when the run ended; an empty `host` is not known.
RankReport absent_rank(int rank, const std::string& host = {}, std::size_t workers = 1);

/// The row of a rank, with its place but without its times. `sharing`: how many of this run's ranks or
/// threads live by its host's quota.
RankRecord row_of(const RankReport& report, Role role, std::size_t sharing);

/// How the ranks are bound to processors, in words.
std::string binding_of(const std::vector<RankReport>& reports);

std::string encode(const RankReport& report);
/// Reads the report that a process has sent; nothing if it is not a report, or not the sender's. Its texts
/// are printable(), and its numbers are possible in a run.
std::optional<RankReport> decode_rank_report(const std::string& text, const Whereabouts& sender);
/// The same for a rank that the run cannot do without; throws Error with its number.
RankReport report_of_rank(int rank, const std::string& text);

}  // namespace loadshare
