#include "apps/loadshare/calibrate/launch_facts.hpp"

#include <sys/utsname.h>

#include <ctime>

#include "apps/loadshare/calibrate/mpi/transport_settings.hpp"
#include "runtime/farm/rank_report.hpp"
#include "runtime/timing/utc_text.hpp"

namespace loadshare::tool {

std::string kernel_release() {
  utsname name{};
  return uname(&name) == 0 ? std::string(name.sysname) + " " + name.release : "?";
}

calibration::Launch describe_launch(Transport& transport) {
  constexpr double forever_s = 1e9;
  const auto texts = transport.to_master(encode(describe_process(transport.rank())), forever_s);
  calibration::Launch launch;
  for (const std::string& text : texts) {
    const RankReport report = decode_rank_report(text);
    launch.ranks.push_back({report.rank, report.host, report.cpus});
  }
  launch.begun = utc_text(std::time(nullptr));
  launch.transport = transport_settings();
  launch.versions = transport.versions();
  launch.versions["loadshare"] = LOADSHARE_VERSION;
  launch.versions["system"] = kernel_release();
  return launch;
}

}  // namespace loadshare::tool
