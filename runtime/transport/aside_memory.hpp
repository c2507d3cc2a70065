#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>

#include "runtime/transport/placement.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

/// Memory beside the application's own, in which results land that may turn out to be second: the master
/// hands out places, workers that see the memory write there, and the master copies what counts. So a worker
/// that was stopped and wakes writes where nobody looks. Used by the master's thread.
class AsideMemory {
 public:
  /// `memory`: seen by those who write, and for as long as any of them may.
  explicit AsideMemory(std::span<std::byte> memory);

  /// Bytes for a run: for all results at once, and as often again as there may be copies. Pages are taken as
  /// they are written.
  static std::size_t bytes_for(const RunPlan& plan, std::size_t workers, const DataLayout& layout);

  /// The first byte of a place of so many; nothing: there is no room until some comes back.
  std::optional<std::size_t> take(std::size_t bytes);
  void give_back(std::size_t first, std::size_t bytes);
  std::span<std::byte> place(std::size_t first, std::size_t bytes) { return memory_.subspan(first, bytes); }

 private:
  std::span<std::byte> memory_;
  std::map<std::size_t, std::size_t> free_;  // bytes by first byte; no two touch
};

}  // namespace loadshare
