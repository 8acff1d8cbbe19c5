"""The page: every number from the store, coloured by agreement; ranks and critical differences as in the literature."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from msvm_ref.studies.experiments import engine
from msvm_ref.studies.experiments.advice import advice, figures, sentences
from msvm_ref.studies.experiments.bars import bars
from msvm_ref.studies.experiments.chapter import Chapter, chapters
from msvm_ref.studies.experiments.curves import curves
from msvm_ref.studies.experiments.diagram import diagram
from msvm_ref.studies.experiments.exported import TableEntry
from msvm_ref.studies.experiments.page import html, markdown
from msvm_ref.studies.experiments.ranks import critical_difference, ranking
from msvm_ref.studies.experiments.registry import STUDIES
from msvm_ref.studies.experiments.result import results
from msvm_ref.studies.experiments.store import Store
from msvm_ref.studies.experiments.study import Printed
from msvm_ref.studies.experiments.table import written
from msvm_ref.studies.experiments.uv_printed import COLUMNS, TABLE_4, parsed
from tests.studies.experiments.small import SMALL

DOCS = Path(__file__).parents[3] / "docs"
SCORES = {
    (row, name): value
    for row, values in {"a": (3, 2, 1), "b": (3, 2, 1), "c": (2, 3, 1), "d": (5, 5, 1)}.items()
    for name, value in zip("xyz", values, strict=True)
}


@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (5, 2.728), (9, 3.102), (10, 3.164)])
def test_critical_differences_are_demsars(k, q):
    """His Table 5(a) of q at 0.05."""
    assert critical_difference(k, 6) == pytest.approx(q * (k * (k + 1) / 36) ** 0.5, abs=2e-3)


def test_ranks_are_means_with_midranks():
    ranked = ranking(SCORES, "xyz", "abcd")
    assert ranked is not None
    assert dict(zip(ranked.names, ranked.ranks, strict=True)) == {"x": 1.375, "y": 1.625, "z": 3.0}
    assert (ranked.data_sets, ranked.leaders) == (4, ("x", "y", "z"))  # 1.66 is critical
    assert ranked.cliques == [(0, 2)]
    assert ranking({("a", "x"): 1.0}, "xy", "ab") is None


def test_what_differs_by_rounding_alone_shares_its_rank():
    """Three thirds that a file keeps with six digits are 200.0001 in all; one example of 2000 in a hundred splits is more."""
    alike = {("a", "x"): (66.6667 + 66.6667 + 66.6666 + 66.6667) / 4, ("a", "y"): 200 / 3}
    apart = {("b", "x"): 90.0, ("b", "y"): 90.0005}
    ranked = ranking(alike | apart, "xy", "ab")
    assert ranked is not None
    assert dict(zip(ranked.names, ranked.ranks, strict=True)) == {"x": 1.75, "y": 1.25}


def test_both_rankings_are_of_the_rows_that_ours_has_whole():
    chapter = told("uv-table4", {"WW": 3.0, "CS": 2.0}, 3)
    printed = {(r, c): Printed(50.0) for r in ("d0", "d1", "d2") for c in ("WW", "CS")}
    study = replace(chapter.study, printed=printed)
    for results_of, sets in ((chapter.results, 3), (chapter.results[:-1], 2)):
        (_, ours), (_, theirs) = replace(chapter, study=study, results=results_of).rankings()
        assert ours.data_sets == theirs.data_sets == sets


def test_the_papers_own_numbers_do_not_tell_the_first_machines_apart():
    printed = {place: cell.value for place, cell in parsed(TABLE_4).items()}
    rows = list(dict.fromkeys(row for row, _ in printed))
    ranked = ranking(printed, COLUMNS, rows)
    assert ranked is not None
    assert ({*ranked.names[:2]}, ranked.names[-1]) == ({"RM", "WW"}, "MMR")
    assert {"WW", "RM", "OVA"} <= set(ranked.leaders)
    assert "MMR" not in ranked.leaders


def test_the_diagram_is_well_formed_and_names_everyone():
    ranked = ranking(SCORES, "xyz", "abcd")
    assert ranked is not None
    drawn = diagram(ranked, "a < b")
    svg = ElementTree.fromstring(
        drawn.removeprefix("<div class=scroll>").removesuffix("</div>").replace("role=img", "")
    )
    words = [t.text for t in svg.iter("text")]
    assert {"x 1.38", "y 1.62", "3.00 z", "a < b"} <= set(words)


@pytest.mark.parametrize("measure", ["accuracy", "error", "seconds", "support"])
def test_bars_are_well_formed_one_for_each_number(measure):
    values = {("a", "WW"): 90.0, ("a", "CS"): 92.0, ("b<", "WW"): 50.0}
    drawn = bars(values, ["a", "b<"], ["WW", "CS"], measure)
    svg = ElementTree.fromstring(drawn.removeprefix("<div class=scroll>").removesuffix("</div>"))
    told = [title.text for title in svg.iter("title")]
    assert told == ["a, WW: 90", "a, CS: 92", "b<, WW: 50"]
    heights = [float(r.get("height", "0")) for r in svg.iter("rect") if r.find("title") is not None]
    assert all(height > 0 for height in heights)
    if measure == "accuracy":  # both lie one percent off their mean; a row of one lies on it
        assert heights[0] == heights[1]
        assert heights[2] == 0.5


def test_the_mean_stands_beside_seconds_and_support():
    values = {(row, c): v for row, v in (("a", 1.0), ("b", 100.0)) for c in ("WW", "CS")}
    for measure, mean in (("seconds", "10"), ("support", "50.5")):
        drawn = bars(values | {("c", "WW"): 7.0}, ["a", "b", "c"], ["WW", "CS"], measure)
        assert f"<title>mean, WW: {mean}</title>" in drawn  # of the rows that have both
    assert "<title>mean" not in bars(values, ["a", "b"], ["WW", "CS"], "accuracy")


@pytest.mark.parametrize(
    ("number", "words"),
    [
        ((40231.0, None), "40231"),
        ((1027.4, 12.6), "1027 ± 13"),
        ((0.1234, None), "0.123"),
        ((0.0117, 0.0012), "0.0117 ± 0.0012"),
    ],
)
def test_large_numbers_have_no_decimals(number, words):
    assert written(*number) == words


def test_pages_tell_what_the_store_has(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        assert chapters([SMALL], store) == chapters([SMALL]) == []
        engine.run(SMALL, store, contenders=SMALL.contenders[:1])
        (chapter,) = chapters([SMALL], store)
    made = chapter.at("Iris", "WW")
    assert made is not None
    number = f"{made.mean:.2f} ± {made.deviation:.2f}"
    web, text = html([chapter]), markdown([chapter])
    for page in (web, text):
        assert number in page
        assert "96.35 ± 2.59" in page
        assert "not run" in page
        assert "tiny" in page  # the protocol, in words
    assert made.agreement == "not compared"  # 40 rows for their 105
    assert "<td class='' title=" in web
    assert "<th>Iris<br><small>quick</small></th>" in web
    assert "| Iris (quick) |" in text
    whole = with_all_rows(chapter)
    mark = {"agrees": "good", "near": "caution", "differs": "bad"}[whole.results[0].agreement]
    assert f"<td class='{mark}' title=" in html([whole])
    difference = f"96.35 ± 2.59 ({whole.results[0].difference:+.1f})"
    assert difference in html([whole])
    assert difference in markdown([whole])
    assert difference not in web
    assert "<script" not in web
    assert sentences(chapter) == [
        "1 cells are of fewer training rows than UV's and are not compared."
    ]
    assert any("of 1 " in s for s in sentences(whole))


@pytest.mark.parametrize(
    ("file", "maker", "first", "last"),
    [
        ("experiments-results.md", markdown, "# ", "```text"),
        ("assets/experiments.html", html, "<h2>What to choose", "<p class=quiet>msvm-ref"),
    ],
)
def test_the_pages_in_docs_are_of_the_files_that_come_along(monkeypatch, file, maker, first, last):
    """Up to when and with what they were written: ``msvm-ref study page`` and the two names makes them anew."""
    kept = (DOCS / file).read_text(encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["msvm-ref"])
    made = maker(chapters(list(STUDIES.values())))
    one, other = (text[text.index(first) : text.rindex(last)] for text in (kept, made))
    assert one == other


def with_all_rows(chapter):
    """The same numbers, as if of a protocol that cuts nothing."""
    return replace(chapter, results=tuple(replace(r, whole=True) for r in chapter.results))


def test_advice_is_ranks_of_ours_and_seconds_by_geometric_means():
    three = {"WW": 3.0, "CS": 2.0, "MMR": 1.0}
    table = told("uv-table4", three, 30)
    assert advice([table]) == [
        "With a Gaussian kernel take WW: on average over 30 data sets (30 by the quick protocol) it is 0.0 points behind the "
        "best machine of the set; mean ranks tell CS, MMR to be worse."
    ]
    close = advice([told("uv-table4", three, 6)])[0]
    assert "tell MMR to be worse, and do not tell it from CS." in close
    assert "tell nobody to be worse" in advice([told("uv-table4", three, 2)])[0]
    seconds = told("uv-fig4", {"WW": 10.0, "CS": 1.0, "MMR": 5.0}, 2)
    tied = replace(
        table, results=tuple(replace(r, tied=r.entry.column == "CS") for r in table.results)
    )
    sets = len(table.rows)
    assert advice([tied])[0].endswith(
        f" Numbers that ties made (CS on {sets}) count as they came out."
    )
    (words,) = advice([seconds])
    assert words.startswith(
        "CS is trained fastest; the others take from MMR 5.0 to WW 10.0 times as long"
    )
    assert words.endswith("2 data sets (2 by the quick protocol), on 200 to 200 rows.")
    assert advice([told("uv-fig4", three, 1)]) == []  # one data set is no mean
    titles, rows = figures([seconds, table])
    assert titles[1:] == ["points behind the best, Gaussian kernel", "training, over the fastest"]
    assert rows == [["WW", "0.0", "10.0"], ["CS", "1.0", "1.0"], ["MMR", "2.0", "5.0"]]
    assert figures([]) == (["machine"], [])


def test_what_a_number_rests_on_is_seen_beside_it():
    chapter = told("uv-table4", {"WW": 3.0, "CS": 2.0}, 2)
    first = chapter.results[0]
    marks = {"open_gaps": 1, "at_limit": True, "failures": 1}
    worse = replace(first, entry=replace(first.entry, **marks), mean=float("nan"))
    for shown, words in (
        (replace(worse, mean=3.0), "3.00!>"),
        (worse, "failed!>"),
        (first, "3.00"),
    ):
        page = replace(chapter, results=(shown, *chapter.results[1:]))
        assert f"{words}<br>" in html([page]).replace("&gt;", ">")
        assert f"| {words} |" in markdown([page])


def told(name, means, rows):
    """A chapter of known numbers."""
    study = replace(
        STUDIES[name],
        contenders=tuple(c for c in STUDIES[name].contenders if c.label in means),
        printed={},
    )
    entries = [
        TableEntry(f"d{k}", "quick", c.label, (means[c.label],), 0.0, 200)
        for k in range(rows)
        for c in study.contenders
    ]
    sources = tuple(replace(study.sources[0], label=f"d{k}") for k in range(rows))
    return Chapter(study, tuple(results(replace(study, sources=sources), entries)))


def test_curves_are_well_formed_one_point_for_each_rank():
    lines = {"KPCA": [(1.0, 5.0, "KPCA"), (0.1, 7.0, "KPCA 1/2")], "Cholesky": [(1.0, 5.0, "<")]}
    drawn = curves({"a<": lines, "b": lines, "c": lines, "d": lines})
    svg = ElementTree.fromstring(drawn.removeprefix("<div class=scroll>").removesuffix("</div>"))
    assert len(list(svg.iter("circle"))) == 12
    assert [t.text for t in svg.iter("title")][:2] == ["KPCA: 5 %, 1 s", "KPCA 1/2: 7 %, 0.1 s"]
    points = [(float(c.get("cx", "0")), float(c.get("cy", "0"))) for c in svg.iter("circle")]
    assert points[0][0] > points[1][0]  # more seconds are further right
    assert points[0][1] > points[1][1]  # less error is further down
