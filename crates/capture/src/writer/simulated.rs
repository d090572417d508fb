//! Packets of a simulation as a capture, which Wireshark, tshark and tcpdump read.
//!
//! Source: draft-ietf-opsawg-pcapng for the blocks and options (sections 4.1 to 4.6), RFC 791 and RFC 768 for the headers, RFC 3168 for the
//! marks. Deviations: none of the file format. The headers of the packets are made up, since the simulator has none:
//! - each flow has an address of its own at its source and at its sink, and a record of names says which;
//! - what is captured of a packet are these headers, the word `headgate` and the sequence number: the packet's own length is in the headers
//!   and in the block. (Without the word, tshark takes the data for that of other protocols.)

use super::blocks::{Blocks, COMMENT};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

const NAME_RESOLUTION: u32 = 4;
const INTERFACE_STATISTICS: u32 = 5;
/// A record of an IPv4 address with its names.
const IPV4_NAMES: u16 = 1;
/// Options of an interface.
const IF_NAME: u16 = 2;
const IF_DESCRIPTION: u16 = 3;
const IF_SPEED: u16 = 8;
/// Options of its statistics.
const IS_START: u16 = 2;
const IS_END: u16 = 3;
const IS_RECEIVED: u16 = 4;
const IS_DROPPED: u16 = 5;
/// The option of a packet's flags, and that of one that leaves.
const FLAGS: u16 = 2;
const OUTBOUND: u32 = 2;
/// The link type of raw IP.
const RAW_IP: u16 = 101;

/// The first addresses of sources and of sinks: 10.0.0.1 and 10.128.0.1.
const SOURCES: u32 = 0x0a00_0001;
const SINKS: u32 = 0x0a80_0001;
/// Ports of UDP: the first one of the range for private use, and one that no program listens at.
const FIRST_PORT: u16 = 49152;
const PORTS: i64 = 16384;
const SINK_PORT: u16 = 9;
/// The protocol for experiments (RFC 3692), for packets that have no room for a UDP header.
const EXPERIMENT: u8 = 253;
const USER_DATAGRAM: u8 = 17;
/// The lengths of the headers.
const IP_HEADER: usize = 20;
const HEADERS: usize = 28;
/// What is captured at most: the headers, the word and the sequence number.
const CAPTURED: usize = HEADERS + 16;
/// Maximum length of a text in an option.
const LONGEST: usize = 2000;
/// Characters of a flow's name in a comment: a very long one would leave no room for the rest.
const NAME: usize = 200;
/// Names of a block: it ends with the first one beyond so many bytes.
const NAMES: usize = 1 << 16;

/// A port of the simulated network.
pub struct SimulatedPort {
    /// Its name.
    pub name: String,
    /// What it is.
    pub about: String,
    /// Its rate, if it has one that fits.
    pub bits_per_second: Option<u64>,
}

/// A packet at a port: its transmission began, or it was dropped.
#[derive(Clone, Copy, Debug)]
pub struct SimulatedPacket<'a> {
    /// The port.
    pub port: usize,
    /// The number of the flow, and the entry of the scenario that it is of.
    pub flow: i64,
    /// See `flow`.
    pub entry: usize,
    /// The number of the data.
    pub seq: u64,
    /// When it arrived at the port, in ns.
    pub arrived_ns: i64,
    /// When its transmission began or it was dropped, in ns.
    pub start_ns: i64,
    /// Its length.
    pub bytes: u32,
    /// Whether it has the mark of congestion.
    pub marked: bool,
    /// Whether this port marked it.
    pub marked_here: bool,
    /// Why it was dropped.
    pub dropped: Option<&'a str>,
    /// Whether it is an acknowledgement.
    pub is_ack: bool,
    /// The code point with which it left its source.
    pub ecn: u8,
}

/// What was counted at a port, and its interfaces: of the packets that it sent, and of those that were dropped there.
#[derive(Clone, Default)]
struct Counts {
    received: u64,
    dropped: u64,
    interfaces: [Option<u32>; 2],
}

/// Writes packets of a simulation as they come. A packet stands in the capture at the time at which its transmission began, on the interface of the
/// port; one that was dropped stands at the time of the drop on an interface of its own.
pub struct SimulatedWriter<W: Write> {
    blocks: Blocks<W>,
    flows: Vec<String>,
    ports: Vec<SimulatedPort>,
    counts: Vec<Counts>,
    /// The port of each interface, and whether it is that of packets dropped.
    interfaces: Vec<(usize, bool)>,
    /// The last time.
    end_ns: i64,
    comment: String,
}

impl<W: Write> SimulatedWriter<W> {
    /// As many flows have addresses: half of 10.0.0.0/8 is for sources and half for sinks.
    pub const MOST_FLOWS: usize = (1 << 23) - 2;

