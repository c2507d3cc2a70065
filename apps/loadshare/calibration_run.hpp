#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/loadshare/collective_sampling.hpp"
#include "apps/loadshare/message_sampling.hpp"
#include "models/messages/calibration.hpp"
#include "program/memory_check.hpp"
#include "runtime/records/progress.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare::tool {

/// Where this launch's ranks are and with what they run, on the master; elsewhere an empty one. Collective.
calibration::Launch describe_launch(Transport& transport);

/// "Linux 6.1.0-18-amd64".
std::string kernel_release();

/// What is done with a calibration file that is there already.
enum class OldFile { replaced, continued };

/// `loadshare calibrate`.
struct CalibrateOptions {
  std::string out;
  OldFile old_file = OldFile::replaced;
  SamplingOptions sampling;
  std::optional<Index> partners;  ///< how many ranks rank 0 sends to; nothing: all others
  /// Without calls: all there are, in a run of three ranks or more; of two the pair's messages tell it all.
  CollectiveOptions collectives;
  bool has_collectives = true;
  std::optional<Index> kernel_size = 720;  ///< of the matrix; nothing: no chunks are computed
  ProgressMode progress = ProgressMode::automatic;
};

/// Measures what messages from rank 0 to every other rank cost, one pair after the other, then what
/// collective calls of several ranks cost, and then what chunks cost on each rank; writes the calibration
/// file and prints what is in it. To be called by every rank of an MPI run; throws UsageError where there are
/// fewer than two, or outside one.
void calibrate(const CalibrateOptions& options);

/// Throws UsageError where a pair on this host cannot have the memory that its messages take, a rank of so
/// many that of its collective calls, or a rank that of the matrices. To be called before any of it is taken.
void require_memory_for(const CalibrateOptions& options, int ranks, int ranks_here,
                        const std::filesystem::path& root = "/");

/// What a pair's sampling did not keep.
struct LeftOut {
  Index most_bytes = 0;  ///< the largest messages there was time for
  Index visits = 0;      ///< in which one of the two lost its processor
  Index messages = 0;    ///< whose receive was posted before they began, and should have been after
};

/// What a person should know who uses the pair's samples, a sentence each; none where all is as asked.
std::vector<std::string> sampling_notes(std::span<const calibration::MessageSeries> measured,
                                        const SamplingOptions& options, const LeftOut& left_out);

}  // namespace loadshare::tool
