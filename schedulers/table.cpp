#include "schedulers/table.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "schedulers/adaptive.hpp"
#include "schedulers/af.hpp"
#include "schedulers/awf.hpp"
#include "schedulers/bold.hpp"
#include "schedulers/fac.hpp"
#include "schedulers/factoring.hpp"
#include "schedulers/fiss.hpp"
#include "schedulers/fsc.hpp"
#include "schedulers/gss.hpp"
#include "schedulers/pls.hpp"
#include "schedulers/rnd.hpp"
#include "schedulers/send.hpp"
#include "schedulers/static.hpp"
#include "schedulers/steady.hpp"
#include "schedulers/tap.hpp"
#include "schedulers/tfss.hpp"
#include "schedulers/tss.hpp"
#include "schedulers/viss.hpp"
#include "schedulers/wf.hpp"

namespace loadshare {
namespace {

void require_typable(const std::string& name, const std::string& whose) {
  const bool is_typable = !name.empty() && name.find_first_of(":,= \t\n") == std::string::npos;
  if (is_typable) return;
  throw UsageError("'" + name + "' cannot name " + whose, "a spec could not be read back",
                   "choose a name without ':', ',', '=' and spaces");
}

}  // namespace

void SchedulerTable::add(SchedulerEntry entry) {
  require_typable(entry.name, "a scheduler");
  for (const auto& parameter : entry.parameters)
    require_typable(parameter.name, "a parameter of scheduler " + entry.name);
  if (!entry.make)
    throw UsageError("scheduler " + entry.name + " has no factory", {}, "set SchedulerEntry::make");
  if (std::ranges::find(entries_, entry.name, &SchedulerEntry::name) != entries_.end())
    throw UsageError("scheduler " + entry.name + " is there already", {}, "choose another name");
  entries_.push_back(std::move(entry));
}

bool SchedulerTable::has_technique(std::string_view spec) const {
  const std::string_view name = spec.substr(0, spec.find(':'));
  return std::ranges::find(entries_, name, &SchedulerEntry::name) != entries_.end();
}

SchedulerSpec SchedulerTable::parse(std::string_view text) const {
  return parse_spec("scheduler", text, forms_of(entries_));
}

std::vector<std::string> SchedulerTable::candidates(const LoopFacts& loop) const {
  std::vector<std::string> specs;
  for (const SchedulerEntry& entry : entries_) {
    const auto of_entry = entry.candidates ? entry.candidates(loop) : std::vector<std::string>{entry.name};
    for (const std::string& text : of_entry)
      if (std::string spec = parse(text).text(); std::ranges::find(specs, spec) == specs.end())
        specs.push_back(std::move(spec));
  }
  return specs;
}

std::string SchedulerTable::help(std::size_t columns) const {
  std::vector<SpecForm> forms = forms_of(entries_);
  for (std::size_t i = 0; i < forms.size(); ++i)
    forms[i].description.insert(0, std::string(name_among(size_kinds, entries_[i].kind)) + " sizes; ");
  return spec_help({"scheduler", "gss:14,min=2", "gss:divisor=14,min=2"}, forms, columns);
}

std::unique_ptr<ChunkScheduler> SchedulerTable::make(std::string_view text, const LoopFacts& loop) const {
  const SchedulerSpec spec = parse(text);
  return std::ranges::find(entries_, spec.name, &SchedulerEntry::name)->make(spec, loop);
}

SchedulerTable built_in_schedulers() {
  SchedulerTable table;
  table.add(send_entry());
  table.add(gss_entry());
  table.add(factoring_entry());
  table.add(tss_entry());
  table.add(adaptive_entry());
  table.add(static_entry());
  table.add(ss_entry());
  table.add(fsc_entry());
  table.add(mfsc_entry());
  table.add(fac2_entry());
  table.add(fac_entry());
  table.add(wf_entry());
  table.add(tap_entry());
  table.add(tfss_entry());
  table.add(fiss_entry());
  table.add(viss_entry());
  table.add(pls_entry());
  table.add(rnd_entry());
  table.add(bold_entry());
  table.add(awf_entry());
  table.add(awf_b_entry());
  table.add(awf_c_entry());
  table.add(awf_d_entry());
  table.add(awf_e_entry());
  table.add(af_entry());
  table.add(maf_entry());
  table.add(steady_entry());
  return table;
}

}  // namespace loadshare
