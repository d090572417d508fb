//! IEEE 802.11 frames and the headers that captures have before them.
//!
//! Source: IEEE 802.11-2020, section 9.2; radiotap.org; the headers of Prism and AVS as `libpcap` documents them.
//! Deviations: of an aggregate (A-MSDU) the first frame counts; a fragment of a frame other than the first has no addresses.

use crate::NotIp;
use crate::layers::{Found, Layer, byte, four};

/// What is behind the header of an 802.11 frame.
pub(crate) fn payload(at: usize, padded: bool, bytes: &[u8]) -> Found<Layer> {
    let (kind, flags) = (byte(bytes, at)?, byte(bytes, at + 1)?);
    match kind >> 2 & 3 {
        0 => return Err(NotIp::Kind("802.11 management")),
        2 => {}
        _ => return Err(NotIp::Kind("802.11 control")),
    }
    // Bits of the subtype: QoS and no data.
    if kind & 0x40 != 0 {
        return Err(NotIp::Kind("802.11 without data"));
    }
    if flags & 0x40 != 0 {
        return Err(NotIp::Kind("encrypted 802.11"));
    }
    if byte(bytes, at + 22)? & 15 != 0 {
        return Err(NotIp::Kind("802.11 fragment"));
    }
    let mut length = if flags & 3 == 3 { 30 } else { 24 };
    let mut aggregate = false;
    if kind & 0x80 != 0 {
        aggregate = byte(bytes, at + length)? & 0x80 != 0;
        // With the order bit there are four bytes of HT control.
        length += if flags & 0x80 != 0 { 6 } else { 2 };
    }
    let length = if padded { length.next_multiple_of(4) } else { length };
    // Each frame of an aggregate has two addresses and a length of its own.
    Ok(Layer::Llc(at + length + if aggregate { 14 } else { 0 }))
}

/// Radiotap: its length, words of bits for the fields that are there, then the fields; of these, the flags say whether the payload is padded.
pub(crate) fn radiotap(at: usize, bytes: &[u8]) -> Found<Layer> {
    let [version, _, low, high] = four(bytes, at)?;
    if version != 0 {
        return Err(NotIp::Malformed);
    }
    let first = u32::from_le_bytes(four(bytes, at + 4)?);
    let (mut more, mut fields) = (first, 8);
    while more & 1 << 31 != 0 {
        more = u32::from_le_bytes(four(bytes, at + fields)?);
        fields += 4;
    }
    // The clock of the receiver is first and takes eight bytes; the flags are next.
    let flags = if first & 1 != 0 { fields.next_multiple_of(8) + 8 } else { fields };
    let padded = first & 2 != 0 && byte(bytes, at + flags)? & 0x20 != 0;
    Ok(Layer::Wlan(at + usize::from(u16::from_le_bytes([low, high])), padded))
}

/// The header of Prism, or that of AVS in its place, each with its length.
pub(crate) fn prism(at: usize, bytes: &[u8]) -> Found<Layer> {
    let (code, length) = (four(bytes, at)?, four(bytes, at + 4)?);
    let avs = u32::from_be_bytes(code) & 0xffff_f000 == 0x8021_1000;
    let big = avs || u32::from_le_bytes(code) > 0xffff;
    let length = if big { u32::from_be_bytes(length) } else { u32::from_le_bytes(length) };
    Ok(Layer::Wlan(at.saturating_add(length as usize), false))
}
