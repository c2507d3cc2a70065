#include "runtime/farm/program_place.hpp"

#include <vector>

#include "base/error.hpp"
#include "runtime/farm/program.hpp"

namespace loadshare {
namespace {

void require_same(int rank, const std::string& place, const std::string& masters) {
  if (place != masters)
    throw Error(ExitCode::usage, "rank " + std::to_string(rank) + " " + place, "the master " + masters,
                "let every rank run the same loops in the same order");
}

void come_to(const std::string& place, Transport& transport, Reissue reissue) {
  const bool may_lack_some = reissue == Reissue::on || transport.comes_and_goes();
  if (may_lack_some) return require_same(transport.rank(), place, transport.from_master(place));
  const std::vector<std::string> places = transport.to_master(place, RunPlan::forever_s);
  do_on_master(transport, [&] {
    for (std::size_t rank = 0; rank < places.size(); ++rank)
      require_same(static_cast<int>(rank), places[rank], place);
  });
}

}  // namespace

void ProgramPlace::require_no_loop() const {
  if (is_in_loop_)
    throw UsageError("the farm was called in the body of a loop", "it runs one loop at a time",
                     "begin the next loop when this one has ended");
}

void ProgramPlace::begin_loop(Transport& transport, Reissue reissue) {
  require_no_loop();
  come_to("begins loop " + std::to_string(++loops_), transport, reissue);
}

void ProgramPlace::end(Transport& transport, Reissue reissue) const {
  come_to("ends after " + std::to_string(loops_) + (loops_ == 1 ? " loop" : " loops"), transport, reissue);
}

}  // namespace loadshare
