#include "apps/loadshare/calibrate/chunk_rates.hpp"

#include <algorithm>
#include <memory>

#include "apps/matmul/kernel.hpp"
#include "apps/matmul/kernels/page_memory.hpp"
#include "experiments/sweep/random.hpp"
#include "runtime/timing/clock.hpp"

namespace loadshare::tool {
namespace {

constexpr Index widest = 384;  // where the rate no longer depends on the width

/// A first matrix as a worker holds it.
class PreparedMatrix final : public matmul::PanelSource<double> {
 public:
  PreparedMatrix(Index size, const matmul::Kernel<double>& kernel) : values_(size * size), size_(size) {
    std::fill_n(values_.data(), size * size, 1.0);
    for (Index p = 0; p < panels(); ++p) kernel.prepare(values_.data() + place_of(p), rows_in(p), size);
  }

  Index rows() const override { return size_; }
  Index inner() const override { return size_; }
  const double* panel(Index index) override { return values_.data() + place_of(index); }

 private:
  Index place_of(Index panel) const { return panel * matmul::panel_rows * size_; }

  matmul::PageMemory<double> values_;
  Index size_;
};

/// A product whose columns are computed chunk by chunk, from one end to the other and over again, so that a
/// chunk is as new to the caches as in a run.
class Product final {
 public:
  explicit Product(Index size)
      : kernel_(matmul::make_kernel<double>("packed", size, size)),
        a_(size, *kernel_),
        b_(static_cast<std::size_t>(size * size), 1.0),
        c_(static_cast<std::size_t>(size * size)),
        size_(size) {}

  double seconds_for(Index columns) {
    if (next_ + columns > size_) next_ = 0;
    const double begun_s = monotonic_s();
    kernel_->multiply(a_, b_.data() + next_ * size_, c_.data() + next_ * size_, columns);
    const double ended_s = monotonic_s();
    next_ += columns;
    return ended_s - begun_s;
  }

 private:
  std::unique_ptr<matmul::Kernel<double>> kernel_;
  PreparedMatrix a_;
  std::vector<double> b_;
  std::vector<double> c_;
  Index size_;
  Index next_ = 0;
};

}  // namespace

std::vector<Index> chunk_widths(Index size) {
  std::vector<Index> widths{1};
  for (Index width = 2; width <= widest; width *= 2) {
    widths.push_back(width);
    widths.push_back(width + width / 2);
  }
  std::erase_if(widths, [size](Index width) { return width > std::min(size, widest); });
  return widths;
}

std::vector<ChunkTimes> measure_chunks(Index size, Index repetitions, double budget_s, Index seed) {
  sweep::SplitMix64 random(static_cast<std::uint64_t>(seed));
  Product product(size);
  std::vector<ChunkTimes> all;
  for (const Index width : chunk_widths(size)) all.push_back({width, {}});
  std::vector<ChunkTimes*> order;
  for (ChunkTimes& times : all) order.push_back(&times);
  for (ChunkTimes* times : order) product.seconds_for(times->columns);  // pages and code become warm
  const double begun_s = monotonic_s();
  for (Index round = 0; round < repetitions && monotonic_s() - begun_s < budget_s; ++round) {
    sweep::shuffle(order, random);
    for (ChunkTimes* times : order) times->seconds.push_back(product.seconds_for(times->columns));
  }
  return all;
}

}  // namespace loadshare::tool
