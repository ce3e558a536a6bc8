"""What broke evaluators of others, one list a class; each would leave a file ``PWNED`` behind.

All of it is Python that some evaluator of text once ran, and nothing of it is this language. Where
``reaches`` says so, the text is fine, and only what it names is not there.
"""

# numexpr #442, simpleeval, asteval, pandas: plain code, and names that lead to it
CODE = """
__import__('os').system('touch PWNED')
eval('1')
exec('x=1')
compile('1', 'f', 'eval')
open('PWNED', 'w')
input()
breakpoint()
globals()
locals()
vars()
getattr(x, 'data_ptr')()
setattr(x, 'a', 1)
type('A', (), {})
object()
print(x)
help()
exit()
memoryview(x)
𝓮𝓿𝓪𝓵('1')
ｅｘｅｃ('1')
os.system('touch PWNED')
sys.modules
subprocess.Popen('touch PWNED')
@pd.compat.os.system('touch PWNED')
import os; os.system('touch PWNED')
from os import system; system('touch PWNED')
x; __import__('os')
"""
# asteval 2021 to 2026, RestrictedPython: attributes that lead out
ATTRIBUTES = """
().__class__.__bases__[0].__subclasses__()
x.__class__
x.__class__.__mro__[1].__subclasses__()
x.__reduce__()
x.__reduce_ex__(2)
x.__init__.__globals__
x.sum.__self__
x.sum.__func__.__globals__['os']
sin.__globals__
(x).__dict__
x._backward_hooks
x.grad_fn
x.gi_frame
x.cr_frame.f_back.f_globals
x.f_back
x.obj
x.__traceback__
__builtins__
__builtins__['eval']
__loader__
__spec__
__name__
x.__getattribute__('data')
[].__class__
1 .__class__
(1.0).__class__
'a'.__class__
"""
# simpleeval CVE-2026-32640: modules inside of modules that are there
MODULES = """
torch.os.system('touch PWNED')
torch.sys.modules
torch.load('PWNED')
torch.save(x, 'PWNED')
torch.hub.load('a', 'b')
torch.hub.load_state_dict_from_url('http://localhost/x')
torch.utils.cpp_extension.load('a', 'b')
torch.ops.load_library('PWNED')
torch.classes.load_library('PWNED')
torch.jit.load('PWNED')
torch.jit.script(x)
torch.compile(x)
torch.from_file('PWNED', True, 1)
torch.package.PackageImporter('PWNED')
torch.serialization.load('PWNED')
torch.library.Library('a', 'DEF')
torch._C._jit_pass_inline(x)
torch.__builtins__
torch.importlib.import_module('os')
torch.nn.functional.os
torch.nn.functional.torch.os.system('touch PWNED')
F.warnings.sys
torch.linalg.__loader__
torch.special.__spec__.loader
torch.multiprocessing.Process(x)
torch.distributed.init_process_group('gloo')
numpy.load('PWNED', allow_pickle=True)
np.ctypeslib.os.system('touch PWNED')
sympy.sympify('1')
"""
# asteval 1.0.9: methods of arrays that do more than compute
METHODS = """
x.numpy()
x.tofile('PWNED')
x.dump('PWNED')
x.numpy().tofile('PWNED')
x.data_ptr()
x.share_memory_()
x.set_(x)
x.storage()
x.untyped_storage().from_file('PWNED')
x.apply_(sin)
x.map_(x, sin)
x.register_hook(sin)
x.backward()
x.requires_grad_()
x.pin_memory()
x.cuda()
x.tolist()
x.item()
x.to('cuda:0')
x.type('torch.DoubleTensor')
x.__setitem__(0, 1)
x.copy_(x)
x.module_load(x)
"""
# Jinja, asteval CVE-2025-24359, RestrictedPython CVE-2023-41039: what formats, looks up
FORMATS = """
'{0.__class__}'.format(x)
'{x.__class__}'.format_map(x)
'%s' % x
'%(a)s' % x
f'{x.__class__}'
f'{x!r:{x}}'
rf'{x}'
format(x, 's')
str(x)
repr(x)
'a' + x
'a'.join(x)
b'a'.decode()
"""
# RestrictedPython CVE-2025-22153 and CVE-2026-55830, and syntax that came later
SYNTAX = """
lambda: x
(lambda a, /, b: b)(x, x)
[a for a in x]
{a: a for a in x}
{a for a in x}
(a for a in x)
[a for a in x if (b := a)]
x if x else x
(y := x)
await x
(yield x)
(yield from x)
async def f(): pass
def f(): pass
class A: pass
@sin
with x: x
try: x
except* x: x
raise x
assert x
del x
global x
nonlocal x
while x: x
for a in x: a
match x: x
type A = x
t'{x}'
*x
sum(*x)
sum(**x)
x[*x]
print(*x, sep='')
a.b = x
a[0] = x; a
x += 1
a = b = x; a.__class__
x: int = 1
"""
# calling, or handing on, something else than an operation with its own arguments
CALLS = """
sin(x)(x)
[sin][0](x)
(sin)(x)(x)
x(x)
1(x)
'sin'(x)
sum(sin)
sum(x, dtype=torch.os)
sum(x, dtype='os')
sum(x, out=x)
where(sin, x, x)
cat(sin)
sin(sin)
torch(x)
F(x)
sort(x, key=sin)
softmax(x, 0, _stacklevel=eval)
einsum(sin, x)
"""
# PyYAML, numpy CVE-2019-6446, torch CVE-2025-32434: texts that a parser would build objects from
TEXTS = """
einsum('__import__("os").system("touch PWNED")', x)
einsum('i->i; import os', x)
einsum('{0.__class__}', x)
sum(x, 'cos\\nsystem\\n(S"touch PWNED"\\ntR.')
norm(x, p='__import__("os")')
norm(x, '!!python/object/apply:os.system ["touch PWNED"]')
sum(x, dim='dict')
x.to('os')
x.type_as('os')
tensor('os')
float('__import__("os")')
float('1_0')
"""
ALL = [
    line
    for lines in (CODE, ATTRIBUTES, MODULES, METHODS, FORMATS, SYNTAX, CALLS, TEXTS)
    for line in lines.strip("\n").split("\n")
]
# names that mean something to SymPy, Python or the program: here they are inputs like any other
_NAMES = """
E I S N O Q C pi_ beta gamma zeta lambda1 Symbol Integer Float Function Matrix sympify Rational
os sys torch_ sympy numpy eval exec open compile print type object self cls ctx request LIMITS _ _x
quit copyright oo zoo nan_ true false none x0 _0 __x Dummy_1 µ ﬁ ℂ
"""
NAMES = _NAMES.split()
# where a value is expected
VALUES = (
    "__import__('os').system('touch PWNED')",
    "[__import__('os')]",
    "[\"__import__('os')\"]",
    '{"__class__": "os"}',
    '{"__reduce__": ["os.system", "touch PWNED"]}',
    "ones(__import__('os'))",
    "ones(9**9)",
    "arange(open('PWNED','w'))",
    "eval('1')",
    "1 if 1 else 2",
    "os:1",
    "int64:__import__('os')",
    "bool:print(1)",
    "!!python/object/apply:os.system ['touch PWNED']",
    "cos\nsystem\n(S'touch PWNED'\ntR.",
    "{0.__class__}",
    "%s",
    "$(touch PWNED)",
    "`touch PWNED`",
    "| touch PWNED",
    "1;import os",
    "lambda: 1",
)
