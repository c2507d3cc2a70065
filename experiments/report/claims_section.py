"""The table of claims: the statement, its verdict here, and the deciding numbers."""

from report.claims import NOT_REPRODUCED, REPRODUCED, UNDECIDED
from report.markup import badge, details, joined, table, tag
from report.wording import counted

SUMMARY = ("Each setting compares ratios of times, round by round, with the threshold of the rule (exact signed-rank test, "
           "95 % intervals). A p of at most 5 % means yes or no; a larger p, too few rounds and missing rounds mean unknown. "
           "The settings of a claim are judged together: the number of settings that say yes, or no, is tested at 5 % "
           "(partial conjunctions of their p-values), so a few settings may contradict the verdict.")


def claims_section(judgements, sweeps, anchor):
    reduced = [sweep.source or sweep.folder for sweep in sweeps if sweep.is_reduced]
    caveat = f" These sweeps are reduced: {', '.join(reduced)}." if reduced else ""
    return tag("section", tag("h2", "The claims"), tag("p", f"{tally(judgements)} {SUMMARY}{caveat}"),
               _overview(judgements), joined((_claim(judgement) for judgement in judgements), "\n"), id=anchor)


def _overview(judgements):
    rows = [[judgement.claim.name, judgement.claim.place, badge(judgement.verdict, judgement.verdict),
             tag("div", *(badge(finding.says, finding.short, finding.setting) for finding in judgement.findings),
                 class_="settings")] for judgement in judgements]
    return joined((table(["claim", "in the paper", "verdict here", "ratio or position in each setting"], rows),
                   tag("p", tag("small", "✓ yes, ✗ no, ○ unknown; the settings are named below in the same order."))))


def tally(judgements):
    """Returns `6 of 10 claims reproduced, 1 not reproduced, 3 undecided.`"""
    counts = {verdict: sum(judgement.verdict == verdict for judgement in judgements)
              for verdict in (REPRODUCED, NOT_REPRODUCED, UNDECIDED)}
    first = f"{counts.pop(REPRODUCED)} of {counted(len(judgements), 'claim')} reproduced"
    return ", ".join([first, *(f"{count} {verdict}" for verdict, count in counts.items() if count)]) + "."


def _claim(judgement):
    claim = judgement.claim
    rows = [[finding.setting, badge(finding.says, finding.says), finding.numbers] for finding in judgement.findings]
    says = [finding.says for finding in judgement.findings]
    counts = ", ".join(f"{says.count(word)} {word}" for word in ("yes", "no", "unknown") if word in says)
    return tag("article", tag("h3", badge(judgement.verdict, judgement.verdict), " ", claim.name),
               tag("blockquote", f"“{claim.quote}” ", tag("cite", claim.place)),
               tag("p", tag("b", "Rule: "), f"{claim.rule}."),
               details(f"{counted(len(rows), 'setting')}: {counts}", table(["setting", "result", "numbers"], rows)),
               class_="claim")
