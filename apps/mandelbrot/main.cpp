#include <fmt/format.h>

#include <numeric>

#include "apps/mandelbrot/image.hpp"
#include "apps/mandelbrot/options.hpp"
#include "apps/mandelbrot/verify.hpp"
#include "base/io/files.hpp"
#include "program/farm_job.hpp"
#include "runtime/farm/program.hpp"

namespace loadshare::mandelbrot {
namespace {

/// What only the master has. All that can be wrong is found before any rank has taken memory.
struct MasterSide {
  explicit MasterSide(const MandelbrotOptions& options) : report(options.run, "mandelbrot", "tiles") {
    // An image is painted with a byte a pixel and encoded into a little more at worst.
    const Bytes each = sizeof(Count) + (options.image_file.empty() ? 0 : 3);
    const Bytes pixels = static_cast<Bytes>(options.width) * static_cast<Bytes>(options.height);
    require_farm_memory(multiply_bytes(pixels, each),
                        fmt::format("an image of {} x {} pixels", options.width, options.height),
                        "take a smaller one");
    if (!options.image_file.empty()) require_writable(options.image_file, "the image");
  }

  RunReport report;
};

/// One image, on one rank.
class Job {
 public:
  Job(Farm& farm, const MandelbrotOptions& options, MasterSide* master)
      : farm_(farm),
        options_(options),
        master_(master),
        job_(farm, master == nullptr ? nullptr : &master->report, *options.run.forecast),
        picture_{{options.region.bounds, options.width, options.height},
                 {options.width, options.height, options.tasks},
                 options.depth},
        counts_(farm.resident<Count>(static_cast<std::size_t>(picture_.plane.pixels()))) {}

  void run() {
    MandelbrotWorkload workload(picture_, counts_);
    RunRecord record = job_.run(workload);
    farm_.on_master([&] { finish(record); });
  }

 private:
  void finish(RunRecord& record) {
    const std::optional<Verdict> verdict = verify();
    job_.require_uninterrupted("after the image was computed");
    complete(record, verdict);
    master_->report.tell(record);
    if (verdict && !verdict->is_right())
      throw Error(ExitCode::run_failed, fmt::format("the image is wrong in {}", describe_wrong(*verdict)),
                  options_.image_file.empty() ? "" : options_.image_file + " was not written");
    if (!options_.image_file.empty())
      write_png({options_.width, options_.height, paint(picture_, counts_), palette()}, options_.image_file);
  }

  std::optional<Verdict> verify() {
    if (options_.spoil) spoil(*options_.spoil);
    if (options_.verification == Verification::none) return std::nullopt;
    if (options_.verification == Verification::full) return verify_full(picture_, counts_);
    return verify_sample(picture_, counts_, static_cast<std::uint64_t>(options_.seed));
  }

  void spoil(Index tile) {
    for (Index i = picture_.tiles.first_pixel(tile); i < picture_.tiles.first_pixel(tile + 1); ++i)
      ++counts_[static_cast<std::size_t>(i)];
  }

  void complete(RunRecord& record, const std::optional<Verdict>& verdict) const {
    const Index iterations = std::accumulate(counts_.begin(), counts_.end(), Index{0});
    record.app = "mandelbrot";
    record.operations = operations_an_iteration * static_cast<double>(iterations);
    record.seed = options_.seed;
    if (verdict) record.verified = verdict->is_right();
    auto& told = record.options;
    told["width"] = options_.width;
    told["height"] = options_.height;
    told["tasks"] = options_.tasks;
    told["region"] = options_.region.name;
    told["depth"] = Index{options_.depth};
    told["verify"] = name_of(options_.verification);
    told["escape_iterations"] = iterations;
    if (verdict) told["verified_points"] = verdict->points;
    if (!options_.image_file.empty()) told["image"] = options_.image_file;
    if (verdict && !verdict->is_right()) record.notes.push_back("wrong: " + describe_wrong(*verdict));
  }

  Farm& farm_;
  const MandelbrotOptions& options_;
  MasterSide* master_;
  FarmJob job_;
  Picture picture_;
  std::span<Count> counts_;
};

/// Computes the image as asked: makes the farm, runs, verifies, reports, writes the image. Every rank calls
/// it. Throws Error; counts that verification finds wrong are Error(run_failed), after the record was told,
/// and no image is written then.
void run_job(const MandelbrotOptions& options) {
  Farm farm = make_farm(options.run);
  std::optional<MasterSide> master;
  farm.on_master([&] { master.emplace(options); });
  Job(farm, options, master ? &*master : nullptr).run();
}

}  // namespace
}  // namespace loadshare::mandelbrot

int main(int argc, char** argv) {
  using namespace loadshare;
  return run_program([&] {
    if (const auto options = mandelbrot::read_command_line(argc, argv)) mandelbrot::run_job(*options);
    return ExitCode::good;
  });
}
