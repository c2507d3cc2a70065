#include "apps/matmul/options.hpp"

#include "apps/common/matrix/operands.hpp"
#include "apps/matmul/kernel.hpp"
#include "base/io/files.hpp"
#include "base/names.hpp"
#include "base/quantities.hpp"

namespace loadshare::matmul {

namespace {

constexpr const char* usual_size = "720";  // the load-sharing paper's

/// What the command line says, as words.
struct Words {
  std::string a, b, c;
  std::string size, rows, inner, columns;
  std::string type = "float64";
  std::string seed = "1";
  std::string kernel = "packed";
  std::string work = "1";
  std::string verification = "freivalds";
  std::string spoil, fail;
};

constexpr Choices<Verification, 3> verifications{
    {{"freivalds", Verification::freivalds}, {"full", Verification::full}, {"none", Verification::none}}};

void describe_matrices(const OptionGroup& group, Words& words) {
  group.add("--a", words.a, "FILE.npy", "the first matrix, float64 or float32, C or Fortran order");
  group.add("--b", words.b, "FILE.npy", "the second matrix");
  group.add("--c", words.c, "FILE.npy", "where the product goes (Fortran order)");
  group.add("--size", words.size, "N", "without files: random square matrices", usual_size);
  group.add("--rows", words.rows, "N", "without files: rows of the first matrix, if not as --size");
  group.add("--inner", words.inner, "N", "without files: columns of the first, rows of the second");
  group.add("--cols", words.columns, "N", "without files: columns of the second");
  group.add("--type", words.type, "TYPE", "without files: float64 or float32");
  group.add("--seed", words.seed, "N", "of the random matrices, and of the random check");
}

void describe_work(const OptionGroup& group, Words& words) {
  group.add("--kernel", words.kernel, "NAME", table_help("how a chunk is computed:", kernels()));
  group.add("--work", words.work, "N", "compute every chunk N times, to stand for a machine so much slower");
  group.add("--verify", words.verification, "HOW",
            "freivalds (a random check of every column), full (every element), none");
}

void describe_tests(const OptionGroup& group, Words& words) {
  group.add("--spoil", words.spoil, "COLUMN",
            "spoil this column of the product, to see verification find it");
  group.add("--fail-at", words.fail, "COLUMN", "fail when this column is to be computed");
}

void read_matrices(const Words& words, MatmulOptions& options) {
  require_both_files({"--a", words.a}, {"--b", words.b}, "both matrices");
  if (!words.a.empty() && !(words.size + words.rows + words.inner + words.columns).empty())
    throw sizes_beside_files("the matrices are", "--size, --rows, --inner and --cols");
  options.a_file = words.a;
  options.b_file = words.b;
  options.c_file = words.c;
  options.rows = dimension("--rows", words.rows, words.size, usual_size);
  options.inner = dimension("--inner", words.inner, words.size, usual_size);
  options.columns = dimension("--cols", words.columns, words.size, usual_size);
  options.type = parse_element_type(words.type);
  options.seed = whole_number("--seed", words.seed, 0);
}

/// (C may replace A or B.)
void require_own_reports(const MatmulOptions& options) {
  require_own_files({{"--a", options.a_file}, {"--b", options.b_file}, {"--c", options.c_file}},
                    {{"--json", options.run.json}, {"--trace", options.run.trace}});
}

MatmulOptions interpret(const FarmCommandLine& farm, const Words& words) {
  MatmulOptions options;
  options.run = farm.read();
  read_matrices(words, options);
  options.kernel = words.kernel;
  make_kernel<double>(options.kernel, 0, 0);  // throws where there is no such kernel
  options.work = whole_number("--work", words.work, 1);
  options.verification = choose("--verify", words.verification, verifications);
  options.spoil_column = optional_whole_number("--spoil", words.spoil, 0);
  options.fail_column = optional_whole_number("--fail-at", words.fail, 0);
  require_own_reports(options);
  return options;
}

}  // namespace

std::optional<MatmulOptions> read_command_line(int argc, const char* const* argv) {
  CommandLineParser parser("matmul",
                           "Multiply two matrices, their columns shared among workers.\n"
                           "Alone it uses threads of this machine; under mpirun or srun, all its ranks:\n"
                           "  mpirun -q -np 4 matmul --size 4096 --scheduler gss:14");
  FarmCommandLine farm;
  Words words;
  describe_matrices(parser.group("Matrices"), words);
  describe_work(parser.group("Computing"), words);
  farm.add_to(parser);
  describe_tests(parser.group(testing_group), words);
  if (!parser.parse(argc, argv) || farm.has_answered()) return std::nullopt;
  return interpret(farm, words);
}

std::string name_of(Verification verification) {
  return name_among(verifications, verification);
}

}  // namespace loadshare::matmul
