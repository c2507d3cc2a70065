#include "apps/loadshare/calibration_run.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/loadshare/calibration_file.hpp"
#include "apps/loadshare/calibration_text.hpp"
#include "apps/loadshare/chunk_rates.hpp"
#include "apps/loadshare/message_sampling.hpp"
#include "apps/loadshare/mpi/collective_group.hpp"
#include "apps/loadshare/mpi/pair_link.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/timing.hpp"
#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "profiler/preload/mpi_setup.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/farm/rank_report.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/mpi/mpi_transport.hpp"

namespace loadshare::tool {
namespace {

using calibration::Calibration;
using calibration::MessageSeries;

/// The collective calls of the first so many ranks.
struct CollectivePlan {
  int ranks = 0;
  CollectiveOptions options;
};

constexpr Index most_bytes_together = Index{128} << 20;

CollectivePlan plan_of(const CalibrateOptions& options, int ranks) {
  CollectivePlan plan{ranks, options.collectives};
  if (plan.options.calls.empty()) plan.options.calls = collective_call_names();
  plan.options.max_bytes = std::min(plan.options.max_bytes, most_bytes_together / ranks);
  plan.options.min_bytes = std::min(plan.options.min_bytes, plan.options.max_bytes);
  return plan;
}

/// What `loadshare calibrate` measures among so many ranks: calls of 2, 4, 8 ... and of all of them. The
/// blocks of a call are 128 MiB together at most.
std::vector<CollectivePlan> collective_plans(const CalibrateOptions& options, int ranks) {
  if (!options.has_collectives || (options.collectives.calls.empty() && ranks == 2)) return {};
  std::vector<CollectivePlan> plans;
  for (int some = 2; some < ranks; some *= 2) plans.push_back(plan_of(options, some));
  plans.push_back(plan_of(options, ranks));
  return plans;
}

constexpr Bytes copies_of_a_message = 4;  // one at either end, and two in the buffer of buffered sends
constexpr Bytes blocks_a_partner = 2;     // one to send, one to receive
constexpr Bytes matrices = 3;

void require_blocks(const CalibrateOptions& options, int ranks, int ranks_here,
                    const std::filesystem::path& root) {
  Bytes most = 0;
  for (const CollectivePlan& plan : collective_plans(options, ranks)) {
    const auto members_here = static_cast<Bytes>(std::min(plan.ranks, ranks_here));
    most = std::max(most, multiply_bytes(members_here * static_cast<Bytes>(plan.ranks),
                                         static_cast<Bytes>(plan.options.max_bytes)));
  }
  require_memory(multiply_bytes(blocks_a_partner, most),
                 fmt::format("a collective call of {} ranks, {} of them here,", ranks, ranks_here),
                 "take a smaller --max-bytes, or --collectives none", root);
}

/// Nothing takes less than the clock tells, which is what a time becomes that is less.
bool is_clamped(const calibration::MessageTiming& message) {
  return std::min(message.sender_s, message.receiver_s) <= least_time_s;
}

Index clamped_among(std::span<const MessageSeries> measured) {
  Index count = 0;
  for (const MessageSeries& series : measured) count += std::ranges::count_if(series.messages, is_clamped);
  return count;
}

Index too_few_among(std::span<const MessageSeries> measured, Index repetitions) {
  return std::ranges::count_if(measured, [repetitions](const MessageSeries& series) {
    return std::ssize(series.messages) < repetitions;
  });
}

std::string messages_text(Index count) {
  return count_text(count, "message", "messages");
}

constexpr double forever_s = 1e9;
constexpr double share_for_bursts = 0.05;  // of a pair's time

void require_partners() {
  const Launch launch = detect_launch();
  if (launch.is_mpi && launch.ranks > 1) return;
  throw UsageError("there is no rank to send messages to",
                   launch.is_mpi ? "this run has 1 rank" : "it was not started by mpirun",
                   "start 2 ranks or more: mpirun -q -np 2 loadshare calibrate --out pair.json");
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
  void measure_bursts(MessageSender& sender, int receiver);
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
  launch.seed = options_.sampling.seed;
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
  const Index most_bytes = options_.sampling.most_size();
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
  MessageSender sender({0, receiver}, options_.sampling.most_size(), calibration_.launches.back().clock_s);
  Progress progress(
      progress_options_on_stderr(options_.progress, fmt::format("rank 0 to {}", receiver), "series"),
      write_stderr);
  SamplingOptions options = options_.sampling;
  options.budget_s *= 1 - share_for_bursts;
  MessageSampling sampling(options, sender, [&](Index done, Index all) {
    progress.update({monotonic_s(), done, all});
  });
  std::vector<calibration::MessageSeries> measured = sampling.run();
  note(receiver,
       sampling_notes(measured, options_.sampling,
                      {sampling.most_bytes(), sender.discarded().visits, sender.discarded().messages}));
  for (calibration::MessageSeries& series : measured) {
    series.launch = launch();
    series.receiver = receiver;
    calibration_.messages.push_back(std::move(series));
  }
  measure_bursts(sender, receiver);
  sender.end();
  progress.clear();
  calibration_.round_trips.push_back({launch(), 0, receiver, sender.round_trips_s()});
}

void CalibrationRun::measure_bursts(MessageSender& sender, int receiver) {
  const SamplingOptions& options = options_.sampling;
  for (calibration::BurstSeries& series : sample_bursts(
           sender, {.most_bytes = options.most_size(), .budget_s = share_for_bursts * options.budget_s})) {
    series.launch = launch();
    series.receiver = receiver;
    calibration_.bursts.push_back(std::move(series));
  }
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
  Progress progress(
      progress_options_on_stderr(options_.progress, fmt::format("{} ranks together", plan.ranks), "series"),
      write_stderr);
  CollectiveSampling sampling(plan.options, group, [&](Index done, Index all) {
    progress.update({monotonic_s(), done, all});
  });
  MeasuredCalls measured = sampling.run();
  if (const Index few = measured.count_below(plan.options.repetitions); few > 0)
    notes_.push_back(fmt::format(
        "{} ranks together: {} of {} calls and sizes were measured fewer than {} times: give more "
        "--collective-seconds",
        plan.ranks, few, measured.together.size() + measured.rooted.size(), plan.options.repetitions));
  const auto keep = [&](auto& from, auto& to) {
    for (auto& series : from) {
      series.launch = launch();
      series.ranks = plan.ranks;
      to.push_back(std::move(series));
    }
  };
  keep(measured.together, calibration_.collectives);
  keep(measured.rooted, calibration_.rooted_calls);
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
  const SamplingOptions& sampling = options_.sampling;
  for (int rank = 0; rank < transport_->ranks(); ++rank) {
    nlohmann::json times = nlohmann::json::array();
    if (transport_->rank() == rank)
      for (const ChunkTimes& width : tool::measure_chunks(
               *options_.kernel_size, {.repetitions = sampling.repetitions, .seed = sampling.seed}))
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

std::string kernel_release() {
  utsname name{};
  return uname(&name) == 0 ? std::string(name.sysname) + " " + name.release : "?";
}

calibration::Launch describe_launch(Transport& transport) {
  constexpr double forever_s = 1e9;
  const auto texts = transport.to_master(encode(describe_process(transport.rank())), forever_s);
  calibration::Launch launch;
  for (const std::string& text : texts) {
    const RankReport report = report_of_rank(static_cast<int>(launch.ranks.size()), text);
    launch.ranks.push_back({report.rank, report.host, report.cpus});
  }
  launch.begun = utc_text(std::time(nullptr));
  launch.transport = profile::mpi_settings();
  launch.asked_for = profile::mpi_settings_asked_for();
  launch.asked_for->erase("network");  // which nobody asks for
  launch.versions = transport.versions();
  launch.versions["loadshare"] = LOADSHARE_VERSION;
  launch.versions["system"] = kernel_release();
  return launch;
}

void require_memory_for(const CalibrateOptions& options, int ranks, int ranks_here,
                        const std::filesystem::path& root) {
  const Index largest = options.sampling.most_size();
  require_memory(multiply_bytes(copies_of_a_message, static_cast<Bytes>(largest)),
                 fmt::format("a pair with messages of {} bytes", largest),
                 options.sampling.sizes.empty() ? "take a smaller --max-bytes" : "take smaller --sizes",
                 root);
  require_blocks(options, ranks, ranks_here, root);
  if (!options.kernel_size) return;
  const auto size = static_cast<Bytes>(*options.kernel_size);
  require_memory(matrices * size * size * sizeof(double), fmt::format("a product of {0} x {0}", size),
                 "take a smaller --kernel-size", root);
}

std::vector<std::string> sampling_notes(std::span<const MessageSeries> measured,
                                        const SamplingOptions& options, const LeftOut& left_out) {
  std::vector<std::string> notes;
  if (left_out.most_bytes < options.most_size())
    notes.push_back(
        fmt::format("{:g} seconds are too short for messages of more than {} bytes, which were left out: "
                    "give more --seconds",
                    options.budget_s, grouped_text(left_out.most_bytes)));
  if (const Index few = too_few_among(measured, options.repetitions); few > 0)
    notes.push_back(fmt::format("{} of {} kinds and sizes have fewer than {}: give more --seconds", few,
                                measured.size(), messages_text(options.repetitions)));
  if (left_out.visits > 0)
    notes.push_back(
        fmt::format("{} of messages were repeated because one of the two ranks had lost its processor",
                    count_text(left_out.visits, "series", "series")));
  if (left_out.messages > 0)
    notes.push_back(fmt::format("{} left out because the receive was posted too early",
                                messages_text(left_out.messages)));
  if (const Index clamped = clamped_among(measured); clamped > 0)
    notes.push_back(
        fmt::format("{} took less than the clock can measure: recorded as 1 ns", messages_text(clamped)));
  return notes;
}

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
