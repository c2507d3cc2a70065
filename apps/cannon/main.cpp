#include <fmt/format.h>

#include <limits>

#include "apps/cannon/freivalds.hpp"
#include "apps/cannon/multiplication.hpp"
#include "apps/common/blas/library.hpp"
#include "apps/spmd/command_line.hpp"
#include "base/io/files.hpp"

namespace loadshare::cannon {
namespace {

constexpr Choices<Verification, 2> verifications{
    {{"freivalds", Verification::freivalds}, {"none", Verification::none}}};

/// Throws UsageError unless both matrices come from files, which determine the size, or neither does.
void require_fitting(const CannonOptions& options, const std::optional<Index>& size) {
  const FileNames& files = options.files;
  if (files.a.empty() != files.b.empty())
    throw UsageError(fmt::format("{} is missing", files.a.empty() ? "--a" : "--b"),
                     "a product needs both matrices", "give both --a and --b, or neither for random ones");
  if (files.give_operands() && size)
    throw UsageError("sizes and files are both given", "the files say how large the matrices are",
                     "leave out --size");
  require_own_files(
      {{"--a", files.a}, {"--b", files.b}},
      {{"--c", files.c}, {"--json", options.run.report.json}, {"--trace", options.run.report.trace}});
}

std::optional<CannonOptions> read_command_line(int argc, const char* const* argv) {
  constexpr Index largest = std::numeric_limits<int>::max();  // the limit of BLAS
  CannonOptions options;
  std::optional<Index> size;
  CommandLineParser parser("cannon",
                           "Multiply two matrices by Cannon's algorithm, on a square number of MPI ranks:\n"
                           "  mpirun -q -np 4 cannon --size 2048");
  const OptionGroup data = parser.group(spmd::data_group);
  data.add("--size", size, whole(1, largest), "N", "rows and columns of the random square matrices [720]");
  data.add("--a", options.files.a, "FILE.npy", "the first matrix, square, float64, C or Fortran order");
  data.add("--b", options.files.b, "FILE.npy", "the second matrix, of the same size");
  data.add("--c", options.files.c, "FILE.npy", "file for the product");
  const OptionGroup computing = parser.group(spmd::computing_group);
  computing.add("--kernel", options.kernel, row_of(kernels(), "kernel"), "NAME",
                table_help("how blocks are multiplied:", kernels()));
  computing.add("--verify", options.verification, verifications, "HOW",
                "freivalds (a random check of every row), none");
  spmd::add_options(parser, options.run);
  parser.group(testing_group)
      .add_word(
          "--spoil",
          [&](const std::string& word) {
            options.spoil_row = whole_number("--spoil", word, 0, size.value_or(options.size) - 1);
          },
          "", "ROW", "spoil this row of the product, to see verification find it");
  if (!parser.parse(argc, argv)) return std::nullopt;
  require_fitting(options, size);
  options.size = size.value_or(options.size);
  if (options.kernel == "blas") blas::require_core_type();
  return options;
}

void spoil(Multiplication& product, Index row) {
  if (row >= product.rows().first && row < product.rows().end() && product.grid().column() == 0)
    product.c()[static_cast<std::size_t>((row - product.rows().first) * product.columns().size)] += 1;
}

Verdict verify(Multiplication& product, spmd::Session& session, const CannonOptions& options) {
  if (options.verification == Verification::none) return {};
  const std::vector<Index> wrong =
      wrong_rows(product, session.exchange(), options.size, static_cast<std::uint64_t>(options.run.seed));
  if (wrong.empty()) return {true, {}};
  return {false, fmt::format("the product is wrong in row {} ({} of {}), according to the freivalds check",
                             wrong.front(), wrong.size(), options.size)};
}

void complete(RunRecord& record, const CannonOptions& options) {
  const auto size = static_cast<double>(options.size);
  record.iteration_name = "elements";
  record.operations = 2 * size * size * size * static_cast<double>(options.run.work);
  record.versions["blas"] = blas::openblas().library.description();
  if (const std::string& note = blas::openblas().note; options.kernel == "blas" && !note.empty())
    record.notes.push_back(note);
  record.options["size"] = options.size;
  record.options["kernel"] = options.kernel;
  record.options["verify"] = name_among(verifications, options.verification);
}

/// Runs a product: starts MPI, runs, verifies, reports. Every rank calls it. Throws Error; if verification
/// fails, Error (run_failed) after the record was reported.
void run_job(const CannonOptions& given) {
  CannonOptions options = given;
  blas::use_one_thread();  // before any thread starts
  spmd::Session session(options.run, {"cannon", "steps"});
  MatrixFiles files(options.files, session);
  options.size = files.size().value_or(options.size);
  Multiplication product(options, session, files);
  RunRecord record = session.run([&] { return product.run(); });
  if (options.spoil_row) spoil(product, *options.spoil_row);
  product.store();
  const Verdict verdict = verify(product, session, options);
  complete(record, options);
  session.finish(std::move(record), verdict);
}

}  // namespace
}  // namespace loadshare::cannon

int main(int argc, char** argv) {
  using namespace loadshare::cannon;
  return loadshare::spmd::run_app(argc, argv, read_command_line, run_job);
}
