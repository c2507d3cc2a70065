#include "apps/common/option_group.hpp"

#include <CLI/CLI.hpp>
#include <utility>

namespace loadshare {

OptionGroup::OptionGroup(CLI::App& app, std::string heading) : app_(app), heading_(std::move(heading)) {}

void OptionGroup::add(const char* name, std::string& word, const char* type, const std::string& text) const {
  add(name, word, type, text, word.c_str());
}

void OptionGroup::add(const char* name, std::string& word, const char* type, const std::string& text,
                      const char* shown) const {
  app_.add_option(name, word, text)->type_name(type)->default_str(shown)->group(heading_);
}

void OptionGroup::add_flag(const char* name, bool& is_given, const std::string& text) const {
  app_.add_flag(name, is_given, text)->group(heading_);
}

}  // namespace loadshare
