#include "runtime/farm/options.hpp"

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/io/text.hpp"
#include "runtime/farm/agreement.hpp"
#include "runtime/farm/program.hpp"
#include "schedulers/spec.hpp"

namespace loadshare {

namespace {

void check(const NetworkOptions& network, const FarmOptions& options) {
  if (network.listen.empty() && !network.start_on.empty())
    throw UsageError("--start-on without --listen", "workers need an address at which they find the master",
                     "give --listen HOST:0 with an address of this host that they can reach");
  if (network.start_on.empty() && network.start_by != NetworkOptions{}.start_by)
    throw UsageError("--start-by without --start-on", "there is nothing to start",
                     "give --start-on FILE with the hosts");
  if (network.listen.empty() && network.lease_s != NetworkOptions{}.lease_s)
    throw UsageError("--lease without --listen", "a lease is agreed on with workers that join",
                     "give --listen as well, or leave out --lease");
  if (!network.is_used()) return;
  if (!network.listen.empty() && !network.join.empty())
    throw UsageError("both --listen and --join are given", "a process is either a master or joins one",
                     "leave one of them out");
  if (!(network.lease_s >= NetworkOptions::least_lease_s))
    throw UsageError("--lease is " + duration_text(network.lease_s),
                     "a worker reports several times per lease that it runs", "give 1s or more");
  const std::string option = network.listen.empty() ? "--join" : "--listen";
  if (detect_launch().is_mpi)
    throw UsageError(option + " is given under mpirun", "there, the ranks are the workers",
                     "start it without mpirun");
  if (!options.load.empty())
    throw UsageError("--load and " + option + " are both given",
                     "a load disturbs the ranks that a farm begins with",
                     "start `loadshare load` on the hosts that are to be disturbed");
}

void check(const JournalOptions& journal, const FarmOptions& options) {
  if (journal.resumes && !journal.is_used())
    throw UsageError("--resume without --journal", "the journal has the results to continue from",
                     "give --journal FOLDER");
  if (journal.is_used() && !options.network.join.empty())
    throw UsageError("--journal and --join are both given", "the master keeps the journal",
                     "give --journal to the master");
}

}  // namespace

void check_options(const FarmOptions& options) {
  if (detect_launch().is_stray_task)
    throw UsageError("srun started several tasks that MPI does not connect",
                     "each of them would do all the work", "try srun --mpi=pmix");
  constexpr Index most_workers = 4096;
  constexpr Index most_prefetch = 1024;
  if (options.workers < 0 || options.workers > most_workers)
    throw UsageError(
        "cannot use " + std::to_string(options.workers) + " workers",
        "from 1 to " + std::to_string(most_workers) + " threads, or 0 for one per granted processor");
  if (options.prefetch < 0 || options.prefetch > most_prefetch)
    throw UsageError("cannot prefetch " + std::to_string(options.prefetch) + " chunks",
                     "from 0 to " + std::to_string(most_prefetch));
  if (options.crash_limit < 0 || options.crash_limit > most_crash_limit)
    throw UsageError("the crash limit is " + std::to_string(options.crash_limit),
                     "from 0 to " + std::to_string(most_crash_limit));
  check_copies(options.reissue, options.copies);
  check(options.network, options);
  check(options.journal, options);
  if (options.ranks_per_host < 0)
    throw UsageError("cannot pretend hosts of " + std::to_string(options.ranks_per_host) + " ranks",
                     "at least 1, or 0 for the hosts there are");
}

void check_copies(Reissue reissue, Copies copies) {
  if (reissue == Reissue::on && copies == Copies::never)
    throw UsageError("--reissue is given, but copies are forbidden",
                     "it gives unfinished chunks to a second worker",
                     "leave out --reissue; or --copies never, unless the program demands it");
}

Terms terms_of(const FarmOptions& options, const FarmOptions& typed) {
  const auto flag = [](bool is_given) { return std::string(is_given ? "given" : ""); };
  Terms terms{own_program(), options.more_terms};
  terms.values["--scheduler"] = options.scheduler;
  terms.values["--master"] = name_among(master_modes, options.master);
  terms.values["--master-rank"] = std::to_string(options.master_rank);
  terms.values["--prefetch"] = std::to_string(options.prefetch);
  terms.values["--reissue"] = flag(options.reissue == Reissue::on);
  terms.values["--copies"] = name_among(copies_rules, options.copies);
  terms.values["--on-failure"] = options.on_failure;
  terms.values["--crash-limit"] = std::to_string(options.crash_limit);
  terms.values["--load"] = options.load;
  terms.values["--ranks-per-host"] = std::to_string(options.ranks_per_host);
  terms.values["--journal"] = options.journal.folder;
  terms.values["--resume"] = flag(options.journal.resumes);
  terms.typed = {{"--scheduler", typed.scheduler}, {"--on-failure", typed.on_failure}};
  return terms;
}

FailureRule parse_failure_rule(std::string_view text) {
  constexpr std::string_view kind = "failure rule", times = "times";
  constexpr Index most = 100;
  const std::vector<ParameterInfo> again{{std::string(times), "1", "how often the chunk is given again"}};
  const Spec spec = parse_spec(kind, text,
                               {{"end", "a chunk that throws ends the run", {}},
                                {"retry", "it is given again, and ends the run if that does not help", again},
                                {"skip", "likewise, but only the iteration at fault is left out", again}});
  const Index retries = spec.integer(times, 0).value_or(1);
  if (retries > most)
    throw UsageError(spec.said(times, std::to_string(retries)), "at most " + std::to_string(most));
  FailureRule rule{.retries = static_cast<std::uint8_t>(retries), .text = spec.text()};
  if (spec.name != "end") rule.on_failure = spec.name == "retry" ? OnFailure::retry : OnFailure::skip;
  return rule;
}

}  // namespace loadshare
