"""How to call what a name stands for: its kind and its parameters, read from the source."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from vjp_cli.functions.definitions import Definition, Scope, resolve

# methods of a module that give the module itself
_SAME = frozenset(
    {"eval", "train", "to", "double", "float", "half", "bfloat16", "cpu", "cuda", "requires_grad_"}
    | {"apply", "share_memory"}
)
_FACTORIES = 5
# the types of plain Python values that a parameter may take
PLAIN = ("bool", "int", "float", "str")
# those that show in the default of a keyword-only parameter; a real number may be a tensor too
UNANNOTATED = ("bool", "int", "str")


class Kind(StrEnum):
    """What a reference names, and so how it is called."""

    FUNCTION = "function"
    AUTOGRAD = "autograd.Function"
    CLASS = "nn.Module class"
    MODULE = "nn.Module"
    FACTORY = "function that makes an nn.Module"

    @property
    def is_module(self) -> bool:
        """Whether there are parameters besides those of the call."""
        return self in (Kind.CLASS, Kind.MODULE, Kind.FACTORY)


@dataclass(frozen=True)
class Signature:
    """The parameters of a call.

    Attributes:
        names: in order.
        optional: those that have a default.
        plain: those that take a plain Python value, with its type: annotated as ``bool``, ``int``,
            ``float`` or ``str``, or keyword-only with a default that is a bool, an int or a text.
        starred: whether there are ``*`` or ``**`` parameters.
    """

    names: tuple[str, ...]
    optional: frozenset[str] = frozenset()
    plain: Mapping[str, str] = field(default_factory=dict)
    starred: bool = False


def signature_of(arguments: ast.arguments, skipped: int = 0) -> Signature:
    """The signature of a ``def`` or a ``lambda``, without its first parameters (self, ctx)."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    pairs = [*zip(positional, [*defaults, *arguments.defaults], strict=True)][skipped:]
    keywords = [*zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    plain = {node.arg: kind for node, _ in pairs if (kind := _annotated(node))}
    for node, default in keywords:
        kind = _annotated(node) or _type_of(default)
        if kind:
            plain[node.arg] = kind
    every = [*pairs, *keywords]
    return Signature(
        tuple(node.arg for node, _ in every),
        frozenset(node.arg for node, default in every if default is not None),
        plain,
        bool(arguments.vararg or arguments.kwarg),
    )


def _annotated(node: ast.arg) -> str:
    return "" if node.annotation is None else plain_type(ast.unparse(node.annotation))


def plain_type(annotation: str) -> str:
    """The plain type that an annotation names, also where it may be None; else ""."""
    text = annotation.removesuffix(" | None").removeprefix("None | ")
    match = re.fullmatch(r"(?:typing\.)?Optional\[(.*)\]", text)
    text = match[1] if match else text
    return text if text in PLAIN else ""


def _type_of(default: ast.expr | None) -> str:
    kind = type(default.value).__name__ if isinstance(default, ast.Constant) else ""
    return kind if kind in UNANNOTATED else ""


def kind_and_signature(definition: Definition) -> tuple[Kind, Signature] | None:
    """How the definition is called; None where the source does not say."""
    node, scope = definition.node, definition.scope
    if isinstance(node, ast.FunctionDef):
        made = next(filter(None, (_made(scope, e, node) for e in _returned(node))), None)
        called = None if made is None else _of_class(made)
        if called is not None and called[0] is Kind.CLASS:
            return Kind.FACTORY, called[1]
        return Kind.FUNCTION, signature_of(node.args)
    if isinstance(node, ast.Lambda):
        return Kind.FUNCTION, signature_of(node.args)
    if isinstance(node, ast.ClassDef):
        return _of_class(definition)
    made = _made(scope, node)
    called = None if made is None else _of_class(made)
    return (Kind.MODULE, called[1]) if called is not None and called[0] is Kind.CLASS else None


def needed_by(definition: Definition) -> tuple[str, ...]:
    """The parameters without default of a factory, or of a module class's ``__init__``."""
    node = definition.node
    skipped = 0
    if isinstance(node, ast.ClassDef):
        found = _method(definition, "__init__")
        if found is None:
            return ()
        node, skipped = found, 1
    if not isinstance(node, ast.FunctionDef):
        return ()
    signature = signature_of(node.args, skipped)
    return tuple(name for name in signature.names if name not in signature.optional)


def _of_class(definition: Definition) -> tuple[Kind, Signature] | None:
    """A class with a ``forward``: a static one is an ``autograd.Function``'s."""
    forward = _method(definition, "forward")
    if forward is None:
        return None
    if not any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in forward.decorator_list):
        return Kind.CLASS, signature_of(forward.args, 1)
    # with a ``setup_context`` of its own, forward is not given ctx
    own = _method(definition, "setup_context", of_torch=False)
    return Kind.AUTOGRAD, signature_of(forward.args, 0 if own else 1)


def _method(definition: Definition, name: str, of_torch: bool = True) -> ast.FunctionDef | None:
    """A method of a class, or of its bases in order."""
    node, scope = definition.node, definition.scope
    if not isinstance(node, ast.ClassDef) or (not of_torch and scope.package[:5] == "torch"):
        return None
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.name == name:
            return item
    for base in node.bases:
        above = resolve(scope, base)
        found = None if above is None else _method(above, name, of_torch)
        if found is not None:
            return found
    return None


def _made(
    scope: Scope,
    node: ast.AST | None,
    inside: ast.FunctionDef | None = None,
    steps: int = _FACTORIES,
) -> Definition | None:
    """The class whose instance an expression makes: ``MLP(3)``, ``nn.Linear(3, 2).eval()``.

    Args:
        scope: the file of the expression.
        node: the expression.
        inside: the function whose local names the expression may use.
        steps: how many factories that call factories are followed.
    """
    if isinstance(node, ast.Name) and inside is not None:
        return _made(scope, _assigned(inside, node.id), None, steps)
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Attribute) and node.func.attr in _SAME:
        return _made(scope, node.func.value, inside, steps)
    if inside is not None and not _may_make(scope, node.func):
        return None
    found = resolve(scope, node.func)
    if found is None or isinstance(found.node, ast.ClassDef):
        return found
    if not isinstance(found.node, ast.FunctionDef) or steps == 0:
        return None
    made = (_made(found.scope, each, found.node, steps - 1) for each in _returned(found.node))
    return next(filter(None, made), None)


def _may_make(scope: Scope, callee: ast.expr) -> bool:
    """Whether to look: what an ordinary function returns would lead through all of torch."""
    if isinstance(callee, ast.Attribute):
        return callee.attr[:1].isupper()
    if not isinstance(callee, ast.Name):
        return False
    return callee.id[:1].isupper() or isinstance(scope.names.get(callee.id), ast.FunctionDef)


def _own(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """The nodes of a function's body, without those of functions in it."""
    waiting: list[ast.AST] = [*body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            waiting.extend(ast.iter_child_nodes(node))


def _returned(node: ast.FunctionDef) -> list[ast.expr]:
    return [n.value for n in _own(node.body) if isinstance(n, ast.Return) and n.value is not None]


def _assigned(function: ast.FunctionDef, name: str) -> ast.expr | None:
    """The value of a local name that is bound once."""
    values = [
        node.value
        for node in _own(function.body)
        if isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
    ]
    return values[0] if len(values) == 1 else None
