#!/usr/bin/env python3
"""The pages of a report: its HTML is one file that needs nothing else, and well-formed; the first page is short and of the
data, and the terminal's fits; report.json is valid.

    page.py FOLDER…        all of them, and what the terminal said, in the folder's file `said`
    page.py PAGE.html      one page: how many pictures are in it
    page.py REPORT.json    one report"""

import html.parser
import json
import os
import re
import sys
import unicodedata

TAG = re.compile(r'<[a-z]+[1-6]?(\s+[a-z-]+="[^"<]*")*\s*/?>')
SIZE = re.compile(r"\d[\d.]* ?[KMGT]?i?B")
NEVER = {"script", "iframe", "object", "embed", "link", "form", "base", "b", "input"}


def wrong(why, at=""):
    raise AssertionError(f"{why}: {at[:300]}" if at else why)


class Page(html.parser.HTMLParser):
    """Headings and cells of a page; one that would fetch or run something, or is not closed, is none."""

    def __init__(self, file):
        super().__init__(convert_charrefs=False)
        self.within, self.headings, self.cells, self.text, self.open = "", [], [], "", []
        self.ids, self.links, self.images = [], [], 0
        with open(file, encoding="utf-8") as text:
            whole = text.read()
        if not whole.startswith('<!DOCTYPE html>\n<html lang="en">\n<head>\n') or whole.count("<html") != 1:
            wrong("another head")
        self.feed(whole)
        self.close()
        if self.open:
            wrong("not closed", str(self.open))

    def linked(self):
        if len(set(self.ids)) < len(self.ids):
            wrong("two headings of one name", str(sorted(name for name in self.ids if self.ids.count(name) > 1)))
        for link in self.links:
            if link.startswith("#") and link[1:] not in self.ids or ":" in link:
                wrong("a link to nothing here", link)
        return self

    def handle_starttag(self, tag, attrs):
        if not TAG.fullmatch(self.get_starttag_text()) or tag in NEVER:
            wrong("a tag that we never write", self.get_starttag_text())
        for name, value in attrs:
            if name.startswith("on") or name in ("style", "srcset") or \
                    (name == "src" and not value.startswith("data:image/")):
                wrong("what runs or fetches", self.get_starttag_text())
            self.ids += [value] if name == "id" else []
            self.links += [value] if name == "href" else []
        self.images += tag == "img" and "src" in dict(attrs)
        if tag not in ("meta", "img", "br", "hr", "wbr"):
            self.open.append(tag)
        self.within = tag
        if tag in ("h1", "h2"):
            self.headings.append("")
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            wrong("closed, but not open", tag)
        self.within = ""

    def handle_entityref(self, name):
        if name not in ("amp", "lt", "gt", "quot"):
            wrong("not escaped", name)
        self.add(html.unescape(f"&{name};"))

    def handle_charref(self, name):
        wrong("what we never write", name)
    handle_comment = handle_pi = unknown_decl = handle_charref

    def handle_data(self, data):
        if re.search(r"url\(|@import", data) if self.within == "style" else re.search("[<>&]", data):
            wrong("not escaped", data)
        self.add(data)

    def add(self, data):
        self.text += data
        if {"h1", "h2"} & set(self.open):
            self.headings[-1] += data
        if {"td", "th"} & set(self.open) and self.within != "em":  # a cell's column, for a narrow screen
            self.cells[-1] += data


# --- the first page ----------------------------------------------------------------------------------

def words(text):
    """What has a letter, but for a picture's text."""
    return sum(bool(re.search("[A-Za-z]", word)) for word in re.sub(r"^!\[.*", "", text, flags=re.M).split())


def is_short(first, headline):
    """What a reader sees first: the answer in a sentence (numbers count), six variants, a picture, three things to do."""
    lines = first.split("\n")
    rows, pictures, items = (sum(line.startswith(begin) for line in lines) for begin in ("|", "![", "- "))
    said = len(re.findall(r"\S*\w\S*", headline)), words(first.partition("\n|")[0]) if "\n|" in first else 0, words(first)
    trust = words(first.partition("\n## Can it be believed?")[2].partition("\n## ")[0])
    if trust > 25:
        wrong("more than a line on trust", str(trust))
    if not 0 < said[0] <= 25 or said[1] > 80 or said[2] > 150:
        wrong("too many words of a headline, before the strip, on page 1", str(said))
    if headline[0] in "'\"":
        wrong("the headline quotes before it answers", headline)
    if rows > 2 + 6 or pictures > 1 or items > 3:
        wrong("too much is on page 1")
    return pictures > 0


