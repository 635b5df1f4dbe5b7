#!/usr/bin/env bash
# The main features on real input: queries, two published results, the vectors, and the f64 formulas checked against them.
set -euo pipefail
cd "$(dirname "$0")/.."
dpcert="${CARGO_TARGET_DIR:-target}/release/dpcert"

title() { printf '\n== %s\n' "$*"; }
run() {
    printf '$ dpcert'
    printf ' %q' "$@"
    printf '\n'
    "$dpcert" "$@"
}

title "Queries"
run delta 'gaussian(sigma=1)^10' --epsilon 1 --digits 30
run delta 'approx-dp(epsilon=ln(3/2), delta=1/10)^4' --epsilon 0
run beta 'laplace(scale=1)^2' --alpha 0.05
run renyi 'randomized-response(epsilon=1)^100' --order 2.5

title "Kairouz, Oh and Viswanath, Figure 3: 30-fold composition of (0.1, 0.001)"
run region 'approx-dp(epsilon=0.1, delta=0.001)^30' --bounds

title "The US level of the 2020 census: published as 2.63 (zCDP) and 2.32 (exact)"
run epsilon 'discrete-gaussian(sigma2=120000/1729)^9' --delta 1e-11 --digits 25

title "Generate all golden vectors, each confirmed by an independent computation"
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
run vectors generate --out "$fresh"

title "Verify the vectors to more digits"
run vectors verify --data "$fresh/data"

title "Check the plain f64 formulas against the vectors"
run floats --data "$fresh/data"
