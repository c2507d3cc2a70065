#include <fmt/format.h>

#include "apps/cannon/freivalds.hpp"
#include "apps/cannon/multiplication.hpp"
#include "apps/cannon/options.hpp"
#include "runtime/farm/program.hpp"

namespace loadshare::cannon {
namespace {

void spoil(Multiplication& product, Index row) {
  if (row >= product.rows().first && row < product.rows().end() && product.grid().column() == 0)
    product.c()[static_cast<std::size_t>((row - product.rows().first) * product.columns().size)] += 1;
}

spmd::Verdict verify(Multiplication& product, spmd::Session& session, const CannonOptions& options) {
  if (options.verification == Verification::none) return {};
  const std::vector<Index> wrong =
      wrong_rows(product, session.exchange(), options.size, static_cast<std::uint64_t>(options.run.seed));
  if (wrong.empty()) return {true, {}};
  return {false, fmt::format("the product is wrong in row {} ({} of {}), says the freivalds check",
                             wrong.front(), wrong.size(), options.size)};
}

void complete(RunRecord& record, const CannonOptions& options) {
  const auto size = static_cast<double>(options.size);
  record.iteration_name = "elements";
  record.operations = 2 * size * size * size * static_cast<double>(options.run.work);
  record.versions["blas"] = blas_version();
  record.options["size"] = options.size;
  record.options["kernel"] = options.kernel;
  record.options["verify"] = name_of(options.verification);
}

/// Multiplies as asked: starts MPI, runs, verifies, reports. Every rank calls it. Throws Error; a product
/// that verification finds wrong is Error(run_failed), after its record was told.
void run_job(const CannonOptions& options) {
  spmd::Session session(options.run, {"cannon", "steps"});
  Multiplication product(options, session);
  RunRecord record = session.run([&] { return product.run(); });
  if (options.spoil_row) spoil(product, *options.spoil_row);
  const spmd::Verdict verdict = verify(product, session, options);
  complete(record, options);
  session.finish(std::move(record), verdict);
}

}  // namespace
}  // namespace loadshare::cannon

int main(int argc, char** argv) {
  using namespace loadshare;
  return run_program([&] {
    if (const auto options = cannon::read_command_line(argc, argv)) cannon::run_job(*options);
    return ExitCode::good;
  });
}
