#include "apps/mandelbrot/options.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "apps/mandelbrot/escape.hpp"
#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"

namespace loadshare::mandelbrot {

namespace {

// Products of sizes stay far from overflow.
constexpr Index longest_side = Index{1} << 24;
constexpr Index greatest_depth = std::numeric_limits<std::int32_t>::max();
// libpng's own limits, or safely below them.
constexpr Index longest_png_side = 1'000'000;
constexpr Index most_png_pixels = Index{1} << 31;

/// What the command line says, as words.
struct Words {
  std::string width = "1000", height = "1000", tasks = "100";  // the granularity paper's
  std::string region = "whole";
  std::string depth = "10000";
  std::string image;
  std::string verification = "sample";
  std::string seed = "1";
  std::string spoil;
};

constexpr Choices<Verification, 3> verifications{
    {{"sample", Verification::sample}, {"full", Verification::full}, {"none", Verification::none}}};

void describe_image(const OptionGroup& group, Words& words) {
  group.add("--width", words.width, "N", "of the image, in pixels");
  group.add("--height", words.height, "N", "of the image, in pixels");
  group.add("--tasks", words.tasks, "N", "tiles it is cut into, a grid as square as can be: what is shared");
  group.add("--region", words.region, "REGION",
            table_help("of the plane, X0,X1,Y0,Y1 or a name:", regions()));
  group.add("--depth", words.depth, "N", "iterations after which a point is taken to be in the set");
  group.add("--image", words.image, "FILE.png", "where the image goes");
  group.add("--verify", words.verification, "HOW",
            "sample (some points of every tile, by another loop), full (all points), none");
  group.add("--seed", words.seed, "N", "of the sample");
}

void describe_tests(CommandLineParser& parser, Words& words) {
  parser.group(testing_group)
      .add("--spoil", words.spoil, "TILE", "spoil the counts of this tile, to see verification find it");
}

std::optional<Index> read_spoil(const std::string& word, Index tasks) {
  const std::optional<Index> tile = optional_whole_number("--spoil", word, 0);
  if (tile && *tile >= tasks)
    throw UsageError(fmt::format("--spoil is {}", *tile),
                     fmt::format("the image has {}, from 0", count_text(tasks, "tile", "tiles")));
  return tile;
}

void require_distinct_points(const MandelbrotOptions& options) {
  const Plane plane(options.region.bounds, options.width, options.height);
  if (!plane.tells_pixels_apart())
    throw UsageError(fmt::format("--region is '{}'", options.region.name),
                     fmt::format("its {} x {} pixels are too near each other for double precision",
                                 options.width, options.height),
                     "take a larger region or fewer pixels");
}

void require_paintable(const MandelbrotOptions& options) {
  if (options.image_file.empty()) return;
  if (options.width > longest_png_side || options.height > longest_png_side ||
      options.width * options.height > most_png_pixels)
    throw UsageError(fmt::format("an image of {} x {} pixels is no PNG", options.width, options.height),
                     fmt::format("at most {} a side and {} in all", longest_png_side, most_png_pixels),
                     "leave out --image, or compute fewer");
}

/// A device takes what it is given, whatever its name.
void require_png_name(const std::string& image) {
  const std::filesystem::path path(image);
  if (image.empty() || path.extension() == ".png" || image.starts_with("/dev/")) return;
  throw UsageError(fmt::format("--image is '{}'", image), "it is written as PNG", "end it in .png");
}

MandelbrotOptions interpret(const FarmCommandLine& farm, const Words& words) {
  MandelbrotOptions options;
  options.run = farm.read();
  options.width = whole_number("--width", words.width, 1, longest_side);
  options.height = whole_number("--height", words.height, 1, longest_side);
  options.tasks = whole_number("--tasks", words.tasks, 1, most_tiles);
  options.region = parse_region(words.region);
  options.depth = static_cast<Count>(whole_number("--depth", words.depth, 1, greatest_depth));
  options.image_file = words.image;
  options.verification = choose("--verify", words.verification, verifications);
  options.seed = whole_number("--seed", words.seed, 0);
  Tiles(options.width, options.height, options.tasks);  // throws where there is no such grid
  options.spoil = read_spoil(words.spoil, options.tasks);
  require_distinct_points(options);
  require_png_name(options.image_file);
  require_paintable(options);
  require_own_files({{"--image", options.image_file}},
                    {{"--json", options.run.json}, {"--trace", options.run.trace}});
  return options;
}

}  // namespace

std::optional<MandelbrotOptions> read_command_line(int argc, const char* const* argv) {
  CommandLineParser parser("mandelbrot",
                           "Compute an image of the Mandelbrot set, its tiles shared among workers.\n"
                           "Alone it uses threads of this machine; under mpirun or srun, all its ranks:\n"
                           "  mpirun -q -np 4 mandelbrot --tasks 400 --scheduler factoring --image set.png");
  FarmCommandLine farm;
  Words words;
  describe_image(parser.group("The image"), words);
  farm.add_to(parser);
  describe_tests(parser, words);
  if (!parser.parse(argc, argv) || farm.has_answered()) return std::nullopt;
  return interpret(farm, words);
}

std::string name_of(Verification verification) {
  return name_among(verifications, verification);
}

}  // namespace loadshare::mandelbrot
