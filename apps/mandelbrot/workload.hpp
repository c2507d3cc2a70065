#pragma once

#include <span>

#include "apps/mandelbrot/escape.hpp"
#include "runtime/farm/workload.hpp"

namespace loadshare::mandelbrot {

/// What there is to compute.
struct Picture {
  Plane plane;
  Tiles tiles;
  Count depth;
};

/// The counts of an image as a farm's workload: its iterations are the tiles. There is no input; tiles in the
/// set cost `depth` iterations a pixel, tiles far from it a few, which is what makes it a test of schedulers.
class MandelbrotWorkload final : public Workload {
 public:
  /// `counts`: of all pixels, tile after tile; empty away from the master's host.
  MandelbrotWorkload(const Picture& picture, std::span<Count> counts) : picture_(picture), counts_(counts) {}

  Index iterations() const override { return picture_.tiles.count(); }
  std::string_view iteration_name() const override { return "tiles"; }

  std::size_t output_bytes(Chunk chunk) const override { return pixels(chunk) * sizeof(Count); }
  std::span<std::byte> output(Chunk chunk) override;

  bool is_repeatable() const override { return true; }
  /// In escape iterations.
  double work(Chunk chunk) const override;
  void compute(Work& work) override;

 private:
  std::size_t pixels(Chunk chunk) const;

  const Picture& picture_;
  std::span<Count> counts_;
};

}  // namespace loadshare::mandelbrot
