"""torch's side: y, vᵀJ exactly as ``y.backward(v)`` gives it, and J by the fastest dense method."""
