#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace loadshare::blas {

/// Facts about a processor that determine the choice of BLAS kernels.
struct Processor {
  std::string name;                          ///< "AMD EPYC"; empty: unknown
  std::set<std::string, std::less<>> flags;  ///< instruction sets that the system permits: "avx2"
};

/// Reads the first processor from the text of /proc/cpuinfo.
Processor parse_processor(std::string_view cpuinfo);

/// Returns this host's processor.
Processor this_processor();

/// Libraries with kernels for many processors, which choose among them when they are loaded.
enum class Family { openblas, blis };

/// Returns the core types (BLIS: sub-configurations) whose instructions the processor has, widest vectors
/// first. Excludes types with less than half of the processor's vector width, because they are slow.
std::vector<std::string> allowed_core_types(Family family, const Processor& processor);

/// Whether two names are the same core type, ignoring case as OpenBLAS does.
bool is_same_core_type(std::string_view name, std::string_view other);

/// Whether OpenBLAS has a core type of this name.
bool is_core_type(std::string_view name);

/// Returns the first instruction set that kernels need and the processor lacks: with these kernels, an
/// illegal instruction would end the program. Returns nothing for an unknown name, or for a processor that
/// does not report its instructions.
std::optional<std::string> missing_instruction(Family family, std::string_view name,
                                               const Processor& processor);

/// Whether OpenBLAS, which runs `running`, follows the request `asked`. It ignores unknown names, and for
/// some old names it uses a Prescott's kernels.
bool is_followed(std::string_view asked, std::string_view running);

/// Returns the core type to request if OpenBLAS runs kernels with shorter vectors than the processor has.
/// Returns nothing if it does not, or if the name is unknown here: that OpenBLAS knows more processors.
std::optional<std::string> better_core_type(std::string_view running, const Processor& processor);

}  // namespace loadshare::blas
