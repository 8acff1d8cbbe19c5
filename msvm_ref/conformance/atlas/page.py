"""The page: one self-contained HTML file from a run's JSON, readable on a phone, filtered by language and machine."""

from __future__ import annotations

from typing import Any, Literal

from msvm_ref.conformance.atlas import verdict as v
from msvm_ref.conformance.atlas.bug_report import tracker_text
from msvm_ref.conformance.atlas.entry import FOLDER
from msvm_ref.conformance.atlas.formula import formula_in
from msvm_ref.conformance.atlas.markdown import span
from msvm_ref.conformance.atlas.table import number, took
from msvm_ref.pages import article, definitions, escape, provenance_text
from msvm_ref.pages import page as whole

MARKS: dict[str, Literal["good", "caution", "bad"]] = {
    "right": "good",
    "close": "caution",
    "unfinished": "caution",
    "slow": "caution",
    "off": "bad",
    "breaks": "bad",
    "FAULTY": "bad",
}
BOXES = "<style>[hidden]{display:none!important}</style><p id=filter></p>"
FILTER = """<script>
const rows=[...document.querySelectorAll('[data-language]')],chosen={};
for(const key of ['language','machine']){const all=[...new Set(rows.map(r=>r.dataset[key]))].sort();
const box=document.createElement('select');box.ariaLabel=key;
box.innerHTML='<option value="">every '+key+'</option>'+all.map(a=>'<option>'+a+'</option>').join('');
const out=r=>Object.keys(chosen).some(k=>chosen[k]&&r.dataset[k]!==chosen[k]);
box.onchange=()=>{chosen[key]=box.value;for(const r of rows)r.hidden=out(r)};
document.getElementById('filter').append(box,' ')}
</script>"""


def page(record: dict[str, Any]) -> str:
    entries = v.by_severity(record["entries"])
    here = [e for e in entries if e["version"]]
    away = [e for e in entries if not e["version"]]
    faulty = sum(v.faulty(e) for e in here)
    parts = [
        f"<p>{len(here)} solvers of {len({e['library'] for e in here})} libraries against the certified optimum of the "
        f"problem each says it solves: {faulty} with a fault that a script without this package shows as well. Error is "
        "(objective − optimum) / optimum, the largest over data sets and up to "
        f"{record['repeats']} fits each. Right: within {v.RIGHT:g} at its tightest settings; close: within {v.CLOSE:g}; off: "
        "beyond; breaks: some fit had no answer; slow: none within the time limit, which a loaded machine may be the reason "
        f"of. Run of {escape(record['provenance']['date'])}.</p>",
        BOXES,
        _matrix(here),
        "<h2>One by one, the worst first</h2>",
        *(_block(e) for e in here),
        FILTER,
        "<h2>The data</h2>",
        definitions((k, escape(words)) for k, words in record["data"].items()),
    ]
    if away:
        parts += [
            "<h2>Not installed in this run</h2>",
            definitions((e["name"], f"<code>{escape(e['install'])}</code>") for e in away),
        ]
    parts.append(
        f"<h2>About this run</h2><p>{escape(took(record))} Times in the table are the median of one fit at default "
        "settings.</p>"
    )
    if record.get("remark"):
        parts.append(f"<p>{escape(record['remark'])}</p>")
    parts.append(f"<p class=quiet>{escape(provenance_text(record['provenance']))}</p>")
    return whole("The atlas of multi-class SVMs", parts)


def _matrix(entries: list[dict[str, Any]]) -> str:
    titles = ("verdict", "solver", "version", "machine", "error", "", "time")
    head = "".join(f"<th>{t}</th>" for t in titles)
    return f"<table class=cards><tr>{head}</tr>{''.join(_row(e) for e in entries)}</table>"


def _verdict(entry: dict[str, Any]) -> tuple[Literal["good", "caution", "bad"], str]:
    word = v.word_of(entry)
    return MARKS[word], word


def _row(e: dict[str, Any]) -> str:
    mark, word = _verdict(e)
    cells = (
        f"<a href='#{escape(e['name'])}'>{escape(e['name'])}</a>",
        escape(e["version"]),
        escape(e["machine"]),
        f"{number(v.worst_error(e, 'default'))} default",
        f"{number(v.worst_error(e, 'tight'))} tightest",
        f"{v.seconds(e, 'default'):.2g} s",
    )
    return f"<tr {_data(e)}><td class={mark}>{word}</td>" + "".join(
        f"<td class=nowrap>{cell}</td>" for cell in cells
    )


def _data(e: dict[str, Any]) -> str:
    return f"data-language='{escape(e['language'])}' data-machine='{escape(e['machine'])}'"


def _block(e: dict[str, Any]) -> str:
    mark, word = _verdict(e)
    names = list(dict.fromkeys(cell["data"] for cell in e["cells"]))
    errors = "".join(
        f"<tr><td>{escape(n)}</td><td>{span(e, 'default', n)}</td><td>{span(e, 'tight', n)}</td></tr>"
        for n in names
    )
    rows = [
        ("calls", f"<code>{escape(e['title'])}</code>"),
        ("solves", escape(formula_in(e))),
        ("written", escape(e["source"])),
        ("default", escape(e["settings"]["default"])),
        ("tightest", escape(e["settings"]["tight"])),
        ("install", f"<code>{escape(e['install'])}</code>"),
        *([("besides", escape("; ".join(more)))] if (more := v.remarks(e)) else []),
        *([("note", escape(e["note"]))] if e["note"] else []),
        *([("recipe", "of ours, out of the library's parts")] if e["recipe"] else []),
    ]
    table = (
        "<table><tr><th>certified error on</th><th>default</th><th>tightest</th></tr>"
        f"{errors}</table>"
    )
    heading = f"{escape(e['name'])} {escape(e['version'])} · {escape(e['machine'])}"
    block = article(
        mark,
        word,
        heading,
        definitions(rows),
        table,
        *(_fault(e, f) for f in v.faults_of(e)),
        id=e["name"],
    )
    return block.replace("<article", f"<article {_data(e)}", 1)


def _fault(entry: dict[str, Any], fault: dict[str, Any]) -> str:
    script = (FOLDER / "reproducers" / fault["script"]).read_text().strip()
    text = tracker_text(entry, fault, f"{entry['language']}, as in the run of this page")
    return (
        f"<details><summary>{escape(fault['title'])}</summary><pre>{escape(script)}</pre>"
        f"<p class=quiet>prints</p><pre>{escape(fault['printed'])}</pre>"
        f"<details><summary>a text for its tracker</summary><pre>{escape(text)}</pre></details></details>"
    )
