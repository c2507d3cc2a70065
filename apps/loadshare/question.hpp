#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/loadshare/changes.hpp"
#include "apps/loadshare/costs.hpp"
#include "models/farm/farm_runs.hpp"

namespace CLI {
class App;
}

namespace loadshare::tool {

/// What the command line says of a loop, of the hosts and of the network between them.
struct QuestionRequest {
  std::vector<std::string> runs;  ///< files of records, sweeps' folders; none: the loop is given by hand
  std::string iterations;         ///< of a loop by hand, or of one that was run, if its iterations are alike
  std::string cost;               ///< of an iteration by hand: "1ms"
  std::string input_bytes = "0";  ///< an iteration, by hand
  std::string result_bytes = "0";
  std::string shared_bytes = "0";  ///< in all
  std::string hosts;               ///< see read_hosts(); empty: those of the last run
  std::string master;              ///< works or coordinates; empty: as in the last run, or works
  std::string master_rank;
  std::string prefetch;
  std::string load;  ///< a spec; "none" too; empty: as in the last run
  bool reissue = false;
  ChangesRequest changes;
  CostsRequest costs;
  bool has_costs = false;  ///< --costs was given
  bool is_strict = false;  ///< what is not known is an error, not a note
};

/// What is asked of the predictor.
struct Question {
  std::string program;             ///< "matmul"
  std::string iteration_name;      ///< "columns"
  std::string recorded_scheduler;  ///< of the last run; empty without records
  predictor::FarmModel model;
  predictor::FarmSetting setting;
  predictor::Network network;
  std::shared_ptr<const KnownCosts> costs;  ///< of the network, where --costs or a calibration tells them
  std::string network_text;                 ///< where messages' costs are from, for people
  std::size_t runs = 0;                     ///< that the model was fitted to; 0: by hand
  std::vector<std::string> guesses;         ///< what the answer stands on and nobody said or measured
  std::vector<std::string> notes;
};

/// Whether iterations at different places of the loop cost differently, by more than a tenth.
bool is_uneven(const predictor::FarmModel& model);

/// The kind of time that an iteration costs: "of processor time", or "of wall time (...)" if its body waits
/// for a share of it.
std::string cost_kind_text(double waiting_share);

/// Reads the files and puts it together. Throws UsageError on bad input; with `is_strict` also where a
/// default would have to do.
Question read_question(const QuestionRequest& request);

/// Settles what messages cost in a question: as calibrated, as --costs says, by the rates of the hosts'
/// links, or by default, which is a guess. Throws UsageError where a default would have to do and
/// `is_strict`.
void choose_network(const QuestionRequest& request, Question& question);

/// What farms' messages cost: --costs, or --calibration and --fit. `has_costs` becomes true where the first
/// was given.
void describe_messages(CLI::App& app, CostsRequest& costs, bool& has_costs);

}  // namespace loadshare::tool
