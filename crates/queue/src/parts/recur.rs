//! A choice that is spaced evenly instead of at random: what is added up is chosen each time that it passes 1.
//!
//! Source: RFC 9332, appendix A.1, figure 4 (`recur`).
//!
//! Deviations:
//! - A likelihood above 1 counts as 1. By the figure what is above would stay, and choose packets long after the likelihood has fallen.
//!
//! State: 8 bytes.

/// What was added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Recur(f64);

impl Recur {
    /// Whether this packet is chosen, which has this likelihood.
    #[inline]
    pub fn chosen(&mut self, likelihood: f64) -> bool {
        self.0 += likelihood.min(1.0);
        let chosen = self.0 > 1.0;
        if chosen {
            self.0 -= 1.0;
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The packets of the first 24, counted from 1, that are chosen.
    fn chosen(likelihood: f64) -> Vec<u32> {
        let mut recur = Recur::default();
        (1..=24).filter(|_| recur.chosen(likelihood)).collect()
    }

    #[test]
    fn choices_are_spaced_evenly() {
        assert_eq!(chosen(0.25), [5, 9, 13, 17, 21]);
        assert!(chosen(0.0).is_empty());
        // The first packet only reaches 1, which is not above it.
        assert_eq!(chosen(1.0), (2..=24).collect::<Vec<_>>());
        assert_eq!(chosen(7.0), chosen(1.0));
        assert_eq!(chosen(0.3), [4, 7, 11, 14, 17, 21, 24]);
    }
}
