"""`ro-crate-metadata.json`: what a folder of results holds, as an RO-Crate 1.1
(https://w3id.org/ro/crate/1.1): each file with its size and digest, the program that made them, and
the papers that they are about."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from dpaudit.papers import Paper

NAME = "ro-crate-metadata.json"
PROFILE = "https://w3id.org/ro/crate/1.1"
LICENSE = "https://spdx.org/licenses/MIT"
FORMATS = {"html": "text/html", "json": "application/json", "md": "text/markdown"}
SOFTWARE = "#dpaudit"


def crate(
    title: str,
    files: Mapping[str, tuple[str, bytes]],
    papers: Sequence[Paper],
    *,
    version: str,
    date: str,
    command: str,
) -> str:
    """The metadata of a folder: `files` are descriptions and contents by path within it, `date` is
    that of the results."""
    parts = [_file(path, said, content) for path, (said, content) in sorted(files.items())]
    about = [_paper(paper) for paper in papers]
    named = [{"@id": part["@id"]} for part in parts]
    graph: list[dict[str, Any]] = [
        {
            "@id": NAME,
            "@type": "CreativeWork",
            "conformsTo": {"@id": PROFILE},
            "about": {"@id": "./"},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": title,
            "description": "Results of audits, proofs, checks of claims and experiments on "
            "differentially private bandit and online-learning algorithms",
            "datePublished": date,
            "license": {"@id": LICENSE},
            "hasPart": named,
            "about": [{"@id": each["@id"]} for each in about],
        },
        *parts,
        *about,
        {"@id": LICENSE, "@type": "CreativeWork", "name": "MIT License"},
        {
            "@id": SOFTWARE,
            "@type": "SoftwareApplication",
            "name": "dpaudit",
            "softwareVersion": version,
        },
        {
            "@id": "#made",
            "@type": "CreateAction",
            "name": command,
            "instrument": {"@id": SOFTWARE},
            "result": named,
        },
    ]
    context = f"{PROFILE}/context"
    return json.dumps({"@context": context, "@graph": graph}, indent=1, ensure_ascii=False) + "\n"


def _file(path: str, said: str, content: bytes) -> dict[str, Any]:
    return {
        "@id": path,
        "@type": "File",
        "name": said,
        "encodingFormat": FORMATS.get(path.rpartition(".")[2], "application/octet-stream"),
        "contentSize": str(len(content)),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _paper(paper: Paper) -> dict[str, Any]:
    return {
        "@id": f"#{paper.key}",
        "@type": "ScholarlyArticle",
        "name": paper.title,
        "author": paper.authors,
        "datePublished": str(paper.year),
    }
