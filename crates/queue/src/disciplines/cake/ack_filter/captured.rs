//! The filter for acknowledgements of a capture, whose headers are known: `cake_ack_filter`, `cake_tcph_may_drop` and `cake_tcph_sack_compare` of Linux.

use headgate_packet::TcpHeader;
use std::cmp::Ordering;

/// Whether a number of 32 bits comes after another one.
fn after(number: u32, other: u32) -> bool {
    (other.wrapping_sub(number) as i32) < 0
}

/// What `newer` selects, compared with `older`: less if a block of the older one is in none of the newer one's, or repeats what was acknowledged
/// (RFC 2883), greater if the newer one selects more bytes.
fn selects(older: &TcpHeader, newer: &TcpHeader) -> Ordering {
    let size = |header: &TcpHeader| -> u64 {
        header.blocks().iter().map(|[from, to]| u64::from(to.wrapping_sub(*from))).sum()
    };
    for &[from, to] in older.blocks() {
        let within = |block: &[u32; 2]| !after(block[0], from) && !after(to, block[1]);
        if after(older.upto, from) || !newer.blocks().iter().any(within) {
            return Ordering::Less;
        }
    }
    if size(newer) > size(older) { Ordering::Greater } else { Ordering::Equal }
}

/// Whether a packet may be dropped because of a newer one that acknowledges.
fn may_go(older: &TcpHeader, newer: &TcpHeader) -> bool {
    let [stamp, echo] = newer.stamps.unwrap_or_default();
    let later = older.stamps.is_some_and(|[a, b]| after(a, stamp) || after(b, echo));
    let order = selects(older, newer);
    older.pure
        && !later
        && !after(older.upto, newer.upto)
        && order != Ordering::Less
        && !(older.upto == newer.upto && order == Ordering::Equal)
}

