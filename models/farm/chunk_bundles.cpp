#include "models/farm/chunk_bundles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

namespace loadshare::predictor {

BundledChunks::BundledChunks(std::unique_ptr<ChunkScheduler> scheduler, Index workers,
                             const Bundling& bundling)
    : scheduler_(std::move(scheduler)),
      bundling_(bundling),
      parts_(std::max(bundling.least_parts, 16 * workers)),
      // Techniques with groups of chunks give each size once per worker.
      settled_(2 * workers + 64) {}

Cut BundledChunks::next(const Request& request) {
  const Cut cut = ask(request);
  cut_ = {{request.first, cut.size}, 1};
  const bool is_sound = cut.size > 0 && cut.size <= request.remaining;  // the dispatcher refuses what is not
  if (is_sound && !cut.from) fill(request, most_in_bundle(cut.size, request.remaining));
  return {cut_.chunk.size, cut.from};
}

Cut BundledChunks::ask(const Request& request) {
  const Cut cut = scheduler_->next(request);
  repeats_ = cut.size == last_size_ ? repeats_ + 1 : 0;
  last_size_ = cut.size;
  return cut;
}

// A power of two, so that all workers have bundles of the same size for a long time. Workers that asked in
// turn, or together, continue to do so.
Index BundledChunks::most_in_bundle(Index size, Index remaining) const {
  const Index left = remaining / size;
  if (given_ + left <= bundling_.exact_chunks) return 1;
  constexpr Index most = Index{1} << 31;
  return static_cast<Index>(
      std::bit_floor(static_cast<std::uint64_t>(std::min({given_ / parts_, left / parts_, most}))));
}

void BundledChunks::fill(Request request, Index most) {
  Index& size = cut_.chunk.size;
  for (Index last = size; cut_.chunks < most; size += last, ++cut_.chunks) {
    request.first += last;
    request.remaining -= last;
    if (request.remaining <= 0) return;
    if (repeats_ >= settled_) {
      const Index more = std::min(most - cut_.chunks, request.remaining / last);
      size += more * last;
      cut_.chunks += more;
      return;
    }
    last = std::clamp<Index>(ask(request).size, 1, request.remaining);
  }
}

void BundledChunks::assigned(WorkerId worker, Chunk chunk) {
  Index count = 1;
  if (cut_.chunks > 1) {  // what came back may be given in smaller parts
    const double part = static_cast<double>(chunk.size) / static_cast<double>(cut_.chunk.size);
    count = std::clamp<Index>(std::llround(part * static_cast<double>(cut_.chunks)), 1, chunk.size);
  }
  if (count > 1)
    counts_[chunk.first] = count;
  else if (!counts_.empty())
    counts_.erase(chunk.first);
  given_ += count;
  most_at_once_ = std::max(most_at_once_, count);
  scheduler_->assigned(worker, {chunk.first, Bundle{chunk, count}.width()});
}

void BundledChunks::reclaimed(WorkerId worker, Chunk chunk) {
  scheduler_->reclaimed(worker, {chunk.first, bundle_of(chunk).width()});
}

void BundledChunks::completed(const ChunkTimes& times) {
  const Bundle bundle = bundle_of(times.chunk);
  if (bundle.chunks == 1) return scheduler_->completed(times);
  counts_.erase(times.chunk.first);
  const auto count = static_cast<double>(bundle.chunks);
  ChunkTimes of_one = times;
  of_one.chunk.size = bundle.width();
  of_one.response_s /= count;
  if (of_one.compute_s) *of_one.compute_s /= count;
  if (of_one.waiting_s) *of_one.waiting_s /= count;
  scheduler_->completed(of_one);
}

}  // namespace loadshare::predictor
