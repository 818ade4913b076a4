"""The pages that are looked at in a browser: the committed results, and all kinds of samples."""

from pathlib import Path

from dpaudit.cli.look.report import pages, with_mends
from dpaudit.report.page import audit_page, full_page
from dpaudit.results.documents import parse, read
from dpaudit.results.made import committed
from tests.report import samples


def lay_out(folder: Path) -> Path:
    made = [make() for make in samples.ALL.values()]
    rendered = pages([with_mends(read(path)) for path in committed()])
    rendered["samples.html"] = full_page([parse(each) for each in made], "Samples")
    hostile = [parse(samples.poisoned(each)) for each in made]
    rendered["hostile.html"] = full_page(hostile, samples.HOSTILE)
    rendered["audit.html"] = audit_page([parse(samples.audit())])
    for name, text in rendered.items():
        (folder / name).write_text(text, encoding="ascii")
    return folder
