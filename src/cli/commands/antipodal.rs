//! `antipodal`: Dwork and Rothblum's Lemma 3.9.

use super::super::args::Question;
use super::super::failure::{Failure, Status};
use super::{budget, say, say_json, told_mechanism};
use crate::print::{Replaced, meaning_text, number_text};

/// `dpcert antipodal`.
pub fn run(question: &Question) -> Result<Status, Failure> {
    let composition = told_mechanism(&question.mechanism)?;
    question.without_direction("antipodal", "it bounds both KL(P||Q) and KL(Q||P)")?;
    let digits = question.digits();
    let found = Replaced::new(composition.clone(), digits, &budget(question.limits))?;
    if question.json {
        say_json(&found.line(None))?;
        return Ok(found.status);
    }
    let Replaced { antipodal, chain, strict, meaning, status, .. } = found;
    let masses = |values: &[rug::Rational]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let sign = |strict: Option<bool>| match strict {
        Some(true) => "< ",
        Some(false) => "= ",
        None => "<=",
    };
    let number = |value| number_text(value, digits, question.exact).replace("\n ", "");
    match &antipodal {
        Some(antipodal) => {
            let replacement = antipodal.replacement();
            say(&format!("antipodal replacement of {composition:#} at e^epsilon = {}", antipodal.x()))?;
            say(&format!("  M = [{}]", masses(replacement.p())))?;
            say(&format!("  N = [{}]", masses(replacement.q())))?;
        }
        None => say(&format!("antipodal replacement (M, N) of {composition:#} = (P, Q)"))?,
    }
    say(&format!("   epsilon of both       {}", number(&chain.epsilon)))?;
    say(&format!("   TV(P,Q) = TV(M,N)     {}", number(&chain.total_variation)))?;
    say(&format!("   KL(P||Q)              {}", number(&chain.forward)))?;
    say(&format!("   KL(Q||P)              {}", number(&chain.backward)))?;
    say(&format!("{} KL(M||N) = KL(N||M)   {}", sign(strict[0]), number(&chain.antipodal)))?;
    say(&format!("{} epsilon tanh(eps/2)   {}", sign(strict[1]), number(&chain.sharp)))?;
    say(&format!("{} epsilon (e^eps - 1)/2 {}", sign(strict[2]), number(&chain.printed)))?;
    if let Some(text) = meaning_text(meaning.0, meaning.1) {
        say(&format!("  {text}"))?;
    }
    Ok(status)
}
