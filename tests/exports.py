#!/usr/bin/env python3
"""Results in the forms of other programs, read by real parsers; reports as cmocka's programs do, for tests/run.
LAUNCHGAP names the program."""

import csv
import functools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

from page import Page, is_valid
from seeds import recorded

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
os.environ["PATH"] = f"{os.path.abspath('tests/undrawn')}:{os.environ['PATH']}"  # no picture is looked at
PROGRAM = os.path.abspath(os.environ.get("LAUNCHGAP", "build/launchgap"))
REFERENCE = os.path.abspath("results/reference")
TUNED = [f"{REFERENCE}/2x-h200/tuning_{version}" for version in ("2.28.3", "2.32.3")]
UNLIKE = [f"{REFERENCE}/4x-h200/beside_nccl-tests/{name}" for name in ("alltoall", "sendrecv")]
ODD = 'a"b<c>&d\\e'


def run(*arguments, expect=0, **environment):
    said = subprocess.run([PROGRAM, *arguments], encoding="utf-8", errors="surrogateescape", capture_output=True,
                          env={**os.environ, "GITHUB_STEP_SUMMARY": "", **environment})
    assert said.returncode == expect, f"{arguments} ended with {said.returncode}: {said.stderr}"
    return said


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


@functools.cache
def small(blocks):
    with tempfile.TemporaryDirectory() as at:
        return recorded(at, [[f"blocks={blocks}", "collective=all_reduce", "counts=even", "pace=isolated"]])


def record(folder, change=lambda line: line, blocks=6):
    """A record as an older program has it, without checksums, so that lines may be changed."""
    os.makedirs(folder)
    with open(f"{folder}/trials.jsonl", "w", encoding="utf-8") as out:
        for line in small(blocks):
            line = change({key: value for key, value in json.loads(line).items() if key != "xxh3"})
            out.write(json.dumps(line, separators=(",", ":")) + "\n" if line else "")
    return folder


def reference(folder, name):
    """A folder with a reference record, whose report may be made."""
    made = f"{folder}/{os.path.basename(name)}"
    os.makedirs(made)
    os.symlink(f"{REFERENCE}/{name}/trials.jsonl.xz", f"{made}/trials.jsonl.xz")
    return made


def named(line, old="t", new=ODD):
    """The variant of that name has another one."""
    return json.loads(json.dumps(line).replace(json.dumps(old), json.dumps(new)))


def finite(text):
    number = float(text)
    assert math.isfinite(number), text
    return number


# --- JUnit: what Jenkins, GitLab and GitHub's readers take -------------------------------------------

ELEMENTS = {  # their attributes, and what they may hold
    "testsuites": ({"name", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped"}, {"testcase"}),
    "testcase": ({"classname", "name", "time"}, {"system-out", "failure", "skipped", "error"}),
    "system-out": (set(), set()), "failure": ({"type", "message"}, set()), "error": ({"type", "message"}, set()),
    "skipped": ({"message"}, set()),
}


def junit(folder, a, b, expect=0):
    file = f"{folder}/junit.xml"
    run("compare", a, b, "--junit", file, expect=expect)
    root = xml.parse(file).getroot()
    assert root.tag == "testsuites"
    for element in root.iter():
        attributes, children = ELEMENTS[element.tag]
        assert set(element.keys()) == attributes and {child.tag for child in element} <= children, element.tag
        if element.tag.startswith("testsuite"):
            for count, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"),
                               ("skipped", "skipped")):
                assert int(element.get(count, len(list(element.iter(tag))))) == len(list(element.iter(tag)))
        if "time" in element.keys():
            assert re.fullmatch(r"\d+\.\d+", element.get("time"))
        if element.tag == "testcase":
            assert len(element) == 1 and (element[0].get("message") or element[0].text)
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(names)) == len(names)
    return root


