//! Compositions whose every mass is rational: exact integers over one denominator.
//!
//! One product of two arrays is one product of two huge integers with the masses as digits (Kronecker substitution).

use rug::integer::Order;
use rug::{Integer, Rational};

use super::super::exact_atoms::ExactAtoms;
use super::pair::{LatticePair, Law};
use crate::error::Error;
use crate::pair::{EXACT_BITS, fits_exactly};
use enclosure::{Budget, Number, work};

/// Places of an exact composition.
const EXACT_POINTS: u64 = 1 << 16;

/// The product of two arrays as polynomials, by one product of integers: coefficients stand `limbs` words apart.
pub(super) fn multiply(a: &[Integer], b: &[Integer], bits: u32) -> Vec<Integer> {
    let limbs = (bits as usize).div_ceil(64);
    work::spend_products(3, u32::try_from(a.len().max(b.len()) * 64 * limbs).unwrap_or(u32::MAX));
    let pack = |masses: &[Integer]| {
        let mut digits = vec![0_u64; masses.len() * limbs];
        for (mass, place) in masses.iter().zip(digits.chunks_mut(limbs)) {
            // The caller's `bits` cover every mass, so the words suffice.
            let words = mass.significant_digits::<u64>();
            if let Some(place) = place.get_mut(..words) {
                mass.write_digits(place, Order::Lsf);
            }
        }
        Integer::from_digits(&digits, Order::Lsf)
    };
    let product = if std::ptr::eq(a, b) { pack(a).square() } else { pack(a) * pack(b) };
    let mut digits = vec![0_u64; product.significant_digits::<u64>()];
    product.write_digits(&mut digits, Order::Lsf);
    let mut all: Vec<Integer> = digits.chunks(limbs).map(|words| Integer::from_digits(words, Order::Lsf)).collect();
    all.resize(a.len() + b.len() - 1, Integer::new());
    all
}

/// The composition of two arrays of numerators.
fn compose(a: &[Integer], b: &[Integer]) -> Vec<Integer> {
    let top = |masses: &[Integer]| masses.iter().map(Integer::significant_bits).max().unwrap_or(0);
    let shorter = a.len().min(b.len()) as u64;
    let bits = top(a) + top(b) + (64 - shorter.leading_zeros());
    multiply(a, b, bits.max(1))
}

fn power(base: &[Integer], mut times: u64, budget: &Budget) -> Result<Vec<Integer>, Error> {
    let (mut result, mut base) = (vec![Integer::from(1)], base.to_vec());
    while times > 0 {
        budget.check()?;
        if times % 2 == 1 {
            result = compose(&result, &base);
        }
        times /= 2;
        if times > 0 {
            base = compose(&base, &base);
        }
    }
    Ok(result)
}

/// One pair in fractions.
struct Factor {
    stride: usize,
    masses: Vec<(Rational, Rational)>,
    infinite: (Rational, Rational),
    common: Integer,
    times: u64,
}

