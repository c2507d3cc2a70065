#include "apps/matmul/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <utility>

#include "apps/common/whole_number.hpp"
#include "apps/matmul/kernel.hpp"
#include "runtime/farm/launch.hpp"
#include "schedulers/error.hpp"
#include "schedulers/nearest.hpp"
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
  std::string verification = "freivalds";
  std::string spoil, fail;
};

template <class Value, std::size_t count>
Value choose(const char* option, const std::string& text,
             const std::array<std::pair<const char*, Value>, count>& choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) {
    if (text == name) return value;
    names.emplace_back(name);
  }
  throw UsageError(fmt::format("{} is '{}'", option, text), "there are " + list_names(names),
                   did_you_mean(text, names));
}

constexpr std::array<std::pair<const char*, Verification>, 3> verifications{
    {{"freivalds", Verification::freivalds}, {"full", Verification::full}, {"none", Verification::none}}};
constexpr std::array<std::pair<const char*, ElementType>, 2> types{
    {{"float64", ElementType::float64}, {"float32", ElementType::float32}}};

std::string kernel_help() {
  std::string help = "how a chunk is computed:";
  for (const KernelInfo& kernel : kernels()) help += fmt::format(" {} ({})", kernel.name, kernel.description);
  return help;
}

void describe_matrices(CLI::App& app, Words& words) {
  const std::string group = "Matrices";
  const auto file = [&](const char* name, std::string& word, const char* text) {
    app.add_option(name, word, text)->type_name("FILE.npy")->group(group);
  };
  const auto number = [&](const char* name, std::string& word, const char* text) {
    app.add_option(name, word, text)->type_name("N")->group(group);
  };
  file("--a", words.a, "the first matrix, float64 or float32, C or Fortran order");
  file("--b", words.b, "the second matrix");
  file("--c", words.c, "where the product goes (Fortran order)");
  number("--size", words.size, "without files: random square matrices (720 unless told)");
  number("--rows", words.rows, "without files: rows of the first matrix");
  number("--inner", words.inner, "without files: columns of the first, rows of the second");
  number("--cols", words.columns, "without files: columns of the second");
  app.add_option("--type", words.type, "without files: float64 or float32")->group(group);
  app.add_option("--seed", words.seed, "without files: of the random values")->group(group);
}

void describe_work(CLI::App& app, Words& words) {
  app.add_option("--kernel", words.kernel, kernel_help())->group("Computing");
  app.add_option("--verify", words.verification,
                 "freivalds (a random check of every column), full (every element), none")
      ->group("Computing");
  app.add_option("--spoil", words.spoil, "spoil this column of the product, to see verification find it")
      ->type_name("COLUMN")
      ->group("For testing");
  app.add_option("--fail-at", words.fail, "fail when this column is to be computed")
      ->type_name("COLUMN")
      ->group("For testing");
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
  options.verification = choose("--verify", words.verification, verifications);
  options.spoil_column = column("--spoil", words.spoil);
  options.fail_column = column("--fail-at", words.fail);
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
  farm.add_to(app);
  describe_work(app, words);
  if (!parse_command_line(app, argc, argv)) return std::nullopt;
  if (farm.wants_scheduler_help()) {
    const SchedulerTable table = built_in_schedulers();
    if (detect_launch().is_first()) fmt::print("{}", table.help());
    return std::nullopt;
  }
  return interpret(farm, words);
}

std::string name_of(Verification verification) {
  for (const auto& [name, value] : verifications)
    if (value == verification) return name;
  return "?";
}

}  // namespace loadshare::matmul
