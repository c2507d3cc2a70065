#include "apps/spmd/run_part.hpp"

#include <fmt/format.h>

#include "apps/common/choose.hpp"

namespace loadshare::spmd {

namespace {

constexpr Choices<RunPart, 2> run_parts{{{"whole", RunPart::whole}, {"parallel", RunPart::parallel}}};

}  // namespace

void add_run_part(const OptionGroup& group, std::string& word, const std::string& data) {
  group.add("--part", word, "NAME",
            fmt::format("what is run: the whole (rank 0 deals out {} and collects them), or the\n"
                        "parallel part (they are on their ranks, and stay)",
                        data));
}

RunPart parse_run_part(const std::string& word) {
  return choose("--part", word, run_parts);
}

std::string name_of(RunPart part) {
  return name_among(run_parts, part);
}

}  // namespace loadshare::spmd
