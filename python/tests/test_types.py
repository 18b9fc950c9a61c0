"""The stub agrees with the package."""

import ast
import importlib.util
import inspect
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import kalaba
from kalaba import _kalaba, _run

STUB = pathlib.Path(kalaba.__file__).with_name("__init__.pyi")
SCRIPTS = pathlib.Path(__file__).parents[2] / "examples" / "python"


def stated():
    """NAME -> the stub's statement, the last of overloads; methods as CLASS.NAME."""
    found = {}
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.AnnAssign):
            found[node.target.id] = node
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
            members = node.body if isinstance(node, ast.ClassDef) else ()
            found.update({f"{node.name}.{each.name}": each for each in members if isinstance(each, ast.FunctionDef)})
    return found


STATED = stated()


def parameters_of(node):
    """NAME -> (kind, default as text) of a function in the stub."""
    given = node.args
    last = [None] * (len(given.posonlyargs) + len(given.args) - len(given.defaults)) + given.defaults
    parts = [(each.arg, "positional", default) for each, default in zip(given.posonlyargs + given.args, last)]
    parts += [(each.arg, "keyword", default) for each, default in zip(given.kwonlyargs, given.kw_defaults)]
    result = {name: (kind, default and ast.literal_eval(default)) for name, kind, default in parts}
    for kind, each in (("*", given.vararg), ("**", given.kwarg)):
        if each is not None:
            result[each.arg] = (kind, None)
    return result


KINDS = {"POSITIONAL_OR_KEYWORD": "positional", "KEYWORD_ONLY": "keyword", "VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}


def real_parameters(thing):
    parameters = inspect.signature(thing).parameters.values()
    return {
        each.name: (KINDS[each.kind.name], None if each.default is inspect.Parameter.empty else each.default)
        for each in parameters
    }


def test_every_public_name_is_stated():
    names = {name for name in STATED if "." not in name and not name.startswith("_")}
    assert names - {"plotting", "jax", "torch"} == set(kalaba.__all__)
    assert STUB.with_name("py.typed").exists()


@pytest.mark.parametrize("name", sorted(kalaba.__all__))
def test_signatures_are_those_of_the_code(name):
    thing, node = getattr(kalaba, name), STATED[name]
    if isinstance(node, ast.FunctionDef):
        of_any_number = [each.arg for each in node.args.posonlyargs]  # sin and its like
        if not of_any_number:
            assert parameters_of(node) == real_parameters(thing)
    if not isinstance(node, ast.ClassDef) or name in ("Expression", "Distribution", "Correlated", "Event", "Equation"):
        return
    own = {each for each, member in vars(thing).items() if not each.startswith("_") and each != "code"}
    said = {each.split(".")[1] for each in STATED if each.startswith(f"{name}.")}
    said |= {each.target.id for each in node.body if isinstance(each, ast.AnnAssign)}
    assert own <= said
    for each in own:
        member = inspect.getattr_static(thing, each)
        function = getattr(member, "__func__", member)
        if inspect.isfunction(function):
            assert parameters_of(STATED[f"{name}.{each}"]) == real_parameters(function), each


def test_the_options_of_a_run_are_those_of_the_table():
    known = {key.split(".")[1]: ast.unparse(ast.parse(kind)) for key, kind in _kalaba.options()}
    said = {each.target.id: ast.unparse(each.annotation) for each in STATED["_Options"].body}
    assert {name: said.pop(name, None) for name in known} == known
    assert set(said) == set(_run.OTHERS)


def test_a_row_of_the_table_of_options_is_a_keyword(monkeypatch):
    monkeypatch.setattr(_kalaba, "options", lambda rows=_kalaba.options(): [*rows, ("solver.toy", "float")])
    spec = importlib.util.spec_from_file_location("kalaba._run_with_toy", _run.__file__)
    again = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(again)
    ensemble = kalaba.Ensemble("spherical_pendulum", 1)
    assert again.tables_of(ensemble, {"toy": 2.0}) == {"solver": {"toy": 2.0}}
    with pytest.raises(TypeError, match="toy"):
        _run.tables_of(ensemble, {"toy": 2.0})


def test_every_public_thing_says_what_it_is():
    for name in kalaba.__all__:
        thing = getattr(kalaba, name)
        assert inspect.getdoc(thing), name
        assert thing.__module__ == "kalaba" or not callable(thing), name
        if not inspect.isclass(thing) or name == "Expression":
            continue
        for each, member in vars(thing).items():
            if not each.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                assert inspect.getdoc(member), f"{name}.{each}"


def test_a_type_checker_takes_the_scripts_and_refuses_what_is_wrong(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed")
    (tmp_path / "kalaba").mkdir()
    shutil.copy(STUB, tmp_path / "kalaba")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(
        "import kalaba\nkalaba.uniform('a', 1)\nkalaba.Ensemble('chain', designs='sobol')\n", encoding="utf-8"
    )
    words = [sys.executable, "-m", "mypy", "--cache-dir", "cache", "--ignore-missing-imports"]

    def check(*files):
        return subprocess.run(
            [*words, *files], capture_output=True, text=True, check=False, cwd=tmp_path,
            env={**os.environ, "MYPYPATH": str(tmp_path)},
        )  # fmt: skip

    done = check(*SCRIPTS.glob("*.py"))
    assert done.returncode == 0, done.stdout
    assert "Found 2 errors" in check(wrong).stdout
