#include "apps/synthetic/workload.hpp"

#include "apps/synthetic/pattern.hpp"

namespace loadshare::synthetic {

void SyntheticWorkload::compute(Work& work) {
  wait_for_shared(work);
  if (work.is_cancelled()) return;
  effort_.spend(cost_of(work.chunk()), work);
  for (Index i = 0; i < work.chunk().size; ++i) {
    const Index iteration = work.chunk().first + i;
    const Chunk own{i, 1};
    write_result({sizes_.seed, iteration, part_of_chunk(work.input(), sizes_.input_bytes, own),
                  sample(work, iteration)},
                 part_of_chunk(work.output(), sizes_.output_bytes, own));
  }
}

double SyntheticWorkload::cost_of(Chunk chunk) const {
  double cost_s = 0;
  for (Index i = chunk.first; i < chunk.end(); ++i) cost_s += cost_.seconds(i);
  return cost_s;
}

void SyntheticWorkload::wait_for_shared(Work& work) const {
  const std::size_t pieces = (sizes_.shared_bytes + shared_piece_bytes() - 1) / shared_piece_bytes();
  for (std::size_t piece = 0; piece < pieces && !work.is_cancelled(); ++piece) work.shared_piece(piece);
}

std::uint64_t SyntheticWorkload::sample(Work& work, Index iteration) const {
  if (sizes_.shared_bytes == 0) return 0;
  const std::size_t at = sample_offset(sizes_.seed, iteration, sizes_.shared_bytes);
  return shared_sample(work.shared_piece(at / shared_piece_bytes()), at % shared_piece_bytes());
}

}  // namespace loadshare::synthetic
