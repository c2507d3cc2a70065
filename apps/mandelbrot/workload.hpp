#pragma once

#include <span>

#include "apps/mandelbrot/escape.hpp"
#include "runtime/farm/workload.hpp"

namespace loadshare::mandelbrot {

/// The image to compute.
struct Picture {
  Plane plane;
  Tiles tiles;
  Count depth;
};

/// The counts of an image as a farm's workload: its iterations are the tiles. There is no input. Tiles inside
/// the set cost `depth` iterations per pixel, tiles far from it a few, which makes it a test of schedulers.
class MandelbrotWorkload final : public Workload {
 public:
  /// `counts` are those of all pixels, tile after tile; empty on hosts other than the master's.
  MandelbrotWorkload(const Picture& picture, std::span<Count> counts) : picture_(picture), counts_(counts) {}

  Index iterations() const override { return picture_.tiles.count(); }
  std::string_view iteration_name() const override { return "tiles"; }

  std::size_t output_bytes(Chunk chunk) const override { return pixels(chunk) * sizeof(Count); }
  std::span<std::byte> output(Chunk chunk) override;

  bool is_repeatable() const override { return true; }
  /// Returns the work in escape iterations.
  double work(Chunk chunk) const override;
  void compute(Work& work) override;

 private:
  std::size_t pixels(Chunk chunk) const;

  const Picture& picture_;
  std::span<Count> counts_;
};

}  // namespace loadshare::mandelbrot
