#pragma once

#include <mpi.h>

#include <memory>

#include "apps/loadshare/calibrate/pair_exchange.hpp"
#include "apps/loadshare/calibrate/timing.hpp"

namespace loadshare::tool {

class PairLink;

/// The end of a pair that receives; see MessageSender.
class MessageReceiver final {
 public:
  /// Collective over the two; `pair` are ranks of the world.
  MessageReceiver(const calibration::Pair& pair, Index most_bytes);
  ~MessageReceiver();

  /// Does what the sender wants until it wants no more.
  void serve();

 private:
  void answer_round_trips();
  void receive_all(const Visit& visit);
  void require_message(const MPI_Status& status, const Visit& visit);
  ReceivedStamps receive_posted_before(const Visit& visit);
  ReceivedStamps receive_posted_after(const Visit& visit);

  std::unique_ptr<PairLink> link_;
};

}  // namespace loadshare::tool
