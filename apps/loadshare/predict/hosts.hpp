#pragma once
#include <string>
#include <vector>
#include "models/predictor/host_model.hpp"
namespace loadshare::tool {
std::vector<predictor::HostModel> read_hosts(const std::string& text);
}
