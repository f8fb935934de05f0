"""Every deployment of prefect.yaml names a flow that is there, and takes the parameters it is given."""

import ast
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[3]
DEPLOYMENTS = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]


def flow_of(entrypoint: str) -> ast.AsyncFunctionDef | ast.FunctionDef | None:
    """The function that `entrypoint` (module.function) names, if it is decorated as a flow. Prefect is not loaded."""
    module, _, name = entrypoint.rpartition(".")
    path = ROOT / f"{module.replace('.', '/')}.py"
    if not path.is_file():
        return None
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef) and node.name == name:
            calls = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
            return node if any(isinstance(call, ast.Name) and call.id == "flow" for call in calls) else None
    return None


def test_every_entry_point_is_a_flow_with_those_parameters() -> None:
    assert {d["entrypoint"] for d in DEPLOYMENTS} == {
        "flows.deployed.digest.digest", "flows.deployed.gaps.gaps", "flows.deployed.guard_models.guard_models",
        "flows.deployed.ingest.ingest",
        "flows.deployed.rebuild.rebuild", "flows.deployed.tidy.tidy", "flows.deployed.train.train",
    }  # fmt: skip
    for deployment in DEPLOYMENTS:
        flow = flow_of(deployment["entrypoint"])
        assert flow is not None, deployment["entrypoint"]
        assert set(deployment["parameters"]) <= {argument.arg for argument in flow.args.args}


def test_names_are_given_once() -> None:
    names = [deployment["name"] for deployment in DEPLOYMENTS]
    assert len(set(names)) == len(names)


def test_what_is_no_flow_would_be_seen() -> None:
    assert flow_of("flows.deployed.tidy.nothing") is None
    assert flow_of("flows.nothing.tidy") is None
    assert flow_of("flows.runs.retention.tidy_up") is None
