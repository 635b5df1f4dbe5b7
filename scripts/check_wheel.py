"""What a wheel has to be: for any x86-64, with all that its licences want, and free of what it does not need.

    check_wheel.py WHEEL

A processor without them dies of instructions that only newer ones have. GMP has such ones, in functions that it chooses
when it is loaded, by the processor that it finds: their names end in that of a processor. Nowhere else may there be any,
but for functions of Rust that ask for the processor first, by name.
"""

import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

#: In the file of GMP that says which function is for which processor.
FAT = "__gmpn_cpuvec"

#: Of GMP, for one kind of processor; chosen by what `cpuid` says.
FOR_ONE = re.compile(r"^__gmpn_\w+_(k8|k10|bd1|bd2|bd4|bt1|bt2|zen|pentium4|core2|corei\w*|atom|silvermont|goldmont|nano|fat\w*)$")

#: Of crates that ask the processor (`is_x86_feature_detected`) before they call them.
#: `crc32fast` and `simd_adler32` are what pictures are packed with; `compiler_builtins` asks for its one product with a sum.
ASKED = (
    "memchr::arch::x86_64::avx2", "memchr", "hashbrown", "std_detect", "simd_adler32::imp::", "crc32fast::specialized::pclmulqdq::",
    "compiler_builtins::math::libm_math::arch::x86::fma::fma_with_fma",
)  # fmt: skip

#: Instructions that the least x86-64 does not have: all with a VEX or EVEX prefix, and these by name. `tzcnt` is none of them:
#: compilers write it for processors without it too, which read `rep bsf`, where the number is known not to be 0. (`lzcnt`
#: they would misread.)
NEWER = re.compile(
    r"^(v[a-z]\w+|mulx|adcx|adox|shlx|shrx|sarx|rorx|andn|bextr|bzhi|pdep|pext|blsr|blsi|blsmsk|lzcnt|popcnt|movbe|"
    r"pshufb|palignr|pmulld|ptest|roundsd|roundss|crc32\w*|aes\w+|pclmul\w+|pinsrq|pextrq|pcmpeqq|blendv\w+)$"
)
HARMLESS = {"verr", "verw", "vmcall"}


def functions(module):
    """Each function with its instructions."""
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
        faults.append(f"nobody wants {unwanted}")
    if "-cp311-abi3-manylinux_2_28_x86_64" not in Path(wheel).name:
        faults.append("it is not for every Python from 3.11 on any Linux from glibc 2.28 on")
    modules = [name for name in names if name.endswith(".so")]
    if modules != ["dpcert/_dpcert.abi3.so"]:
        sys.exit(f"{wheel}: the modules are {modules}")
    with tempfile.TemporaryDirectory() as folder:
        module = zipfile.ZipFile(wheel).extract(modules[0], folder)
        symbols = subprocess.run(["nm", module], capture_output=True, text=True, check=True).stdout
        if FAT not in symbols:
            faults.append(f"GMP is not one for all processors: there is no {FAT}")
        seen, guarded = 0, {}
        for name, instructions in functions(module):
            seen += 1
            newer = sorted({text for text in instructions if NEWER.match(text) and text not in HARMLESS})
            if not newer or FOR_ONE.match(name):
                guarded["GMP"] = guarded.get("GMP", 0) + bool(newer)
            elif name.split("@")[0].lstrip("<").startswith(ASKED) or "::avx2::" in name or "::sse42::" in name:
                guarded[name] = 1
            else:
                faults.append(f"{name} has instructions that not every x86-64 has: {', '.join(newer[:6])}")
    if not seen > 3000:
        faults.append(f"only {seen} functions were found")
    for fault in faults[:40]:
        print(f"{wheel}: {fault}", file=sys.stderr)
    if faults:
        sys.exit(1)
    others = len(guarded) - ("GMP" in guarded)
    print(f"{seen} functions for any x86-64; {guarded.get('GMP', 0)} of GMP and {others} others are chosen by the processor")


if __name__ == "__main__":
    main(*sys.argv[1:])
