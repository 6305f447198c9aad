"""The project as a whole: its lists agree, it works from a wheel, nothing private is in it."""

import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib.metadata import PathDistribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PAGE = "<html><head><title>Tide</title></head><body><h1>Tide</h1>" + "".join(
    f"<p>The harbour master said on day {i} that the tide would reach the upper quay before noon, and it did.</p>"
    for i in range(6)
)


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_requirements_equal_core_dependencies(project):
    listed = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line]
    assert listed == project["project"]["dependencies"]


def test_version_is_the_same_everywhere(project):
    import webmain

    assert webmain.__version__ == project["project"]["version"]


def tracked_files():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        return [ROOT / name for name in listed.stdout.splitlines()]
    return [p for p in ROOT.rglob("*") if p.is_file() and ".venv" not in p.parts]


def test_no_absolute_home_or_work_paths_are_tracked():
    private = re.compile(rb"/(?:w[o]rk|r[o]ot|h[o]me/\w+)/[a-z]")
    found = [str(p) for p in tracked_files() if p.exists() and private.search(p.read_bytes())]
    assert found == []


def test_no_module_is_longer_than_four_hundred_lines():
    long = {
        str(p.relative_to(ROOT)): n
        for p in (ROOT / "webmain").rglob("*.py")
        if (n := len(p.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}


def build_wheel(folder):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def extract_with(python, env, cwd, *options):
    code = (
        "import sys, webmain.cli as c; print(c.__file__, file=sys.stderr);"
        f"sys.exit(c.main(['extract', '-fjson', '-', *{list(options)}]))"
    )
    return subprocess.run(
        [python, "-c", code],
        input=PAGE,
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def lend(requirements, packages):
    """Link the installed distributions that are required, and those that they require, into a folder."""
    wanted, seen = [Requirement(each) for each in requirements], set()
    while wanted:
        one = wanted.pop()
        if one.name in seen or (one.marker and not one.marker.evaluate({"extra": ""})):
            continue
        seen.add(one.name)
        found = distribution(one.name)
        wanted += [Requirement(each) for each in found.requires or ()]
        for name in {file.parts[0] for file in found.files} - {"..", "__pycache__"}:
            if not (packages / name).exists():
                (packages / name).symlink_to(found.locate_file(name))


@pytest.mark.timeout(600)
def test_wheel_installs_and_runs_in_a_clean_environment_with_what_it_requires(tmp_path):
    wheel = build_wheel(tmp_path)
    venv.create(tmp_path / "env")
    python = str(tmp_path / "env" / "bin" / "python")
    (packages,) = tmp_path.glob("env/lib/python*/site-packages")
    (metadata,) = (each for each in zipfile.Path(wheel).iterdir() if each.name.endswith(".dist-info"))
    lend(PathDistribution(metadata).requires, packages)
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-compile"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)  # fails where a requirement is missing
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    for options in ((), ("-e", "learned")):
        done = extract_with(python, env, tmp_path, *options)
        assert done.returncode == 0, done.stderr
        assert str(packages) in done.stderr
        assert "upper quay" in done.stdout
    doctor = subprocess.run(
        [str(tmp_path / "env" / "bin" / "webmain"), "doctor"],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr


def test_importing_webmain_loads_no_parser_array_or_crawler():
    heavy = ("numpy", "selectolax", "scrapy", "lxml", "sklearn", "nlpo3")
    code = f"import sys, webmain; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("first", "given", "expected"),
    [("", None, "20"), ("", "26", "26"), ("import numpy; ", None, "None")],
    ids=["alone", "set by the user", "after numpy"],
)
def test_blas_threads_sleep_when_idle(first, given, expected):
    env = {name: value for name, value in os.environ.items() if name != "OPENBLAS_THREAD_TIMEOUT"}
    env |= {"OPENBLAS_THREAD_TIMEOUT": given} if given else {}
    code = f"import os; {first}import webmain; print(os.environ.get('OPENBLAS_THREAD_TIMEOUT'))"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == expected
