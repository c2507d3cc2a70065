#include "apps/loadshare/predict/hosts.hpp"
#include "experiments/lab/lab_file.hpp"
#include "experiments/yaml/document.hpp"
namespace loadshare::tool {
std::vector<predictor::HostModel> read_hosts(const std::string& text) {
  std::vector<predictor::HostModel> hosts;
  const auto plan = lab::read_lab(yaml::load(text));
  for (const auto& h : plan.hosts)
    hosts.push_back({h.name, 1, predictor::Grant{h.share, plan.period_us * 1e-6, 4e-3}, 1,
                     static_cast<double>(h.link_bits_per_s) / 8.0});
  return hosts;
}
}  // namespace loadshare::tool
