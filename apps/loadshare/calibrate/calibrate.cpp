#include "apps/loadshare/calibrate/calibrate.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/loadshare/calibrate/chunk_rates.hpp"
#include "apps/loadshare/calibrate/collective_plan.hpp"
#include "apps/loadshare/calibrate/launch_facts.hpp"
#include "apps/loadshare/calibrate/memory.hpp"
#include "apps/loadshare/calibrate/message_survey.hpp"
#include "apps/loadshare/calibrate/mpi/collective_group.hpp"
#include "apps/loadshare/calibrate/mpi/message_receiver.hpp"
#include "apps/loadshare/calibrate/mpi/message_sender.hpp"
#include "apps/loadshare/calibrate/survey_notes.hpp"
#include "apps/loadshare/calibrate/timing.hpp"
#include "apps/loadshare/calibration/calibration_text.hpp"
#include "apps/loadshare/calibration/file.hpp"
#include "apps/loadshare/metrics/wording.hpp"
#include "apps/loadshare/output.hpp"
#include "models/calibration/ways_difference.hpp"
#include "runtime/farm/agreement.hpp"
#include "runtime/farm/launch.hpp"
#include "runtime/timing/clock.hpp"
#include "runtime/timing/output_path.hpp"
#include "runtime/timing/terminal.hpp"
#include "runtime/transport/mpi/mpi_transport.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {
namespace {

using calibration::Calibration;

constexpr double forever_s = 1e9;

void require_partners() {
  const Launch launch = detect_launch();
  if (launch.is_mpi && launch.ranks > 1) return;
  throw UsageError("there is nobody to send to",
                   launch.is_mpi ? "this is a run of 1 rank" : "this is no run under mpirun",
                   "start 2 ranks or more: mpirun -q -np 2 loadshare calibrate --out pair.json");
}

ProgressOptions progress_options(ProgressMode mode, const std::string& what) {
  constexpr int usual_width = 80;
  return {settled(mode, terminal_facts()), what, "series", terminal_width(STDERR_FILENO, usual_width)};
}

/// One launch of the ranks, as one of them takes part in it; the calibration grows on rank 0.
class CalibrationRun final {
 public:
  explicit CalibrationRun(const CalibrateOptions& options)
      : options_(options), transport_(make_mpi_transport({})), begun_s_(monotonic_s()) {}

  void open();
  void measure_messages();
  void measure_collectives();
  void measure_chunks();
  void close();

 private:
  bool is_master() const { return transport_->is_master(); }
  std::size_t launch() const { return calibration_.launches.size() - 1; }
  /// All ranks come here; those with nothing to do wait without burning their processors.
  void meet() { transport_->from_master({}); }
  void require_same_ways(const calibration::Launch& now) const;
  int last_partner() const;
  void send_to(int receiver);
  void lead(CollectiveGroup& group, const CollectivePlan& plan);
  void note(int receiver, const std::vector<std::string>& notes);
  void keep_chunks(int rank, const std::string& text);

