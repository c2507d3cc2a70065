#pragma once

#include "apps/mandelbrot/options.hpp"

namespace loadshare::mandelbrot {

/// Computes the image as asked: makes the farm, runs, verifies, reports, writes the image. Every rank calls
/// it. Throws Error; counts that verification finds wrong are Error(run_failed), after the record was told,
/// and no image is written then.
void run_job(const MandelbrotOptions& options);

}  // namespace loadshare::mandelbrot
