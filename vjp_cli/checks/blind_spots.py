"""What could have hidden an error: special points and weights at which wrong code looks right."""

from vjp_cli.exact.tracing_program import Point
from vjp_cli.lazy import torch


def blind_spots(point: Point, jacobian_compared: bool) -> list[str]:
    """Sentences for the report; none when the point is a general one."""
    notes = []
    v = point.v
    if v is not None and v.numel() > 1 and bool((v == v.reshape(-1)[0]).all()):
        cover = (
            "J is compared entry by entry all the same"
            if jacobian_compared
            else "try an uneven --v as well"
        )
        notes.append(
            f"all elements of v are equal: errors of single rows may cancel in vᵀJ; {cover}"
        )
    special = ((name, _special(point.inputs[name])) for name in point.wrt)
    spots = [f"{name} {words}" for name, words in special if words]
    if spots:
        notes.append(f"{', '.join(spots)}: a wrong formula may look right at such a point")
    return notes


def _special(value: "torch.Tensor") -> str:
    flat = value.detach().reshape(-1)
    if not flat.numel():
        return ""
    if bool((flat == 0).all()):
        return "is all 0"
    if bool((flat == 1).all()):
        return "is all 1"
    if flat.numel() > 1 and bool((flat == flat[0]).all()):
        return "repeats one number"
    square = value.ndim == 2 and value.shape[0] == value.shape[1] > 1
    return "is symmetric" if square and torch.equal(value, value.T) else ""
