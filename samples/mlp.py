# vjp inspect --function samples/mlp.py:MLP --x 1,2 --v 1 --wrt x,hidden.bias
#
# A module: its parameters are inputs too.
"""A network of two layers."""

import torch
from torch import nn


class MLP(nn.Module):
    """Two inputs, three hidden units, one output."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(2, 3)
        self.out = nn.Linear(3, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.hidden(x)))
