#include "apps/floyd/options.hpp"
#include "apps/floyd/paths.hpp"
#include "apps/floyd/verify.hpp"
#include "runtime/farm/program.hpp"

namespace loadshare::floyd {
namespace {

void spoil(Paths& paths, Index vertex, Index vertices) {
  const spmd::Part rows = paths.result_rows();
  if (vertex >= rows.first && vertex < rows.end())
    paths.result()[static_cast<std::size_t>((vertex - rows.first) * vertices)] += 1;
}

spmd::Verdict verify(Paths& paths, spmd::Session& session, const FloydOptions& options) {
  if (options.verification == Verification::none) return {};
  const std::string wrong = what_is_wrong(paths, options, session.exchange());
  return {wrong.empty(), wrong};
}

void complete(RunRecord& record, const FloydOptions& options) {
  record.iteration_name = "rows";
  record.options["size"] = options.size;
  record.options["density"] = options.density;
  record.options["part"] = name_of(options.part);
  record.options["verify"] = name_of(options.verification);
}

/// Finds all paths as asked: starts MPI, runs, verifies, reports. Every rank calls it. Throws Error; paths
/// that verification finds wrong are Error(run_failed), after their record was told.
void run_job(const FloydOptions& options) {
  spmd::Session session(options.run, {"floyd", "vertices"});
  Paths paths(options, session);
  RunRecord record = session.run([&] { return paths.run(); });
  if (options.spoil_vertex) spoil(paths, *options.spoil_vertex, options.size);
  const spmd::Verdict verdict = verify(paths, session, options);
  complete(record, options);
  session.finish(std::move(record), verdict);
}

}  // namespace
}  // namespace loadshare::floyd

int main(int argc, char** argv) {
  using namespace loadshare;
  return run_program([&] {
    if (const auto options = floyd::read_command_line(argc, argv)) floyd::run_job(*options);
    return ExitCode::good;
  });
}
