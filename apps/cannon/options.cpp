#include "apps/cannon/options.hpp"

#include <limits>

#include "apps/cannon/kernel.hpp"
#include "apps/spmd/command_line.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"

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

void describe(CommandLineParser& parser, Words& words) {
  parser.group(spmd::data_group)
      .add("--size", words.size, "N", "rows and columns of the random square matrices");
  const OptionGroup computing = parser.group(spmd::computing_group);
  computing.add("--kernel", words.kernel, "NAME", table_help("how blocks are multiplied:", kernels()));
  computing.add("--verify", words.verification, "HOW", "freivalds (a random check of every row), none");
}

void describe_tests(CommandLineParser& parser, Words& words) {
  parser.group(testing_group)
      .add("--spoil", words.spoil, "ROW", "spoil this row of the product, to see verification find it");
}

CannonOptions interpret(const spmd::CommandLine& common, const Words& words) {
  constexpr Index largest = std::numeric_limits<int>::max();  // BLAS's own
  CannonOptions options;
  options.run = common.read();
  options.size = whole_number("--size", words.size, 1, largest);
  options.kernel = words.kernel;
  find_kernel(options.kernel);  // throws where there is no such kernel
  options.verification = choose("--verify", words.verification, verifications);
  options.spoil_row = optional_whole_number("--spoil", words.spoil, 0, options.size - 1);
  return options;
}

}  // namespace

std::optional<CannonOptions> read_command_line(int argc, const char* const* argv) {
  CommandLineParser parser("cannon",
                           "Multiply two matrices by Cannon's algorithm, on a square number of MPI ranks:\n"
                           "  mpirun -q -np 4 cannon --size 2048");
  spmd::CommandLine common;
  Words words;
  describe(parser, words);
  common.add_to(parser);
  describe_tests(parser, words);
  if (!parser.parse(argc, argv)) return std::nullopt;
  return interpret(common, words);
}

std::string name_of(Verification verification) {
  return name_among(verifications, verification);
}

}  // namespace loadshare::cannon
