//! Transmission times without drift: what remains below one picosecond is carried to the next packet.

use crate::{Duration, Rate};

/// Turns lengths into transmission times at a rate. The division is done once per length, not once per packet.
#[derive(Clone, Debug)]
pub struct Serialiser {
    rate: Rate,
    /// Remainder of all packets so far, in ps / rate; below the rate.
    carry: u64,
    /// The last length with its time and its remainder.
    bytes: u32,
    time: Duration,
    remainder: u64,
}

impl Serialiser {
    /// A line at `rate` on which nothing was sent yet.
    pub fn new(rate: Rate) -> Serialiser {
        Serialiser { rate, carry: 0, bytes: 0, time: Duration::ZERO, remainder: 0 }
    }

    /// The rate of the line.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Time that the next packet takes.
    ///
    /// ```
    /// use headgate_packet::{Duration, Serialiser};
    /// let mut line = Serialiser::new("56kbit/s".parse().unwrap());
    /// let total = (0..7).fold(Duration::ZERO, |t, _| t + line.transmit(1000));
    /// assert_eq!(total, Duration::from_secs(1)); // each takes 1/7 s, which is no whole number of picoseconds
    /// ```
    #[inline]
    pub fn transmit(&mut self, bytes: u32) -> Duration {
        if bytes != self.bytes {
            self.bytes = bytes;
            (self.time, self.remainder) = self.rate.transmission(bytes);
        }
        // Both are below the rate, so one subtraction is enough; the sum may pass 64 bits for absurd rates only.
        let (carry, above) = self.carry.overflowing_add(self.remainder);
        // No branch: whether it is to be subtracted cannot be predicted where many lines take turns.
        let over = u64::from(above | (carry >= self.rate.as_bps()));
        self.carry = carry.wrapping_sub(self.rate.as_bps() & over.wrapping_neg());
        self.time + Duration::from_ps(over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_sum_is_exact_to_a_picosecond(bps in 1..100_000_000_000u64, sizes in prop::collection::vec(1..3000u32, 1..50)) {
            let mut line = Serialiser::new(Rate::from_bps(bps).unwrap());
            let total = sizes.iter().fold(0u128, |t, b| t + u128::from(line.transmit(*b).as_ps()));
            let bits: u128 = sizes.iter().map(|b| u128::from(*b) * 8).sum();
            prop_assert_eq!(total, bits * 1_000_000_000_000 / u128::from(bps));
        }
    }
}
