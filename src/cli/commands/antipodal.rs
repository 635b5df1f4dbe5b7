//! `antipodal`: Dwork and Rothblum's Lemma 3.9 on a finite pair.

use serde::Serialize;

use super::super::args::Question;
use super::super::failure::{Failure, Status};
use super::{budget, say, say_json, told_mechanism};
use crate::mechanism::Mechanism;
use crate::pair::FinitePair;
use crate::print::{Numbers, number_text};
use crate::query::{Quantity, Query};
use crate::supervise;
use crate::theorem::Antipodal;

/// The JSON object: the exact replacement, then the chain of enclosures.
#[derive(Serialize)]
struct Line<'a> {
    mechanism: String,
    #[serde(flatten)]
    replacement: &'a Antipodal,
    epsilon: Numbers,
    kl_forward: Numbers,
    kl_backward: Numbers,
    epsilon_times_tv: Numbers,
    epsilon_times_tanh: Numbers,
    printed_bound: Numbers,
    strict: [bool; 3],
}

/// `dpcert antipodal`.
pub fn run(question: &Question) -> Result<Status, Failure> {
    let composition = told_mechanism(&question.mechanism)?;
    let Some((Mechanism::Finite(pair), 1)) = composition.single() else {
        return Err(Failure::input(format!(
            "antipodal needs one finite pair, such as finite(p=[1/2,1/2], q=[1/3,2/3]), got {composition}"
        )));
    };
    let digits = question.digits();
    Query::new(Quantity::Kl, composition.clone()).with_digits(digits).checked()?;
    let antipodal = Antipodal::new(FinitePair::new(pair.p().to_vec(), pair.q().to_vec())?)?;
    let (limits, whole) = (budget(question.limits), antipodal.clone());
    let own = limits.clone();
    let chain = supervise::within(&limits, move || whole.chain(digits, &own))?;
    let strict = antipodal.strict();
    if question.json {
        say_json(&Line {
            mechanism: composition.to_string(),
            replacement: &antipodal,
            epsilon: Numbers::of(&chain.epsilon, digits),
            kl_forward: Numbers::of(&chain.forward, digits),
            kl_backward: Numbers::of(&chain.backward, digits),
            epsilon_times_tv: Numbers::of(&chain.antipodal, digits),
            epsilon_times_tanh: Numbers::of(&chain.sharp, digits),
            printed_bound: Numbers::of(&chain.printed, digits),
            strict,
        })?;
        return Ok(Status::Fine);
    }
    let masses = |values: &[rug::Rational]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let replacement = antipodal.replacement();
    let sign = |strict: bool| if strict { "<" } else { "=" };
    let number = |value| number_text(value, digits, question.exact).replace("\n ", "");
    say(&format!("antipodal replacement of {composition} at e^epsilon = {}", antipodal.x()))?;
    say(&format!("  M = [{}]", masses(replacement.p())))?;
    say(&format!("  N = [{}]", masses(replacement.q())))?;
    say(&format!("  epsilon             {}", number(&chain.epsilon)))?;
    say(&format!("  KL(P||Q)            {}", number(&chain.forward)))?;
    say(&format!("  KL(Q||P)            {}", number(&chain.backward)))?;
    say(&format!("{} epsilon TV(P,Q)     {}", sign(strict[0]), number(&chain.antipodal)))?;
    say(&format!("{} epsilon tanh(eps/2) {}", sign(strict[1]), number(&chain.sharp)))?;
    say(&format!("{} epsilon(e^eps-1)/2  {}", sign(strict[2]), number(&chain.printed)))?;
    Ok(Status::Fine)
}
