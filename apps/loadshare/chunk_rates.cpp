#include "apps/loadshare/chunk_rates.hpp"

#include <algorithm>
#include <memory>

#include "apps/matmul/kernel.hpp"
#include "base/random.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/host/page_memory.hpp"

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

  PageMemory<double> values_;
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

/// Chunks of every width that there is time for, computed once, so that pages and code are warm.
struct Warmth {
  std::vector<Index> widths;
  double round_s = 0;
};

/// A column takes no longer in a wider chunk.
Warmth warm_up(const std::vector<Index>& widths, const std::function<double(Index)>& seconds_for,
               double budget_s) {
  Warmth warmth;
  double column_s = 0;  // by the last width
  for (const Index width : widths) {
    const double predicted_s = column_s * static_cast<double>(width);
    if (!warmth.widths.empty() && 2 * (warmth.round_s + predicted_s) > budget_s) break;
    const double seconds = seconds_for(width);
    column_s = seconds / static_cast<double>(width);
    warmth.widths.push_back(width);
    warmth.round_s += seconds;
  }
  return warmth;
}

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

std::vector<ChunkTimes> time_chunks(const std::vector<Index>& widths,
                                    const std::function<double(Index)>& seconds_for, const ChunkPlan& plan) {
  SplitMix64 random(static_cast<std::uint64_t>(plan.seed));
  const Warmth warmth = warm_up(widths, seconds_for, plan.budget_s);
  std::vector<ChunkTimes> all;
  for (const Index width : warmth.widths) all.push_back({width, {}});
  std::vector<ChunkTimes*> order;
  for (ChunkTimes& times : all) order.push_back(&times);
  double spent_s = warmth.round_s;
  for (Index round = 0; round < plan.repetitions; ++round) {
    if (round > 0 && spent_s + warmth.round_s > plan.budget_s) break;
    shuffle(order, random);
    for (ChunkTimes* times : order) spent_s += times->seconds.emplace_back(seconds_for(times->columns));
  }
  return all;
}

std::vector<ChunkTimes> measure_chunks(Index size, const ChunkPlan& plan) {
  Product product(size);
  return time_chunks(
      chunk_widths(size), [&product](Index columns) { return product.seconds_for(columns); }, plan);
}

}  // namespace loadshare::tool
