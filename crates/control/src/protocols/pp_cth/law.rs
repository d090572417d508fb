//! The two control laws as functions: Keshav 1991, equations 5.9 and 5.14, and the set-points of section 5.3.1.

use super::{Law, Target};

/// J of law 5.14: one round trip with `sent` packets outstanding, `r` seconds without queueing, a bottleneck of `mu` packets/s.
pub fn round_trip(sent: f64, r: f64, mu: f64) -> f64 {
    r.max(sent / mu)
}

/// Law 5.14: the rate that brings the queue of `sent - r mu` packets to the set-point in `j` seconds.
pub fn per_probe(setpoint: f64, sent: f64, r: f64, mu: f64, j: f64) -> f64 {
    mu + (setpoint - (sent - r * mu)) / j
}

/// Law 5.9: the rate after an epoch of `rtt` seconds that began with `queue` packets and in which `sent` were sent.
pub fn per_round_trip(law: Law, alpha: f64, setpoint: f64, queue: f64, sent: f64, rtt: f64, mu: f64) -> f64 {
    match law {
        Law::AsPrinted => alpha * (setpoint - queue - sent + 2.0 * mu * rtt) / rtt,
        _ => mu + alpha / rtt * (setpoint - queue - sent + mu * rtt),
    }
}

/// The set-point in packets: `given` ones, that share of `buffer`, or Mitra's a sqrt(L) with a = 1/(2 sqrt(hops)) and L the
/// bandwidth-delay product.
pub fn setpoint(target: Target, given: f64, buffer: f64, hops: u32, product: f64) -> f64 {
    match target {
        Target::Packets => given,
        Target::BufferShare => given * buffer,
        Target::Power => (product / f64::from(hops)).sqrt() / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_5_14_by_hand() {
        // Set-point, S, R, mu, n_b, J, rate, interval. S >= R mu: mu W/S with W = setpoint + R mu. Below: 2 mu + (setpoint - S)/R.
        let due = [
            [5.0, 4.0, 0.1144, 5.0, 3.428, 0.8, 6.965, 0.28715],
            [5.0, 5.572, 0.1144, 5.0, 5.0, 1.1144, 5.0, 0.4],
            [5.0, 10.0, 0.1144, 5.0, 9.428, 2.0, 2.786, 0.717875],
            [5.0, 20.0, 12.0, 1.7, -0.4, 12.0, 2.15, 0.930233],
            [5.0, 25.4, 12.0, 1.7, 5.0, 14.941176, 1.7, 1.176471],
            [5.0, 60.0, 12.0, 1.7, 39.6, 35.294118, 0.719667, 2.779064],
            [2.0, 3.0, 0.2144, 5.0, 1.928, 0.6, 5.12, 0.390625],
            [5.0, 1.0, 0.1144, 5.0, 0.428, 0.2, 27.86, 0.071788],
            [0.0, 20.4, 12.0, 1.7, 0.0, 12.0, 1.7, 1.176471],
        ];
        for [setpoint, sent, r, mu, queue, j, rate, interval] in due {
            let round = round_trip(sent, r, mu);
            let got = per_probe(setpoint, sent, r, mu, round);
            assert!((sent - r * mu - queue).abs() < 1e-6 && (round - j).abs() < 1e-6, "{setpoint} {sent}: {round}");
            assert!((got - rate).abs() < 1e-6 && (2.0 / got - interval).abs() < 1e-6, "{setpoint} {sent}: {got}");
            // The identity behind it.
            let w = setpoint + r * mu;
            let identity = if sent >= r * mu { mu * w / sent } else { 2.0 * mu + (setpoint - sent) / r };
            assert!((got - identity).abs() < 1e-9 * got);
            // Held for two round trips, half the correction.
            assert!((per_probe(setpoint, sent, r, mu, 2.0 * round) - mu - (got - mu) / 2.0).abs() < 1e-9);
        }
    }

    #[test]
    fn set_points() {
        assert_eq!(setpoint(Target::Packets, 3.0, 20.0, 4, 100.0), 3.0);
        assert_eq!(setpoint(Target::BufferShare, 0.5, 20.0, 4, 100.0), 10.0);
        // Bandwidth-delay product, gateways, set-point.
        let due = [
            (1.0, 1, 0.5),
            (1.0, 3, 0.288675),
            (1.0, 4, 0.25),
            (1.0, 9, 0.166667),
            (10.0, 1, 1.581139),
            (10.0, 3, 0.912871),
            (10.0, 4, 0.790569),
            (10.0, 9, 0.527046),
            (20.4, 1, 2.258318),
            (20.4, 3, 1.30384),
            (20.4, 4, 1.129159),
            (20.4, 9, 0.752773),
            (40.0, 1, 3.162278),
            (40.0, 3, 1.825742),
            (40.0, 4, 1.581139),
            (40.0, 9, 1.054093),
            (100.0, 1, 5.0),
            (100.0, 3, 2.886751),
            (100.0, 4, 2.5),
            (100.0, 9, 1.666667),
            (400.0, 1, 10.0),
            (400.0, 3, 5.773503),
            (400.0, 4, 5.0),
            (400.0, 9, 3.333333),
            (10000.0, 1, 50.0),
            (10000.0, 3, 28.867513),
            (10000.0, 4, 25.0),
            (10000.0, 9, 16.666667),
        ];
        for (product, hops, due) in due {
            assert!((setpoint(Target::Power, 3.0, 20.0, hops, product) - due).abs() < 1e-6, "{product} {hops}");
        }
    }

    /// n_b at the beginning of each epoch, with exact estimates, mu = 10, RTT = 1, set-point 5.
    fn queues(law: Law, alpha: f64) -> Vec<f64> {
        let (mut queue, mut rate, mut out) = (0.0f64, 10.0, vec![]);
        for _ in 0..200 {
            out.push(queue);
            let next = (queue + rate - 10.0).max(0.0);
            rate = per_round_trip(law, alpha, 5.0, queue, rate, 1.0, 10.0);
            queue = next;
        }
        out
    }

    #[test]
    fn law_5_9_reaches_the_set_point_in_two_epochs_and_with_alpha_by_its_pole() {
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(near(&queues(Law::AsPrinted, 1.0), &[0.0, 0.0, 5.0, 5.0, 5.0]));
        assert!(near(&queues(Law::PerRoundTrip, 0.9), &[0.0, 0.0, 4.5, 4.95, 4.995, 4.9995]));
        let printed = queues(Law::AsPrinted, 0.9);
        assert!(near(&printed, &[0.0, 0.0, 3.5, 3.85, 3.885, 3.8885]));
        // It rests (1 - alpha)/alpha mu RTT below the set-point.
        assert!((printed[199] - (5.0 - 10.0 / 9.0)).abs() < 1e-9);
    }
}
