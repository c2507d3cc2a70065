#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "models/messages/collective_model.hpp"
#include "models/messages/message_model.hpp"

namespace loadshare::calibration {

/// How MPI was set up on hosts of some names, by the settings of its ways and `mpi`, its version. By another
/// `network` hosts of the same names are others.
using MpiSetup = std::map<std::string, std::string>;

/// Where a rank ran.
struct RankPlace {
  int rank = 0;
  std::string host;
  std::vector<int> cpus;

  bool operator==(const RankPlace&) const = default;
};

/// One start of the ranks under mpirun. Times differ more from launch to launch than within one, so every
/// series knows its own.
struct Launch {
  std::string begun;  ///< "2026-01-31T12:00:00Z"
  double seconds = 0;
  std::vector<RankPlace> ranks;                 ///< by rank
  MpiSetup transport;                           ///< MPI's settings for its ways through the network, by name
  std::map<std::string, std::string> versions;  ///< of loadshare, MPI and the kernel
  Index seed = 0;                               ///< of sizes and order
  double clock_s = 0;  ///< what a look at the clock costs; it is taken off the messages' times
  /// What of `transport` mpirun or the environment asked for, in their words; nothing: not known.
  std::optional<MpiSetup> asked_for{};
};

/// One message of a series; see communication::MessageSample.
struct MessageTiming {
  double sender_s = 0;
  double receiver_s = 0;
  bool has_waited = false;
};

/// Messages of one kind and size from one rank to another, in the order in which they were sent.
struct MessageSeries {
  std::size_t launch = 0;
  int sender = 0;
  int receiver = 0;
  communication::SendMode mode = communication::SendMode::standard;
  communication::ReceivePosted posted = communication::ReceivePosted::before;
  Index bytes = 0;
  std::vector<MessageTiming> messages;
};

/// Empty messages there and back again between two ranks.
struct RoundTrips {
  std::size_t launch = 0;
  int sender = 0;
  int receiver = 0;
  std::vector<double> seconds;
};

/// Messages of one size from one rank to another, one behind the other, that nobody answered.
struct BurstSeries {
  std::size_t launch = 0;
  int sender = 0;
  int receiver = 0;
  Index bytes = 0;
  Index messages = 0;           ///< of a burst
  std::vector<double> seconds;  ///< from when a burst's first message had come until its last one had
};

/// A collective call of the first so many ranks, from when the last of them began it until all had ended it.
struct CollectiveSeries {
  std::size_t launch = 0;
  std::string call;
  int ranks = 0;
  Index bytes = 0;  ///< see communication::CollectiveCosts
  std::vector<double> seconds;
};

/// A collective call with a root, rank 0, of the first so many ranks, whose members leave one by one. A list
/// a repetition, by rank, in seconds since the first of them began.
struct RootedSeries {
  std::size_t launch = 0;
  std::string call;
  int ranks = 0;
  Index bytes = 0;  ///< see communication::CollectiveCosts
  std::vector<std::vector<double>> begun_s;
  std::vector<std::vector<double>> ended_s;
};

/// How long a rank's processor computes a chunk: so many columns of a square matrix product.
struct ChunkSeries {
  std::size_t launch = 0;
  int rank = 0;
  std::string kernel;
  Index size = 0;  ///< of the matrix
  Index columns = 0;
  std::vector<double> seconds;

  double operations() const {
    return 2.0 * static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(columns);
  }
};

/// What messages, collective calls and chunks cost on some hosts, as `loadshare calibrate` measures it: all
/// samples, raw.
struct Calibration {
  static constexpr int schema = 1;

  std::vector<Launch> launches;
  std::vector<MessageSeries> messages;
  std::vector<RoundTrips> round_trips;
  std::vector<BurstSeries> bursts;
  std::vector<CollectiveSeries> collectives;
  std::vector<RootedSeries> rooted_calls;
  std::vector<ChunkSeries> chunks;
};

/// Two ranks of which one sent and the other received.
struct Pair {
  int sender = 0;
  int receiver = 0;

  auto operator<=>(const Pair&) const = default;
};

/// Every pair that was measured, in order.
std::vector<Pair> pairs_of(const Calibration& calibration);

/// All messages of one pair, of all launches, for a fit.
std::vector<communication::MessageSample> samples_of(const Calibration& calibration, const Pair& pair);

/// How far apart messages of bursts came, in seconds over bytes.
std::vector<communication::Sample> gaps_of(const Calibration& calibration, const Pair& pair);

/// How the ranks of a collective call lie on hosts; anything between the two is neither.
enum class Spread { one_host, a_host_each };

/// Whether the ranks of a series of calls lie so.
bool lie_so(const Calibration& calibration, std::size_t launch, int ranks, Spread spread);
bool lie_so(const Calibration& calibration, const auto& series, Spread spread) {
  return lie_so(calibration, series.launch, series.ranks, spread);
}

/// The collective calls of ranks that lie so, of all launches, for a fit.
std::vector<communication::CollectiveSample> collective_samples_of(const Calibration& calibration,
                                                                   Spread spread);

/// The same of calls with a root; of all, where no spread is given.
std::vector<communication::RootedSample> rooted_samples_of(const Calibration& calibration,
                                                           std::optional<Spread> spread = {});

/// Whether the two ranks of a pair ran on one host, and so share its memory.
bool share_host(const Calibration& calibration, const Pair& pair);

/// What tells one launch's hosts from another's, in words ("rank 1 is on n2, and was on n1"); empty: nothing.
std::string host_difference(const Launch& before, const Launch& now);

/// By what messages of one launch go another way than those of another on the same hosts, in words: MPI's
/// version, its settings for its ways through the network, or how ranks are bound to processors. Their times
/// do not belong into one fit. Empty: nothing.
std::string ways_difference(const Launch& before, const Launch& now);

MpiSetup setup_of(const Launch& launch);

/// What of a run's set-up differs from that of a calibration's launch, in words; empty: nothing. `run` holds
/// what was asked for, which is compared with what was asked for there; what nobody asked for is taken to be
/// the same. Where messages stay on one host its network does not count.
std::string setup_difference(const Launch& launch, const MpiSetup& run);

/// A run of any program, where its ranks were, and how MPI was set up for it.
struct RunPlace {
  std::string name;
  std::vector<std::string> hosts;  ///< by rank
  MpiSetup mpi;                    ///< what was asked for; empty: the run does not tell
};

/// What tells the hosts of runs, and how MPI was set up there, from those of a calibration's launch, a note
/// each that ends with what follows from it.
std::vector<std::string> notes_on_setup(const Launch& launch, const std::vector<RunPlace>& runs,
                                        std::string_view consequence);

/// The runs of which several ranks were on one host.
std::vector<std::string> with_shared_hosts(const std::vector<RunPlace>& runs);

}  // namespace loadshare::calibration
