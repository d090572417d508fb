//! What the header of a captured TCP packet says to a filter of acknowledgements.
//!
//! Source: RFC 9293 (the header), RFC 2018 (selective acknowledgements), RFC 7323 (time stamps), RFC 3168 (ECE and CWR); what may be dropped is that of
//! Linux's `cake_tcph_may_drop`.

/// Bits of the flags.
const SYN: u8 = 0x02;
const ACK: u8 = 0x10;
const CHANGES: u8 = 0xc0;

/// Kinds of options.
const END: u8 = 0;
const NO_OPERATION: u8 = 1;
const SACK: u8 = 5;
const STAMPS: u8 = 8;
const SIGNATURE: u8 = 19;

/// Most blocks of selective acknowledgements in a header.
const MOST: usize = 4;

/// The header of a TCP packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpHeader {
    /// Number of its addresses and ports.
    pub conversation: u32,
    /// The byte that is expected next, modulo 2^32.
    pub upto: u32,
    /// It acknowledges, and does not open a connection.
    pub acknowledges: bool,
    /// It does nothing but acknowledge, with options that are known.
    pub pure: bool,
    /// ECE and CWR, as in the flags.
    pub changes: u8,
    /// Its time stamp, and the one that it echoes; 0 where it has none.
    pub stamps: Option<[u32; 2]>,
    /// Bytes that it selects, from the first to the one behind the last of each block.
    blocks: [[u32; 2]; MOST],
    /// How many blocks it has.
    count: u8,
}

fn four(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).and_then(|b| b.first_chunk()).map(|b| u32::from_be_bytes(*b))
}

impl TcpHeader {
    /// From the captured bytes, which begin with the header, and the length of the whole segment. Nothing if less than the fixed part was captured.
    pub fn read(bytes: &[u8], length: u32, conversation: u32) -> Option<TcpHeader> {
        let (upto, &[words, flags, ..]) = (four(bytes, 8)?, bytes.get(12..20)?.first_chunk::<8>()?);
        let whole = usize::from(words >> 4) * 4;
        let acknowledges = flags & (ACK | SYN) == ACK;
        // Three bits are reserved and have to be 0, like all flags but those of ECN.
        let alone = flags & !CHANGES == ACK && words & 0x0f == 0 && length as usize == whole;
        let mut header =
            TcpHeader { conversation, upto, acknowledges, changes: flags & CHANGES, ..TcpHeader::default() };
        let known = bytes.get(20..whole).is_some_and(|options| header.take(options).is_some());
        header.pure = alone && known;
        Some(header)
    }

    /// Reads options; nothing if one is there that a packet which may be dropped does not have.
    fn take(&mut self, mut options: &[u8]) -> Option<()> {
        while let [kind, rest @ ..] = options {
            match *kind {
                END => break,
                NO_OPERATION => {
                    options = rest;
                    continue;
                }
                _ => {}
            }
            let Some(length) = rest.first().map(|n| usize::from(*n)).filter(|n| (2..=options.len()).contains(n)) else {
                break;
            };
            let value = &options[2..length];
            match *kind {
                SIGNATURE => {}
                SACK if value.len().is_multiple_of(8) => {
                    for block in value.chunks_exact(8).take(MOST) {
                        self.blocks[usize::from(self.count)] = [four(block, 0)?, four(block, 4)?];
                        self.count += 1;
                        if usize::from(self.count) == MOST {
                            break;
                        }
                    }
                }
                STAMPS if value.len() == 8 => self.stamps = Some([four(value, 0)?, four(value, 4)?]),
                _ => return None,
            }
            options = &options[length..];
        }
        Some(())
    }

    /// The blocks that it selects.
    pub fn blocks(&self) -> &[[u32; 2]] {
        &self.blocks[..usize::from(self.count)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header with these flags and options, acknowledging 1000.
    fn header(flags: u8, options: &[u8]) -> Vec<u8> {
        let mut bytes = vec![
            0,
            1,
            0,
            2,
            0,
            0,
            0,
            0,
            0,
            0,
            3,
            0xe8,
            (((20 + options.len()) / 4) << 4) as u8,
            flags,
            9,
            9,
            0,
            0,
            0,
            0,
        ];
        bytes.extend(options);
        bytes
    }

    fn pure(flags: u8, options: &[u8], data: u32) -> bool {
        let bytes = header(flags, options);
        TcpHeader::read(&bytes, bytes.len() as u32 + data, 0).expect("it is whole").pure
    }

    const STAMPED: [u8; 12] = [1, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 9];
    const SELECTED: [u8; 12] = [1, 1, 5, 10, 0, 0, 7, 208, 0, 0, 11, 184];

    #[test]
    fn what_does_nothing_but_acknowledge() {
        // ACK alone, and with ECE or CWR; with FIN, SYN, RST, PSH or URG it does more.
        let flags: Vec<u8> = (0..=255).filter(|flags| pure(*flags, &[], 0)).collect();
        assert_eq!(flags, [0x10, 0x50, 0x90, 0xd0]);
        let acknowledges = |flags| TcpHeader::read(&header(flags, &[]), 20, 0).map(|h| h.acknowledges);
        assert_eq!(
            [0x10, 0x18, 0x11, 0x14, 0x12, 0x02, 0x00].map(acknowledges),
            [true, true, true, true, false, false, false].map(Some)
        );
        assert!(pure(0x10, &STAMPED, 0) && pure(0x10, &SELECTED, 0) && !pure(0x10, &[], 1));
        // The signature is known; the scale of windows, the segment size and others belong to what opens a connection.
        assert!(pure(0x10, &[19, 18, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 0));
        for options in [[2, 4, 5, 180], [3, 3, 7, 0], [1, 1, 4, 2], [8, 4, 0, 0], [253, 4, 0, 0]] {
            assert!(!pure(0x10, &options, 0), "{options:?}");
        }
        // What stands behind the end, or has no length, is not read.
        assert!(pure(0x10, &[0, 2, 4, 5], 0) && pure(0x10, &[1, 1, 1, 2], 0) && pure(0x10, &[2, 0, 0, 0], 0));
        // A bit of those that are reserved.
        let mut reserved = header(0x10, &[]);
        reserved[12] |= 1;
        assert_eq!(TcpHeader::read(&reserved, 20, 0).map(|h| h.pure), Some(false));
    }

    #[test]
    fn what_it_says() {
        let bytes = header(0x50, &[STAMPED, SELECTED].concat());
        let found = TcpHeader::read(&bytes, 44, 3).expect("it is whole");
        assert_eq!((found.conversation, found.upto, found.changes, found.stamps), (3, 1000, 0x40, Some([7, 9])));
        assert_eq!(found.blocks(), [[2000, 3000]]);
        // Options that were not captured are not known.
        let cut = TcpHeader::read(&bytes[..40], 44, 3).expect("the fixed part is there");
        assert_eq!((cut.pure, cut.acknowledges, cut.upto), (false, true, 1000));
        assert_eq!(TcpHeader::read(&bytes[..19], 44, 3), None);
    }
}
