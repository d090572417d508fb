//! Packets that are longer than a link sends, cut as the stack or the network card would.
//!
//! Source: Linux's segmentation offloads (`Documentation/networking/segmentation-offloads.rst`): each segment of TCP has all headers of the packet and the next
//! bytes of its data, and each datagram of UDP likewise; RFC 791 and RFC 8200, section 4.5, for fragments of everything else.
//! Deviations: the size that the sender asked for is not in a capture, so every piece but the last is as long as the link allows.

use headgate_capture::{Dissected, Frame};

/// The longest IP packet that an Ethernet sends, in bytes.
pub const ETHERNET: u32 = 1500;

/// How a packet is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Bytes before its IP header, which the link does not count.
    before: u32,
    /// Bytes that each piece begins with.
    headers: u32,
    /// Bytes that are added to them where it is cut.
    added: u32,
    /// Its pieces are fragments of IP, whose data is a multiple of eight bytes.
    fragments: bool,
}

impl Shape {
    /// That of a row of a table, of whose headers nothing is known.
    pub const TABLE: Shape = Shape { before: 0, headers: 0, added: 0, fragments: false };

    /// That of a captured packet.
    pub fn of(frame: &Frame<'_>, found: &Dissected) -> Shape {
        let before = found.outer as u32;
        let byte = |at: usize| frame.captured.get(at).copied();
        let of = |end: usize| Shape { before, headers: end as u32, ..Shape::default() };
        match (found.endpoints.protocol, found.transport) {
            // A TCP header of which the length was not captured counts with 20 bytes.
            (6, Some(at)) => of(at + byte(at + 12).map_or(20, |words| usize::from(words >> 4).max(5) * 4)),
            (17 | 136, Some(at)) => of(at + 8),
            _ => {
                let four = byte(found.inner).is_some_and(|first| first >> 4 == 4);
                let header = if four { usize::from(byte(found.inner).unwrap_or(5) & 15) * 4 } else { 40 };
                let added = if four { 0 } else { 8 };
                Shape { added, fragments: true, ..of(found.inner + header) }
            }
        }
    }

    /// The length of a packet as the link counts it.
    pub fn of_ip(self, bytes: u32) -> u32 {
        bytes.saturating_sub(self.before)
    }

    /// The lengths of the pieces of a packet, of which the link sends at most `most` bytes each.
    pub fn pieces(self, bytes: u32, most: u32) -> impl Iterator<Item = u32> {
        let whole = self.of_ip(bytes) <= most;
        let headers = self.headers + if whole { 0 } else { self.added };
        let room = (self.before + most).saturating_sub(headers).max(8);
        let each = if self.fragments { room / 8 * 8 } else { room };
        let each = if whole { bytes } else { each };
        let headers = if whole { 0 } else { headers };
        let data = if whole { bytes } else { bytes.saturating_sub(self.headers).max(1) };
        (0..data.div_ceil(each)).map(move |i| headers + each.min(data - i * each))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(shape: Shape, bytes: u32, most: u32) -> Vec<u32> {
        shape.pieces(bytes, most).collect()
    }

    #[test]
    fn pieces_have_the_headers_of_their_packet() {
        // Ethernet, IPv4 and TCP with time stamps: 66 bytes of headers, 1448 bytes of data in 1500 bytes of IP.
        let tcp = Shape { before: 14, headers: 66, added: 0, fragments: false };
        assert_eq!(cut(tcp, 66 + 3 * 1448, 1500), [1514; 3]);
        assert_eq!(cut(tcp, 66 + 2 * 1448 + 1, 1500), [1514, 1514, 67]);
        assert_eq!((cut(tcp, 1514, 1500), cut(tcp, 66, 1500)), (vec![1514], vec![66]));
        assert_eq!(cut(tcp, 1515, 1500), [1514, 67]);
        // Data is neither lost nor added.
        for bytes in [1515, 2962, 2963, 65_226] {
            let pieces = cut(tcp, bytes, 1500);
            assert_eq!(pieces.iter().map(|piece| piece - 66).sum::<u32>(), bytes - 66);
        }
    }

    #[test]
    fn fragments_have_multiples_of_eight() {
        // 3000 bytes of ICMP in IPv4: 1480, 1480 and 40 bytes of data; in 1499 bytes 1472 fit.
        let four = Shape { before: 14, headers: 34, added: 0, fragments: true };
        assert_eq!(cut(four, 34 + 3000, 1500), [1514, 1514, 74]);
        assert_eq!(cut(four, 34 + 3000, 1499), [1506, 1506, 90]);
        // In IPv6 each has a header of eight bytes more.
        let six = Shape { before: 14, headers: 54, added: 8, fragments: true };
        assert_eq!(cut(six, 54 + 2904, 1500), [1510, 1510, 70]);
        assert_eq!(cut(six, 1514, 1500), [1514]);
    }

    #[test]
    fn of_a_table_only_lengths_are_known() {
        assert_eq!(cut(Shape::TABLE, 3001, 1500), [1500, 1500, 1]);
        assert_eq!((Shape::TABLE.of_ip(1514), cut(Shape::TABLE, 1, 1500)), (1514, vec![1]));
    }
}
