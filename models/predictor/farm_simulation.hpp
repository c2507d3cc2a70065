#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "models/predictor/event_queue.hpp"
#include "models/predictor/master_processor.hpp"
#include "models/predictor/outcome.hpp"
#include "models/predictor/priced_link.hpp"
#include "models/predictor/scenario.hpp"
#include "runtime/dispatch/dispatcher.hpp"

namespace loadshare::predictor {

/// One run of a farm in virtual time: the real dispatcher and a real scheduler, asked in the very order of
/// MasterLoop, while messages, computing and the master's work take the time that a scenario says.
///
/// The master's processor, its port in and its port out serve who comes first, in the order of time; a report
/// goes through port, processor and port out again. A worker's own time is a sum: when its chunk is there,
/// and it has ended the one before, it computes. So a chunk is one or two events, whatever its size, and
/// memory follows the workers, never the loop.
class FarmSimulation {
 public:
  /// `scenario` must outlive it. `seed`: of chunks' deviations and of the phases of grants, the same for
  /// every technique that is compared. Throws UsageError as Dispatcher does.
  FarmSimulation(const Scenario& scenario, std::unique_ptr<ChunkScheduler> scheduler, std::uint64_t seed = 0);

  /// Puts each chunk, the first `most`, into `chunks`, in the order of return; by default nothing is kept of
  /// them.
  void keep_chunks(std::vector<ChunkRecord>& chunks, std::size_t most = SIZE_MAX) {
    chunks_ = &chunks;
    most_chunks_ = most;
  }
  /// Runs to the end. Throws Error (run_failed) where the scheduler's size is out of range. Once.
  Outcome run();

 private:
  struct Held {
    ChunkId id;
    Chunk chunk;
    double assigned_s = 0, received_s = 0, begun_s = 0, ended_s = 0;
  };
  /// What one worker holds, oldest first, is a ring of prefetch + 1 in held_.
  struct Worker {
    Processor processor;
    double free_at_s = 0;
    std::uint16_t head = 0, size = 0;
    bool awaits_shared = false;
  };

  /// An order that leaves together with others.
  struct PortShare {
    std::uint32_t worker;
    Price price;
  };

  void start();
  void give_first_chunks();
  void share_port(std::vector<PortShare>& shares);
  void handle(const Event& event);
  void report_at_port(const Event& event);
  void report_at_master(const Event& event);
  void own_chunk_done(const Event& event);
  void shared_input_here(const Event& event);

  void refill(std::uint32_t worker, double at_s);
  std::optional<std::uint16_t> assign(std::uint32_t worker, double at_s);
  double send_order(std::uint32_t worker, const Chunk& chunk, double at_s);
  double shared_delay_s(double at_s, double port_s);
  void count_order(const Chunk& chunk, double port_s);
  void begin_if_ready(std::uint32_t worker, std::uint16_t slot);
  void begin(std::uint32_t worker, std::uint16_t slot);
  void begin_own(std::uint32_t worker, std::uint16_t slot);
  void report(std::uint32_t worker, std::uint16_t slot);
  void keep(std::uint32_t worker, const Held& held, double returned_s, bool is_first);

  bool is_own(std::uint32_t worker) const { return scenario_.master.own_worker == worker; }
  double work_of(std::uint32_t worker, const Chunk& chunk);
  const Price& order_price(std::uint32_t worker, const Chunk& chunk);
  const Price& report_price(std::uint32_t worker, const Chunk& chunk);
  Held& held(std::uint32_t worker, std::uint16_t slot) { return held_[worker * depth_ + slot]; }
  std::uint16_t next_slot(std::uint16_t slot) const {
    return static_cast<std::uint16_t>(slot + 1 == depth_ ? 0 : slot + 1);
  }

  const Scenario& scenario_;
  Dispatcher dispatcher_;
  std::uint16_t depth_;
  std::mt19937_64 random_;
  std::vector<Worker> workers_;
  std::vector<Held> held_;
  std::vector<PricedLink> orders_;  // by link
  std::vector<PricedLink> reports_;
  MasterProcessor master_;
  EventQueue events_;
  double port_out_free_s_ = 0;
  double port_in_free_s_ = 0;
  double shared_done_s_ = 0;  // when its last byte leaves the master
  std::vector<ChunkRecord>* chunks_ = nullptr;
  std::size_t most_chunks_ = 0;
  Outcome outcome_;
};

}  // namespace loadshare::predictor