    /// The head of a capture: a note on the whole, and the names of all flows.
    ///
    /// # Errors
    /// The sink cannot be written.
    pub fn new(sink: W, note: &str, flows: &[String], ports: Vec<SimulatedPort>) -> io::Result<SimulatedWriter<W>> {
        let mut blocks = Blocks::new(sink, &cut(note))?;
        write_names(&mut blocks, flows)?;
        let counts = vec![Counts::default(); ports.len()];
        let short = |name: &String| match name.char_indices().nth(NAME) {
            Some((end, _)) => format!("{}...", &name[..end]),
            None => name.clone(),
        };
        let flows = flows.iter().map(short).collect();
        Ok(SimulatedWriter { blocks, flows, ports, counts, interfaces: Vec::new(), end_ns: 0, comment: String::new() })
    }

    /// Writes a packet.
    ///
    /// # Errors
    /// The sink cannot be written.
    ///
    /// # Panics
    /// There is no such port or flow.
    pub fn write(&mut self, packet: &SimulatedPacket<'_>) -> io::Result<()> {
        let dropped = packet.dropped.is_some();
        let counts = &mut self.counts[packet.port];
        counts.received += 1;
        counts.dropped += u64::from(dropped);
        let interface = match counts.interfaces[usize::from(dropped)] {
            Some(known) => known,
            None => self.describe(packet.port, dropped)?,
        };
        // A packet shorter than its header counts as that header: the comment has its length.
        let bytes = packet.bytes.max(IP_HEADER as u32);
        self.say(packet);
        let headers = headers(packet, bytes);
        let captured = &headers[..headers.len().min(bytes as usize)];
        let captured = if protocol(bytes) == EXPERIMENT { &captured[..IP_HEADER] } else { captured };
        self.blocks.packet(interface, packet.start_ns as u64, bytes, captured);
        self.blocks.option(COMMENT, cut(&self.comment).as_bytes());
        self.blocks.option(FLAGS, &OUTBOUND.to_le_bytes());
        self.end_ns = packet.start_ns;
        self.blocks.end_with_options()
    }

    /// A packet still waits at a port at the end of the run.
    ///
    /// # Panics
    /// There is no such port.
    pub fn waits(&mut self, port: usize) {
        self.counts[port].received += 1;
    }

    /// Writes what was counted at each interface, and gives back the sink.
    ///
    /// # Errors
    /// The sink cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        for (interface, (port, dropped)) in (0..).zip(std::mem::take(&mut self.interfaces)) {
            let counts = &self.counts[port];
            let until = [(self.end_ns >> 32) as u32, self.end_ns as u32];
            let until_bytes = until.map(u32::to_le_bytes).concat();
            self.blocks.begin(INTERFACE_STATISTICS);
            self.blocks.u32(interface);
            until.iter().for_each(|part| self.blocks.u32(*part));
            self.blocks.option(IS_START, &[0; 8]);
            self.blocks.option(IS_END, &until_bytes);
            let received = if dropped { counts.dropped } else { counts.received };
            self.blocks.option(IS_RECEIVED, &received.to_le_bytes());
            if !dropped {
                self.blocks.option(IS_DROPPED, &counts.dropped.to_le_bytes());
            }
            self.blocks.end_with_options()?;
        }
        self.blocks.into_inner()
    }

    /// Describes an interface before its first packet.
    fn describe(&mut self, port: usize, dropped: bool) -> io::Result<u32> {
        let SimulatedPort { name, about, bits_per_second } = &self.ports[port];
        let name = if dropped { format!("{name} (dropped)") } else { name.clone() };
        let (name, about) = (cut(&name), cut(about));
        let mut options = vec![(IF_NAME, name.as_bytes()), (IF_DESCRIPTION, about.as_bytes())];
        let speed = bits_per_second.map(u64::to_le_bytes);
        options.extend(speed.iter().map(|speed| (IF_SPEED, &speed[..])));
        self.blocks.interface(RAW_IP, &options)?;
        let new = self.interfaces.len() as u32;
        self.interfaces.push((port, dropped));
        self.counts[port].interfaces[usize::from(dropped)] = Some(new);
        Ok(new)
    }

    /// The comment of a packet.
    fn say(&mut self, packet: &SimulatedPacket<'_>) {
        let text = &mut self.comment;
        text.clear();
        let name = &self.flows[packet.entry];
        let number =
            if packet.flow == packet.entry as i64 { String::new() } else { format!(" (flow {})", packet.flow) };
        let kind = if packet.is_ack { "acknowledgement of" } else { "data" };
        let waited = packet.start_ns - packet.arrived_ns;
        let (seconds, rest) = (waited.div_euclid(1_000_000_000), waited.rem_euclid(1_000_000_000));
        let done = write!(text, "flow {name}{number}, {kind} {}; waited {seconds}.{rest:09} s", packet.seq);
        debug_assert!(done.is_ok(), "a string takes everything");
        let fate = match packet.dropped {
            Some(reason) => ["; dropped: ", reason],
            None if packet.marked_here => ["; marked here", ""],
            None if packet.marked => ["; marked before", ""],
            None => [""; 2],
        };
        text.extend(fate);
        if (packet.bytes as usize) < IP_HEADER {
            let done = write!(text, "; {} bytes", packet.bytes);
            debug_assert!(done.is_ok(), "a string takes everything");
        }
    }
}

