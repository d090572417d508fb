//! Sizes of objects, which are sent and then end: a distribution and its mean, in whole packets.

use super::{AnyLaw, Law, Spec};
use headgate_packet::{Bytes, Rng, Wrong};

/// Maximum size in packets; a greater one becomes this.
pub const MOST_PACKETS: u64 = 1_000_000_000_000;

/// Maximum mean in bytes.
const MOST_BYTES: Bytes = Bytes(1_000_000_000_000);

/// Sizes of objects, in whole packets.
#[derive(Clone, Debug)]
pub struct Sizes {
    law: AnyLaw,
    /// What a value of the distribution is multiplied by, and then divided by: exact for sizes that are a multiple of a packet.
    factor: f64,
    divisor: f64,
}

impl Sizes {
    /// The rules for a distribution `size` of the mean `packets` or `bytes`.
    ///
    /// # Errors
    /// Both are given, or one with a distribution that has its own sizes, or bytes are out of range.
    pub fn check(law: &Spec, packets: Option<u64>, bytes: Option<Bytes>) -> Result<(), Wrong> {
        let name = law.name();
        let (place, found) = match (packets, bytes) {
            (None, None) => return Ok(()),
            (Some(_), Some(bytes)) => {
                return Err(Wrong::at("bytes", "expected `packets` or `bytes`, not both").found(&bytes));
            }
            (Some(packets), None) => ("packets", packets.to_string()),
            (None, Some(bytes)) => ("bytes", format!("\"{bytes}\"")),
        };
        if law.in_bytes() {
            let message = format!("expected no mean: the distribution `{name}` has its own sizes");
            return Err(Wrong { found: Some(found), ..Wrong::at(place, message) });
        }
        bytes.map_or(Ok(()), |bytes| headgate_packet::check::up_to("bytes", bytes, MOST_BYTES))
    }

    /// Sizes of these parameters, which were checked, in packets of `packet_bytes`. Without a mean, and if the distribution has no sizes, it is
    /// one packet.
    pub fn new(law: &Spec, packets: Option<u64>, bytes: Option<Bytes>, packet_bytes: u32) -> Sizes {
        let (law, packet_bytes) = (law.build(), f64::from(packet_bytes));
        let (factor, divisor) = match (packets, bytes) {
            _ if law.own_bytes().is_some() => (1.0, packet_bytes),
            (_, Some(bytes)) => (bytes.0 as f64, packet_bytes),
            (packets, None) => (packets.unwrap_or(1) as f64, 1.0),
        };
        Sizes { law, factor, divisor }
    }

    /// Draws a size: rounded up to whole packets, at least one and at most [`MOST_PACKETS`].
    pub fn packets(&self, rng: &mut Rng) -> u64 {
        let packets = self.law.draw(rng) * self.factor / self.divisor;
        (libm::ceil(packets) as u64).clamp(1, MOST_PACKETS)
    }

    /// The mean in packets, before sizes are rounded up to whole ones.
    pub fn mean_packets(&self) -> f64 {
        self.law.own_bytes().unwrap_or(1.0) * self.factor / self.divisor
    }
}
