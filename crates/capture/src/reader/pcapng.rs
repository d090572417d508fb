//! pcapng: blocks with their length at both ends; sections, each with its byte order and its interfaces.
//!
//! Source: draft-ietf-opsawg-pcapng. Packets are read from Enhanced Packet Blocks and from the obsolete Packet Blocks. Simple
//! Packet Blocks are packets too, but have no time. Blocks of other types are skipped.
//! Deviations: a section's length and a packet's options are ignored.

use super::input::{Input, WHOLE, u32_at};
use super::{MAX_CAPTURED, Next, Record, between, pcap, supported};
use crate::{CaptureError, LinkType, Place, Stamp};
use pcap_parser::pcapng::{
    InterfaceDescriptionBlock, OptionCode, parse_enhancedpacketblock_be, parse_enhancedpacketblock_le,
    parse_interfacedescriptionblock_be, parse_interfacedescriptionblock_le, parse_sectionheaderblock,
};
use std::fmt::Write;

/// The type of a section header: the same in both byte orders, and the first bytes of a pcapng file.
pub const MAGIC: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];
const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const OBSOLETE_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;
/// What is read of a block at first: type, length, and the byte order of a section or else the next four bytes.
const BLOCK_HEADER: usize = 12;
/// Where the packet begins in an Enhanced Packet Block.
const PACKET_START: usize = 28;
/// Longest block that is held: room for the longest packet and a dozen of the longest options.
const MAX_BLOCK: u32 = 1 << 20;
const MAX_INTERFACES: usize = 1 << 16;

/// Whether these bytes are the first ones of a section header: its type, and its byte order.
pub fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
        && bytes.get(8..12).is_some_and(|order| [0x1a2b_3c4d, 0x4d3c_2b1a].contains(&u32_at(order, 0, true)))
}

pub struct Pcapng {
    /// Packets before the present section, if it is not the first.
    pub before: u64,
    big_endian: bool,
    /// Interfaces of this section; of one that cannot be used, what was found and what was expected.
    interfaces: Vec<Result<Interface, (String, String)>>,
}

impl Pcapng {
    /// Reads the first section header behind packet `number`, of which the input holds the first bytes.
    pub fn open(input: &mut Input, number: u64) -> Result<Pcapng, CaptureError> {
        let mut pcapng = Pcapng { before: number, big_endian: false, interfaces: Vec::new() };
        input.more(BLOCK_HEADER.saturating_sub(input.buffer().len()), between(number))?;
        pcapng.block(input, number)?;
        pcapng.section(input, between(number))?;
        Ok(pcapng)
    }

    /// The next packet, of which `number` becomes the number.
    #[inline]
    pub fn next(&mut self, input: &mut Input, number: &mut u64) -> Result<Next, CaptureError> {
        loop {
            let place = between(*number);
            if input.read(BLOCK_HEADER, place)? == 0 {
                return Ok(Next::End);
            }
            // Captures may be joined as files are. As a block, the header of one of pcap would be of a type that no program writes.
            if pcap::begins(input.buffer()) {
                return Ok(Next::Capture);
            }
            match self.block(input, *number)? {
                SECTION => {
                    self.section(input, place)?;
                    self.before = *number;
                }
                INTERFACE => self.interface(input, place)?,
                OBSOLETE_PACKET => {
                    *number += 1;
                    self.modernise(input);
                    return self.packet(input, *number).map(Next::Packet);
                }
                SIMPLE_PACKET => {
                    *number += 1;
                    let found = "a Simple Packet Block, which has no time";
                    return Err(CaptureError::packet(*number, found, "an Enhanced Packet Block"));
                }
                ENHANCED_PACKET => {
                    *number += 1;
                    return self.packet(input, *number).map(Next::Packet);
                }
                _ => {}
            }
        }
    }

