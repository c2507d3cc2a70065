#pragma once

#include <cstddef>
#include <exception>
#include <mutex>
#include <span>

#include "runtime/dispatch/shared_units.hpp"
#include "runtime/transport/channel.hpp"
#include "runtime/transport/placement.hpp"

namespace loadshare {

/// One host's copy of what every worker needs (the first matrix), in pieces that arrive and are prepared
/// while others are already in use. Shared by all threads and processes of the host.
class SharedInput {
 public:
  /// `may_prepare`: whether this process prepares pieces where it may. A process that may be stopped for good
  /// while others go on must not, for pieces are prepared in place.
  SharedInput(DataLayout& layout, ControlBlock& control, bool may_prepare = true)
      : layout_(layout), control_(control), may_prepare_(may_prepare) {}

  /// How many pieces a layout's shared input has.
  static std::size_t count_pieces(DataLayout& layout);

  /// The master's host: all pieces are there, none is prepared.
  void mark_all_raw();
  /// Another host: a piece has arrived, already prepared.
  void mark_ready(std::size_t piece);

  /// The run is over, as somebody of this host knows: `acquire` waits no more.
  bool is_over() const { return control_.over().load(std::memory_order_relaxed) != 0; }
  bool is_ready(std::size_t piece) const;
  bool is_complete() const;
  std::span<std::byte> bytes(std::size_t piece);
  std::span<std::byte> all_bytes() { return layout_.shared_input(); }
  /// How it is cut for its way to other hosts.
  SharedUnits units() const { return {layout_.shared_input().size(), layout_.shared_piece_bytes()}; }

  /// Prepares `piece` here if no worker has begun to; returns whether it is ready now. Never waits. Throws
  /// the exception of preparing it, also for a piece that failed before: it cannot be used any more.
  bool try_prepare(std::size_t piece);
  /// The same with the next piece that nobody has looked at; returns whether there was one.
  bool prepare_next();

  /// Waits until `piece` is ready, meanwhile preparing others that nobody has begun. Adds the seconds spent
  /// waiting, not those spent preparing, to `waited_s`. Gives up when the run is over; the
  /// piece may then be anything. Throws std::out_of_range if there is no such piece, and as try_prepare does.
  std::span<const std::byte> acquire(std::size_t piece, double& waited_s);

 private:
  PieceState state(std::size_t piece) const;
  void set(std::size_t piece, PieceState state);
  void keep_failure();
  void require_usable(std::size_t piece);
  void help(std::size_t wanted);

  DataLayout& layout_;
  ControlBlock& control_;
  bool may_prepare_;
  std::mutex mutex_;
  std::exception_ptr failure_;  // the first one while preparing here; under mutex_
};

}  // namespace loadshare
