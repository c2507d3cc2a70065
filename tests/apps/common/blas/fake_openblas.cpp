// A fake OpenBLAS that does not know the processor: it runs a Prescott's kernels unless others are requested
// while it is loaded. It multiplies nothing.
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::string chosen() {
  const char* asked = std::getenv("OPENBLAS_CORETYPE");
  if (asked == nullptr || std::getenv("OPENBLAS_IS_DEAF") != nullptr) return "Prescott";
  for (const char* known : {"SkylakeX", "Haswell"})
    if (std::strcmp(asked, known) == 0) return known;
  return "Prescott";
}

const std::string core = chosen();
const std::string config = "OpenBLAS 0.0.1 FAKE " + core;

}  // namespace

extern "C" {
void cblas_dgemm() {}
void cblas_sgemm() {}
void openblas_set_num_threads(int) {}
int openblas_get_num_threads() {
  return 1;
}
const char* openblas_get_corename() {
  return core.c_str();
}
const char* openblas_get_config() {
  return config.c_str();
}
}
