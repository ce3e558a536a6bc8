"""How torch's gradcheck judges the cases of ``tests/cases/surprises.jsonl``, and how vjp does.

Run ``python tests/bench/gradcheck.py``. Compared are the expressions whose truth is finite
everywhere and whose gradient torch gives as numbers (also NaN and infinite ones). gradcheck is
right where it passes a gradient that is right and fails one that is wrong; vjp is right where its
verdicts and truths are those of the case.
"""

import io
import json
import math
import sys
import warnings
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import torch

from tests.surprises import EXPRESSIONS, Answer, Case, differences, flat, requests
from vjp_cli import batch
from vjp_cli.expression import parse
from vjp_cli.program import Program
from vjp_cli.render import View
from vjp_cli.settings import Settings
from vjp_cli.values import Generated, parse_json_value

_WRONG = {"wrong", "nan", "saturated"}
