#include "runtime/farm/journalling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/io/process.hpp"

namespace loadshare {

namespace {

std::uint64_t inputs_of(Workload& workload) {
  const std::span<const std::byte> input = workload.input({0, workload.iterations()});
  return content_hash(workload.shared_input(), content_hash(input));
}

/// Names and values of a program's options may hold line ends.
std::string one_line(std::string text) {
  for (char& letter : text)
    if (letter == '\n') letter = ' ';
  return text;
}

/// Where nothing is left to compute, nobody would prepare the shared input; whoever looks at it after the run
/// finds it as after any other.
void prepare_shared_input(Workload& workload) {
  const std::span<std::byte> bytes = workload.shared_input();
  const std::size_t piece_bytes = workload.shared_piece_bytes();
  for (std::size_t first = 0; first < bytes.size(); first += piece_bytes)
    workload.prepare_shared(first / piece_bytes,
                            bytes.subspan(first, std::min(piece_bytes, bytes.size() - first)));
}

}  // namespace

std::unique_ptr<LoopJournal> open_journal(Journal& journal, const LoopOrigin& origin, Workload& workload) {
  JournalledLoop loop;
  loop.iterations = workload.iterations();
  loop.iteration_name = workload.iteration_name();
  loop.about =
      fmt::format("program: {}\njob: {}\nloop: {}\ninputs: {:016x}\ndepends_on: {:016x}\nbuild: {:016x}",
                  one_line(origin.program), one_line(origin.job), origin.loop, inputs_of(workload),
                  origin.depends, own_build());
  loop.results = [&workload](Chunk chunk) { return workload.output(chunk); };
  std::unique_ptr<LoopJournal> opened = journal.open(std::move(loop));
  if (opened->open().empty() && workload.iterations() > 0) prepare_shared_input(workload);
  return opened;
}

}  // namespace loadshare
