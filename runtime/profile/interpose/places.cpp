#include "runtime/profile/interpose/places.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace loadshare::profile {
namespace {

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

/// "solve()+0x12 at prog+0x1234": what addr2line takes, with the symbol where the module tells it. It is the
/// last byte of the call: what it returns to may be another line's. Returns the text's length.
int describe(const void* return_address, char* text, std::size_t size) {
  const auto address = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<const void*>(address), &info, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) == 0 ||
      info.dli_fname == nullptr || map == nullptr)
    return std::snprintf(text, size, "%p", return_address);
  const char* module = base_name(info.dli_fname);
  const std::size_t in_module = address - map->l_addr;  // as linked: with or without a base of its own
  if (info.dli_sname == nullptr) return std::snprintf(text, size, "%s+0x%zx", module, in_module);
  int status = 0;
  char* plain = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
  const std::size_t in_function = address - reinterpret_cast<std::uintptr_t>(info.dli_saddr);
  const int length = std::snprintf(text, size, "%s+0x%zx at %s+0x%zx", plain ? plain : info.dli_sname,
                                   in_function, module, in_module);
  std::free(plain);
  return length;
}

}  // namespace

std::uint32_t Places::find_or_add(const void* address) {
  std::size_t i = first_try(address);
  for (; entries_[i].address != nullptr; i = (i + 1) % capacity)
    if (entries_[i].address == address) return entries_[i].number;
  if (used_ >= capacity / 2) return 0;  // so that there is always an empty entry
  ++used_;
  entries_[i] = {address, add_text(address)};
  return entries_[i].number;
}

std::uint32_t Places::add_text(const void* address) {
  std::array<char, 256> text{};
  describe(address, text.data(), text.size());
  const std::size_t bytes = std::strlen(text.data()) + 1;
  if (text_end_ + bytes > slot_->place_text.size()) return 0;
  std::memcpy(slot_->place_text.data() + text_end_, text.data(), bytes);
  text_end_ += bytes;
  return ++slot_->places;
}

}  // namespace loadshare::profile
