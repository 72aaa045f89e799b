"""The notebooks of the documentation run from top to bottom, and show what they showed when they were saved."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs").glob("*.ipynb"))


def run(code: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line, if that is an expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def shown(value: Any) -> dict[str, str]:
    """What a notebook shows of a value, by the kind of output."""
    if value is None:
        return {}
    html = getattr(value, "_repr_html_", None)
    return {"text/plain": repr(value), **({"text/html": html()} if html is not None else {})}


def saved(cell: dict[str, Any]) -> dict[str, str]:
    return {kind: "".join(lines) for output in cell["outputs"] for kind, lines in output["data"].items()}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_it_showed(path: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    assert cells
    for cell in cells:
        code = "".join(cell["source"])
        value = run(code, names)
        if type(value).__module__.partition(".")[0] == "pandas":
            continue  # how it is shown depends on its version, and on the width of the terminal
        for kind, text in saved(cell).items():
            assert re.sub(r"\s+", " ", shown(value).get(kind, "")) == re.sub(r"\s+", " ", text), code


if __name__ == "__main__":  # saves the notebooks with what they show now
    for path in NOTEBOOKS:
        notebook = json.loads(path.read_text())
        names: dict[str, Any] = {"__name__": "__main__"}
        for number, cell in enumerate(one for one in notebook["cells"] if one["cell_type"] == "code"):
            data = shown(run("".join(cell["source"]), names))
            kept = {kind: text.splitlines(keepends=True) for kind, text in data.items()}
            result = {"output_type": "execute_result", "execution_count": number + 1, "metadata": {}, "data": kept}
            cell["outputs"] = [result] if kept else []
            cell["execution_count"] = number + 1
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
