#include "runtime/transport/shared_input.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace loadshare {

namespace {
constexpr auto to_word(PieceState state) {
  return static_cast<std::uint32_t>(state);
}
// The longest that a missed wake-up or a run that ended can keep a worker asleep.
constexpr double look_again_s = 0.02;
}  // namespace

std::size_t SharedInput::count_pieces(DataLayout& layout) {
  const std::size_t size = layout.shared_input().size();
  return size == 0 ? 0 : (size + layout.shared_piece_bytes() - 1) / layout.shared_piece_bytes();
}

void SharedInput::mark_all_raw() {
  for (auto& piece : control_.pieces()) piece.store(to_word(PieceState::raw), std::memory_order_release);
}

void SharedInput::mark_ready(std::size_t piece) {
  set(piece, PieceState::ready);
}

void SharedInput::set(std::size_t piece, PieceState state) {
  auto& word = control_.pieces()[piece];
  word.store(to_word(state), std::memory_order_release);
  futex_wake_all(word);
}

PieceState SharedInput::state(std::size_t piece) const {
  return static_cast<PieceState>(control_.pieces()[piece].load(std::memory_order_acquire));
}

bool SharedInput::is_ready(std::size_t piece) const {
  return state(piece) == PieceState::ready;
}

void SharedInput::keep_failure() {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::current_exception();
}

// If another process of this host has failed, only that one knows the reason: it may report it first.
void SharedInput::require_usable(std::size_t piece) {
  if (state(piece) != PieceState::spoiled) return;
  {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  throw std::runtime_error("piece " + std::to_string(piece) +
                           " of the broadcast input could not be prepared by another process");
}

bool SharedInput::is_complete() const {
  return std::ranges::all_of(control_.pieces(), [](const auto& word) {
    return word.load(std::memory_order_acquire) == to_word(PieceState::ready);
  });
}

std::span<std::byte> SharedInput::bytes(std::size_t piece) {
  const std::span<std::byte> all = layout_.shared_input();
  const std::size_t first = piece * layout_.shared_piece_bytes();
  return all.subspan(first, std::min(layout_.shared_piece_bytes(), all.size() - first));
}

bool SharedInput::try_prepare(std::size_t piece) {
  std::uint32_t expected = to_word(PieceState::raw);
  auto& word = control_.pieces()[piece];
  if (may_prepare_ &&
      word.compare_exchange_strong(expected, to_word(PieceState::preparing), std::memory_order_acq_rel)) {
    try {
      layout_.prepare_shared(piece, bytes(piece));
    } catch (...) {  // workers that wait for the piece must not wait forever
      keep_failure();
      set(piece, PieceState::spoiled);
      throw;
    }
    mark_ready(piece);
  }
  require_usable(piece);
  return is_ready(piece);
}

bool SharedInput::prepare_next() {
  std::atomic<std::uint32_t>& cursor = control_.piece_cursor();
  const std::size_t count = control_.pieces().size();
  if (!may_prepare_ || cursor.load(std::memory_order_relaxed) >= count) return false;
  const std::uint32_t next = cursor.fetch_add(1, std::memory_order_relaxed);
  if (next < count) try_prepare(next);
  return next < count;
}

void SharedInput::help(std::size_t wanted) {
  if (state(wanted) == PieceState::absent) return;
  while (!is_ready(wanted) && prepare_next()) {
  }
}

std::span<const std::byte> SharedInput::acquire(std::size_t piece, double& waited_s) {
  if (piece >= control_.pieces().size())
    throw std::out_of_range("the broadcast input has no piece " + std::to_string(piece) + ", only " +
                            std::to_string(control_.pieces().size()));
  if (is_ready(piece)) return bytes(piece);
  help(piece);
  try_prepare(piece);
  const double start_s = monotonic_s();
  while (!is_ready(piece) && !is_over()) {
    auto& word = control_.pieces()[piece];
    const std::uint32_t seen = word.load(std::memory_order_acquire);
    require_usable(piece);
    if (seen != to_word(PieceState::ready)) futex_wait(word, seen, look_again_s);
  }
  waited_s += monotonic_s() - start_s;
  return bytes(piece);
}

}  // namespace loadshare