def strip_has_rows(tables, sentence, strip):
    """The variants in the rows of a sentence are in the strip."""
    for basis in sentence["of"]:
        table = tables[basis["table"]]
        for row in basis["rows"]:
            for column, value in zip(table["columns"], table["rows"][row]):
                if column["key"] in ("variant", "left", "right") and isinstance(value, str) and \
                        not re.search(rf"(?<![\w.-]){re.escape(value)}(?![\w.-])", strip, re.A):
                    wrong("the headline is of what the strip is not", value)


def is_of_the_data(first, report):
    """What limits the answer precedes it, and the strip, if it compares, has what the headline is of."""
    headline = re.search("^# (.+)", first, re.M)[1]
    before, strip = first.partition(headline)[0], "".join(first.partition("\n|")[1:])
    tables = {table["name"]: table for chapter in report["chapters"] for table in chapter["tables"]}
    for chapter in report["chapters"]:
        for sentence in chapter["sentences"]:
            said, is_headline = sentence["text"], sentence["text"] == headline
            if "caveat" in sentence["roles"] and not is_headline and said not in before:
                wrong("it limits the answer, and is not before it", said)
            if (is_headline or {"headline", "caption", "advice"} & set(sentence["roles"])) and \
                    re.search(" times | as fast| faster| slower| % of| scatters ", said) and not SIZE.search(said):
                wrong("of which size?", said)
            if is_headline and "░" in strip:
                strip_has_rows(tables, sentence, strip)
    if "Cores were shared" in report["trust"] and "no variant was shown" in headline:
        wrong("nothing can be shown when cores are shared", headline)
    cell = re.search(r"^\n\| ([^|]+), ([^|,]+) \|", strip)
    size = SIZE.search(strip.partition("\n|")[2].partition("\n")[0])
    if size and "░" in strip and "differences above" in report["trust"] and \
            (f"{cell[1]} of {cell[2]}: " if cell else f" of {size[0]}: ") not in report["trust"]:
        wrong("trust is of another cell than the strip", report["trust"])
    if re.search(r"^[#|].*_step\\*_", first + "\n#" + report["trust"], re.M):
        wrong("a step by its key", headline)
    if re.search(r"\| speed \||^\| \d+ variants \|", strip, re.M):
        wrong("against what is a speed in the strip, or of which modes are variants?", strip)
    if strip and " of threads' bandwidth" in headline and " ÷ threads" not in strip:
        wrong("the strip is against another reference than the headline")


def strip_has_bars(first, report):
    """Where a variant has an interval, it compares by bars; else a small table says what ran."""
    tables = [t for chapter in report["chapters"] for t in chapter["tables"] if t["name"] == "summary"]
    rows = [dict(zip([c["key"] for c in t["columns"]], row)) for t in tables for row in t["rows"]]
    compared = any(row["role"] == "variant" and (row["ratio"] or {}).get("lo") is not None for row in rows)
    if rows and ("░" if compared else "\n|") not in first:
        wrong("no bars, or no table, on page 1")


def says_how_to_have_p99(text):
    """Beside each table of p50 is one of p99, or the key that it takes."""
    for group in re.split("^### .*: p50 latency", text.partition("\n## By size\n")[2].partition("\n## ")[0], flags=re.M)[1:]:
        if not re.search(": p99 latency|^No p99 of ", group, re.M):
            wrong("no p99, and no key", group)
    for section in re.split("^#", text, flags=re.M):
        columns = re.search(r"^\|.*\| p95, µs \|.*", section, re.M)
        if columns and " p99, µs " not in columns[0] and "\nNo p99 of " not in section:
            wrong("no p99 beside p95, and no key", section)


