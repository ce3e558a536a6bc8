"""Problems whose Jacobian, pattern and vᵀJ were worked out by hand."""

from tests.scenario import Scenario, solve
from tests.scenarios_of_arrays import SCENARIOS as ARRAYS
from tests.scenarios_of_elements import SCENARIOS as ELEMENTS

SCENARIOS = (*ELEMENTS, *ARRAYS)

__all__ = ["SCENARIOS", "Scenario", "solve"]
