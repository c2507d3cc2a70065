#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/loadshare/fitted_model.hpp"
#include "models/messages/calibration.hpp"
#include "models/messages/message_model.hpp"
#include "models/messages/rooted_model.hpp"

namespace loadshare::tool {

/// Of how many times, and where their middle and nine of ten of them lie.
struct TimeSummary {
  double median_s = 0;
  double low_s = 0;  ///< the 5th percentile
  double high_s = 0;
};

/// What was measured of one kind of messages, of all launches.
struct KindSummary {
  communication::SendMode mode;
  communication::ReceivePosted posted;

  struct Size {
    Index bytes = 0;
    std::size_t messages = 0;
    TimeSummary sender;
    TimeSummary receiver;
    double waited_share = 0;  ///< of the sends
  };
  std::vector<Size> sizes;  ///< in order

  std::size_t messages() const;
};

/// What was measured of one collective call of so many ranks, of all launches.
struct CallSummary {
  int ranks = 0;
  std::string call;

  struct Size {
    Index bytes = 0;
    std::size_t calls = 0;
    TimeSummary time = {};                                ///< of calls whose ranks leave together
    std::vector<communication::MemberTime> by_rank = {};  ///< of those with a root, as RootedModel has it
  };
  std::vector<Size> sizes;  ///< in order
};

struct ChunkSummary {
  Index columns = 0;
  double median_s = 0;
  double operations_per_s = 0;
};

/// One matrix's chunks on one rank, of all launches.
struct ChunkRates {
  int rank = 0;
  std::string kernel;
  Index size = 0;
  std::vector<ChunkSummary> chunks;  ///< in the order of their widths
};

/// Throws UsageError where there are none.
TimeSummary summary_of(const std::vector<double>& seconds);

std::vector<KindSummary> kinds_of(const calibration::Calibration& calibration, const calibration::Pair& pair);
/// The median; throws UsageError where the pair has none.
double round_trip_s(const calibration::Calibration& calibration, const calibration::Pair& pair);
/// How far apart messages of bursts came, the medians, by bytes; of a calibration without bursts none.
std::map<Index, double> gap_medians_s(const calibration::Calibration& calibration,
                                      const calibration::Pair& pair);
/// Calls whose ranks leave together, in the order of ranks and names.
std::vector<CallSummary> collectives_of(const calibration::Calibration& calibration);
/// Calls with a root, those of every spread over hosts together: ranks of a calibration lie in one way.
std::vector<CallSummary> rooted_calls_of(const calibration::Calibration& calibration);
std::vector<ChunkRates> chunk_rates_of(const calibration::Calibration& calibration);

/// The sizes between which standard sends begin to wait for the receive, as communication::waiting_border()
/// has it; nothing where all wait, or none does.
std::optional<std::pair<Index, Index>> threshold_of(const std::vector<KindSummary>& kinds);

/// What a fit makes of one pair's messages, of all launches: what a timing graph is evaluated with. Throws
/// UsageError where they are too few for it.
communication::MessageModel message_model(const calibration::Calibration& calibration,
                                          const calibration::Pair& pair, const std::string& fit);

/// Its curves, a group for each mode, side and time of the receive, for people; or why there are none.
struct PairFit {
  calibration::Pair pair;
  std::optional<FittedModel> model;
  std::string why_not;
};

/// Of every pair, in order. Takes seconds for a calibration of several launches.
std::vector<PairFit> fit_pairs(const calibration::Calibration& calibration, const std::string& fit);

}  // namespace loadshare::tool