    /// Reads a block, of which the input holds the first twelve bytes, and gives back its type. Blocks that are not used are
    /// skipped without holding them.
    #[inline]
    fn block(&mut self, input: &mut Input, number: u64) -> Result<u32, CaptureError> {
        let cut_off = |place: Place, read: u64, of: u32| {
            let found = format!("the end of the file after {read} of {of} bytes of a block");
            CaptureError::fatal(place, found, WHOLE)
        };
        let mut place = between(number);
        let header = input.buffer();
        if header.len() < BLOCK_HEADER {
            return Err(cut_off(place, header.len() as u64, BLOCK_HEADER as u32));
        }
        if header.starts_with(&MAGIC) {
            self.big_endian = match u32_at(header, 8, true) {
                0x1a2b_3c4d => true,
                0x4d3c_2b1a => false,
                other => {
                    let found = format!("{other:#010x} in a Section Header Block");
                    return Err(CaptureError::fatal(place, found, "the byte order 0x1a2b3c4d"));
                }
            };
        }
        let (kind, length) = (u32_at(header, 0, self.big_endian), u32_at(header, 4, self.big_endian));
        let is_packet = matches!(kind, OBSOLETE_PACKET | SIMPLE_PACKET | ENHANCED_PACKET);
        let held = is_packet || matches!(kind, SECTION | INTERFACE);
        if is_packet {
            place = Place::Packet(number + 1);
        }
        if length < BLOCK_HEADER as u32 || length % 4 != 0 || (held && length > MAX_BLOCK) {
            let found = format!("a block of type {kind:#x} and {length} bytes");
            return Err(CaptureError::fatal(place, found, "a multiple of 4 from 12 bytes to 1 MiB"));
        }
        let rest = (length as usize).saturating_sub(input.buffer().len());
        if held || rest == 0 {
            let read = input.more(rest, place)?;
            if read < length as usize {
                return Err(cut_off(place, read as u64, length));
            }
        } else {
            let read = input.skip(rest as u64 - 4, place)?;
            let end = input.read(4, place)?;
            if end < 4 {
                return Err(cut_off(place, BLOCK_HEADER as u64 + read + end as u64, length));
            }
        }
        let end = u32_at(input.buffer(), input.buffer().len() - 4, self.big_endian);
        if end != length {
            let found = format!("a block of type {kind:#x} with {length} bytes at its start and {end} at its end");
            return Err(CaptureError::fatal(place, found, "the same length twice"));
        }
        Ok(kind)
    }

    /// Begins a section.
    fn section(&mut self, input: &Input, place: Place) -> Result<(), CaptureError> {
        let Ok((_, section)) = parse_sectionheaderblock(input.buffer()) else {
            return Err(CaptureError::fatal(place, "a Section Header Block that is too short", "28 bytes or more"));
        };
        if section.major_version != 1 {
            let found = format!("version {}.{}", section.major_version, section.minor_version);
            return Err(CaptureError::fatal(place, found, "pcapng version 1"));
        }
        self.interfaces.clear();
        Ok(())
    }

    /// Adds an interface to the section. An invalid one affects only its own packets.
    fn interface(&mut self, input: &Input, place: Place) -> Result<(), CaptureError> {
        if self.interfaces.len() == MAX_INTERFACES {
            return Err(CaptureError::fatal(
                place,
                "another interface",
                format!("at most {MAX_INTERFACES} in a section"),
            ));
        }
        let parse =
            if self.big_endian { parse_interfacedescriptionblock_be } else { parse_interfacedescriptionblock_le };
        self.interfaces.push(match parse(input.buffer()) {
            Ok((_, block)) => Interface::new(&block, self.big_endian),
            Err(_) => Err(("a malformed description".to_owned(), "an Interface Description Block".to_owned())),
        });
        Ok(())
    }

    /// Makes an obsolete Packet Block an Enhanced Packet Block: it has two bytes each of interface and drops where that has four
    /// bytes of interface.
    fn modernise(&self, input: &mut Input) {
        let block = input.buffer_mut();
        let interface = if self.big_endian { [0, 0, block[8], block[9]] } else { [block[8], block[9], 0, 0] };
        let kind = if self.big_endian { ENHANCED_PACKET.to_be_bytes() } else { ENHANCED_PACKET.to_le_bytes() };
        block[..4].copy_from_slice(&kind);
        block[8..12].copy_from_slice(&interface);
    }

