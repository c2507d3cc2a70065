#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <numeric>

#include "apps/common/application.hpp"
#include "apps/mandelbrot/image.hpp"
#include "apps/mandelbrot/verify.hpp"
#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"

namespace loadshare::mandelbrot {
namespace {

// Keeps products of sizes far from overflow.
constexpr Index longest_side = Index{1} << 24;
constexpr Index greatest_depth = std::numeric_limits<std::int32_t>::max();
// libpng's own limits, or safely below them.
constexpr Index longest_png_side = 1'000'000;
constexpr Index most_png_pixels = Index{1} << 31;

enum class Verification { none, sample, full };
constexpr Choices<Verification, 3> verifications{
    {{"sample", Verification::sample}, {"full", Verification::full}, {"none", Verification::none}}};

/// Options of `mandelbrot`.
struct MandelbrotOptions {
  Index width = 1000, height = 1000;  ///< pixels; these three defaults are the granularity paper's
  Index tasks = 100;                  ///< tiles of the image
  Region region = parse_region("whole");
  Count depth = 10000;  ///< maximum number of iterations
  std::string image_file;
  Verification verification = Verification::sample;
  Index seed = 1;              ///< of the sample
  std::optional<Index> spoil;  ///< for testing: tile whose counts are spoiled before verification
};

void add_image(const OptionGroup& group, MandelbrotOptions& options) {
  const Form<Region> region{[](std::string_view, const std::string& word) { return parse_region(word); },
                            [](const Region& of) { return of.name; }};
  group.add("--width", options.width, whole(1, longest_side), "N", "width of the image in pixels");
  group.add("--height", options.height, whole(1, longest_side), "N", "height of the image in pixels");
  group.add("--tasks", options.tasks, whole(1, most_tiles), "N",
            "tiles that the image is cut into, in a grid as square as possible; workers share the tiles");
  group.add("--region", options.region, region, "REGION",
            table_help("region of the plane, X0,X1,Y0,Y1 or a name:", regions()));
  group.add("--depth", options.depth, whole(1, greatest_depth), "N",
            "iterations after which a point is taken to be in the set");
  group.add("--image", options.image_file, "FILE.png", "file for the image");
  group.add("--verify", options.verification, verifications, "HOW",
            "sample (some points of every tile, by another loop), full (all points), none");
  group.add("--seed", options.seed, whole(0), "N", "random seed of the sample");
}

void require_tile(std::optional<Index> tile, Index tasks) {
  if (tile && *tile >= tasks)
    throw UsageError(fmt::format("--spoil is {}", *tile),
                     fmt::format("the image has {}, from 0", count_text(tasks, "tile", "tiles")));
}

void require_distinct_points(const MandelbrotOptions& options) {
  const Plane plane(options.region.bounds, options.width, options.height);
  if (!plane.distinguishes_pixels())
    throw UsageError(fmt::format("--region is '{}'", options.region.name),
                     fmt::format("its {} x {} pixels are too near each other for double precision",
                                 options.width, options.height),
                     "use a larger region or fewer pixels");
}

void require_paintable(const MandelbrotOptions& options) {
  if (options.image_file.empty()) return;
  if (options.width > longest_png_side || options.height > longest_png_side ||
      options.width * options.height > most_png_pixels)
    throw UsageError(fmt::format("an image of {} x {} pixels cannot be a PNG", options.width, options.height),
                     fmt::format("it has at most {} a side and {} in all", longest_png_side, most_png_pixels),
                     "leave out --image, or compute fewer");
}

/// Throws unless the name ends in .png. A device accepts any name.
void require_png_name(const std::string& image) {
  const std::filesystem::path path(image);
  if (image.empty() || path.extension() == ".png" || image.starts_with("/dev/")) return;
  throw UsageError(fmt::format("--image is '{}'", image), "the image is written as PNG",
                   "give a name that ends in .png");
}

/// Throws UsageError for options that contradict each other.
void require_sense(const MandelbrotOptions& options, const RunOptions& run) {
  Tiles(options.width, options.height, options.tasks);  // throws if there is no such division
  require_tile(options.spoil, options.tasks);
  require_distinct_points(options);
  require_png_name(options.image_file);
  require_paintable(options);
  std::vector<NamedFile> read = files_read(run);
  read.push_back({"--auto-from", run.auto_from});
  require_own_files(read, {{"--image", options.image_file}});
  require_own_files({{"--image", options.image_file}}, {{"--json", run.json}, {"--trace", run.trace}});
}

void declare(CommandLineParser& parser, MandelbrotOptions& options, RunOptions& run) {
  add_image(parser.group("The image"), options);
  add_run_options(parser, run);
  parser.group(testing_group)
      .add("--spoil", options.spoil, whole(0), "TILE",
           "spoil the counts of this tile, to see verification find it");
  parser.check([&] { require_sense(options, run); });
}

/// Called on the master, so that errors are found before any rank has allocated memory.
void require_room(const MandelbrotOptions& options) {
  // An image is painted with one byte per pixel and encoded into at most a little more.
  const Bytes each = sizeof(Count) + (options.image_file.empty() ? 0 : 3);
  const Bytes pixels = static_cast<Bytes>(options.width) * static_cast<Bytes>(options.height);
  require_farm_memory(multiply_bytes(pixels, each),
                      fmt::format("an image of {} x {} pixels", options.width, options.height),
                      "use a smaller one");
  if (!options.image_file.empty()) require_writable(options.image_file, "the image");
}

/// The job that computes an image's counts. The master stores and verifies it.
class ImageJob final : public Job {
 public:
  explicit ImageJob(const MandelbrotOptions& options) : options_(options) {}

