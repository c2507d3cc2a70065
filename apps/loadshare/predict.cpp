#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/loadshare/command.hpp"
#include "apps/loadshare/long_answer.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/prediction_text.hpp"
#include "apps/loadshare/question.hpp"
#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"
#include "models/farm/prediction.hpp"
#include "runtime/farm/options.hpp"
#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/load/load_spec.hpp"
#include "schedulers/table.hpp"

namespace loadshare::tool {
namespace {

using predictor::ChunkBytes;
using predictor::Prediction;

/// `loadshare predict`: what techniques would make of a loop on some hosts, before any of it is run.
struct FarmPredictRequest {
  QuestionRequest question;
  std::vector<std::string> schedulers;  ///< specs; none: those worth trying
  std::string replicates = "30";
  bool asks_how_many = false;  ///< hosts to take: also by the number of the hosts
  bool shows_all = false;      ///< every scheduler in the table
  FigureFiles outputs;         ///< its plot is the chosen technique's Gantt chart
};

constexpr const char* stdin_word = "-";

/// Several techniques may follow one --scheduler, and so may the files of runs. A word that names no
/// technique counts as a file if it exists, has the form of a path or stands for stdin.
void give_back_files(std::vector<std::string>& schedulers, std::vector<std::string>& runs) {
  const SchedulerTable table = built_in_schedulers();
  const auto is_run = [&table](const std::string& word) {
    std::error_code failure;
    return !table.has_technique(word) && (word == stdin_word || word.find_first_of("/.") < word.find(':') ||
                                          std::filesystem::exists(word, failure));
  };
  const auto first = std::stable_partition(schedulers.begin(), schedulers.end(), std::not_fn(is_run));
  runs.insert(runs.end(), first, schedulers.end());
  schedulers.erase(first, schedulers.end());
  std::ranges::replace(runs, std::string(stdin_word), std::string("/dev/stdin"));
}

constexpr Index most_replicates = 10'000;
constexpr std::size_t most_chunks_shown = 20'000;  // of a picture

/// What takes from a worker's processor until `end_s`.
std::vector<LoadPhase> load_phases(const predictor::Availability& load, double end_s) {
  std::vector<LoadPhase> phases;
  if (load.is_whole()) return phases;
  for (double from_s = 0; from_s < end_s && phases.size() < most_chunks_shown;) {
    const double to_s = std::min(end_s, load.next_change_s(from_s));
    if (const double share = 1 - load.rate_at(from_s); share > 0) phases.push_back({from_s, to_s, share});
    from_s = to_s;
  }
  return phases;
}

/// Of the chunks' data, there and back.
std::vector<double> message_sizes(const ChunkBytes& bytes, const std::vector<ChunkRecord>& chunks) {
  std::vector<double> sizes;
  for (const ChunkRecord& chunk : chunks)
    for (const double each : {bytes.input_each, bytes.result_each})
      sizes.push_back(each * static_cast<double>(chunk.chunk.size));
  return sizes;
}

/// Returns whether `chunks` cover the whole loop.
bool are_all(const std::vector<ChunkRecord>& chunks, Index iterations) {
  Index covered = 0;
  for (const ChunkRecord& chunk : chunks)
    if (!chunk.is_duplicate) covered += chunk.chunk.size;
  return covered == iterations;
}

/// The scheduler that a user has without the recommendation: that of the last run, or the default one.
/// Nothing if it cannot be simulated on these hosts.
std::optional<Reference> usual_reference(const Question& question, const FarmPrediction& all,
                                         const predictor::Predictor& predictor, const SchedulerTable& table) {
  const std::string& recorded = question.recorded_scheduler;
  const bool is_recorded = table.has_technique(recorded.substr(0, recorded.find(':')));
  const std::string spec = is_recorded ? recorded : FarmOptions().scheduler;
  const std::string name = spec + (is_recorded ? ", the scheduler of the last run" : ", the default");
  try {
    const auto found = std::ranges::find(all.predictions, table.parse(spec).text(), &Prediction::scheduler);
    if (found != all.predictions.end()) return Reference{*found, name};
    return Reference{predictor.predict(spec), name};
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

/// The best one that is not level with the chosen one.
std::optional<Reference> next_reference(const FarmPrediction& all) {
  const Prediction* next = nullptr;
  for (std::size_t i = 0; i < all.predictions.size(); ++i) {
    const Prediction& one = all.predictions[i];
    if (std::ranges::find(all.choice.level, i) != all.choice.level.end()) continue;
    if (next == nullptr || one.makespan_s < next->makespan_s) next = &one;
  }
  if (next == nullptr) return std::nullopt;
  return Reference{*next, next->scheduler + ", the next"};
}

FarmPrediction answer_to(const Question& question, const FarmPredictRequest& request,
                         predictor::RunCount& simulated) {
  const Index replicates = whole_number("--replicates", request.replicates, 1, most_replicates);
  const SchedulerTable table = built_in_schedulers();
  for (const std::string& spec : request.schedulers) table.parse(spec);
  const int cores = granted_cores();
  const double begun_s = monotonic_s();
  const predictor::Predictor predictor(
      table,
      [&question](std::uint64_t replicate) {
        return make_scenario(question.model, question.setting, question.network, replicate);
      },
      has_chance(question.model, question.setting, question.network) ? static_cast<std::size_t>(replicates)
                                                                     : 1,
      cores, &simulated);
  FarmPrediction all;
  all.predictions = request.schedulers.empty()
                        ? predictor.race(table.candidates(facts_of(predictor.middle())))
                        : predictor.predict(request.schedulers);
  all.choice = predictor::choose(all.predictions, table);
  all.is_of_named = !request.schedulers.empty();
  all.shows_all = all.is_of_named || request.shows_all;
  all.reference = all.is_of_named ? next_reference(all) : usual_reference(question, all, predictor, table);
  if (request.question.changes.is_any() || !request.question.changes.journal.empty())
    all.without = predictor::predict_without_changes(question.model, question.setting, question.network,
                                                     table, all.predictions[all.choice.chosen].scheduler,
                                                     static_cast<std::size_t>(replicates), cores, &simulated);
  if (!request.outputs.json.empty() || !request.outputs.plot.empty() || question.costs)
    all.chunks = predictor.chunks(all.predictions[all.choice.chosen], most_chunks_shown + 1);
  all.are_all_chunks =
      all.chunks.size() <= most_chunks_shown && are_all(all.chunks, question.model.iterations());
  if (all.chunks.size() > most_chunks_shown) all.chunks.pop_back();
  if (question.costs)
    all.unmeasured_sizes =
        unmeasured_sizes(*question.costs, message_sizes(predictor.middle().bytes, all.chunks));
  double end_s = 0;
  for (const ChunkRecord& chunk : all.chunks) end_s = std::max(end_s, chunk.returned_s);
  for (const predictor::WorkerModel& worker : predictor.middle().workers)
    all.load_phases.push_back(load_phases(worker.load, end_s));
  if (request.asks_how_many)
    all.host_counts = predictor::predict_host_counts(question.model, question.setting, question.network,
                                                     table, request.schedulers,
                                                     static_cast<std::size_t>(replicates), cores, &simulated);
  all.seconds = monotonic_s() - begun_s;
  return all;
}

/// No line that another line of the answer refutes: throws Error where there is one, which is a bug of ours.
void require_agreement(const FarmPrediction& all) {
  std::string found = predictor::contradiction_in(all.predictions, all.choice);
  const Prediction& chosen = all.predictions[all.choice.chosen];
  if (found.empty() && all.are_all_chunks && !all.chunks.empty())
    if (const double end_s = all.chunks.back().returned_s; end_s < chosen.low_s || end_s > chosen.high_s)
      found = fmt::format("the picture ends after {} s", end_s);
  if (!found.empty())
    throw Error(ExitCode::run_failed, "the prediction contradicts itself", found,
                "this is a mistake of loadshare: please report it with the command");
}

/// Prints the table (to stderr where stdout is for the JSON), writes what was asked for. A chart is drawn by
/// python, which this process then goes on as. Throws UsageError on bad input.
ExitCode predict_farm(const FarmPredictRequest& request) {
  if (request.asks_how_many && request.question.changes.is_any())
    throw UsageError("--how-many cannot be combined with hosts that join or leave",
                     "it counts hosts that stay for the whole run", "leave out one of the two");
  const QuestionRequest& asked = request.question;
  require_outputs(request.outputs, asked.runs,
                  {{"--hosts", asked.hosts},
                   {"--calibration", asked.costs.calibration},
                   {"--changes", asked.changes.file},
                   {"--load", load_trace_file(asked.load)}});
  predictor::RunCount simulated = 0;
  std::optional<LongAnswer> waiting;
  waiting.emplace("predicting", [&simulated] {
    return simulated == 0
               ? ""
               : count_text(static_cast<Index>(simulated.load()), "run simulated", "runs simulated");
  });
  Question question = read_question(request.question);
  const FarmPrediction prediction = answer_to(question, request, simulated);
  waiting.reset();
  if (!prediction.unmeasured_sizes.empty()) question.notes.push_back(prediction.unmeasured_sizes);
  require_agreement(prediction);
  answer(request.outputs, "the prediction", farm_prediction_text(question, prediction),
         farm_prediction_json(question, prediction), "gantt-plot");
  return ExitCode::good;
}

class Predict final : public Command {
 public:
  void describe(CLI::App& app) override {
    describe_loop(app);
    describe_hosts(app);
    describe_changes(app);
    describe_messages(app, request_.question.costs, request_.question.has_costs);
    const auto add = [&app](const char* name, auto& word, const char* type, const char* text) {
      return app.add_option(name, word, text)->type_name(type);
    };
    add("--scheduler", request_.schedulers, "SPEC", "schedulers to predict (those worth trying)");
    add("--replicates", request_.replicates, "N",
        "simulated runs of each, with random load phases and deviations")
        ->capture_default_str();
    add("--plot", request_.outputs.plot, "FILE.svg|.png",
        "draw the run of the recommended scheduler as a Gantt chart");
    add("--json", request_.outputs.json, "FILE|-", "write it as JSON; - writes only the JSON, to stdout");
    app.add_flag("--all", request_.shows_all, "show all schedulers in the table, not only the best five");
    app.add_flag("--strict", request_.question.is_strict, "fail instead of assuming defaults");
  }

  ExitCode run() override {
    give_back_files(request_.schedulers, request_.question.runs);
    return predict_farm(request_);
  }

 private:
  void describe_loop(CLI::App& app) {
    QuestionRequest& loop = request_.question;
    const auto add = [&app](const char* name, std::string& word, const char* type, const char* text) {
      return app.add_option(name, word, text)->type_name(type);
    };
    app.add_option("RUN", loop.runs,
                   "files of the loop's records (written by --json), or sweeps' folders; - is stdin")
        ->type_name("FILE");
    add("--iterations", loop.iterations, "N",
        "number of iterations: without records, or in place of the recorded number");
    add("--cost", loop.cost, "TIME",
        "without records: time of an iteration on a processor of speed 1, as 1ms");
    add("--input-bytes", loop.input_bytes, "N", "without records: bytes of input per iteration")
        ->capture_default_str();
    add("--result-bytes", loop.result_bytes, "N", "without records: bytes of results per iteration")
        ->capture_default_str();
    add("--shared-bytes", loop.shared_bytes, "N", "size of the broadcast input, if no record gives it")
        ->capture_default_str();
  }

  void describe_hosts(CLI::App& app) {
    QuestionRequest& hosts = request_.question;
    const auto add = [&app](const char* name, std::string& word, const char* type, const char* text) {
      return app.add_option(name, word, text)->type_name(type);
    };
    add("--hosts", hosts.hosts, "HOSTS",
        "a lab file, a file of loadshare survey, or processors as COUNTxSPEED: 6x0.1,3x0.3 (the last run's)");
    add("--master", hosts.master, "MODE", "whether the master also computes: works or coordinates");
    add("--master-rank", hosts.master_rank, "RANK", "position of the master in the list of hosts, from 0");
    add("--prefetch", hosts.prefetch, "N", "chunks queued at a worker beyond the one it computes");
    add("--load", hosts.load, "SPEC", "background load, as for --load of matmul, or none");
    app.add_flag("--how-many", request_.asks_how_many,
                 "also predict fewer hosts (the first of the list, and the master's): how many are enough");
    app.add_flag("--reissue", hosts.reissue, "near the end, send unfinished chunks to idle workers as well");
  }

  void describe_changes(CLI::App& app) {
    ChangesRequest& request = request_.question.changes;
    const auto add = [&app](const char* name, auto& word, const char* type, const char* text) {
      app.add_option(name, word, text)->type_name(type)->allow_extra_args(false);
    };
    add("--leave", request.leave, "WHO@TIME",
        "host=NAME, host=3 or rank=2 leaves at that time, after its current chunk");
    add("--lose", request.lose, "WHO@TIME",
        "it is lost at that time: its unfinished chunks are computed again");
    add("--join", request.join, "HOSTS@TIME", "hosts join at that time: 2x1@60s or fast=2@1min");
    add("--changes", request.file, "FILE.yaml",
        "read all these changes from a file (experiments/changes.schema.json)");
    add("--journal", request.journal, "TIME|recorded",
        "time to journal one iteration's result, or recorded: as in the runs");
  }

  FarmPredictRequest request_;
};

}  // namespace

std::unique_ptr<Command> make_predict_command() {
  return std::make_unique<Predict>();
}

}  // namespace loadshare::tool
