"""Runs the commands that read files over sets of foreign ones, and looks at how they end and what they write.

    read_foreign.py MARSHAL MAKE_FOREIGN SAMPLES SCRATCH SEED SETS

Names each seed with a fault, and exits with 1 if there was any.
"""
import csv
import html.parser
import io
import os
import re
import resource
import signal
import subprocess
import sys
import xml.dom.minidom

marshal, make_foreign, samples, scratch, first_seed, sets = sys.argv[1:4] + [sys.argv[4], int(sys.argv[5]), int(sys.argv[6])]
most_memory, most_seconds, most_output = 1 << 30, 20, 64 << 20
has_sanitizer = b"__asan_init" in open(marshal, "rb").read() or b"__tsan_init" in open(marshal, "rb").read()
# What a terminal would obey, what turns the direction of text, and what XML cannot hold.
not_plain = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]")


class Page(html.parser.HTMLParser):
    """Whether all elements are closed, and no script is there but the page's own."""

    def __init__(self):
        super().__init__()
        self.open, self.scripts, self.faults = [], 0, []

    def handle_starttag(self, tag, attributes):
        self.scripts += tag == "script"
        self.faults += [f"<{tag} {name}>" for name, _ in attributes if name.startswith("on")]
        if tag not in ("meta", "br", "wbr"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes nothing")

    def close(self):
        super().close()
        if self.open:
            self.faults.append(f"not closed: {self.open[-1]}")
        if self.scripts != 1:
            self.faults.append(f"{self.scripts} scripts")
        return self.faults


def faults_of_text(what, data):
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return [f"{what} is no UTF-8: {error}"]
    found = not_plain.search(text)
    return [f"{what} has {found.group()!r} in {text[max(0, found.start() - 40):found.end() + 40]!r}"] if found else []


def faults_of_file(path):
    if not os.path.exists(path):
        return []
    data = open(path, "rb").read()
    faults = faults_of_text(os.path.basename(path), data)
    if len(data) > most_output:
        return faults + [f"{path} has {len(data)} B"]
    if path.endswith(".svg"):
        try:
            xml.dom.minidom.parseString(data)
        except Exception as error:
            faults.append(f"the picture is no XML: {error}")
    elif path.endswith(".html"):
        page = Page()
        page.feed(data.decode(errors="replace"))
        faults += page.close()
    elif path.endswith(".csv"):
        for row in csv.reader(io.StringIO(data.decode(errors="replace"))):
            faults += [f"a formula: {cell!r}" for cell in row if cell and cell[0] in "=+-@\t\r" and not re.fullmatch(r"-?[0-9.e+-]+", cell)][:1]
    return faults


def limits():
    if not has_sanitizer:
        resource.setrlimit(resource.RLIMIT_AS, (most_memory, most_memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 * most_output, 2 * most_output))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(words, out, environment):
    with open(out, "wb") as stdout, open(out + ".err", "wb") as stderr:
        try:
            status = subprocess.run([marshal] + words, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, preexec_fn=limits,
                                    timeout=most_seconds * (10 if has_sanitizer else 1), env=environment).returncode
        except subprocess.TimeoutExpired:
            return [f"more than {most_seconds} s"]
    said = open(out + ".err", "rb").read()
    faults = []
    if status < 0:
        faults.append(f"died by {signal.Signals(-status).name}")
    elif status not in (0, 1, 2):
        faults.append(f"status {status}")
    if b"bad_alloc" in said or b"Sanitizer" in said:
        faults.append(f"said {said[:300]!r}")
    if len(said) > 64 << 10 or any(len(line) > 4096 for line in said.split(b"\n")):
        faults.append(f"{len(said)} B on standard error")
    return faults + faults_of_text("standard error", said) + faults_of_file(out)


os.chdir(scratch)
bad_sets = 0
for seed in range(first_seed, first_seed + sets):
    subprocess.run(["rm", "-rf", "foreign", "out"], check=True)
    os.mkdir("out")
    subprocess.run([make_foreign, samples, str(seed), "foreign"], check=True)
    environment = dict(os.environ, MARSHAL_PROFILE=os.path.abspath("foreign/profiles"), LC_ALL="C")
    environment.setdefault("ASAN_OPTIONS", "detect_leaks=0:handle_sigill=1")
    report = "foreign/report.json"
    commands = [
        ["report", report],
        ["report", "--all", report],
        ["report", "--html", "out/page.html", report],
        ["report", "--json", report],
        ["report", "--compare", samples + "/whole.json", report],
        ["jobs", "--by", "program,user,host,month", "foreign"],
        ["jobs", "--csv", "--by", "program,host", "foreign"],
        ["order", "--effort", "1K", "foreign/run.traffic", "--svg", "out/heat.svg", "--for", "openmpi", "--output", "out/ranks"],
        ["profile"],
    ]
    bad = False
    for words in commands:
        ending = ".csv" if "--csv" in words else ".json" if "--json" in words else ".txt"
        faults = run(words, "out/out" + ending, environment)
        for name in ("out/page.html", "out/heat.svg", "out/ranks"):
            faults += faults_of_file(name)
            if os.path.exists(name):
                os.remove(name)
        for fault in faults:
            print(f"seed {seed}: marshal {' '.join(words)}: {fault}")
        bad = bad or faults
    bad_sets += bool(bad)
print(f"{sets} sets of files, {bad_sets} with a fault")
sys.exit(bad_sets > 0)
