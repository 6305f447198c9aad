"""The image: what the Containerfile promises, and, where there is a builder, that it is built and crawls."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "Containerfile").read_text(encoding="utf-8")
BUILDERS = ("podman", "docker", "buildah")
MAX_MB = 800


def working_builder():
    """Return the builder that `make image` would take, and None where there is none."""
    for name in BUILDERS:
        if shutil.which(name) and subprocess.run([name, "info"], capture_output=True, timeout=60).returncode == 0:
            return name
    return None


def test_it_runs_as_nobody_in_particular_with_volumes_and_passes_signals_on():
    last = TEXT.rpartition("\nFROM ")[2]
    user = re.search(r"^USER (\d+):(\d+)$", last, re.MULTILINE)
    assert user
    assert int(user[1]) > 0
    assert re.search(r'^VOLUME \["/data/output", "/data/models"\]$', last, re.MULTILINE)
    assert re.search(r'^ENTRYPOINT \["tini", "--", ', last, re.MULTILINE)  # exec form: a shell would keep signals
    assert last.index("\nUSER ") < last.index("\nENTRYPOINT ")
    assert all(":" in image for image in re.findall(r"^FROM (\S+)", TEXT, re.MULTILINE))


def test_only_what_is_named_is_sent_to_the_builder():
    named = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert named[0] == "*"
    copied = {name for line in re.findall(r"^COPY (?!--from)(.+) \S+$", TEXT, re.MULTILINE) for name in line.split()}
    assert {line[1:] for line in named if line[0] == "!"} == copied


@pytest.mark.timeout(1800)
def test_make_builds_a_small_image_with_both_spiders_or_says_that_nothing_here_builds_one():
    builder = working_builder()
    made = subprocess.run(
        ["make", "image", "IMAGE=webmain-test"], cwd=ROOT, capture_output=True, text=True, timeout=1700, check=False
    )
    if builder is None:
        assert made.returncode != 0
        assert "no image can be built here: podman, docker or buildah is needed" in made.stderr
        return
    assert made.returncode == 0, made.stderr
    size = subprocess.run(
        [builder, "image", "inspect", "--format", "{{.Size}}", "webmain-test"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(size.stdout) < MAX_MB * 1_000_000
    listed = [builder, "run", "--rm", "--read-only", "--entrypoint", "scrapy", "webmain-test", "list"]
    assert subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split() == ["archive", "news"]
