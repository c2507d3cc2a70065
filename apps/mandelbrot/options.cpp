#include "apps/mandelbrot/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>

#include "apps/common/choose.hpp"
#include "apps/common/own_files.hpp"
#include "apps/common/whole_number.hpp"
#include "apps/mandelbrot/plane.hpp"
#include "schedulers/error.hpp"
#include "schedulers/table.hpp"

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

std::string region_help() {
  std::string help = "of the plane, X0,X1,Y0,Y1 or a name:";
  for (const Region& region : regions()) help += fmt::format("\n{}: {}", region.name, region.description);
  return help;
}

void describe_image(CLI::App& app, Words& words) {
  const auto add = [&](const char* name, std::string& word, const char* type, const std::string& text) {
    return app.add_option(name, word, text)->type_name(type)->group("The image");
  };
  add("--width", words.width, "N", "of the image, in pixels")->capture_default_str();
  add("--height", words.height, "N", "of the image, in pixels")->capture_default_str();
  add("--tasks", words.tasks, "N", "tiles it is cut into, a grid as square as can be: what is shared")
      ->capture_default_str();
  add("--region", words.region, "REGION", region_help())->capture_default_str();
  add("--depth", words.depth, "N", "iterations after which a point is taken to be in the set")
      ->capture_default_str();
  add("--image", words.image, "FILE.png", "where the image goes");
  add("--verify", words.verification, "HOW",
      "sample (some points of every tile, by another loop), full (all points), none")
      ->capture_default_str();
  add("--seed", words.seed, "N", "of the sample")->capture_default_str();
}

void describe_tests(CLI::App& app, Words& words) {
  app.add_option("--spoil", words.spoil, "spoil the counts of this tile, to see verification find it")
      ->type_name("TILE")
      ->group(testing_group);
}

std::optional<Index> read_spoil(const std::string& word, Index tasks) {
  if (word.empty()) return std::nullopt;
  const Index tile = whole_number("--spoil", word, 0);
  if (tile >= tasks)
    throw UsageError(fmt::format("--spoil is {}", tile),
                     fmt::format("the image has {} tiles, from 0", tasks));
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
  require_paintable(options);
  require_own_files({{"--image", options.image_file}},
                    {{"--json", options.run.json}, {"--trace", options.run.trace}});
  return options;
}

}  // namespace

std::optional<MandelbrotOptions> read_command_line(int argc, const char* const* argv) {
  CLI::App app(
      "Compute an image of the Mandelbrot set, its tiles shared among workers.\n"
      "Alone it uses threads of this machine; under mpirun or srun, all its ranks:\n"
      "  mpirun -np 4 mandelbrot --tasks 400 --scheduler factoring --image set.png",
      "mandelbrot");
  app.set_version_flag("--version", LOADSHARE_VERSION);
  FarmCommandLine farm;
  Words words;
  describe_image(app, words);
  farm.add_to(app);
  describe_tests(app, words);
  if (!parse_command_line(app, argc, argv)) return std::nullopt;
  if (farm.wants_scheduler_help()) {
    answer("the schedulers", built_in_schedulers().help());
    return std::nullopt;
  }
  return interpret(farm, words);
}

std::string name_of(Verification verification) {
  return name_among(verifications, verification);
}

}  // namespace loadshare::mandelbrot