def test_junit_says_what_the_verdicts_say(folder):
    for a, b, code in (("2x-h200/tuning_2.28.3", "2x-h200/tuning_2.32.3", 0),
                       ("2x-h200/nccl_versions", "4x-h200/nccl_versions", 1)):
        a, b = f"{REFERENCE}/{a}", f"{REFERENCE}/{b}"
        root = junit(folder, a, b, code)
        assert bool(int(root.get("failures"))) == (code == 1)
        told = json.loads(run("compare", a, b, "--format", "json", expect=code).stdout)
        table = next(table for table in told["tables"] if table["name"] == "verdicts")
        keys = [column["key"] for column in table["columns"]]
        rows = [dict(zip(keys, row)) for row in table["rows"]]
        words = {"slower": "failure", "undecided": "skipped"}
        wanted = {(f"{row['variant']}.{row['what']}, {row['pace']}"):
                  words.get(row["verdict"], "system-out") if row["counted"] else "skipped" for row in rows}
        cases = list(root.iter("testcase"))
        assert wanted == {case.get("classname"): case[0].tag for case in cases if case.get("name") == "all sizes"}
        failed = {key for key, tag in wanted.items() if tag == "failure"}
        assert {case.get("classname") for case in cases if case[0].tag == "failure"} == failed
        assert all("slower" in case[0].get("message") for case in cases if case[0].tag == "failure")
        # Of an undecided verdict a size that is slower by itself is no failure, and is no success.
        alone = [case for case in cases if case[0].get("message", "").startswith("taken alone")]
        assert bool(alone) == (code == 0) and all(wanted[case.get("classname")] != "failure" for case in alone)


def test_junit_says_why_nothing_is_compared(folder):
    root = junit(folder, *UNLIKE, 2)
    assert int(root.get("errors")) == 1 and "no cell in common" in next(root.iter("error")).get("message")
    root = junit(folder, UNLIKE[0], f"{folder}/none", 2)
    assert int(root.get("errors")) == 1


def test_junit_names_no_case_twice(folder):
    isolation = f"{REFERENCE}/2x-h200/isolation"  # variants without a time on both sides
    names = {case.get("name") for case in junit(folder, isolation, isolation).iter("testcase")}
    assert {"all cells in A", "all cells in B"} <= names


def test_junit_takes_any_name(folder):
    a = record(f"{folder}/a")
    b = record(f"{folder}/b", named)
    only = [case for case in junit(folder, a, b).iter("testcase") if case.get("classname").startswith(ODD + ".")]
    assert only and {case[0].get("message") for case in only} == {"only in B"}
    same = junit(folder, b, record(f"{folder}/c", named))
    assert any(case.get("classname").startswith(ODD + ".") and case.get("name") == "all sizes"
               for case in same.iter("testcase"))


# --- Prometheus --------------------------------------------------------------------------------------

SAMPLE = re.compile(r'(launchgap_[a-z0-9_]+)\{((?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+)\} (\S+)')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')
UNITS = ("_seconds", "_ratio", "_bytes_per_second", "_info", "_blocks", "_valid", "_warnings", "_trials")


def prometheus(file):
    """Family → list of (labels, value), by the text format's rules and Prometheus' names."""
    families, helped, name = {}, set(), None
    text = read(file)
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name = line.split()[2]
            assert name not in families and len(line.split(" ", 3)[3]) > 9 and name.endswith(UNITS), line
            families[name] = []
        elif line.startswith("#"):
            assert line == f"# TYPE {name} gauge" and name not in helped
            helped.add(name)
        else:
            found = SAMPLE.fullmatch(line)
            assert found and found[1] == name in helped, line
            labels = {key: value.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
                      for key, value in LABEL.findall(found[2])}
            families[name].append((labels, finite(found[3])))
    for name, samples in families.items():
        assert samples and len({tuple(labels) for labels, _ in samples}) == 1, name
        assert len({tuple(labels.items()) for labels, _ in samples}) == len(samples), name
    return families


def summary(folder):
    return list(csv.DictReader(read(f"{folder}/summary.csv").splitlines()))


