//! Captures and packets, byte by byte.
use headgate_capture::{CaptureError, Frame, LinkType, Reader, Stamp};
use std::io::Cursor;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    Little,
    Big,
}

impl Order {
    pub const BOTH: [Order; 2] = [Order::Little, Order::Big];

    pub fn u16(self, value: u16) -> [u8; 2] {
        if self == Order::Big { value.to_be_bytes() } else { value.to_le_bytes() }
    }
    pub fn u32(self, value: u32) -> [u8; 4] {
        if self == Order::Big { value.to_be_bytes() } else { value.to_le_bytes() }
    }
    pub fn u64(self, value: u64) -> [u8; 8] {
        if self == Order::Big { value.to_be_bytes() } else { value.to_le_bytes() }
    }
}

pub const MICROSECONDS: u32 = 0xa1b2_c3d4;
pub const NANOSECONDS: u32 = 0xa1b2_3c4d;

/// Header of a pcap file.
pub fn pcap(order: Order, magic: u32, link: u32) -> Vec<u8> {
    let mut out = order.u32(magic).to_vec();
    out.extend([order.u16(2), order.u16(4)].concat());
    out.extend([order.u32(0), order.u32(0), order.u32(65535), order.u32(link)].concat());
    out
}

/// A packet of a pcap file.
pub fn record(order: Order, seconds: u32, fraction: u32, captured: &[u8], bytes: u32) -> Vec<u8> {
    let header = [seconds, fraction, captured.len() as u32, bytes].map(|n| order.u32(n)).concat();
    [&header, captured].concat()
}

/// A block of a pcapng file.
pub fn block(order: Order, kind: u32, body: &[u8]) -> Vec<u8> {
    let padded = padded(body);
    let length = order.u32(padded.len() as u32 + 12);
    [&order.u32(kind), &length, &padded[..], &length].concat()
}

fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    out.resize(out.len().next_multiple_of(4), 0);
    out
}

pub fn section(order: Order) -> Vec<u8> {
    let versions = [order.u16(1), order.u16(0)].concat();
    block(order, 0x0a0d_0d0a, &[&order.u32(0x1a2b_3c4d)[..], &versions, &[0xff; 8]].concat())
}

pub fn interface(order: Order, link: u16, options: &[(u16, &[u8])]) -> Vec<u8> {
    let mut body = [&order.u16(link)[..], &[0, 0], &order.u32(0)].concat();
    for (code, value) in options {
        body.extend([order.u16(*code), order.u16(value.len() as u16)].concat());
        body.extend(padded(value));
    }
    block(order, 1, &body)
}

/// An Enhanced Packet Block.
pub fn packet(order: Order, interface: u32, ticks: u64, captured: &[u8], bytes: u32) -> Vec<u8> {
    let numbers = [interface, (ticks >> 32) as u32, ticks as u32, captured.len() as u32, bytes];
    block(order, 6, &[&numbers.map(|n| order.u32(n)).concat(), captured].concat())
}

/// What a [`Frame`] holds, kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    pub number: u64,
    pub ns: u64,
    pub bytes: u32,
    pub captured: Vec<u8>,
    pub link: LinkType,
    pub interface: u32,
}

impl Kept {
    pub fn frame(&self) -> Frame<'_> {
        let &Kept { number, ns, bytes, ref captured, link, interface } = self;
        Frame { number, time: Stamp::from_nanos(ns), bytes, captured, link, interface }
    }
}

impl From<Frame<'_>> for Kept {
    fn from(f: Frame<'_>) -> Kept {
        let Frame { number, time, bytes, captured, link, interface } = f;
        Kept { number, ns: time.nanos(), bytes, captured: captured.to_vec(), link, interface }
    }
}

/// Every packet and every error, to the end or to the first error that is not skippable.
pub fn read_all(capture: &[u8]) -> Result<Vec<Result<Kept, CaptureError>>, CaptureError> {
    let mut reader = Reader::new(Cursor::new(capture.to_vec()))?;
    let mut out = Vec::new();
    loop {
        match reader.next() {
            Ok(Some(frame)) => out.push(Ok(frame.into())),
            Ok(None) => return Ok(out),
            Err(e) => out.push(Err(e)),
        }
    }
}

/// Every packet of a capture without errors.
pub fn read_good(capture: &[u8]) -> Vec<Kept> {
    read_all(capture).unwrap().into_iter().map(Result::unwrap).collect()
}

/// The errors of a capture as text, with `skip: ` before those that can be skipped.
pub fn errors(capture: &[u8]) -> Vec<String> {
    let text = |e: CaptureError| if e.skippable() { format!("skip: {e}") } else { e.to_string() };
    match read_all(capture) {
        Err(e) => vec![text(e)],
        Ok(packets) => packets.into_iter().filter_map(Result::err).map(text).collect(),
    }
}

/// An IPv4 header with its checksum, and what follows it. `fragment` is its third word: flags and offset in units of 8 bytes.
pub fn ipv4(protocol: u8, options: &[u8], fragment: u16, payload: &[u8]) -> Vec<u8> {
    let options = padded(options);
    let header = 20 + options.len();
    let mut out = vec![0x40 | (header / 4) as u8, 0];
    out.extend(((header + payload.len()) as u16).to_be_bytes());
    out.extend([0, 1]);
    out.extend(fragment.to_be_bytes());
    out.extend([64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    out.extend(&options);
    let checksum = checksum(&out);
    out[10..12].copy_from_slice(&checksum.to_be_bytes());
    out.extend(payload);
    out
}

/// RFC 1071.
pub fn checksum(bytes: &[u8]) -> u16 {
    let mut sum: u32 = bytes.chunks(2).map(|w| u32::from(u16::from_be_bytes([w[0], *w.get(1).unwrap_or(&0)]))).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// An IPv6 header from 2001:db8::1 to 2001:db8::2, and what follows it.
pub fn ipv6(next: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = vec![0x60, 0, 0, 0];
    out.extend((payload.len() as u16).to_be_bytes());
    out.extend([next, 64]);
    for last in [1, 2] {
        out.extend([0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]);
    }
    out.extend(payload);
    out
}

/// Ports 5001 and 80, and the rest of a UDP header with `data` bytes after it.
pub fn udp(data: usize) -> Vec<u8> {
    let mut out = [5001u16, 80, 8 + data as u16, 0].map(u16::to_be_bytes).concat();
    out.resize(8 + data, 0);
    out
}

/// An Ethernet header with this type, and what follows it.
pub fn ethernet(kind: u16, payload: &[u8]) -> Vec<u8> {
    [&[2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1], &kind.to_be_bytes()[..], payload].concat()
}
