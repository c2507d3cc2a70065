#include "profiler/preload/mpi_setup.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <mpi.h>
#include <net/if.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <optional>
#include <set>
#include <vector>

namespace loadshare::profile {
namespace {

constexpr std::array names{"pml",
                           "btl",
                           "mtl",
                           "btl_vader_eager_limit",
                           "btl_vader_single_copy_mechanism",
                           "btl_tcp_eager_limit",
                           "btl_tcp_flags",
                           "btl_tcp_links",
                           "btl_tcp_sndbuf",
                           "btl_tcp_rcvbuf",
                           "btl_tcp_if_include",
                           "coll",
                           "coll_tuned_dynamic_rules_filename",
                           "mpi_yield_when_idle"};

/// An initialized MPI tools interface. Open MPI also applies the thread level requested here to the program,
/// so it requests the program's own level.
class ToolsInterface final {
 public:
  ToolsInterface() {
    int level = MPI_THREAD_SINGLE, provided = 0;
    PMPI_Query_thread(&level);
    is_up_ = MPI_T_init_thread(level, &provided) == MPI_SUCCESS;
  }
  ToolsInterface(const ToolsInterface&) = delete;
  ToolsInterface& operator=(const ToolsInterface&) = delete;
  ~ToolsInterface() {
    if (is_up_) MPI_T_finalize();
  }
  bool is_up() const { return is_up_; }

 private:
  bool is_up_ = false;
};

MPI_Datatype type_of(int variable) {
  int name_length = 0, text_length = 0, verbosity = 0, binding = 0, scope = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum meanings = MPI_T_ENUM_NULL;
  MPI_T_cvar_get_info(variable, nullptr, &name_length, &verbosity, &type, &meanings, nullptr, &text_length,
                      &binding, &scope);
  return type;
}

/// Formats a variable's value by its type; nothing for other types.
std::optional<std::string> text_of(const std::vector<unsigned long long>& value, MPI_Datatype type) {
  const void* bytes = value.data();
  if (type == MPI_CHAR) return static_cast<const char*>(bytes);
  if (type == MPI_INT) return std::to_string(*static_cast<const int*>(bytes));
  if (type == MPI_UNSIGNED) return std::to_string(*static_cast<const unsigned*>(bytes));
  if (type == MPI_UNSIGNED_LONG) return std::to_string(*static_cast<const unsigned long*>(bytes));
  if (type == MPI_UNSIGNED_LONG_LONG) return std::to_string(value.front());
  return std::nullopt;
}

std::optional<std::string> value_of(int variable) {
  MPI_T_cvar_handle handle = nullptr;
  int count = 0;
  if (MPI_T_cvar_handle_alloc(variable, nullptr, &handle, &count) != MPI_SUCCESS) return std::nullopt;
  // Has room for an element of any type.
  std::vector<unsigned long long> value(static_cast<std::size_t>(count) + 1);
  const bool is_read = MPI_T_cvar_read(handle, value.data()) == MPI_SUCCESS;
  MPI_T_cvar_handle_free(&handle);
  return is_read ? text_of(value, type_of(variable)) : std::nullopt;
}

/// Returns the subnet of an interface that is up and leads to other hosts, such as "10.1.0.0/16"; otherwise
/// an empty text.
std::string subnet_of(const ifaddrs& interface) {
  constexpr unsigned wanted = IFF_UP | IFF_RUNNING;
  if (interface.ifa_addr == nullptr || interface.ifa_netmask == nullptr ||
      interface.ifa_addr->sa_family != AF_INET || (interface.ifa_flags & IFF_LOOPBACK) != 0 ||
      (interface.ifa_flags & wanted) != wanted)
    return {};
  const auto address_of = [](const sockaddr* address) {
    return reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr;
  };
  const auto mask = address_of(interface.ifa_netmask);
  const in_addr subnet{address_of(interface.ifa_addr) & mask};
  std::array<char, INET_ADDRSTRLEN> text{};
  if (inet_ntop(AF_INET, &subnet, text.data(), text.size()) == nullptr) return {};
  return std::string(text.data()) + "/" + std::to_string(std::popcount(mask));
}

std::string network() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {};
  std::set<std::string> subnets;
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) subnets.insert(subnet_of(*each));
  freeifaddrs(first);
  subnets.erase("");
  std::string text;
  for (const std::string& subnet : subnets) text += (text.empty() ? "" : " ") + subnet;
  return text;
}

}  // namespace

std::map<std::string, std::string> mpi_settings() {
  std::map<std::string, std::string> settings;
  const ToolsInterface in_use;
  for (const char* name : names) {
    int variable = 0;
    if (!in_use.is_up() || MPI_T_cvar_get_index(name, &variable) != MPI_SUCCESS) continue;
    if (const auto value = value_of(variable); value && !value->empty()) settings[name] = *value;
  }
  if (const std::string subnets = network(); !subnets.empty()) settings["network"] = subnets;
  return settings;
}

std::map<std::string, std::string> mpi_settings_asked_for() {
  std::map<std::string, std::string> settings;
  for (const char* name : names)
    if (const char* value = std::getenv((std::string("OMPI_MCA_") + name).c_str()); value && *value != '\0')
      settings[name] = value;
  if (const std::string subnets = network(); !subnets.empty()) settings["network"] = subnets;
  return settings;
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  if (PMPI_Get_library_version(text.data(), &length) != MPI_SUCCESS) return {};
  const std::string version(text.data());
  return version.substr(0, version.find_first_of(",\n"));
}

}  // namespace loadshare::profile
