#pragma once

#include <mpi.h>

#include <cstddef>
#include <exception>
#include <memory>
#include <vector>

#include "apps/loadshare/burst_sampling.hpp"
#include "apps/loadshare/message_sampling.hpp"
#include "apps/loadshare/timing.hpp"
#include "models/messages/calibration.hpp"
#include "runtime/host/page_memory.hpp"
#include "runtime/transport/mpi/check.hpp"
#include "runtime/transport/mpi/group.hpp"

namespace loadshare::tool {

/// What buffered sends copy their messages into. A process has one at a time.
class AttachedBuffer final {
 public:
  explicit AttachedBuffer(std::size_t bytes) : bytes_(bytes) {
    mpi::check(MPI_Buffer_attach(bytes_.data(), static_cast<int>(bytes_.size())), "MPI_Buffer_attach");
  }
  AttachedBuffer(const AttachedBuffer&) = delete;
  AttachedBuffer& operator=(const AttachedBuffer&) = delete;
  ~AttachedBuffer() {
    // Detaching waits for what is still under way, and where an error is, nobody may come for it.
    void* data = nullptr;
    int size = 0;
    if (std::uncaught_exceptions() == 0) MPI_Buffer_detach(&data, &size);
  }

 private:
  std::vector<std::byte> bytes_;
};

/// With which every visit begins.
inline constexpr int round_trips_a_visit = 3;

/// What the sender wants of the receiver.
struct VisitRequest {
  Visit visit;
  Index burst_messages = 0;  ///< more than 0: of a burst, of visit.bytes, and no visit
  bool is_last = false;      ///< and there is no visit any more
};

/// How often the system has taken the processor away from this process for another one.
long times_interrupted();

/// One end of a pair: memory for the messages under test, and what else the two say to each other.
///
/// The memory is in large pages where the system has some (which small ones it gives differs from launch to
/// launch, and with them what fits into the caches), all touched, and serves for every message. So a message
/// comes from the caches and goes to them as far as it fits there, as in programs that send again and again.
class PairLink final {
 public:
  /// Collective over the two; `pair` are ranks of the world.
  PairLink(const calibration::Pair& pair, Index most_bytes);

  void send_empty();
  void receive_empty();
  void send_bytes(const void* data, std::size_t bytes);
  void receive_bytes(void* data, std::size_t bytes);

  MPI_Comm comm() const { return comm_.get(); }
  int partner() const { return partner_; }
  std::byte* memory() { return memory_.data(); }

  static constexpr int message_tag = 1;
  /// What either end, 0 or 1, fills its memory with.
  static constexpr std::byte content_of(int end) { return static_cast<std::byte>(1 + end); }

 private:
  static constexpr int control_tag = 0;

  mpi::Communicator comm_;
  int partner_;
  PageMemory<std::byte> memory_;
};

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
  void receive_burst(Index bytes, Index messages);
  void receive_all(const Visit& visit);
  void require_message(const MPI_Status& status, const Visit& visit);
  ReceivedStamps receive_posted_before(const Visit& visit);
  ReceivedStamps receive_posted_after(const Visit& visit);

  std::unique_ptr<PairLink> link_;
};

class AttachedBuffer;
class PairLink;

/// The end of a pair that sends, and says what.
///
/// Posted before: the receiver posts its receive and tells the sender to go, who waits for that and then
/// begins at once. Posted after: the sender announces the message and begins at once; the receiver stays away
/// from MPI for longer than a message needs that does not wait, and then receives. Each message ends with an
/// acknowledgement, which also takes the sender back into MPI: what is left of a large buffered send moves on
/// only there. Every visit begins with round trips of nothing. Of a burst all receives are posted before.
class MessageSender final : public PairExchange, public BurstExchange {
 public:
  /// Collective over the two; `pair` are ranks of the world. `clock_s` is a look at the own clock.
  MessageSender(const calibration::Pair& pair, Index most_bytes, double clock_s);
  ~MessageSender() override;

  /// A message whose receive was not posted as asked is left out; where that would leave none, the receiver
  /// stays away for longer.
  std::vector<calibration::MessageTiming> visit(const Visit& visit) override;
  double burst_s(const Burst& burst) override;
  double now_s() const override;
  /// Lets the receiver go; no visit after it.
  void end();

  const std::vector<double>& round_trips_s() const { return round_trips_s_; }
  /// What is not among the timings.
  struct Discarded {
    Index visits = 0;    ///< in which one of the two lost its processor
    Index messages = 0;  ///< whose receive was posted too early
  };
  const Discarded& discarded() const { return discarded_; }

 private:
  struct Attempt {
    std::vector<calibration::MessageTiming> timings;
    bool is_disturbed = false;
  };
  Attempt attempt(const Visit& visit);
  std::vector<calibration::MessageTiming> timings_of(const Visit& visit, const std::vector<SentStamps>& sent);
  void make_round_trips();
  SentStamps send(const Visit& visit);
  Distance distance() const;

  std::unique_ptr<PairLink> link_;
  std::unique_ptr<AttachedBuffer> buffer_;
  double own_clock_s_;
  double receiver_clock_s_ = 0;
  std::vector<double> round_trips_s_;
  Index visits_ = 0;
  Discarded discarded_;
};

}  // namespace loadshare::tool