/// Which flow an address belongs to.
fn write_names<W: Write>(blocks: &mut Blocks<W>, flows: &[String]) -> io::Result<()> {
    let mut names = 0..flows.len() as u32;
    while !names.is_empty() {
        blocks.begin(NAME_RESOLUTION);
        let head = blocks.len();
        for entry in names.by_ref() {
            let name = &flows[entry as usize];
            for (address, name) in [(SOURCES + entry, name.clone()), (SINKS + entry, format!("{name}:sink"))] {
                let value = [&address.to_be_bytes()[..], cut(&name).replace('\0', "?").as_bytes(), b"\0"].concat();
                blocks.option(IPV4_NAMES, &value);
            }
            if blocks.len() - head > NAMES {
                break;
            }
        }
        blocks.end_with_options()?;
    }
    Ok(())
}

/// A text as options hold it, which have at most 65535 bytes; cut to far fewer.
fn cut(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST {
        return Cow::Borrowed(text);
    }
    let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    Cow::Owned(format!("{}...", &text[..end]))
}

/// The length in the header of IP.
fn length(bytes: u32) -> u16 {
    u16::try_from(bytes).unwrap_or(u16::MAX)
}

fn protocol(bytes: u32) -> u8 {
    if length(bytes) as usize >= HEADERS { USER_DATAGRAM } else { EXPERIMENT }
}

/// The headers of IP and UDP, the word and the sequence number.
fn headers(packet: &SimulatedPacket<'_>, bytes: u32) -> [u8; CAPTURED] {
    let entry = packet.entry as u32;
    // Flows that come and go within an entry differ by their port.
    let own = FIRST_PORT + (packet.flow - packet.entry as i64).rem_euclid(PORTS) as u16;
    let mut addresses = [SOURCES + entry, SINKS + entry];
    let mut ports = [own, SINK_PORT];
    if packet.is_ack {
        addresses.reverse();
        ports.reverse();
    }
    let (length, mark) = (length(bytes), if packet.marked { 3 } else { packet.ecn });
    let mut out = [0; CAPTURED];
    let mut put = |at: usize, part: &[u8]| out[at..at + part.len()].copy_from_slice(part);
    put(0, &[0x45, mark]);
    put(2, &length.to_be_bytes());
    put(4, &(packet.seq as u16).to_be_bytes());
    // It must not be divided, and has 64 hops to live.
    put(6, &[0x40, 0, 64, protocol(bytes)]);
    put(12, &addresses.map(u32::to_be_bytes).concat());
    put(20, &ports.map(u16::to_be_bytes).concat());
    put(24, &length.saturating_sub(IP_HEADER as u16).to_be_bytes());
    put(28, b"headgate");
    put(36, &packet.seq.to_be_bytes());
    let sum = checksum(&out[..IP_HEADER]);
    out[10..12].copy_from_slice(&sum.to_be_bytes());
    out
}

/// The checksum of a header in which it is zero (RFC 791, section 3.1).
fn checksum(header: &[u8]) -> u16 {
    let sum: u32 = header.chunks_exact(2).map(|two| u32::from(u16::from_be_bytes([two[0], two[1]]))).sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    !((sum & 0xffff) + (sum >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_two_characters() {
        assert_eq!(cut(&"a".repeat(2000)), "a".repeat(2000));
        assert_eq!(cut(&"a".repeat(5000)), "a".repeat(2000) + "...");
        // The character that begins with byte 1999 has two.
        let text = "a".repeat(1999) + &"é".repeat(9);
        assert_eq!(cut(&text), "a".repeat(1999) + "...");
    }

    #[test]
    fn the_checksum_is_that_of_an_example() {
        // Of 45 00 00 73 00 00 40 00 40 11 .. .. c0 a8 00 01 c0 a8 00 c7 (Wikipedia, "Internet checksum") it is b861.
        let header = [0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0, 0, 0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0, 0xc7];
        assert_eq!(checksum(&header), 0xb861);
    }
}
