//! The part of a line that is inside of a rectangle.

/// The pieces of a line between these ends, in order. Minus infinity (the logarithm of 0) is placed one unit below the
/// lower end.
pub fn clipped(
    points: impl Iterator<Item = (f64, f64)>,
    (left, right): (f64, f64),
    (bottom, top): (f64, f64),
) -> Vec<Vec<(f64, f64)>> {
    let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    for (x, y) in points {
        let to = (x.max(left - 1.0), y.max(bottom - 1.0));
        if let Some(from) = before
            && let Some((enter, leave)) = share(from, to, (left, right), (bottom, top))
        {
            let at = |t: f64| (from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1));
            // A line that has not left goes on with the same piece.
            match pieces.last_mut() {
                Some(piece) if enter == 0.0 && piece.last() == Some(&from) => {}
                _ => pieces.push(vec![if enter == 0.0 { from } else { at(enter) }]),
            }
            if let Some(piece) = pieces.last_mut() {
                piece.push(if leave == 1.0 { to } else { at(leave) });
            }
        }
        before = Some(to);
    }
    pieces
}

/// From which share of the way to which it is inside (Liang and Barsky).
fn share(from: (f64, f64), to: (f64, f64), x: (f64, f64), y: (f64, f64)) -> Option<(f64, f64)> {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for (at, way, (low, high)) in [(from.0, to.0 - from.0, x), (from.1, to.1 - from.1, y)] {
        if way == 0.0 {
            if at < low || at > high {
                return None;
            }
            continue;
        }
        let (a, b) = ((low - at) / way, (high - at) / way);
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    (enter <= leave).then_some((enter, leave))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_the_border() {
        let cut = |points: &[(f64, f64)]| clipped(points.iter().copied(), (0.0, 1.0), (0.0, 1.0));
        assert_eq!(cut(&[(0.0, 0.5), (0.5, 0.5), (1.0, 0.25)]), [[(0.0, 0.5), (0.5, 0.5), (1.0, 0.25)]]);
        assert_eq!(cut(&[(0.0, 0.5), (1.0, -0.5)]), [[(0.0, 0.5), (0.5, 0.0)]]);
        assert_eq!(
            cut(&[(-0.5, 0.5), (0.5, 0.5), (0.5, 2.0), (0.75, 2.0), (0.75, 0.5)]),
            [vec![(0.0, 0.5), (0.5, 0.5), (0.5, 1.0)], vec![(0.75, 1.0), (0.75, 0.5)]]
        );
        assert_eq!(cut(&[(0.0, 0.5), (1.0, f64::NEG_INFINITY)]), [[(0.0, 0.5), (1.0 / 3.0, 0.0)]]);
        assert!(cut(&[(2.0, 2.0), (3.0, 3.0)]).is_empty());
    }
}
