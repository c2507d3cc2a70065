#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace loadshare::blas {

/// What a processor says of itself, as far as the choice of a BLAS' kernels hangs on it.
struct Processor {
  std::string name;                          ///< "AMD EPYC"; empty: it does not say
  std::set<std::string, std::less<>> flags;  ///< instructions that the system lets programs use: "avx2"
};

/// Reads the text of /proc/cpuinfo: its first processor.
Processor parse_processor(std::string_view cpuinfo);

/// This host's.
Processor this_processor();

/// Libraries that hold kernels for many processors, and are to choose among them when they are loaded.
enum class Family { openblas, blis };

/// The core types (BLIS: sub-configurations) whose instructions the processor has, widest vectors first.
/// Those of less than half of its vectors' width, which cannot be fast, are left out.
std::vector<std::string> allowed_core_types(Family family, const Processor& processor);

/// Whether these are one core type: upper and lower case count as equal, as OpenBLAS has it.
bool is_same_core_type(std::string_view name, std::string_view other);

/// Whether OpenBLAS knows this name.
bool is_core_type(std::string_view name);

/// The first instruction that kernels need and the processor lacks: with them it would end by an illegal
/// instruction. Nothing of a name that is unknown here, nor of a processor that does not tell its
/// instructions.
std::optional<std::string> missing_instruction(Family family, std::string_view name,
                                               const Processor& processor);

/// Whether OpenBLAS, which runs `running`, was told so: it passes over names that it does not know, and has a
/// Prescott's kernels for some old ones.
bool is_followed(std::string_view asked, std::string_view running);

/// What to ask OpenBLAS for where the kernels it runs use shorter vectors than the processor has; nothing
/// where they do not, nor of a name that is unknown here: it is of an OpenBLAS that knows more processors.
std::optional<std::string> better_core_type(std::string_view running, const Processor& processor);

}  // namespace loadshare::blas
