"""What pyproject.toml cannot say: the committed results, which stand in `reports/`, are data of the
package `dpaudit.reports`."""

from setuptools import find_packages, setup

setup(
    packages=[
        *find_packages(include=["dpaudit*", "algorithms*", "proofs_checks*"]),
        "dpaudit.reports",
    ],
    package_dir={"dpaudit.reports": "reports"},
)