/// The exact composition, if all masses and all `e^loss` are rational and all numerators together are not too long.
///
/// `strides` are the units of the pairs in units of the composition.
pub(super) fn compose_exactly(
    parts: &[(LatticePair, u64)],
    strides: &[u64],
    budget: &Budget,
) -> Result<Option<ExactAtoms>, Error> {
    let (mut size, mut points) = (0_u64, 1_u64);
    let mut factors = Vec::new();
    for ((pair, times), stride) in parts.iter().zip(strides) {
        let Law::Finite { offset, places, masses } = &pair.law else { return Ok(None) };
        let first = pair.shift.add(&pair.unit.mul_rational(&Rational::from(*offset)));
        let (Some(first), Some(step)) = (first.exp_rational(), pair.unit.exp_rational()) else { return Ok(None) };
        // Before any power is taken: their sizes.
        points = points.saturating_add(places.saturating_mul(*times).saturating_mul(*stride));
        if points > EXACT_POINTS || !fits_exactly(&step, *places) {
            return Ok(None);
        }
        let masses = masses(64)?;
        let (step, mut likelihood) = (step.recip(), first.recip());
        let mut all = Vec::new();
        for mass in &masses.p {
            let Some(p) = mass.exact() else { return Ok(None) };
            all.push((p.clone(), Rational::from(p * &likelihood)));
            likelihood *= &step;
        }
        let (Some(p), Some(q)) = (masses.infinite_p.exact(), masses.infinite_q.exact()) else { return Ok(None) };
        let mut common = p.denom().clone();
        common.lcm_mut(q.denom());
        for (p, q) in &all {
            common.lcm_mut(p.denom());
            common.lcm_mut(q.denom());
        }
        size = size.saturating_add(u64::from(common.significant_bits()).saturating_mul(*times));
        let Ok(stride) = usize::try_from(*stride) else { return Ok(None) };
        factors.push(Factor { stride, masses: all, infinite: (p.clone(), q.clone()), common, times: *times });
    }
    if size.saturating_mul(points) > EXACT_BITS {
        return Ok(None);
    }
    let one = Integer::from(1);
    let (mut p_array, mut q_array) = (vec![one.clone()], vec![one.clone()]);
    let (mut whole, mut p_kept, mut q_kept) = (one.clone(), one.clone(), one);
    for Factor { stride, masses, infinite: (p_inf, q_inf), common, times } in factors {
        let scaled = |value: &Rational| value.numer() * Integer::from(&common / value.denom());
        let raised = |pick: &dyn Fn(&(Rational, Rational)) -> Integer| -> Result<Vec<Integer>, Error> {
            let dense = power(&masses.iter().map(pick).collect::<Vec<_>>(), times, budget)?;
            let mut spread = vec![Integer::new(); (dense.len() - 1) * stride + 1];
            for (slot, mass) in spread.iter_mut().step_by(stride).zip(dense) {
                *slot = mass;
            }
            Ok(spread)
        };
        p_array = compose(&p_array, &raised(&|(p, _)| scaled(p))?);
        q_array = compose(&q_array, &raised(&|(_, q)| scaled(q))?);
        let times = u32::try_from(times).map_err(|_| budget.out_of_bits())?;
        let power = |value: Integer| Integer::from(rug::ops::Pow::pow(&value, times));
        whole *= power(common.clone());
        p_kept *= power(&common - scaled(&p_inf));
        q_kept *= power(&common - scaled(&q_inf));
    }
    let mut atoms: Vec<_> = p_array.into_iter().zip(q_array).collect();
    atoms.push((Integer::from(&whole - &p_kept), Integer::new()));
    atoms.push((Integer::new(), Integer::from(&whole - &q_kept)));
    Ok(Some(ExactAtoms::new(atoms, whole)))
}

/// Mass at plus infinity under P, `1 - prod (1 - m_i)`, and the same of Q.
pub(super) fn infinite(parts: &[(LatticePair, u64)], bits: u32) -> Result<(Number, Number), Error> {
    let (mut p, mut q) = (Number::zero(), Number::zero());
    for (pair, times) in parts {
        let masses = pair.infinite(bits)?;
        for (sum, one) in [(&mut p, masses.0), (&mut q, masses.1)] {
            let several = match &one {
                Number::Exact(m) if *m == 0 => Number::zero(),
                Number::Exact(m) if u64::from(m.denom().significant_bits()).saturating_mul(*times) <= 4096 => {
                    &Number::one() - &(&Number::one() - &one).pow(*times)
                }
                _ => {
                    let wide = enclosure::Enclosure::integer(&(*times).into(), bits.max(64));
                    Number::Enclosed(-(&(-one.enclosure(bits)).log1p() * &wide).expm1())
                }
            };
            // a + b - ab = a + (1-a) b
            *sum = &*sum + &(&(&Number::one() - &*sum) * &several);
        }
    }
    Ok((p, q))
}
