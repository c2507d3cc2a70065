#include "tests/runtime/records/sample_record.hpp"

#include <fmt/format.h>

namespace loadshare::test {
namespace {

constexpr double makespan_s = 1.25;
constexpr Index chunks_each = 4;
constexpr Index chunk_size = 20;

RankRecord master() {
  RankRecord rank;
  rank.role = Role::master;
  rank.host = "node0";
  rank.cpus = {0, 1};
  rank.communicating_s = 0.05;
  rank.idle_s = 1.2;
  return rank;
}

RankRecord worker(Index number) {
  RankRecord rank;
  rank.rank = static_cast<int>(number) + 1;
  rank.worker = WorkerId{static_cast<std::uint32_t>(number)};
  rank.host = fmt::format("node{}", number % 3);
  rank.cpus = {0};
  rank.chunks = chunks_each;
  rank.iterations = chunks_each * chunk_size;
  rank.stolen_s = 0.0125;
  rank.communicating_s = 0.025;
  rank.idle_s = 0.0125 * static_cast<double>(1 + number % 4);
  rank.computing_s = makespan_s - rank.stolen_s - rank.communicating_s - rank.idle_s;
  return rank;
}

ChunkRecord chunk(Index number, Index workers) {
  const double begun_s = 0.1 + 0.25 * static_cast<double>(number / workers);
  ChunkRecord record;
  record.chunk = {number * chunk_size, chunk_size};
  record.worker = WorkerId{static_cast<std::uint32_t>(number % workers)};
  record.assigned_s = begun_s - 0.003;
  record.received_s = begun_s - 0.001;
  record.begun_s = begun_s;
  record.ended_s = begun_s + 0.24;
  record.returned_s = begun_s + 0.245;
  record.cpu_s = 0.237;
  return record;
}

}  // namespace

LoadRecord sample_load() {
  LoadedRank first;
  first.rank = 1;
  first.host = "node0";
  first.phase_s = 0.75;
  first.share_asked = 0.5;
  first.share_taken = 0.49;
  first.worker_share = 0.51;
  first.cpu_s = 0.245;
  first.on_s = 0.5;
  first.late_p99_s = 1e-4;
  first.late_max_s = 2e-4;
  first.cycles = 2;
  first.phases = {{0, 0.25, 0.5}, {1, 1.25, 0.5}};
  LoadedRank second = first;
  second.rank = 2;
  second.host = "node1";
  second.worker_share.reset();
  return {"on=1s,off=1s", {first, second}};
}

RunRecord sample_record(Index workers) {
  RunRecord record;
  record.app = "matmul";
  record.scheduler = "send:size=20";
  record.workers = workers;
  record.iterations = workers * chunks_each * chunk_size;
  record.iteration_name = "columns";
  record.makespan_s = makespan_s;
  record.shared_input_s = 0.0968;
  record.verified = true;
  record.operations = 130.75e9;
  record.seed = 42;
  record.transport = "mpi";
  record.hosts = {"node0", "node1", "node2"};
  record.versions = {{"loadshare", "0.1.0"}, {"mpi", "Open MPI 4.1.4"}};
  record.binding = "core";
  record.options = {{"kernel", std::string("packed")}, {"prefetch", Index{1}}, {"reissue", false}};
  record.ranks.push_back(master());
  for (Index number = 0; number < workers; ++number) record.ranks.push_back(worker(number));
  for (Index number = 0; number < workers * chunks_each; ++number)
    record.chunks.push_back(chunk(number, workers));
  record.chunks_total = record.chunks_timed = workers * chunks_each;
  return record;
}

}  // namespace loadshare::test
