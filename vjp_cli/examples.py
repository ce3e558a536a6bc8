"""The examples at the end of each command's help."""

from vjp_cli.arguments import EXAMPLE

INSPECT = f"""\
Examples:
  {EXAMPLE} --v 0.1,1,1e-4
  vjp inspect 'k @ x' --k '1,2;3,4;5,6' --x 1,2 --v ones --json | jq .vjp.x"""
BATCH = """\
Examples:
  echo '{"expression": "x**2", "inputs": {"x": [1, 2]}}' | vjp batch -
  vjp batch problems.jsonl -o reports.jsonl --fail-on wrong,nan"""
OPS = """\
Examples:
  vjp ops
  vjp ops relu"""
SCHEMA = """\
Examples:
  vjp schema
  vjp schema report | jq '."$defs".Report.properties | keys'"""
HELP = """\
Examples:
  vjp help
  vjp help verdicts"""
