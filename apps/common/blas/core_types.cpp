#include "apps/common/blas/core_types.hpp"

#include <strings.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace loadshare::blas {
namespace {

/// Kernels for one type of processor.
struct CoreType {
  const char* name;
  int flops;          ///< double-precision operations of its widest instruction
  const char* needs;  ///< instruction sets, as named in /proc/cpuinfo
};

// The widest first: OpenBLAS 0.3.21's types for 64 bits, and SapphireRapids of later versions.
constexpr CoreType openblas_types[] = {
    {"SapphireRapids", 16, "avx2 fma avx512f avx512cd avx512bw avx512dq avx512vl avx512_bf16 amx_bf16"},
    {"Cooperlake", 16, "avx2 fma avx512f avx512cd avx512bw avx512dq avx512vl avx512_bf16"},
    {"SkylakeX", 16, "avx2 fma avx512f avx512cd avx512bw avx512dq avx512vl"},
    {"Haswell", 8, "avx2 fma"},
    {"Zen", 8, "avx2 fma"},
    {"Excavator", 4, "avx2 fma fma4"},
    {"Steamroller", 4, "avx fma fma4"},
    {"Piledriver", 4, "avx fma fma4"},
    {"Bulldozer", 4, "avx fma4"},
    {"Sandybridge", 4, "avx"},
    {"Nehalem", 2, "sse4_2"},
    {"Dunnington", 2, "sse4_1"},
    {"Penryn", 2, "sse4_1"},
    {"Core2", 2, "ssse3"},
    {"Atom", 2, "ssse3"},
    {"Nano", 2, "ssse3"},
    {"Bobcat", 2, "ssse3 sse4a"},
    {"Barcelona", 2, "sse4a"},
    {"Opteron_SSE3", 2, "3dnow pni"},
    {"Prescott", 2, "pni"},
    {"Opteron", 2, "3dnow"},
};

// 32-bit processors, which OpenBLAS accepts and treats as Prescott.
constexpr const char* old_names[] = {"Katmai", "Coppermine", "Northwood", "Banias", "Athlon"};

// The types of BLIS 0.9 in Debian.
constexpr CoreType blis_types[] = {
    {"skx", 16, "avx2 fma avx512f avx512cd avx512bw avx512dq avx512vl"},
    {"zen3", 8, "avx2 fma"},
    {"zen2", 8, "avx2 fma"},
    {"zen", 8, "avx2 fma"},
    {"haswell", 8, "avx2 fma"},
    {"sandybridge", 4, "avx"},
};

// The types to recommend: every OpenBLAS of the last ten years has them.
constexpr const char* cures[] = {"SkylakeX", "Haswell", "Sandybridge", "Nehalem"};

std::optional<std::string> lacking(const CoreType& type, const Processor& processor) {
  std::istringstream needs(type.needs);
  for (std::string flag; needs >> flag;)
    if (!processor.flags.contains(flag)) return flag;
  return std::nullopt;
}

bool can_run(const CoreType& type, const Processor& processor) {
  return !lacking(type, processor);
}

bool is_old(std::string_view name) {
  return std::ranges::any_of(old_names, [&](const char* old) { return is_same_core_type(name, old); });
}

template <class Types>
const CoreType* find_in(const Types& types, std::string_view name) {
  const auto found =
      std::ranges::find_if(types, [&](const CoreType& type) { return is_same_core_type(name, type.name); });
  return found == std::end(types) ? nullptr : found;
}

const CoreType* find(std::string_view name) {
  return find_in(openblas_types, name);
}

/// Returns the text after the colon of the first line that begins with `key`.
std::string value_of(std::string_view cpuinfo, std::string_view key) {
  std::istringstream lines{std::string(cpuinfo)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

template <class Types>
std::vector<std::string> allowed(const Types& types, const Processor& processor) {
  std::vector<std::string> names;
  int widest = 0;
  for (const CoreType& type : types) {
    if (!can_run(type, processor)) continue;
    widest = std::max(widest, type.flops);
    if (2 * type.flops >= widest) names.emplace_back(type.name);
  }
  return names;
}

}  // namespace

Processor parse_processor(std::string_view cpuinfo) {
  Processor processor{value_of(cpuinfo, "model name"), {}};
  std::istringstream flags(value_of(cpuinfo, "flags"));
  for (std::string flag; flags >> flag;) processor.flags.insert(flag);
  return processor;
}

Processor this_processor() {
  // Reads only the first part: the file has a page per processor, and the kernel measures each one's
  // frequency.
  std::ifstream file("/proc/cpuinfo");
  std::string first;
  for (std::string line; std::getline(file, line) && !line.empty();) first += line + '\n';
  return parse_processor(first);
}

std::vector<std::string> allowed_core_types(Family family, const Processor& processor) {
  return family == Family::blis ? allowed(blis_types, processor) : allowed(openblas_types, processor);
}

bool is_same_core_type(std::string_view name, std::string_view other) {
  return name.size() == other.size() && strncasecmp(name.data(), other.data(), name.size()) == 0;
}

bool is_core_type(std::string_view name) {
  return find(name) != nullptr || is_old(name);
}

std::optional<std::string> missing_instruction(Family family, std::string_view name,
                                               const Processor& processor) {
  const CoreType* type = family == Family::blis ? find_in(blis_types, name) : find(name);
  return type == nullptr || processor.flags.empty() ? std::nullopt : lacking(*type, processor);
}

bool is_followed(std::string_view asked, std::string_view running) {
  return is_same_core_type(asked, running) || is_old(asked);
}

std::optional<std::string> better_core_type(std::string_view running, const Processor& processor) {
  const CoreType* now = find(running);
  if (now == nullptr) return std::nullopt;
  for (const char* cure : cures)
    if (const CoreType* type = find(cure); can_run(*type, processor))
      return type->flops > now->flops ? std::optional<std::string>(cure) : std::nullopt;
  return std::nullopt;
}

}  // namespace loadshare::blas
