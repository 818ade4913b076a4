"""What pyproject.toml cannot say: the committed results are shipped as `dpaudit.reports`."""

from setuptools import find_packages, setup

PACKAGES = find_packages(include=["dpaudit*", "algorithms*", "proofs_checks*"])

setup(
    packages=[*PACKAGES, "dpaudit.reports"],
    package_dir={"dpaudit.reports": "reports"},
    package_data={"dpaudit.reports": ["*.json"]},
)
