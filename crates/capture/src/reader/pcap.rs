//! pcap: a header of 24 bytes, then for each packet 16 bytes and what was captured of it.
//!
//! Source: draft-ietf-opsawg-pcap. Microseconds and nanoseconds, both byte orders.
//! Deviations: the correction from GMT and the accuracy are ignored, as by all tools.

use super::input::{Input, WHOLE, u32_at};
use super::{MAX_CAPTURED, Next, Record, no_capture, pcapng, supported};
use crate::{CaptureError, LinkType, Place, Stamp};
use pcap_parser::pcap::{parse_pcap_frame, parse_pcap_frame_be, parse_pcap_header};

const HEADER: usize = 24;
const RECORD_HEADER: usize = 16;
/// The first four bytes of a file: of micro- and of nanoseconds, in both byte orders. The layout with longer records that 0xa1b2cd34 announces was never
/// written down.
const MAGIC: [u32; 4] = [0xa1b2_c3d4, 0xa1b2_3c4d, 0xd4c3_b2a1, 0x4d3c_b2a1];

/// Whether these bytes are the first ones of the header of a file: its magic number, and version 2.4 in the same byte order.
pub fn begins(bytes: &[u8]) -> bool {
    let Some(start) = bytes.get(..8) else { return false };
    let version = if start[0] == 0xa1 { [0, 2, 0, 4] } else { [2, 0, 4, 0] };
    MAGIC.contains(&u32_at(start, 0, true)) && start[4..] == version
}

pub struct Pcap {
    big_endian: bool,
    nanoseconds: bool,
    link: LinkType,
}

impl Pcap {
    /// Reads the header, of which the input holds the first bytes.
    pub fn open(input: &mut Input, place: Place) -> Result<Pcap, CaptureError> {
        let read = input.more(HEADER - input.buffer().len(), place)?;
        let bytes = input.buffer();
        let magic = u32_at(bytes, 0, true);
        if !MAGIC.contains(&magic) {
            let name = if bytes.starts_with(&[0x1f, 0x8b]) { "a compressed file (gzip)" } else { "a file" };
            return Err(no_capture(&format!("{name} that begins with {magic:#010x}")));
        }
        let Ok((_, header)) = parse_pcap_header(bytes) else {
            let found = format!("the end of the file after {read} of {HEADER} bytes of the header");
            return Err(CaptureError::fatal(place, found, WHOLE));
        };
        if header.version_major != 2 {
            let found = format!("version {}.{}", header.version_major, header.version_minor);
            return Err(CaptureError::fatal(place, found, "pcap version 2"));
        }
        // The upper half describes checksums at the end of the packets.
        let number = header.network.0 as u32 as u16;
        let Some(link) = LinkType::from_number(number) else {
            return Err(CaptureError::fatal(place, format!("link type {number}"), supported()));
        };
        Ok(Pcap { big_endian: header.is_bigendian(), nanoseconds: header.is_nanosecond_precision(), link })
    }

    /// The next packet, of which `number` becomes the number.
    #[inline]
    pub fn next(&mut self, input: &mut Input, number: &mut u64) -> Result<Next, CaptureError> {
        let place = Place::Packet(*number + 1);
        let cut_off = |read: usize, of: usize| {
            let found = format!("the end of the file after {read} of {of} bytes of the packet");
            CaptureError::fatal(place, found, WHOLE)
        };
        match input.read(RECORD_HEADER, place)? {
            0 => return Ok(Next::End),
            RECORD_HEADER => *number += 1,
            read => return Err(cut_off(read, RECORD_HEADER)),
        }
        let captured = u32_at(input.buffer(), 8, self.big_endian);
        // Captures may be joined as files are. Their headers are no packets: one of pcap would have no length, and one of pcapng far too many bytes.
        let length = u32_at(input.buffer(), 12, self.big_endian);
        if length == 0 && begins(input.buffer()) || captured > MAX_CAPTURED && pcapng::begins(input.buffer()) {
            *number -= 1;
            return Ok(Next::Capture);
        }
        if captured > MAX_CAPTURED {
            let found = format!("{captured} bytes captured of one packet");
            return Err(CaptureError::fatal(place, found, "at most 256 KiB"));
        }
        let whole = RECORD_HEADER + captured as usize;
        let read = input.more(captured as usize, place)?;
        let parse = if self.big_endian { parse_pcap_frame_be } else { parse_pcap_frame };
        let Ok((_, packet)) = parse(input.buffer()) else { return Err(cut_off(read, whole)) };

        let (fraction, name, per_second) =
            if self.nanoseconds { (1, "nanoseconds", 1_000_000_000) } else { (1000, "microseconds", 1_000_000) };
        if packet.ts_usec >= per_second {
            let found = format!("{} {name} within a second", packet.ts_usec);
            return Err(CaptureError::packet(*number, found, format!("less than {per_second}")));
        }
        let time = u64::from(packet.ts_sec) * 1_000_000_000 + u64::from(packet.ts_usec) * fraction;
        let (bytes, captured) = (packet.origlen, RECORD_HEADER..whole);
        Ok(Next::Packet(Record { time: Stamp::from_nanos(time), bytes, captured, link: self.link, interface: 0 }))
    }
}
