#include "apps/matvec/options.hpp"

#include "apps/common/matrix/operands.hpp"
#include "base/io/files.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"

namespace loadshare::matvec {

namespace {

constexpr Index most_repeats = Index{1} << 40;
constexpr const char* usual_size = "4096";  // more than any cache holds

/// What the command line says, as words.
struct Words {
  std::string a, x, y;
  std::string size, rows, columns;
  std::string type = "float64";
  std::string seed = "1";
  std::string repeat = "1";
  std::string verification = "full";
  std::string spoil;
};

constexpr Choices<Verification, 2> verifications{
    {{"full", Verification::full}, {"none", Verification::none}}};

void describe_operands(const OptionGroup& group, Words& words) {
  group.add("--a", words.a, "FILE.npy", "the matrix, float64 or float32, C or Fortran order");
  group.add("--x", words.x, "FILE.npy", "the vector, or a matrix of one column");
  group.add("--y", words.y, "FILE.npy", "where the product goes, with as many dimensions as x");
  group.add("--size", words.size, "N", "without files: a random square matrix", usual_size);
  group.add("--rows", words.rows, "N", "without files: rows, if not as --size");
  group.add("--cols", words.columns, "N", "without files: columns, if not as --size");
  group.add("--type", words.type, "TYPE", "without files: float64 or float32");
  group.add("--seed", words.seed, "N", "of the random matrix and vector");
}

void describe_work(const OptionGroup& group, Words& words) {
  group.add("--repeat", words.repeat, "N",
            "compute every chunk N times, to stand for a machine so much slower");
  group.add("--verify", words.verification, "HOW", "full (every element, summed in another order), none");
}

void describe_tests(CommandLineParser& parser, Words& words) {
  parser.group(testing_group)
      .add("--spoil", words.spoil, "ROW", "spoil this row of the product, to see verification find it");
}

void read_operands(const Words& words, MatvecOptions& options) {
  require_both_files({"--a", words.a}, {"--x", words.x}, "matrix and vector");
  if (!words.a.empty() && !(words.size + words.rows + words.columns).empty())
    throw sizes_beside_files("the matrix is", "--size, --rows and --cols");
  options.a_file = words.a;
  options.x_file = words.x;
  options.y_file = words.y;
  options.rows = dimension("--rows", words.rows, words.size, usual_size);
  options.columns = dimension("--cols", words.columns, words.size, usual_size);
  options.type = parse_element_type(words.type);
  options.seed = whole_number("--seed", words.seed, 0);
}

/// (y may replace A or x.)
void require_own_reports(const MatvecOptions& options) {
  require_own_files({{"--a", options.a_file}, {"--x", options.x_file}, {"--y", options.y_file}},
                    {{"--json", options.run.json}, {"--trace", options.run.trace}});
}

MatvecOptions interpret(const FarmCommandLine& farm, const Words& words) {
  MatvecOptions options;
  options.run = farm.read();
  read_operands(words, options);
  options.repeat = whole_number("--repeat", words.repeat, 1, most_repeats);
  options.verification = choose("--verify", words.verification, verifications);
  options.spoil = optional_whole_number("--spoil", words.spoil, 0);
  require_own_reports(options);
  return options;
}

}  // namespace

std::optional<MatvecOptions> read_command_line(int argc, const char* const* argv) {
  CommandLineParser parser("matvec",
                           "Multiply a matrix by a vector, the matrix's rows shared among workers.\n"
                           "Alone it uses threads of this machine; under mpirun or srun, all its ranks:\n"
                           "  mpirun -q -np 4 matvec --size 8192 --scheduler factoring");
  FarmCommandLine farm;
  Words words;
  describe_operands(parser.group("Matrix and vector"), words);
  describe_work(parser.group("Computing"), words);
  farm.add_to(parser);
  describe_tests(parser, words);
  if (!parser.parse(argc, argv) || farm.has_answered()) return std::nullopt;
  return interpret(farm, words);
}

std::string name_of(Verification verification) {
  return name_among(verifications, verification);
}

}  // namespace loadshare::matvec
