#include <fmt/format.h>

#include "apps/floyd/paths.hpp"
#include "apps/floyd/verify.hpp"
#include "apps/spmd/command_line.hpp"

namespace loadshare::floyd {
namespace {

constexpr Choices<Verification, 3> verifications{
    {{"sample", Verification::sample}, {"full", Verification::full}, {"none", Verification::none}}};

double share(std::string_view option, std::string_view text) {
  const double value = number(option, text);
  if (!(value >= 0 && value <= 1))
    throw UsageError(fmt::format("{} is {}", option, text), "it is a share, from 0 to 1");
  return value;
}

std::optional<FloydOptions> read_command_line(int argc, const char* const* argv) {
  FloydOptions options;
  CommandLineParser parser(
      "floyd",
      "Find the shortest paths between all vertices of a graph by Floyd's algorithm. The rows\n"
      "of its matrix are split among MPI ranks:\n"
      "  mpirun -q -np 4 floyd --size 2000");
  const OptionGroup data = parser.group(spmd::data_group);
  data.add("--size", options.size, whole(1, most_vertices), "N", "vertices of the random directed graph");
  data.add("--density", options.density, real(share), "SHARE",
           "share of all pairs of vertices that have an edge");
  const OptionGroup computing = parser.group(spmd::computing_group);
  spmd::add_run_part(computing, options.part, "the rows");
  computing.add("--verify", options.verification, verifications, "HOW",
                "sample (the paths from 16 vertices, by Dijkstra's algorithm), full (from all), none");
  spmd::add_options(parser, options.run);
  parser.group(testing_group)
      .add_word(
          "--spoil",
          [&](const std::string& word) {
            options.spoil_vertex = whole_number("--spoil", word, 0, options.size - 1);
          },
          "", "VERTEX", "spoil a path from this vertex, to see --verify full find it");
  if (!parser.parse(argc, argv)) return std::nullopt;
  return options;
}

void spoil(Paths& paths, Index vertex, Index vertices) {
  const spmd::Part rows = paths.result_rows();
  if (vertex >= rows.first && vertex < rows.end())
    paths.result()[static_cast<std::size_t>((vertex - rows.first) * vertices)] += 1;
}

void complete(RunRecord& record, const FloydOptions& options) {
  record.iteration_name = "rows";
  record.options["size"] = options.size;
  record.options["density"] = options.density;
  record.options["part"] = name_among(spmd::run_parts, options.part);
  record.options["verify"] = name_among(verifications, options.verification);
}

/// Runs a search for all paths: starts MPI, runs, verifies, reports. Every rank calls it. Throws Error; if
/// verification fails, Error (run_failed) after the record was reported.
void run_job(const FloydOptions& options) {
  spmd::Session session(options.run, {"floyd", "vertices"});
  Paths paths(options, session);
  RunRecord record = session.run([&] { return paths.run(); });
  if (options.spoil_vertex) spoil(paths, *options.spoil_vertex, options.size);
  Verdict verdict;
  if (options.verification != Verification::none)
    verdict = verdict_of(what_is_wrong(paths, options, session.exchange()));
  complete(record, options);
  session.finish(std::move(record), verdict);
}

}  // namespace
}  // namespace loadshare::floyd

int main(int argc, char** argv) {
  using namespace loadshare::floyd;
  return loadshare::spmd::run_app(argc, argv, read_command_line, run_job);
}
