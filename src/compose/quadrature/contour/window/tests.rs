use super::*;

/// `1/(s (s+1))` at node x of a line, x of any size.
fn kernel(c: f64, period: f64, x: f64) -> [f64; 2] {
    let u = 2.0 * std::f64::consts::PI * x / period;
    // s (s + 1) = c^2 + c - u^2 + i u (2c + 1)
    let (re, im) = (c * c + c - u * u, u * (2.0 * c + 1.0));
    let size = re * re + im * im;
    [re / size, -im / size]
}

/// `a_k` for `|k| <= far`, from `-far` on.
fn coefficients(c: f64, period: f64, m: i64, far: i64) -> Vec<[f64; 2]> {
    let lost = |k: i64| ((k.abs() - m) as f64 / m as f64).clamp(0.0, 1.0);
    (-far..=far).map(|k| kernel(c, period, k as f64).map(|part| part * lost(k))).collect()
}

/// Tilts on all sides of the poles, near and far, and periods.
const LINES: [(f64, f64); 6] = [(0.01, 3.0), (2.0, 1.0), (300.0, 0.2), (-0.5, 4.0), (-1.01, 5.0), (-40.0, 1.0)];

fn size(period: f64) -> f64 {
    (period / (2.0 * std::f64::consts::PI)).powi(2)
}

/// The sums of the coefficients, and of their second differences, are at most what the proof says; for lines whose tilt
/// is small beside the ordinates they are near to it, so that nothing less would do.
#[test]
fn coefficients_are_bounded() {
    let (m, far) = (512i64, 1i64 << 20);
    for (c, period) in LINES {
        let a = coefficients(c, period, m, far);
        let all: f64 = a.iter().map(|[re, im]| re.hypot(*im)).sum();
        // Beyond: of each side less than C/far.
        let (bound, rest) = (1.4 * size(period) / m as f64, 2.0 * size(period) / far as f64);
        assert!(all <= bound, "{c} {period}: {all} above {bound}");
        let second = a.windows(3).map(|a| (0..2).map(|i| a[0][i] - 2.0 * a[1][i] + a[2][i]));
        let differences: f64 = second.map(|parts| parts.map(|part| part * part).sum::<f64>().sqrt()).sum();
        let most = 7.0 * size(period) / (m as f64).powi(3);
        assert!(differences <= most, "{c} {period}: {differences} above {most}");
        if c.abs() < 3.0 {
            assert!(all + rest > 0.95 * bound && differences > 0.6 * most, "{c} {period}: {all} {differences}");
        }
    }
}

/// What the taper leaves over is below the window everywhere, near the kink, between the zeros of its kernels and far
/// away; with a twentieth of the factor it is not.
#[test]
fn windows_are_above_what_is_left() {
    let (m, far) = (64i64, 1i64 << 14);
    let n = 2 * m;
    let fejer = |x: f64| {
        let sine = (0.5 * x).sin();
        if sine.abs() < 1e-9 { n as f64 } else { (0.5 * n as f64 * x).sin().powi(2) / (n as f64 * sine * sine) }
    };
    let a = std::f64::consts::PI / (2.0 * n as f64);
    for (c, period) in LINES {
        let coefficients = coefficients(c, period, m, far);
        let mut exceeded = false;
        for i in 0..200 {
            // Dense near zero, and out to half a turn.
            let theta = std::f64::consts::PI * (f64::from(i) / 200.0).powi(2);
            let mut sum = [0.0; 2];
            for (k, [re, im]) in (-far..=far).zip(&coefficients) {
                let (sin, cos) = (k as f64 * theta).sin_cos();
                sum = [sum[0] + re * cos - im * sin, sum[1] + re * sin + im * cos];
            }
            let left = sum[0].hypot(sum[1]);
            let window = (fejer(theta - a) + fejer(theta + a)) * 6.4 * size(period) / (m * m) as f64;
            // Beyond the last coefficient: less than C/far on each side.
            let unseen = 2.0 * size(period) / far as f64;
            assert!(left - unseen <= window, "{c} {period} {theta}: {left} above {window}");
            exceeded |= left - unseen > window / 20.0;
        }
        assert!(exceeded || c.abs() > 3.0, "{c} {period}");
    }
}

/// Weights are exact, and fall from one to nothing.
#[test]
fn tapers_fall_to_nothing() {
    assert!(Taper::new(1000).is_none() && Taper::new(512).is_none());
    let taper = Taper::new(2048).expect("a power of two");
    assert!(taper.lost(0).is_none() && taper.lost(1024).is_none());
    assert_eq!(taper.lost(1025).map(|part| part.re), Some(1 << (BITS - 10)));
    assert_eq!(taper.lost(2048), Some(Point::ONE));
}