/// The place of the packet that the one in the last place makes needless; `header` gives that of each place.
pub(super) fn needless<'a>(
    aggressive: bool,
    newer: &TcpHeader,
    last: usize,
    header: impl Fn(usize) -> Option<&'a TcpHeader>,
) -> Option<usize> {
    if !newer.acknowledges {
        return None;
    }
    let mut first: Option<(usize, u8)> = None;
    for place in 0..last {
        let Some(older) = header(place).filter(|older| older.conversation == newer.conversation) else { continue };
        // Where ECE or CWR change, the last one before the change stays.
        first = first.filter(|(_, changes)| *changes == older.changes);
        if may_go(older, newer) {
            match first {
                Some((needless, _)) => return Some(needless),
                None => first = Some((place, older.changes)),
            }
        }
    }
    let (place, changes) = first?;
    (aggressive && place + 1 == last && changes == newer.changes).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header of 20 bytes and options, in conversation 1: (acknowledged, flags, options, data).
    fn tcp(upto: u32, flags: u8, options: &[u8], data: u32) -> TcpHeader {
        let mut bytes = vec![0; 20];
        bytes[8..12].copy_from_slice(&upto.to_be_bytes());
        (bytes[12], bytes[13]) = ((((20 + options.len()) / 4) << 4) as u8, flags);
        bytes.extend(options);
        TcpHeader::read(&bytes, bytes.len() as u32 + data, 1).expect("it is whole")
    }

    fn ack(upto: u32) -> TcpHeader {
        tcp(upto, 0x10, &[], 0)
    }

    fn stamped(upto: u32, stamp: u32, echo: u32) -> TcpHeader {
        tcp(upto, 0x10, &[&[1, 1, 8, 10][..], &stamp.to_be_bytes(), &echo.to_be_bytes()].concat(), 0)
    }

    fn sack(upto: u32, blocks: &[(u32, u32)]) -> TcpHeader {
        let mut options = vec![1, 1, 5, 2 + 8 * blocks.len() as u8];
        blocks.iter().for_each(|(from, to)| options.extend([from.to_be_bytes(), to.to_be_bytes()].concat()));
        tcp(upto, 0x10, &options, 0)
    }

    /// What goes of a queue by its last packet, conservatively and aggressively.
    fn both(queue: &[Option<TcpHeader>]) -> [Option<usize>; 2] {
        let last = queue.len() - 1;
        let newer = queue[last].expect("it has a header");
        [false, true].map(|aggressive| needless(aggressive, &newer, last, |place| queue[place].as_ref()))
    }

    fn of(queue: &[TcpHeader]) -> [Option<usize>; 2] {
        both(&queue.iter().copied().map(Some).collect::<Vec<_>>())
    }

    #[test]
    fn the_first_of_two_goes_or_a_single_one_directly_before() {
        assert_eq!(of(&[ack(1)]), [None; 2]);
        assert_eq!(of(&[ack(1), ack(2)]), [None, Some(0)]);
        assert_eq!(of(&[ack(1), ack(2), ack(3)]), [Some(0); 2]);
        // Duplicates, and those that came later than they were sent.
        assert_eq!(of(&[ack(5), ack(5), ack(5)]), [None; 2]);
        assert_eq!(of(&[ack(5), ack(6), ack(4)]), [None; 2]);
        // Numbers go round.
        assert_eq!(of(&[ack(u32::MAX - 1), ack(u32::MAX), ack(2)]), [Some(0); 2]);
        // Something that is no TCP stands between, or another conversation.
        assert_eq!(both(&[Some(ack(1)), None, Some(ack(2))]), [None; 2]);
        let mut other = ack(1);
        other.conversation = 2;
        assert_eq!(of(&[other, other, ack(2)]), [None; 2]);
    }

    #[test]
    fn data_stays_and_makes_others_needless() {
        let data = tcp(9, 0x18, &[], 100);
        assert_eq!(of(&[ack(1), ack(2), data]), [Some(0); 2]);
        assert_eq!(of(&[data, data, ack(10)]), [None; 2]);
        // What opens a connection acknowledges nothing that came before.
        assert_eq!(of(&[ack(1), ack(2), tcp(9, 0x12, &[], 0)]), [None; 2]);
        // What ends one stays.
        for flags in [0x11, 0x14, 0x18, 0x30] {
            assert_eq!(of(&[tcp(1, flags, &[], 0), tcp(2, flags, &[], 0), ack(3)]), [None; 2], "{flags:#x}");
        }
    }

    #[test]
    fn where_ece_or_cwr_change_the_last_before_the_change_stays() {
        let ece = |upto| tcp(upto, 0x50, &[], 0);
        assert_eq!(of(&[ack(1), ece(2), ece(3)]), [None, Some(1)]);
        assert_eq!(of(&[ack(1), ece(2), ack(3)]), [None; 2]);
        assert_eq!(of(&[ece(1), ece(2), ack(3)]), [Some(0); 2]);
        // Data with CWR changes it, too.
        assert_eq!(of(&[ack(1), tcp(1, 0x98, &[], 100), ack(3)]), [None; 2]);
    }

    #[test]
    fn blocks_have_to_be_covered() {
        let (gap, more) = (sack(5, &[(10, 20)]), sack(5, &[(10, 30)]));
        assert_eq!(of(&[gap, more, sack(5, &[(10, 40)])]), [Some(0); 2]);
        // The older ones select what the newer one does not, even if it acknowledges it.
        assert_eq!(of(&[gap, more, ack(30)]), [None; 2]);
        assert_eq!(of(&[sack(5, &[(10, 20), (40, 50)]), sack(5, &[(40, 50), (10, 20)]), sack(5, &[(10, 20)])]), [None; 2]);
        // One without blocks is covered by any; with the same number the newer one says more.
        assert_eq!(of(&[ack(5), gap]), [None, Some(0)]);
        // A block below what is acknowledged tells of a duplicate.
        let duplicate = sack(30, &[(10, 20)]);
        assert_eq!(of(&[duplicate, sack(31, &[(10, 20)]), sack(32, &[(10, 20)])]), [None; 2]);
    }

    #[test]
    fn time_does_not_go_back() {
        assert_eq!(of(&[stamped(1, 7, 3), stamped(2, 8, 3), stamped(3, 8, 4)]), [Some(0); 2]);
        assert_eq!(of(&[stamped(1, 9, 3), stamped(2, 9, 3), stamped(3, 8, 4)]), [None; 2]);
        assert_eq!(of(&[stamped(1, 7, 5), stamped(2, 8, 5), stamped(3, 8, 4)]), [None; 2]);
        // One without a stamp counts as 0.
        assert_eq!(of(&[stamped(1, 7, 3), stamped(2, 8, 3), ack(3)]), [None; 2]);
    }
}
