#include "apps/loadshare/mpi/transport_settings.hpp"

#include <mpi.h>

#include <array>
#include <optional>
#include <vector>

#include "runtime/transport/mpi/check.hpp"

namespace loadshare::tool {
namespace {

using mpi::check;

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
                           "mpi_yield_when_idle"};

/// MPI's tools interface while it is in use.
class ToolsInterface final {
 public:
  ToolsInterface() {
    int provided = 0;
    check(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), "MPI_T_init_thread");
  }
  ToolsInterface(const ToolsInterface&) = delete;
  ToolsInterface& operator=(const ToolsInterface&) = delete;
  ~ToolsInterface() { MPI_T_finalize(); }
};

MPI_Datatype type_of(int variable) {
  int name_length = 0, text_length = 0, verbosity = 0, binding = 0, scope = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum meanings = MPI_T_ENUM_NULL;
  check(MPI_T_cvar_get_info(variable, nullptr, &name_length, &verbosity, &type, &meanings, nullptr,
                            &text_length, &binding, &scope),
        "MPI_T_cvar_get_info");
  return type;
}

/// The number as text, or the text itself, as the variable's type has it; nothing for other types.
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
  check(MPI_T_cvar_handle_alloc(variable, nullptr, &handle, &count), "MPI_T_cvar_handle_alloc");
  std::vector<unsigned long long> value(static_cast<std::size_t>(count) + 1);  // an element of any type fits
  check(MPI_T_cvar_read(handle, value.data()), "MPI_T_cvar_read");
  check(MPI_T_cvar_handle_free(&handle), "MPI_T_cvar_handle_free");
  return text_of(value, type_of(variable));
}

}  // namespace

std::map<std::string, std::string> transport_settings() {
  const ToolsInterface in_use;
  std::map<std::string, std::string> settings;
  for (const char* name : names) {
    int variable = 0;
    if (MPI_T_cvar_get_index(name, &variable) != MPI_SUCCESS) continue;
    if (const auto value = value_of(variable); value && !value->empty()) settings[name] = *value;
  }
  return settings;
}

}  // namespace loadshare::tool