def of_cell(labels, row):
    """Whether labels are those of a row of summary.csv."""
    return all(labels[label] == row[key] for label, key in (
        ("variant", "variant"), ("collective", "collective"), ("dtype", "dtype"), ("pace", "pace"),
        ("bytes", "asked_bytes")))


def test_prometheus_has_the_figures_of_summary_csv(folder):
    made = record(f"{folder}/made")
    file = f"{folder}/launchgap.prom"
    with open(file, "w", encoding="utf-8") as old:
        old.write("old")
    os.symlink(file, f"{folder}/link.prom")
    run("report", made, "--prometheus", f"{folder}/link.prom")
    assert os.path.islink(f"{folder}/link.prom") and not os.path.exists(file + ".part")
    families = prometheus(file)
    rows = summary(made)
    for family, key, unit in (("call_seconds", "time_us", 1e-6), ("speed_ratio", "ratio", 1),
                              ("speed_low_ratio", "ratio_lo", 1)):
        samples = families[f"launchgap_{family}"]
        assert len(samples) == sum(bool(row[key]) for row in rows)
        for labels, value in samples:
            row = [row for row in rows if of_cell(labels, row)]
            assert len(row) == 1 and math.isclose(value, float(row[0][key]) * unit, rel_tol=1e-5)
    verdicts = families["launchgap_regime_verdict_info"]
    assert verdicts and all(value == 1 and labels["verdict"] for labels, value in verdicts)


def test_prometheus_takes_any_name(folder):
    made = record(f"{folder}/made", named)
    run("report", made, "--prometheus", f"{folder}/x.prom")
    assert any(labels["variant"] == ODD for labels, _ in prometheus(f"{folder}/x.prom")["launchgap_call_seconds"])


def test_prometheus_tells_every_cell_from_others(folder):
    for name in ("2x-h200/topology", "2x-h200/moe_step"):
        made = reference(folder, name)
        run("report", made, "--prometheus", f"{folder}/x.prom")
        families = prometheus(f"{folder}/x.prom")  # no two samples have the same labels
        assert {labels["what"] for labels, _ in families["launchgap_call_seconds"]} == {row["what"] for row in summary(made)}


def test_a_file_that_cannot_be_replaced_is_refused(folder):
    made = record(f"{folder}/made")
    said = run("report", made, "--prometheus", "/dev/null", expect=1)
    assert "no regular file" in said.stderr and os.path.exists("/dev/null")
    said = run("run", "smoke", "--no-report", "--prometheus", "x", expect=1)
    assert "--prometheus needs a report" in said.stderr


# --- github-action-benchmark -------------------------------------------------------------------------

def benchmark(file):
    rows = json.loads(read(file), parse_constant=lambda name: sys.exit(f"{file} holds {name}"))
    for row in rows:
        assert set(row) <= {"name", "unit", "value", "range", "extra"} and {"name", "unit", "value"} <= set(row)
        assert isinstance(row["value"], (int, float)) and all(isinstance(row[key], str) for key in row if key != "value")
    assert len({row["name"] for row in rows}) == len(rows)
    return rows


def test_benchmarks_have_the_figures_of_summary_csv(folder):
    made = reference(folder, "2x-h200/states")
    run("report", made, "--bigger-is-better", f"{folder}/more.json", "--smaller-is-better", f"{folder}/less.json")
    rows = [row for row in summary(made) if row["role"] in ("variant", "reference")]
    for file, key, unit, paces in (("more", "busbw_gbs", "GB/s", ("stream",)),
                                   ("less", "time_us", "µs", ("stream", "isolated"))):
        got = benchmark(f"{folder}/{file}.json")
        wanted = sorted(float(row[key]) for row in rows if row[key] and row["pace"] in paces)
        assert wanted and {row["unit"] for row in got} == {unit}
        for a, b in zip(sorted(row["value"] for row in got), wanted, strict=True):
            assert math.isclose(a, b, rel_tol=1e-5)