  const CalibrateOptions& options_;
  std::unique_ptr<Transport> transport_;
  double begun_s_;
  Calibration calibration_;
  std::vector<std::string> notes_;
};

/// One fit is made of all launches.
void CalibrationRun::require_same_ways(const calibration::Launch& now) const {
  const calibration::Launch& before = calibration_.launches.front();
  std::string difference = host_difference(before, now);
  if (difference.empty()) difference = ways_difference(before, now);
  if (!difference.empty())
    throw UsageError(fmt::format("cannot append to {}", options_.out), difference, "give another --out FILE");
}

void CalibrationRun::open() {
  calibration::Launch launch = describe_launch(*transport_);
  launch.seed = options_.survey.seed;
  launch.clock_s = measure_clock_s();
  do_on_master(*transport_, [&] {
    require_memory_for(options_, transport_->ranks(), transport_->local_ranks());
    require_writable(options_.out, "the calibration");
    if (options_.old_file == OldFile::continued) {
      calibration_ = read_calibration(options_.out);
      require_same_ways(launch);
    }
    calibration_.launches.push_back(std::move(launch));
  });
}

void CalibrationRun::measure_messages() {
  const Index most_bytes = options_.survey.most_size();
  for (int receiver = 1; receiver <= last_partner(); ++receiver) {
    if (is_master())
      send_to(receiver);
    else if (transport_->rank() == receiver)
      MessageReceiver({0, receiver}, most_bytes).serve();
    meet();
  }
}

int CalibrationRun::last_partner() const {
  const Index others = transport_->ranks() - 1;
  return static_cast<int>(std::min(options_.partners.value_or(others), others));
}

void CalibrationRun::send_to(int receiver) {
  MessageSender sender({0, receiver}, options_.survey.most_size(), calibration_.launches.back().clock_s);
  Progress progress(progress_options(options_.progress, fmt::format("rank 0 to {}", receiver)), write_stderr);
  MessageSurvey survey(options_.survey, sender, [&](Index done, Index all) {
    progress.update({monotonic_s(), done, all});
  });
  std::vector<calibration::MessageSeries> measured = survey.run();
  note(receiver, survey_notes(measured, options_.survey,
                              {survey.most_bytes(), sender.discarded().visits, sender.discarded().messages}));
  for (calibration::MessageSeries& series : measured) {
    series.launch = launch();
    series.receiver = receiver;
    calibration_.messages.push_back(std::move(series));
  }
  sender.end();
  progress.clear();
  calibration_.round_trips.push_back({launch(), 0, receiver, sender.round_trips_s()});
}

void CalibrationRun::measure_collectives() {
  for (const CollectivePlan& plan : collective_plans(options_, transport_->ranks())) {
    if (transport_->rank() < plan.ranks) {
      // Who is on rank 0's host shares its clock, and is ahead by nothing at all.
      CollectiveGroup group(plan.ranks, transport_->clock_offset_s() != 0);
      is_master() ? lead(group, plan) : group.serve();
    }
    meet();
  }
}

void CalibrationRun::lead(CollectiveGroup& group, const CollectivePlan& plan) {
  Progress progress(progress_options(options_.progress, fmt::format("{} ranks together", plan.ranks)),
                    write_stderr);
  CollectiveSurvey survey(plan.options, group, [&](Index done, Index all) {
    progress.update({monotonic_s(), done, all});
  });
  std::vector<calibration::CollectiveSeries> measured = survey.run();
  const auto few = std::ranges::count_if(measured, [&plan](const calibration::CollectiveSeries& series) {
    return std::ssize(series.seconds) < plan.options.repetitions;
  });
  if (few > 0)
    notes_.push_back(
        fmt::format("{} ranks together: {} of {} calls and sizes have fewer than {} repetitions: give more "
                    "--collective-seconds",
                    plan.ranks, few, measured.size(), plan.options.repetitions));
  for (calibration::CollectiveSeries& series : measured) {
    series.launch = launch();
    series.ranks = plan.ranks;
    calibration_.collectives.push_back(std::move(series));
  }
  group.end();
  progress.clear();
}

void CalibrationRun::note(int receiver, const std::vector<std::string>& notes) {
  for (const std::string& note : notes)
    notes_.push_back(fmt::format("rank 0 to rank {}: {}", receiver, note));
}

/// One rank after the other: those of one host share what lies between its processors and its memory.
void CalibrationRun::measure_chunks() {
  if (!options_.kernel_size) return;
  const SurveyOptions& survey = options_.survey;
  for (int rank = 0; rank < transport_->ranks(); ++rank) {
    nlohmann::json times = nlohmann::json::array();
    if (transport_->rank() == rank)
      for (const ChunkTimes& width : tool::measure_chunks(
               *options_.kernel_size, {.repetitions = survey.repetitions, .seed = survey.seed}))
        times.push_back({width.columns, width.seconds});
    const std::vector<std::string> texts = transport_->to_master(times.dump(), forever_s);
    if (is_master()) keep_chunks(rank, texts[static_cast<std::size_t>(rank)]);
    meet();
  }
}

void CalibrationRun::keep_chunks(int rank, const std::string& text) {
  for (const auto& width : nlohmann::json::parse(text))
    calibration_.chunks.push_back({launch(), rank, "packed", *options_.kernel_size, width[0].get<Index>(),
                                   width[1].get<std::vector<double>>()});
}

void CalibrationRun::close() {
  do_on_master(*transport_, [this] {
    calibration_.launches.back().seconds = monotonic_s() - begun_s_;
    write_calibration(options_.out, calibration_);
    print(calibration_text(calibration_));
    if (!notes_.empty()) print("\n" + notes_text(notes_));
    finish_printing();
  });
}

}  // namespace

void calibrate(const CalibrateOptions& options) {
  require_partners();
  CalibrationRun run(options);
  run.open();
  run.measure_messages();
  run.measure_collectives();
  run.measure_chunks();
  run.close();
}

}  // namespace loadshare::tool
