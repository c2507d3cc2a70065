#include "apps/matmul/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <utility>

#include "apps/common/choose.hpp"
#include "apps/common/own_files.hpp"
#include "apps/common/whole_number.hpp"
#include "apps/matmul/kernel.hpp"
#include "schedulers/error.hpp"
#include "schedulers/table.hpp"

namespace loadshare::matmul {

namespace {

// Indices of elements stay far from overflow; no machine holds such a matrix.
constexpr Index longest_dimension = Index{1} << 40;
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
constexpr Choices<ElementType, 2> types{
    {{"float64", ElementType::float64}, {"float32", ElementType::float32}}};

std::string kernel_help() {
  std::string help = "how a chunk is computed:";
  for (const KernelInfo& kernel : kernels()) help += fmt::format("\n{}: {}", kernel.name, kernel.description);
  return help;
}

void describe_matrices(CLI::App& app, Words& words) {
  const auto add = [&](const char* name, std::string& word, const char* type, const char* text) {
    return app.add_option(name, word, text)->type_name(type)->group("Matrices");
  };
  add("--a", words.a, "FILE.npy", "the first matrix, float64 or float32, C or Fortran order");
  add("--b", words.b, "FILE.npy", "the second matrix");
  add("--c", words.c, "FILE.npy", "where the product goes (Fortran order)");
  add("--size", words.size, "N", "without files: random square matrices")->default_str(usual_size);
  add("--rows", words.rows, "N", "without files: rows of the first matrix, if not as --size");
  add("--inner", words.inner, "N", "without files: columns of the first, rows of the second");
  add("--cols", words.columns, "N", "without files: columns of the second");
  add("--type", words.type, "TYPE", "without files: float64 or float32")->capture_default_str();
  add("--seed", words.seed, "N", "of the random matrices, and of the random check")->capture_default_str();
}

void describe_work(CLI::App& app, Words& words) {
  app.add_option("--kernel", words.kernel, kernel_help())
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Computing");
  app.add_option("--work", words.work, "compute every chunk N times, to stand for a machine so much slower")
      ->type_name("N")
      ->capture_default_str()
      ->group("Computing");
  app.add_option("--verify", words.verification,
                 "freivalds (a random check of every column), full (every element), none")
      ->type_name("HOW")
      ->capture_default_str()
      ->group("Computing");
}

void describe_tests(CLI::App& app, Words& words) {
  app.add_option("--spoil", words.spoil, "spoil this column of the product, to see verification find it")
      ->type_name("COLUMN")
      ->group(testing_group);
  app.add_option("--fail-at", words.fail, "fail when this column is to be computed")
      ->type_name("COLUMN")
      ->group(testing_group);
}

Index dimension(const char* option, const std::string& word, const std::string& fallback) {
  return whole_number(word.empty() ? "--size" : option, word.empty() ? fallback : word, 0, longest_dimension);
}

void read_matrices(const Words& words, MatmulOptions& options) {
  const bool has_a = !words.a.empty();
  if (has_a != !words.b.empty())
    throw UsageError(fmt::format("--{} is missing", has_a ? 'b' : 'a'), "a product needs both matrices",
                     "give both --a and --b, or neither for random ones");
  const bool has_sizes = !(words.size + words.rows + words.inner + words.columns).empty();
  if (has_a && has_sizes)
    throw UsageError("sizes and files are both given", "the files say how large the matrices are",
                     "leave out --size, --rows, --inner and --cols");
  options.a_file = words.a;
  options.b_file = words.b;
  options.c_file = words.c;
  const std::string fallback = words.size.empty() ? usual_size : words.size;
  options.rows = dimension("--rows", words.rows, fallback);
  options.inner = dimension("--inner", words.inner, fallback);
  options.columns = dimension("--cols", words.columns, fallback);
  options.type = choose("--type", words.type, types);
  options.seed = whole_number("--seed", words.seed, 0);
}

/// (C may replace A or B.)
void require_own_reports(const MatmulOptions& options) {
  require_own_files({{"--a", options.a_file}, {"--b", options.b_file}, {"--c", options.c_file}},
                    {{"--json", options.run.json}, {"--trace", options.run.trace}});
}

std::optional<Index> column(const char* option, const std::string& word) {
  if (word.empty()) return std::nullopt;
  return whole_number(option, word, 0);
}

MatmulOptions interpret(const FarmCommandLine& farm, const Words& words) {
  MatmulOptions options;
  options.run = farm.read();
  read_matrices(words, options);
  options.kernel = words.kernel;
  make_kernel<double>(options.kernel, 0, 0);  // throws where there is no such kernel
  options.work = whole_number("--work", words.work, 1);
  options.verification = choose("--verify", words.verification, verifications);
  options.spoil_column = column("--spoil", words.spoil);
  options.fail_column = column("--fail-at", words.fail);
  require_own_reports(options);
  return options;
}

}  // namespace

std::optional<MatmulOptions> read_command_line(int argc, const char* const* argv) {
  CLI::App app(
      "Multiply two matrices, their columns shared among workers.\n"
      "Alone it uses threads of this machine; under mpirun or srun, all its ranks:\n"
      "  mpirun -np 4 matmul --size 4096 --scheduler gss:14",
      "matmul");
  app.set_version_flag("--version", LOADSHARE_VERSION);
  FarmCommandLine farm;
  Words words;
  describe_matrices(app, words);
  describe_work(app, words);
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

}  // namespace loadshare::matmul