def test_what_is_not_known_is_left_out(folder):
    made = record(f"{folder}/made", blocks=1)
    run("report", made, "--prometheus", f"{folder}/x.prom", "--smaller-is-better", f"{folder}/less.json")
    families = prometheus(f"{folder}/x.prom")
    assert "launchgap_call_seconds" in families and "launchgap_speed_low_ratio" not in families
    rows = benchmark(f"{folder}/less.json")
    assert rows and not any("range" in row for row in rows)


# --- the page of a job -------------------------------------------------------------------------------

def test_the_job_s_page_gets_the_first_page(folder):
    page, made = f"{folder}/page.md", record(f"{folder}/made")
    with open(page, "w", encoding="utf-8") as file:
        file.write("before\n")
    run("report", made, GITHUB_STEP_SUMMARY=page)
    text, headline = read(page), re.search("^# .+$", read(f"{made}/report.md"), re.M)[0]
    assert text.startswith("before\n") and headline in text and "The whole report:" in text and len(text) < 20000
    assert "cannot append" in run("report", made, GITHUB_STEP_SUMMARY=f"{folder}/none/x").stderr


# --- compare as a page -------------------------------------------------------------------------------

def in_order(page, *headings):
    places = [page.headings.index(heading) for heading in headings]
    assert places == sorted(places), page.headings


def test_the_page_has_what_differs_first(folder):
    file = f"{folder}/page.html"
    terminal = run("compare", *TUNED, "--html", file).stdout
    page = Page(file).linked()
    in_order(page, "Differences", "Undecided", "Could not be compared", "The two sides")
    assert "0.992 (0.990\u00a0to\u00a00.996)" in page.cells  # on a narrow screen it breaks before the interval alone
    shown = [cell for cell in page.cells if cell in ("slower by little", "undecided")]
    assert shown == ["slower by little"] * 3 + ["undecided"]
    assert len([cell for cell in page.cells if re.fullmatch("\\d+\u00a0[KMG]iB", cell)]) == \
        len(re.findall(r"\d+ [KMG]iB", terminal)) == 20


def test_the_page_says_why_nothing_is_compared(folder):
    file = f"{folder}/page.html"
    said = run("compare", *UNLIKE,
               "--html", file, expect=2)
    page = Page(file)
    assert "Could not be compared" in page.headings and "Differences" not in page.headings
    assert said.stderr.split(": ", 1)[1].strip() in page.text


def test_the_page_takes_any_name(folder):
    file, a = f"{folder}/page.html", record(f"{folder}/a", named)
    run("compare", a, record(f"{folder}/b", named), "--html", file)
    assert ODD in Page(file).cells
    run("compare", a, record(f"{folder}/c"), "--html", file)
    assert f"of {ODD}." in Page(file).text


def test_several_runs_have_a_page(folder):
    file = f"{folder}/page.html"
    run("compare", *TUNED, "--combine", "--html", file)
    page = Page(file)
    in_order(page, "tuning: 2 runs as one", "Differences from the reference", "The reference against itself", "By size",
             "The runs")
    assert all(folder in page.text for folder in TUNED)
    assert "--junit is of two" in run("compare", *TUNED, "--combine", "--junit", file, expect=2).stderr


def test_the_job_s_page_gets_the_differences(folder):
    page = f"{folder}/page.md"
    for options in ([], ["--combine"]):
        run("compare", *TUNED, *options, GITHUB_STEP_SUMMARY=page)
    text = read(page)
    assert text.index("# tuning: B compared with A") < text.index("## Differences\n") < \
        text.index("# tuning: 2 runs as one") and len(text) < 4000
    assert "| default | alltoall | **slower by little** | 0.992" in text


# --- names of files ----------------------------------------------------------------------------------

