"""Check that a wheel runs on any x86-64 processor and contains its licences, and no unneeded files.

    check_wheel.py WHEEL

Instructions of newer processors crash older ones. GMP contains such instructions in functions whose names end in the name
of a processor, and selects them at load time. No other function may contain them, except listed Rust functions that detect
the processor first.
"""

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

#: Symbol of the table in which GMP records the selected functions.
FAT = "__gmpn_cpuvec"

#: Functions of GMP for one kind of processor, selected by `cpuid`.
FOR_ONE = re.compile(r"^__gmpn_\w+_(k8|k10|bd1|bd2|bd4|bt1|bt2|zen|pentium4|core2|corei\w*|atom|silvermont|goldmont|nano|fat\w*)$")

#: Functions of crates that detect the processor (`is_x86_feature_detected`) before they call them. `crc32fast` and
#: `simd_adler32` compress pictures; `compiler_builtins` detects its fused multiply-add.
ASKED = (
    "memchr::arch::x86_64::avx2", "memchr", "hashbrown", "std_detect", "simd_adler32::imp::", "crc32fast::specialized::pclmulqdq::",
    "compiler_builtins::math::libm_math::arch::x86::fma::fma_with_fma",
)  # fmt: skip

#: Instructions that baseline x86-64 lacks: all with a VEX or EVEX prefix, and these. `tzcnt` is allowed: older processors
#: execute it as `rep bsf`, which gives the same result for a nonzero number. (`lzcnt` would give a wrong result.)
NEWER = re.compile(
    r"^(v[a-z]\w+|mulx|adcx|adox|shlx|shrx|sarx|rorx|andn|bextr|bzhi|pdep|pext|blsr|blsi|blsmsk|lzcnt|popcnt|movbe|"
    r"pshufb|palignr|pmulld|ptest|roundsd|roundss|crc32\w*|aes\w+|pclmul\w+|pinsrq|pextrq|pcmpeqq|blendv\w+)$"
)
HARMLESS = {"verr", "verw", "vmcall"}


def functions(module):
    """Yields each function with its instructions."""
    shown = subprocess.run(["objdump", "--disassemble", "--no-show-raw-insn", "--demangle", module], capture_output=True, text=True, check=True)
    name, instructions = None, []
    for line in shown.stdout.splitlines():
        if head := re.match(r"^[0-9a-f]+ <(.*)>:$", line):
            if name:
                yield name, instructions
            name, instructions = head.group(1), []
        elif found := re.match(r"^\s+[0-9a-f]+:\s+(?:(?:rep|repz|repnz|lock|data16|notrack|bnd|cs|ds)\s+)*(\S+)", line):
            instructions.append(found.group(1))
    if name:
        yield name, instructions


def main(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    faults = []
    for wanted in ("dpcert/py.typed", "dpcert/_dpcert.pyi", "dpcert/mechanisms.py", "dpcert/cluster/packages.py", "dpcert/__main__.py"):
        if wanted not in names:
            faults.append(f"{wanted} is missing")
    for wanted in ("LICENSE-APACHE", "LICENSE-MIT", "LICENSE-OFL", "NOTICE-LGPL.md"):
        if not any(name.endswith(f"licenses/{wanted}") for name in names):
            faults.append(f"{wanted} is missing")
    if unwanted := [name for name in names if "/tests/" in name or name.endswith((".rs", ".pyc"))]:
        faults.append(f"unneeded files: {unwanted}")
    if "-cp311-abi3-manylinux_2_28_x86_64" not in Path(wheel).name:
        faults.append("the name lacks the tags cp311-abi3-manylinux_2_28_x86_64")
    modules = [name for name in names if name.endswith(".so")]
    if modules != ["dpcert/_dpcert.abi3.so"]:
        sys.exit(f"{wheel}: expected the one module dpcert/_dpcert.abi3.so, found {modules}")
    with tempfile.TemporaryDirectory() as folder:
        module = zipfile.ZipFile(wheel).extract(modules[0], folder)
        symbols = subprocess.run(["nm", module], capture_output=True, text=True, check=True).stdout
        if FAT not in symbols:
            faults.append(f"GMP is not a fat build: the symbol {FAT} is missing")
        seen, guarded = 0, {}
        for name, instructions in functions(module):
            seen += 1
            newer = sorted({text for text in instructions if NEWER.match(text) and text not in HARMLESS})
            if not newer or FOR_ONE.match(name):
                guarded["GMP"] = guarded.get("GMP", 0) + bool(newer)
            elif name.split("@")[0].lstrip("<").startswith(ASKED) or "::avx2::" in name or "::sse42::" in name:
                guarded[name] = 1
            else:
                faults.append(f"{name} has instructions that baseline x86-64 lacks: {', '.join(newer[:6])}")
    if not seen > 3000:
        faults.append(f"only {seen} functions found; the symbols may be stripped")
    for fault in faults[:40]:
        print(f"{wheel}: {fault}", file=sys.stderr)
    if faults:
        sys.exit(1)
    others = len(guarded) - ("GMP" in guarded)
    print(f"{seen} functions checked; {guarded.get('GMP', 0)} of GMP and {others} others are selected by processor")


if __name__ == "__main__":
    main(*sys.argv[1:])
