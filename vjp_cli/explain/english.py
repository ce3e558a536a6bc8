"""The sentences of an explanation in English; ``chinese.py`` has the same keys and placeholders."""

TEXTS = {
    "title": "explanation",
    "cost": "cost",
    # how much there is of something
    "number": "one number",
    "one": "1 element",
    "many": "{count} elements",
    "shaped": "{count} elements ({shape})",
    "numbers_one": "1 number",
    "numbers_many": "{count} numbers",
    "several": "{name} has {size}",
    "and": ", ",
    # J
    "jacobian": "{y} has {m_words} and {x} has {n_words}, so there are {m}·{n} = {count}"
    " derivatives ∂{y}_i/∂{x}_j, the Jacobian J: row i says how {y}[i] reacts to each element of"
    " {x}.",
    "jacobians": "{y} has {m_words} and depends on several inputs: {inputs}. So there are {m}·{n}"
    " = {count} derivatives, in a Jacobian J for each input: row i says how {y}[i] reacts to each"
    " element.",
    "gradient": "{y} is one number and {x} has {n_words}, so J is one row of {n} derivatives"
    " ∂{y}/∂{x}_j: the gradient of {y}.",
    "derivative": "{y} is one number and {x} is one number: J is the single derivative ∂{y}/∂{x}.",
    "empty": "{y} has {m_words} and {x} has {n_words}, so there are no derivatives: J is empty.",
    "row": "Row 0 is ({row}).",
    "hessian": "{y} is itself a gradient, that of the output. Its Jacobian J, the Hessian, has"
    " the second derivatives: row i says how {y}[i] reacts to each element of {x}.",
    "transposed": "The denominator layout shows its mirror image Jᵀ, with the same numbers.",
    "complex": "For complex numbers torch's convention is the conjugate of the derivative.",
    # v
    "v": "The cotangent v has a weight for each element of {y}, so it has the shape of {y}: {v}."
    " If a loss follows, v_i is ∂loss/∂{y}_i; else it says how much {y}[i] counts.",
    "v_number": "The cotangent v has a weight for each element of {y}: {y} is one number, and so"
    " is v, here {v}. backward() without a v takes 1.",
    "no_v": "You gave no v, and torch refuses {y}.backward(): 'grad can be implicitly created"
    " only for scalar outputs'. {x}.grad has room for {n} numbers, and J has {m} rows of them;"
    " only weights say how to add the rows: --v ones adds them all (the gradient of {y}.sum()),"
    " --v e0 picks row 0.",
    # vᵀJ
    "product": "{y}.backward(v) adds the rows of J, each times its weight: {grad} = Σ_i"
    " v_i·∂{y}_i/∂{x_j}, the vector-Jacobian product (VJP) vᵀJ. {example}",
    "product_number": "{y}.backward(v) computes {grad} = v·∂{y}/∂{x_j}, the vector-Jacobian"
    " product (VJP) vᵀJ. {example}",
    "example": "For example {entry} = {terms} = {value}.",
    "example_rest": "For example {entry} = {terms} + {rest} more terms = {value}.",
    "example_zeros": "For example {entry} = {terms} = {value} (the other {rest} terms are 0).",
    "example_value": "For example {entry} = {value}.",
    "example_none": "Here torch gives no number.",
    # what it costs
    "passes": "No J is needed for that: one backward pass from {y} to {x} gives all of vᵀJ. J"
    " would take {m} passes, one a row, and {bytes}; for a million outputs and inputs {huge}.",
    "pass": "One backward pass gives all of it, however many elements {x} has: {y} is one number,"
    " so J is one row. That is why training needs a scalar loss.",
    # the verdicts
    "all_ok": "torch's numbers are the exact derivatives, up to its own rounding ({count}).",
    "ok": "All other numbers are the exact derivatives, up to rounding ({count}).",
    "wrong": "torch's number is not the derivative, and rounding cannot explain it ({count}).",
    "nan": "torch has NaN (not a number), although a derivative or a slope exists ({count}).",
    "saturated": "torch has 0 or infinity where the derivative is an ordinary number: something"
    " became too large or too small on the way ({count}).",
    "missing": "torch gives no number, although the derivative exists ({count}).",
    "imprecise": "torch's number is right but for rounding, which cost more digits than usual"
    " ({count}).",
    "unchecked": "vjp could not find out the exact number, so torch's is neither confirmed nor"
    " refuted ({count}).",
    "undefined": "The function has no slope here, so no number is right or wrong ({count}).",
    "kink": "The function has a corner here: the slopes to the left and to the right differ, and"
    " torch's number lies between them, which is a fair answer ({count}).",
    "pole": "The derivative is infinite here, and torch says so ({count}).",
    "by-design": "The program departs from its mathematics on purpose, as with detach ({count});"
    " whether that is meant is for you to say.",
    "check": "This verdict comes from the check '{name}'; its line above has the reason.",
    "nothing": "Nothing could be compared with an exact derivative; the checks above say why.",
    "finding": "{entry}: {torch}, {truth}.",
    "finding_torch": "{entry}: {torch}.",
    "torch_has": "torch has {number}",
    "torch_none": "torch has no number",
    "truth_is": "the truth is {number}",
    "no_slope": "undefined",
    "slopes_are": "the slope is {left} to the left and {right} to the right",
}