def test_a_path_that_is_no_text_breaks_no_file(folder):
    made = record(folder + os.fsdecode(b"/\xff\xed\xa0\x80x"))
    files = {option: f"{folder}/{option[2:]}" for option in ("--html", "--junit")}
    told = run("compare", made, made, "--format", "json", *(word for pair in files.items() for word in pair)).stdout
    sides = next(table for table in json.loads(told)["tables"] if table["name"] == "sides")
    assert sides["rows"][0] == ["result", f"{folder}/    x", f"{folder}/    x"]
    assert f"{folder}/    x" in Page(files["--html"]).text
    run("compare", made, f"{made}/none", "--junit", files["--junit"], expect=2)
    xml.parse(files["--junit"])
    run("report", made, "--format", "nccl-tests", "--json", f"{folder}/theirs.json")
    json.loads(read(f"{folder}/theirs.json"))


# --- the schema of report.json -----------------------------------------------------------------------

MISSING = "python3-jsonschema is missing"
SCHEMA = json.loads(read("results/report.schema.json"))


def validator():
    import jsonschema  # pylint: disable=import-outside-toplevel
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


def report(folder):
    return json.loads(read(f"{folder}/report.json"))


def test_the_schema_is_the_published_one(folder):
    del folder
    assert read("results/report.schema.json") == run("list", "schema").stdout, "the program has another one"


def test_reports_are_valid(folder):
    try:
        valid = validator()
    except ImportError:
        return MISSING
    runs = [record(f"{folder}/fresh")]
    runs += [reference(folder, name) for name in ("2x-h200/states", "2x-h200/ddp_step", "1x-h100/one_gpu_hosts")]
    for made in runs:
        run("report", made)
        assert not [f"{error.json_path}: {error.message}" for error in valid.iter_errors(report(made))]


# What is wrong with a report, each by itself; page.py has to say so too.
FAULTS = {
    "another number": lambda r: r.update(schema=3),
    "a key less": lambda r: r.pop("answer"),
    "a number as text": lambda r: r.update(blocks="6"),
    "a text as number": lambda r: r["answer"].append(1),
    "a fraction of a block": lambda r: r.update(blocks=5.5),
    "fewer than none": lambda r: r.update(blocks=-1),
    "an unknown kind": lambda r: r["tables"][0]["columns"][0].update(kind="colour"),
    "an unknown place": lambda r: r["chapters"][0].update(place="cellar"),
    "half a range": lambda r: r["regimes"][0].update(bytes=[1]),
    "an entry that is a list": lambda r: r["tables"][0]["rows"][0].append([]),
    "a ratio without its end": lambda r: r["tables"][0]["rows"][0].append({"estimate": 1, "lo": 1, "blocks": 6}),
    "a ratio of text": lambda r: r["tables"][0]["rows"][0].append({"estimate": "1", "lo": 1, "hi": 1, "blocks": 6}),
}


def test_what_is_wrong_is_not_valid(folder):
    made = record(f"{folder}/made")
    run("report", made)
    try:
        valid = validator()
    except ImportError:
        valid = None
    for name, fault in {"nothing": lambda r: None, **FAULTS}.items():
        changed = report(made)
        fault(changed)
        assert valid is None or valid.is_valid(changed) == (name == "nothing"), name
        assert bool(is_valid(SCHEMA, changed)) == (name != "nothing"), name
    return "" if valid else MISSING


def main():
    tests = {name: test for name, test in globals().items() if name.startswith("test_")}
    only = os.environ.get("ONLY")
    tests = {name: test for name, test in tests.items() if not only or only == name}
    failed = 0
    for name, test in tests.items():
        print(f"[ RUN      ] {name}")
        with tempfile.TemporaryDirectory() as folder:
            try:
                said = test(folder)
                print(f"[  SKIPPED ] {name}: {said}" if said else f"[       OK ] {name}")
            except Exception as error:  # pylint: disable=broad-except
                failed += 1
                trace = error.__traceback__
                while trace.tb_next and trace.tb_next.tb_frame.f_code.co_filename == __file__:
                    trace = trace.tb_next
                print(f"line {trace.tb_lineno}: {type(error).__name__}: {error}\n[  FAILED  ] {name}")
    print(f"[==========] exports: {len(tests)} test(s) run.")
    return failed


sys.exit(main())