def largest_gain_is_first(text):
    """Settings that are confirmed, then other gains, the largest first, then hints; and how to register."""
    least = float("inf")
    for line in re.findall("^- .*", text, re.M):
        gain = re.search(r"([\d.]+) times the ", line)
        of = float("inf") if re.match("- Give |- Set in", line) else float(gain[1]) if gain else 0
        if of > least:
            wrong("what gains less is before it", line)
        if line.startswith("- Register") and "ncclComm" not in line:
            wrong("it does not say how", line)
        least = of


def is_narrow(said):
    """But for text that is to be copied."""
    for line in said.split("\n"):
        width = sum((not unicodedata.combining(c)) * (1 + (unicodedata.east_asian_width(c) in "WF")) for c in line)
        if width > 80 and not line.startswith("report ") and not re.search("launchgap (run|resume) |^ +NCCL_CONF_FILE=", line):
            wrong(f"{width} columns", line)


def read(folder, name):
    with open(f"{folder}/{name}", encoding="utf-8") as file:
        return file.read()


# --- report.json: JSON Schema, as far as report.schema.json uses it ------------------------------------

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
         "null": type(None)}


def is_valid(schema, value, name="report", defs=None):
    """"", or what is another than the schema says; tests/exports.py holds that a whole implementation agrees."""
    defs = defs or schema["$defs"]
    if "$ref" in schema:
        return is_valid(defs[schema["$ref"].rsplit("/", 1)[1]], value, name, defs)
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(isinstance(value, TYPES[one]) and (one == "boolean" or not isinstance(value, bool)) for one in types):
        return f"'{name}' has another type than the schema"
    if "anyOf" in schema and all(is_valid(one, value, name, defs) for one in schema["anyOf"]):
        return f"'{name}' has another type than the schema"
    if value != schema.get("const", value) or value not in schema.get("enum", [value]) or \
            isinstance(value, (int, float)) and value < schema.get("minimum", value):
        return f"'{name}' has another value than the schema"
    if isinstance(value, dict):
        if not set(schema.get("required", [])) <= set(value) <= set(schema.get("properties", {})):
            return f"'{name}' has another set of keys than the schema"
        return next(filter(None, (is_valid(schema["properties"][key], one, key, defs) for key, one in value.items())), "")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return f"'{name}' has another number of items than the schema"
        return next(filter(None, (is_valid(schema["items"], one, name, defs) for one in value)), "") if "items" in schema else ""
    return ""


def valid_report(file):
    report, schema = json.loads(read(*os.path.split(file))), json.loads(read("results", "report.schema.json"))
    why = is_valid(schema, report)
    if why:
        wrong("report.json", why)
    for tables in [t for c in report["chapters"] for t in c["tables"]], report["tables"]:
        names = [table["name"] for table in tables]  # by it a program finds them
        if len(set(names)) < len(names):
            wrong("two tables of one name", str(sorted(names)))
    return report


def whole(folder):
    report, text = valid_report(f"{folder}/report.json"), read(folder, "report.md")
    first, full, *_ = re.split("\n## (The answer in full|Measured on)\n", text[text.index("\n"):])
    headline = re.search("^# (.+)", first, re.M)
    if not full or not headline:
        wrong("page 1 has no headline")
    if is_short(first, headline[1]) and '<div class="front">' not in read(folder, "report.html"):
        wrong("the picture is not beside the strip")
    is_of_the_data(first.replace("\u00a0", " ").replace("\\", ""), report)
    if re.search(r"\*\*[^*|]*taken alone", text):
        wrong("what is taken alone is in bold", text)
    strip_has_bars(first, report)
    says_how_to_have_p99(text)
    largest_gain_is_first(text.partition("\n## Can it be believed?")[0])
    is_narrow(read(folder, "said"))
    Page(f"{folder}/report.html").linked()


def main(names):
    failed = False
    for name in names:
        try:
            if os.path.isdir(name):
                whole(name)
            elif name.endswith(".html"):
                print(Page(name).linked().images)
            else:
                valid_report(name)
        except (AssertionError, OSError) as error:
            print(f"{os.path.basename(name)}: {error}", file=sys.stderr)
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
