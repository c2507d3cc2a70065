#include "apps/cannon/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>

#include "apps/cannon/kernel.hpp"
#include "apps/common/choose.hpp"
#include "apps/common/whole_number.hpp"
#include "apps/spmd/command_line.hpp"

namespace loadshare::cannon {

namespace {

/// What the command line says, as words.
struct Words {
  std::string size = "720";
  std::string kernel = "blas";
  std::string verification = "freivalds";
  std::string spoil;
};

constexpr Choices<Verification, 2> verifications{
    {{"freivalds", Verification::freivalds}, {"none", Verification::none}}};

std::string kernel_help() {
  std::string help = "how blocks are multiplied:";
  for (const KernelInfo& kernel : kernels()) help += fmt::format("\n{}: {}", kernel.name, kernel.description);
  return help;
}

void describe(CLI::App& app, Words& words) {
  const auto add = [&](const char* name, std::string& word, const char* type, const std::string& text) {
    return app.add_option(name, word, text)->type_name(type)->capture_default_str();
  };
  add("--size", words.size, "N", "rows and columns of the random square matrices")->group(spmd::data_group);
  add("--kernel", words.kernel, "NAME", kernel_help())->group(spmd::computing_group);
  add("--verify", words.verification, "HOW", "freivalds (a random check of every row), none")
      ->group(spmd::computing_group);
}

void describe_tests(CLI::App& app, Words& words) {
  app.add_option("--spoil", words.spoil, "spoil this row of the product, to see verification find it")
      ->type_name("ROW")
      ->group(testing_group);
}

std::optional<Index> row(const std::string& word, Index size) {
  if (word.empty()) return std::nullopt;
  return whole_number("--spoil", word, 0, size - 1);
}

CannonOptions interpret(const spmd::CommandLine& common, const Words& words) {
  constexpr Index largest = std::numeric_limits<int>::max();  // BLAS's own
  CannonOptions options;
  options.run = common.read();
  options.size = whole_number("--size", words.size, 1, largest);
  options.kernel = words.kernel;
  find_kernel(options.kernel);  // throws where there is no such kernel
  options.verification = choose("--verify", words.verification, verifications);
  options.spoil_row = row(words.spoil, options.size);
  return options;
}

}  // namespace

std::optional<CannonOptions> read_command_line(int argc, const char* const* argv) {
  CLI::App app(
      "Multiply two matrices by Cannon's algorithm, on a square number of MPI ranks:\n"
      "  mpirun -np 4 cannon --size 2048",
      "cannon");
  app.set_version_flag("--version", LOADSHARE_VERSION);
  spmd::CommandLine common;
  Words words;
  describe(app, words);
  common.add_to(app);
  describe_tests(app, words);
  if (!parse_command_line(app, argc, argv)) return std::nullopt;
  return interpret(common, words);
}

std::string name_of(Verification verification) {
  return name_among(verifications, verification);
}

}  // namespace loadshare::cannon
