"""The table of claims: what was said, what came of it here, and the numbers that decided it."""

from report.claims import NOT_REPRODUCED, REPRODUCED, UNDECIDED
from report.markup import badge, details, joined, table, tag
from report.wording import counted

SUMMARY = ("Each setting holds ratios of times against the threshold that stands in the rule, round by round (the "
           "signed-rank test, exact; intervals of 95 %): a p of 5 % at most is yes or no, anything else, too few rounds "
           "or missing ones are unknown. A claim is judged by its settings together: that so many of them say yes, or "
           "no, is shown at 5 % (partial conjunctions of their p-values), so that a few may say what the claim does not.")


def claims_section(judgements, sweeps, anchor):
    reduced = [sweep.source or sweep.folder for sweep in sweeps if sweep.is_reduced]
    caveat = f" Taken at the reduced setting: {', '.join(reduced)}." if reduced else ""
    return tag("section", tag("h2", "The claims"), tag("p", f"{tally(judgements)} {SUMMARY}{caveat}"),
               _overview(judgements), joined((_claim(judgement) for judgement in judgements), "\n"), id=anchor)


def _overview(judgements):
    rows = [[judgement.claim.name, judgement.claim.place, badge(judgement.verdict, judgement.verdict),
             tag("div", *(badge(finding.says, finding.short, finding.setting) for finding in judgement.findings),
                 class_="settings")] for judgement in judgements]
    return joined((table(["claim", "where", "here", "ratio or place, setting by setting"], rows),
                   tag("p", tag("small", "✓ yes, ✗ no, ○ unknown; the settings are named below, in the same order."))))


def tally(judgements):
    """6 of 10 reproduced, 1 not reproduced, 3 undecided."""
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
               details(f"{counted(len(rows), 'setting')}: {counts}", table(["setting", "says", "by"], rows)),
               class_="claim")
