#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "models/farm/observations.hpp"
#include "models/farm/prediction.hpp"
#include "runtime/records/records.hpp"
#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare::predictor {

using MakeScheduler = decltype(SchedulerEntry::make);

/// `auto` as an entry of a table of techniques; `make` makes it (AutoScheduler).
SchedulerEntry auto_entry(MakeScheduler make);

/// What farm applications take for --scheduler, for who reads specs only: here `auto` cannot be made.
SchedulerTable farm_schedulers();

/// The share of the predicted makespan that choosing may take, as a spec of `auto` says; throws UsageError
/// where that is too much.
double choosing_budget(const SchedulerSpec& spec);

/// Chooses technique and parameter by itself, and runs on meanwhile: `steady` begins, which needs no
/// parameter. Once the workers' speeds are known, and then each time that half of the rest is given or half
/// as many workers as there were have come or gone, the predictor runs every candidate over what is left in
/// virtual time, and one that is foreseen to end clearly earlier takes over. Where a run is too short to
/// choose in, it stays as it began.
///
/// Where an earlier run is known, it looks before the first chunk, by what that run tells, and until this one
/// tells as much.
///
/// Choosing takes at most `budget` of the predicted run, as the clock that is handed in says: candidates that
/// there is no time for are left out, each technique's first ones are tried first.
class AutoScheduler final : public ChunkScheduler {
 public:
  struct Parameters {
    double budget = 0.01;  ///< share of the predicted makespan
    Observations::Farm farm = {};
    /// Of the same loop by the same workers; nothing: none is known.
    std::shared_ptr<const RunRecord> earlier = {};
    /// Where hosts alone are known, by worker number, in any unit; 0 or none: not known.
    std::vector<double> speeds = {};
  };
  /// `clock`: seconds from any instant, by which choosing is measured. `record` receives the choice when it
  /// is made, and when it is made again. Both must outlive this.
  AutoScheduler(const SchedulerTable& candidates, const LoopFacts& loop, const Parameters& parameters,
                std::function<double()> clock, ChoiceRecord& record);

  Cut next(const Request& request) override;
  void assigned(WorkerId worker, Chunk chunk) override;
  void reclaimed(WorkerId worker, Chunk chunk) override;
  void completed(const ChunkTimes& times) override;
  void joined(WorkerId worker, const WorkerFacts& facts) override;
  void left(WorkerId worker) override;
  Learned learned() const override { return current_->learned(); }

 private:
  /// What a technique that takes over must be told of a worker.
  struct Member {
    std::optional<WorkerFacts> facts;  // nothing: it is not here, or nobody said that it is
    std::vector<Chunk> held;
    bool has_left = false;
  };
  struct Look;

  void take_speeds();
  void begin_as_known();
  const Observations& basis() const;
  Index present() const;
  bool has_farm_changed() const;
  void leave_out_who_left(Look& look) const;
  bool wants_to_look(Index remaining) const;
  void look(Index remaining, double now_s);
  void judge(const Look& look, std::vector<Prediction> tried);
  std::vector<std::string> specs(const LoopFacts& rest) const;
  std::optional<double> makespan_s(const Look& look, const Scenario& scenario, const std::string& spec,
                                   std::uint64_t round) const;
  std::vector<Prediction> predictions(const Look& look) const;
  void add_scattered(const Look& look, std::vector<Prediction>& tried) const;
  void hand_over(const std::string& spec, const LoopFacts& rest);
  Member& member(WorkerId worker);
  void let_go(WorkerId worker, Chunk chunk);

  const SchedulerTable& table_;
  LoopFacts loop_;
  Parameters parameters_;
  std::function<double()> clock_;
  ChoiceRecord& record_;
  Observations observations_;
  std::optional<Observations> earlier_;
  std::vector<Member> members_;
  std::optional<double> begun_s_;            // by the dispatcher's clock
  std::optional<Index> looked_at_;           // iterations that remained then
  Index present_then_ = 0;                   // workers that were here; 0: nobody said
  std::unique_ptr<ChunkScheduler> current_;  // by record_.scheduler
};

}  // namespace loadshare::predictor
