"""The chain rule made visible: the steps of a program, their local Jacobians and cotangents."""