    /// The packet in an Enhanced Packet Block.
    #[inline]
    fn packet(&self, input: &Input, number: u64) -> Result<Record, CaptureError> {
        let parse = if self.big_endian { parse_enhancedpacketblock_be } else { parse_enhancedpacketblock_le };
        let Ok((_, block)) = parse(input.buffer()) else {
            let found = format!("a packet that does not fit into its block of {} bytes", input.buffer().len());
            return Err(CaptureError::packet(number, found, "an Enhanced Packet Block"));
        };
        if block.caplen > MAX_CAPTURED {
            let found = format!("{} bytes captured of one packet", block.caplen);
            return Err(CaptureError::packet(number, found, "at most 256 KiB"));
        }
        let interface = match self.interfaces.get(block.if_id as usize) {
            Some(Ok(interface)) => interface,
            Some(Err((found, expected))) => {
                return Err(CaptureError::packet(number, format!("interface {} with {found}", block.if_id), expected));
            }
            None => {
                let expected = format!("one of the {} interfaces described before", self.interfaces.len());
                return Err(CaptureError::packet(number, format!("interface {}", block.if_id), expected));
            }
        };
        let ticks = u64::from(block.ts_high) << 32 | u64::from(block.ts_low);
        let Some(time) = interface.time(ticks) else {
            let mut found = format!("{ticks} units of time of interface {}", block.if_id);
            if interface.offset != 0 {
                let _ = write!(found, ", which begin at {} s", interface.offset);
            }
            return Err(CaptureError::packet(number, found, "a time from 1970 to 2554"));
        };
        let captured = PACKET_START..PACKET_START + block.caplen as usize;
        Ok(Record { time, bytes: block.origlen, captured, link: interface.link, interface: block.if_id })
    }
}

/// Properties that an interface gives to its packets.
struct Interface {
    link: LinkType,
    unit: Unit,
    /// Seconds to be added to every time (`if_tsoffset`).
    offset: i64,
}

/// The unit of time of an interface (`if_tsresol`).
enum Unit {
    /// This number of nanoseconds.
    Nanoseconds(u64),
    /// This number of units make one nanosecond.
    PerNanosecond(u128),
    /// Two to this power make one second.
    Binary(u8),
}

impl Interface {
    fn new(block: &InterfaceDescriptionBlock<'_>, big_endian: bool) -> Result<Interface, (String, String)> {
        let number = block.linktype.0 as u16;
        let link = LinkType::from_number(number).ok_or_else(|| (format!("link type {number}"), supported()))?;
        let (mut unit, mut offset) = (Unit::Nanoseconds(1000), 0);
        for option in block.options.iter().take_while(|o| o.code != OptionCode::EndOfOpt) {
            let wrong = |name: &str, bytes: &str| (format!("{} bytes of {name}", option.len), bytes.to_owned());
            match option.code {
                OptionCode::IfTsresol => {
                    unit = Unit::new(*array::<1>(option).ok_or_else(|| wrong("if_tsresol", "1 byte"))?)
                }
                OptionCode::IfTsoffset => {
                    let bytes = *array::<8>(option).ok_or_else(|| wrong("if_tsoffset", "8 bytes"))?;
                    offset = if big_endian { i64::from_be_bytes(bytes) } else { i64::from_le_bytes(bytes) };
                }
                _ => {}
            }
        }
        Ok(Interface { link, unit, offset })
    }

    /// A time in units of this interface, rounded down to nanoseconds; `None` outside what a [`Stamp`] holds.
    #[inline]
    fn time(&self, ticks: u64) -> Option<Stamp> {
        let ns = match self.unit {
            Unit::Nanoseconds(n) => u128::from(ticks) * u128::from(n),
            Unit::PerNanosecond(n) => u128::from(ticks) / n,
            Unit::Binary(power) => (u128::from(ticks) * 1_000_000_000) >> power,
        };
        // Below 2^94 and 2^93 in magnitude.
        let ns = ns as i128 + i128::from(self.offset) * 1_000_000_000;
        u64::try_from(ns).ok().map(Stamp::from_nanos)
    }
}

impl Unit {
    fn new([resolution]: [u8; 1]) -> Unit {
        match resolution {
            0..=9 => Unit::Nanoseconds(10u64.pow(9 - u32::from(resolution))),
            // A unit that does not fit makes every time 0 or nearly 0.
            10..=0x7f => Unit::PerNanosecond(10u128.checked_pow(u32::from(resolution) - 9).unwrap_or(u128::MAX)),
            0x80.. => Unit::Binary(resolution & 0x7f),
        }
    }
}

/// The value of an option without its padding, if it is as long as it should be.
fn array<'a, const N: usize>(option: &'a pcap_parser::PcapNGOption<'_>) -> Option<&'a [u8; N]> {
    option.as_bytes().ok()?.try_into().ok()
}
