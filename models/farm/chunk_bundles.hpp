#pragma once

#include <memory>
#include <unordered_map>

#include "base/types.hpp"
#include "schedulers/chunk_scheduler.hpp"

namespace loadshare::predictor {

/// Chunks that one worker gets one after the other, simulated as if they were one.
struct Bundle {
  Chunk chunk;       ///< all of their iterations
  Index chunks = 1;  ///< number of chunks

  /// Returns the iterations of one of them.
  Index width() const { return chunks == 1 ? chunk.size : (chunk.size + chunks - 1) / chunks; }
};

/// When chunks are bundled.
struct Bundling {
  Index exact_chunks = Index{1} << 18;  ///< a run of no more chunks is simulated chunk by chunk
  Index least_parts = 4096;  ///< a bundle is at most 1 / this of the given, and of the remaining chunks
};

/// A technique of a simulated run that bundles chunks, so that a run of 10^12 chunks is simulated in some
/// hundred thousand steps.
///
/// A bundle takes as long as its chunks one after the other: a multiple of the computing, the messages and
/// the master's work of one chunk. So each worker's rate, and the share of time in which workers wait for
/// each other, stay the same. Only the turns of the workers become coarser. Therefore bundles grow from one
/// chunk at the start and shrink to one chunk at the end. None is more than 1 / parts of the chunks given so
/// far, nor of the remaining ones; `parts` is 4,096, or 16 times the workers if that is more. The sizes form
/// a geometric series of some parts * 2 ln(chunks / parts) steps.
///
/// The technique is asked for every chunk of a bundle, as if the worker had asked that often, until it has
/// given one size so often in a row that the size is assumed to stay. It is notified of each bundle's mean
/// chunk.
class BundledChunks final : public ChunkScheduler {
 public:
  BundledChunks(std::unique_ptr<ChunkScheduler> scheduler, Index workers, const Bundling& bundling);

  Cut next(const Request& request) override;
  void assigned(WorkerId worker, Chunk chunk) override;
  void reclaimed(WorkerId worker, Chunk chunk) override;
  void completed(const ChunkTimes& times) override;
  void joined(WorkerId worker, const WorkerFacts& facts) override { scheduler_->joined(worker, facts); }
  void left(WorkerId worker) override { scheduler_->left(worker); }
  Learned learned() const override { return scheduler_->learned(); }

  /// Returns the bundle that an assigned chunk represents.
  Bundle bundle_of(const Chunk& chunk) const { return {chunk, chunks_of(chunk.first)}; }
  /// Returns the number of chunks in the largest bundle so far.
  Index most_at_once() const { return most_at_once_; }

 private:
  Cut ask(const Request& request);
  Index most_in_bundle(Index size, Index remaining) const;
  void fill(Request request, Index most);
  Index chunks_of(Index first) const {
    const auto bundle = counts_.find(first);
    return bundle == counts_.end() ? 1 : bundle->second;
  }

  std::unique_ptr<ChunkScheduler> scheduler_;
  Bundling bundling_;
  Index parts_;
  Index settled_;  // a size that was given so often in a row stays
  Index given_ = 0;
  Index last_size_ = 0, repeats_ = 0;
  Bundle cut_{};                             // by the latest request
  std::unordered_map<Index, Index> counts_;  // chunks per bundle held, by first iteration; none for 1
  Index most_at_once_ = 1;
};

}  // namespace loadshare::predictor
