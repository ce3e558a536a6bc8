"""The shells themselves, at a terminal: a line, TAB, and what stands there then."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import interactive

SET_UP = {
    "bash": 'bind "set bell-style none"; eval "$(_VJP_COMPLETE=source_bash vjp)"; echo re"ady"\n',
    "zsh": "unsetopt beep; autoload -Uz compinit; compinit -D -u; "
    '_VJP_COMPLETE=source_zsh vjp >.vjp.zsh; . ./.vjp.zsh; echo re"ady"\n',
}
START = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    interactive.program(tmp_path / "bin")
    work = tmp_path / "work"
    work.mkdir()
    (work / "data.npy").touch()
    (work / "model.py").write_text("def loss(x):\n    return x\n")
    return work


def environment(folder: Path) -> dict[str, str]:
    path = f"{folder.parent / 'bin'}:{os.environ['PATH']}"
    return {"PATH": path, "HOME": str(folder), "ZDOTDIR": str(folder)}


@pytest.mark.parametrize("shell", START)
@pytest.mark.parametrize(
    ("typed", "then"),
    [
        ('vjp inspect "alpha @ x" --alp', "--alpha "),
        ('vjp inspect "alpha @ x" --x @da', "--x @data.npy "),
        ("vjp inspect @da", "inspect @data.npy "),
        ("vjp inspect -f model.py:lo", "-f model.py:loss "),
        ("vjp inspect -f model.py:loss --exp", "--explain "),
        ("vjp inspect x --fail-on wrong,sat", "--fail-on wrong,saturated "),
        ("vjp ops softpl", "ops softplus "),
        ("vjp help verd", "help verdicts "),
        ("vjp inspect x -o da", "-o data.npy "),
    ],
)
def test_a_line_is_completed(shell: str, typed: str, then: str, folder: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    with interactive.shell(
        *START[shell], folder=folder, environment=environment(folder)
    ) as terminal:
        assert "ready" in terminal.type(SET_UP[shell], "ready")
        assert then in terminal.type(f"{typed}\t", then)


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ('vjp inspect "alpha @ x" --alp', "--alpha\tThe value of alpha."),
        ('vjp inspect "alpha @ x" --x @da', "@data.npy"),
        ("vjp inspect -f model.py:lo", "model.py:loss"),
        ("vjp inspect x --fail-on wrong,sat", "wrong,saturated"),
        ("vjp ops softpl", "softplus"),
        ("vjp help verd", "verdicts"),
        # fish's own, where vjp has nothing to say
        ("vjp inspect x -o da", "data.npy"),
    ],
)
def test_fish_offers(typed: str, offered: str, folder: Path) -> None:
    script = f"env _VJP_COMPLETE=source_fish vjp | source; complete -C {shlex.quote(typed)}"
    done = subprocess.run(
        ["fish", "--no-config", "-c", script],
        cwd=folder,
        env={**os.environ, **environment(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert (done.stdout, done.stderr) == (f"{offered}\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_accepted_by_the_shell(shell: str, folder: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = subprocess.run(
        [folder.parent / "bin" / "vjp"],
        env={**os.environ, "_VJP_COMPLETE": f"source_{shell}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout
    assert "vjp" in script
    subprocess.run([shell, "-n"], input=script, text=True, check=True, timeout=60)
