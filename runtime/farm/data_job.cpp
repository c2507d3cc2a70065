#include "runtime/farm/data_job.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "runtime/farm/farm.hpp"
#include "runtime/host/page_memory.hpp"
#include "runtime/host/processor.hpp"

namespace loadshare {

namespace {

/// The farm reads inputs only, but knows them as bytes that somebody filled.
std::span<std::byte> readable(std::span<const std::byte> bytes) {
  return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

void copy(std::span<const std::byte> from, std::span<std::byte> to) {
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
}

/// Throws UsageError where values were given, but not as many for each iteration, one at least.
void require_fit(const char* what, std::optional<std::size_t> count, Index iterations) {
  if (!count) return;
  const auto each = static_cast<std::size_t>(iterations);
  const bool fits = iterations > 0 ? *count > 0 && *count % each == 0 : *count == 0;
  if (fits) return;
  throw UsageError(std::string(what) + "(...) has " + std::to_string(*count) + " values",
                   "the loop has " + std::to_string(iterations) + " iterations",
                   "give the same number of values for each iteration");
}

}  // namespace

void loops::advise_large_pages(void* memory, std::size_t bytes) {
  loadshare::advise_large_pages(memory, static_cast<Index>(bytes));
}

// Of any processor's counter so many ticks are some tenths of a millisecond, or some more. Iterations may
// suddenly cost more than those before them, so that a step is of no more than cheap ones need.
loops::Steps::Steps(const Work& work, Index end) : work_(work), end_(end), begun_(processor_ticks()) {}

Index loops::Steps::end_of_next(Index i) {
  constexpr std::uint64_t short_ticks = std::uint64_t{1} << 20;
  constexpr Index most = 4096;
  if (i == end_ || work_.is_cancelled()) return i;
  const std::uint64_t now = processor_ticks();
  const bool was_short = now - begun_ < short_ticks;
  size_ = was_short ? std::min(4 * size_, most) : std::max<Index>(size_ / 4, 1);
  begun_ = now;
  return std::min(i + size_, end_);
}

std::span<std::byte> SharedScratch::fit(Room& room, std::size_t bytes,
                                        std::span<std::byte> (Transport::*take)(std::size_t)) {
  if (room.bytes < bytes) {
    room.bytes = std::max(bytes, 2 * room.bytes);
    room.memory = (transport_.*take)(room.bytes);
  }
  return room.memory.first(std::min(bytes, room.memory.size()));
}

void DataJob::describe(JobDescription& description) {
  if (loop_.iterations < 0)
    throw UsageError("a loop of " + std::to_string(loop_.iterations) + " iterations",
                     "there must be 0 or more", "correct the number that the program passes");
  require_fit("in", loop_.input_values, loop_.iterations);
  require_fit("out", loop_.output_values, loop_.iterations);
  description.set("iterations", loop_.iterations);
  description.set("iteration_name", loop_.iteration_name);
  if (loop_.combined != nullptr) description.set("combined", *loop_.combined);
  description.set("input_bytes", static_cast<Index>(loop_.input.size()));
  description.set("output_bytes", static_cast<Index>(loop_.output_bytes));
  description.set("shared_bytes", static_cast<Index>(loop_.shared.size()));
  description.set("body", kind());
}

Workload& DataJob::make(const JobDescription& description, Farm&) {
  if (description.text("body") != kind())
    throw Error(ExitCode::usage, "rank " + std::to_string(transport_.rank()) + " runs another loop",
                "its body differs from the master's", "let every rank run the same loops in the same order");
  iterations_ = description.whole("iterations");
  iteration_name_ = description.text("iteration_name");
  if (loop_.combined != nullptr)
    *loop_.combined = description.whole_if_set("combined").value_or(*loop_.combined);
  input_bytes_ = static_cast<std::size_t>(description.whole("input_bytes"));
  output_bytes_ = static_cast<std::size_t>(description.whole("output_bytes"));
  shared_bytes_ = static_cast<std::size_t>(description.whole("shared_bytes"));
  if (transport_.has_ranks())
    take_shared_memory();
  else
    take_own_memory();
  return *this;
}

void DataJob::take_own_memory() {
  input_ = readable(loop_.input);
  shared_ = readable(loop_.shared);
  if (output_bytes_ > 0) output_ = loop_.output(output_bytes_);
}

void DataJob::take_shared_memory() {
  input_ = scratch_.input(input_bytes_);
  output_ = scratch_.output(output_bytes_);
  shared_ = scratch_.shared(shared_bytes_);
}

void DataJob::fill() {
  if (!transport_.has_ranks()) return;
  copy(loop_.input, input_);
  copy(loop_.shared, shared_);
}

void DataJob::compute(Work& work) {
  const std::size_t piece_bytes = shared_piece_bytes();
  for (std::size_t piece = 0; piece * piece_bytes < shared_bytes_; ++piece) work.shared_piece(piece);
  if (!work.is_cancelled()) loop_.body(work, shared_);
}

/// Before any rank takes its copy: what was left out may still hold what an earlier loop left there.
void DataJob::tell(RunRecord& record) const {
  for (const SkippedIteration& skipped : record.skipped)
    std::ranges::fill(part(output_, {skipped.iteration, 1}), std::byte{0});
}

void DataJob::deliver() {
  if (!transport_.has_ranks() || output_bytes_ == 0) return;
  const std::span<std::byte> place = is_kept_here() ? loop_.output(output_bytes_) : std::span<std::byte>();
  if (!place.empty()) copy(output_, place);
  if (loop_.keep == Keep::everywhere && transport_.has_other_hosts()) receive(place);
}

/// What the master's host sees in its memory, others are sent.
void DataJob::receive(std::span<std::byte> place) {
  constexpr std::size_t most_bytes = std::size_t{1} << 26;
  for (std::size_t first = 0; first < output_bytes_; first += most_bytes) {
    const std::span<std::byte> piece = place.subspan(first, std::min(most_bytes, output_bytes_ - first));
    std::string text;
    if (transport_.is_master()) text.assign(reinterpret_cast<const char*>(piece.data()), piece.size());
    text = transport_.from_master(std::move(text));
    if (output_.empty()) copy(std::as_bytes(std::span(text)), piece);
  }
}

}  // namespace loadshare