  std::string application() const override { return "mandelbrot"; }
  std::string_view iteration_name() const override { return "tiles"; }
  std::string result_name() const override { return "the image"; }
  std::string result_file() const override { return options_.image_file; }

  void describe(JobDescription& description) override {
    require_room(options_);
    description.set("region", options_.region.name);
    description.set("width", options_.width);
    description.set("height", options_.height);
    description.set("tasks", options_.tasks);
    description.set("depth", Index{options_.depth});
  }

  Workload& make(const JobDescription& description, Farm& farm) override {
    const Index width = description.whole("width");
    const Index height = description.whole("height");
    picture_.emplace(Picture{{parse_region(description.text("region")).bounds, width, height},
                             {width, height, description.whole("tasks")},
                             static_cast<Count>(description.whole("depth"))});
    counts_ = farm.resident<Count>(static_cast<std::size_t>(picture_->plane.pixels()));
    return workload_.emplace(*picture_, counts_);
  }

  Verdict verify() override {
    if (options_.spoil) spoil(*options_.spoil);
    if (options_.verification == Verification::none) return {};
    check_ = options_.verification == Verification::full
                 ? verify_full(*picture_, counts_)
                 : verify_sample(*picture_, counts_, static_cast<std::uint64_t>(options_.seed));
    return verdict_of(*check_);
  }

  void tell(RunRecord& record) const override {
    const Index iterations = std::accumulate(counts_.begin(), counts_.end(), Index{0});
    record.operations = operations_an_iteration * static_cast<double>(iterations);
    record.seed = options_.seed;
    auto& options = record.options;
    options["width"] = options_.width;
    options["height"] = options_.height;
    options["tasks"] = options_.tasks;
    options["region"] = options_.region.name;
    options["depth"] = Index{options_.depth};
    options["verify"] = name_among(verifications, options_.verification);
    options["escape_iterations"] = iterations;
    if (check_) options["verified_points"] = check_->points;
    if (!options_.image_file.empty()) options["image"] = options_.image_file;
  }

  void store() override {
    if (!options_.image_file.empty())
      write_png({options_.width, options_.height, paint(*picture_, counts_), palette()}, options_.image_file);
  }

 private:
  void spoil(Index tile) {
    for (Index i = picture_->tiles.first_pixel(tile); i < picture_->tiles.first_pixel(tile + 1); ++i)
      ++counts_[static_cast<std::size_t>(i)];
  }

  const MandelbrotOptions& options_;
  std::optional<Picture> picture_;
  std::span<Count> counts_;
  std::optional<MandelbrotWorkload> workload_;
  std::optional<ImageCheck> check_;
};

}  // namespace
}  // namespace loadshare::mandelbrot

int main(int argc, char** argv) {
  using namespace loadshare::mandelbrot;
  return loadshare::run_job<ImageJob>(
      argc, argv,
      {.name = "mandelbrot",
       .purpose = "Compute an image of the Mandelbrot set, its tiles shared among workers.",
       .example = "mandelbrot --tasks 400 --scheduler factoring --image set.png"},
      declare);
}
