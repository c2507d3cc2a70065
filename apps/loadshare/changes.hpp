#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/yaml/document.hpp"
#include "models/farm/farm_model.hpp"

namespace loadshare::tool {

/// What the command line says of hosts that come and go while a run goes on, and of its journal.
struct ChangesRequest {
  std::vector<std::string> leave, lose;  ///< `host=n3@30s`, `host=3@30s`, `rank=2@30s`
  std::vector<std::string> join;         ///< `2x1@60s`, hosts as in --hosts
  std::string file;                      ///< see read_changes()
  std::string journal;                   ///< a time an iteration, or `recorded`; empty: none is kept

  bool is_any() const { return !leave.empty() || !lose.empty() || !join.empty() || !file.empty(); }
};

/// One of them.
struct Change {
  enum class Kind { leave, lose, join };
  Kind kind = Kind::leave;
  std::string who = {};  ///< which host or rank; of `join` these hosts
  double at_s = 0;
  std::string said = {};  ///< for errors: "--leave is 'host=3@30s'", "changes.yaml:3:12: leave is 'host=3'"
};

/// Reads a file of arrivals and departures (experiments/changes.schema.json):
///
///     schema: 1
///     changes:
///       - {at: 30s, leave: host=3}     # ends its chunk first
///       - {at: 40s, lose: rank=2}      # what it holds is computed again
///       - {at: 60s, join: 2x1}
///
/// Throws UsageError as `file:line:column: problem (why); suggestion`.
std::vector<Change> read_changes(const yaml::Value& file);

/// All that the command line says. Throws UsageError.
std::vector<Change> changes_of(const ChangesRequest& request);

/// Hosts get their stays; those that join stand behind the others, in the order in which they come. Throws
/// UsageError where a host is not there, or would go twice or before it comes.
void apply_changes(std::vector<Change> changes, std::vector<predictor::HostModel>& hosts);

/// Sets what keeping an iteration costs: as `text` says, or by what the runs' journals took (`recorded_s`; 0:
/// none has one). Throws UsageError.
void apply_journal(const std::string& text, double recorded_s, predictor::FarmModel& model);

/// "host3 leaves at 30 s; 2 hosts join at 60 s"; empty: nothing changes.
std::string changes_text(const std::vector<predictor::HostModel>& hosts);

}  // namespace loadshare::tool
