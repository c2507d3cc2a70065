#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "models/messages/calibration.hpp"
#include "models/messages/collective_model.hpp"
#include "models/messages/message_costs.hpp"
#include "models/messages/message_model.hpp"
#include "models/program/reconstruction/roles.hpp"
#include "models/program/timing_graph/evaluation.hpp"
#include "models/program/timing_graph/program.hpp"

namespace loadshare::tool {

/// One `name=value` of an option.
struct Assignment {
  std::string name;
  std::string value;
};

/// `n=5,p=8` of an option; throws UsageError that names it: no =, nothing beside it, a name twice.
std::vector<Assignment> parse_assignments(std::string_view option, const std::string& text);

/// A run that a timing graph is built from, and where its ranks were.
struct SourceRun {
  reconstruction::ProfiledRun run;
  std::string program;  ///< see program_of()
  calibration::RunPlace place;
};

/// What a command runs, without folders and parameters: "sort" of "./sort -n 5", and of an interpreter its
/// script, too: "python sort.py" of "python3 -u /home/me/sort.py -n 5".
std::string program_of(const std::string& command);

/// The file of `n=65536:run.profile`, and of `run.profile`.
std::string file_of_run(const std::string& word);

/// Reads `n=65536:run.profile`: a profile and the parameters that its run had besides p, the number of its
/// ranks; `run.profile` where there are none. Throws UsageError.
SourceRun read_source_run(const std::string& word);

/// What messages cost where nobody measured it: between hosts on Ethernet of 100 Mbit/s, and in a host's own
/// memory (experiments/point-to-point: 0.11 ns a byte for large ones, both sides together twice that).
inline constexpr const char* ethernet_costs = "latency=50us,bandwidth=12.5MB/s,eager=64KiB";
inline constexpr const char* memory_costs = "latency=1us,bandwidth=5GB/s,eager=4KiB";

/// Where a graph's message costs are from: a calibration, or a line.
struct CostsRequest {
  std::string calibration;        ///< a file; empty: `costs` says it
  std::string fit = "segmented";  ///< of the calibration's samples
  std::string costs = ethernet_costs;
  /// Collective calls as `measured`, where the calibration has them, or as `messages` all of them.
  std::string collectives = "measured";
  /// As the ranks whose messages are to be priced, where that is known.
  calibration::Spread lie = calibration::Spread::a_host_each;
};

struct KnownCosts {
  std::shared_ptr<const communication::MessageCosts> costs;
  /// Of a calibration of several pairs of hosts what each of them costs; hosts in either order. The costs
  /// above are all of them together.
  std::map<std::set<std::string>, std::shared_ptr<const communication::MessageCosts>> pairs;
  std::string description;                           ///< for people: "as calibrated between n1 and n2"
  std::vector<std::string> hosts;                    ///< of the calibration, sorted; none: of a line
  std::optional<communication::SizeRange> measured;  ///< of the calibration
  std::optional<calibration::Launch> launch;         ///< the calibration's first
  calibration::Spread lie = calibration::Spread::a_host_each;  ///< the calibration's pairs that these are of
  double uncertainty = 0;  ///< see communication::MessageModel::deviation()
  std::unique_ptr<communication::CollectiveModel> collectives;  ///< none: they are as their messages are

  /// Whether messages between these two were measured themselves.
  bool is_measured(const std::string& a, const std::string& b) const;
  /// What they cost there, as far as that is known.
  std::shared_ptr<const communication::MessageCosts> between(const std::string& a,
                                                             const std::string& b) const;
};

/// Of a calibration the pairs count that lie as was asked for, all together; where there are none, the
/// others. Throws UsageError.
KnownCosts message_costs(const CostsRequest& request);

/// Which of a program's collective calls lie outside what was measured, in words; none for costs without
/// measured calls.
std::vector<std::string> notes_on_calls(const KnownCosts& costs, const timing_graph::Program& program);

/// What tells the calibration's hosts, how MPI was set up there, and between which ranks messages were
/// measured, from what is so of the runs, in words; none for costs without hosts.
std::vector<std::string> notes_on_setup(const KnownCosts& costs, const std::vector<SourceRun>& runs);

/// What messages lie outside the sizes that were measured, in words; empty: none, or costs of a line. Empty
/// messages are no smaller than small ones.
std::string unmeasured_sizes(const KnownCosts& costs, const std::vector<double>& messages_bytes);

}  // namespace loadshare::tool
