//! `antipodal`: Dwork and Rothblum's Lemma 3.9 on a finite pair.

use super::super::args::Question;
use super::super::failure::{Failure, Status};
use super::{budget, say, say_json, told_mechanism};
use crate::print::{Replaced, number_text};

/// `dpcert antipodal`.
pub fn run(question: &Question) -> Result<Status, Failure> {
    let composition = told_mechanism(&question.mechanism)?;
    question.without_direction("antipodal", "it bounds KL(P||Q) and KL(Q||P) at once")?;
    let digits = question.digits();
    let found = Replaced::new(composition.clone(), digits, &budget(question.limits))?;
    if question.json {
        say_json(&found.line(None))?;
        return Ok(Status::Fine);
    }
    let Replaced { antipodal, chain, .. } = found;
    let strict = antipodal.strict();
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
