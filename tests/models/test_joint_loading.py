"""What a judge costs to load."""

import subprocess
import sys

import pytest

CODE = """
import sys
from vouch.adapters.models.scorers.cross_encoder import load_cross_encoder
from vouch.adapters.models.scorers.judge import SHIPPED
load_cross_encoder(SHIPPED)
print([name for name in ("torch._dynamo", "sympy", "transformers") if name in sys.modules])
"""


@pytest.mark.model
def test_a_judge_is_loaded_without_the_compiler_of_torch() -> None:
    """To draw first numbers on the device `meta` would import it and sympy, over a second of a cold start."""
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
