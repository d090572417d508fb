//! Exact marks in three bits and one byte counter: what a receiver writes into its acknowledgements, and what the source makes of it.
//!
//! Source: RFC 9768, sections 3.2.2 (the field ACE), 3.2.2.5 (its wraps), 3.2.3 (the AccECN option) and the examples of appendix A; for counters that may have
//! wrapped more than once beside an option, net/ipv4/tcp_input.c of Linux (__tcp_accecn_process), which also gives the factor of safety.
//! Deviations:
//! - Packets are counted. In the option each has a payload of 1448 bytes, and only the counter of marked bytes is reported (ECEB): no control reads the others.
//! - There is no handshake, so that both counters start at 5, and nothing tests whether the path mangles them.
//! - Without the option the safest likely case is always taken. Linux believes the smaller number where acknowledgements are for more than four packets in the mean.
//!
//! State per flow: at the source the marks known, the marked bytes and the newest time stamp; at the sink its count and whether the last packet was marked.

/// Values of the field ACE.
const ACE: u64 = 8;
/// The number of marked packets that both ends begin with (section 3.2.1).
const FIRST: u64 = 5;
/// Payload of a packet, in bytes.
const PAYLOAD: u64 = 1448;
/// Values of a counter of the option.
const OPTION: u64 = 1 << 24;
/// A safe number that leaves less than this part of a packet's payload for each mark was too great (SAFETY_FACTOR).
const SAFETY: u64 = 2;

/// What an acknowledgement reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accurate {
    /// Marked packets so far, with the 5 of the start: its last three bits.
    pub ace: u8,
    /// Payload of marked packets so far: its last 24 bits, where the option is there.
    pub bytes: Option<u32>,
}

impl Accurate {
    /// The report of a receiver that saw this number of marks.
    pub fn of(marks: u64, option: bool) -> Accurate {
        let bytes = option.then(|| (marks.wrapping_mul(PAYLOAD) % OPTION) as u32);
        Accurate { ace: (marks.wrapping_add(FIRST) % ACE) as u8, bytes }
    }
}

/// Marks that a report adds to those known, when the acknowledgement is for `newly` packets; before it `marks` packets and `bytes`, in 24 bits, were known.
/// Gives the smallest number that fits, and the one to believe.
pub fn decode(marks: u64, bytes: u32, report: Accurate, newly: u64) -> (u64, u64) {
    let known = marks.wrapping_add(FIRST) % ACE;
    let least = (u64::from(report.ace) + ACE - known) % ACE;
    // Where the field says more than arrived, it is right: control packets are not counted (section 3.2.2.5.2).
    if newly < ACE {
        return (least, least);
    }
    let safe = newly - (newly - least) % ACE;
    let Some(now) = report.bytes else { return (least, safe) };
    let payload = (u64::from(now) + OPTION - u64::from(bytes)) % OPTION;
    let believed = if payload == 0 {
        least
    } else if newly >= 2 * ACE {
        // More than one wrap: the share of marked bytes says how many.
        let estimate = payload.div_ceil(PAYLOAD);
        safe.min(least + estimate / ACE * ACE)
    } else if payload <= least * PAYLOAD && payload < safe * PAYLOAD / SAFETY {
        least
    } else {
        safe
    };
    (least, believed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITHOUT: u32 = 0;

    /// Counters after `marks` marked packets, and the packets that the report is for: the smallest and the believed number.
    fn told(cep: u64, ace: u8, newly: u64) -> (u64, u64) {
        decode(cep - FIRST, WITHOUT, Accurate { ace, bytes: None }, newly)
    }

    #[test]
    fn three_bits_by_hand() {
        // The source's counter, the field, packets newly acknowledged; the smallest number that fits, and the safe one.
        for (cep, ace, newly, due) in [
            (5, 6, 2, (1, 1)),
            (5, 7, 2, (2, 2)),
            (13, 5, 3, (0, 0)),
            (5, 4, 8, (7, 7)),
            (5, 4, 20, (7, 15)),
            // Up to seven packets nothing can have wrapped; of eight all may be marked.
            (5, 5, 7, (0, 0)),
            (5, 5, 8, (0, 8)),
            (5, 5, 15, (0, 8)),
            (5, 5, 16, (0, 16)),
            // More marks than packets: the field is right.
            (5, 0, 1, (3, 3)),
            (5, 0, 0, (3, 3)),
            (12, 3, 3, (7, 7)),
            (12, 4, 12, (0, 8)),
        ] {
            assert_eq!(told(cep, ace, newly), due, "{cep} {ace} {newly}");
        }
    }

    #[test]
    fn the_counter_of_bytes_says_how_often_the_field_wrapped() {
        let at = |marks| Accurate::of(marks, true);
        for (before, marks, newly, due) in [
            // Appendix A.2.2: nothing marked, as many bytes as the smallest number has, and more than that.
            (0, 0, 8, (0, 0)),
            (0, 1, 15, (1, 1)),
            (0, 9, 15, (1, 9)),
            (3, 3 + 8, 9, (0, 8)),
            // More than one wrap.
            (0, 1, 40, (1, 1)),
            (0, 17, 40, (1, 17)),
            (0, 33, 40, (1, 33)),
            (0, 16, 16, (0, 16)),
            (7, 7 + 100, 100, (4, 100)),
        ] {
            let bytes = at(before).bytes.unwrap_or(0);
            assert_eq!(decode(before, bytes, at(marks), newly), due, "{before} {marks} {newly}");
        }
        // Half a payload for each mark of the safe number is enough for it: 5 packets of 9 marks; not so 4.
        for (payload, believed) in [(5 * PAYLOAD, 9), (4 * PAYLOAD, 9), (PAYLOAD, 1), (PAYLOAD + 1, 9)] {
            let report = Accurate { ace: 6, bytes: Some(payload as u32) };
            assert_eq!(decode(0, 0, report, 9), (1, believed), "{payload}");
        }
        // More than one wrap: a part of a packet is one more, as DIV_ROUND_UP of Linux has it, and eight are a wrap.
        for (payload, believed) in [(7 * PAYLOAD, 1), (7 * PAYLOAD + 1, 9), (8 * PAYLOAD, 9)] {
            let report = Accurate { ace: 6, bytes: Some(payload as u32) };
            assert_eq!(decode(0, 0, report, 40), (1, believed), "{payload}");
        }
        // With seven marks at least, and fifteen at most: fewer bytes than 15 halves.
        for (payload, believed) in [(7 * PAYLOAD, 7), (7 * PAYLOAD + 1, 15)] {
            let report = Accurate { ace: 4, bytes: Some(payload as u32) };
            assert_eq!(decode(0, 0, report, 15), (7, believed), "{payload}");
        }
        // Of five at least and eight packets the safe number is five, too.
        assert_eq!(decode(0, 0, Accurate { ace: 2, bytes: Some(1) }, 8), (5, 5));
    }

    #[test]
    fn reports_begin_with_five_and_wrap_with_their_fields() {
        assert_eq!([0, 2, 3, 11].map(|marks| Accurate::of(marks, false).ace), [5, 7, 0, 0]);
        assert_eq!(Accurate::of(3, false).bytes, None);
        assert_eq!([0, 1, 3].map(|marks| Accurate::of(marks, true).bytes), [Some(0), Some(1448), Some(4344)]);
        // 11587 packets have 16777976 bytes, 760 above 2^24.
        assert_eq!(Accurate::of(11_587, true).bytes, Some(760));
        assert_eq!(Accurate::of(6000, true).bytes, Some(8_688_000));
        let before = Accurate::of(11_580, true).bytes.unwrap_or(0);
        assert_eq!(decode(11_580, before, Accurate::of(11_590, true), 12), (2, 10));
        assert_eq!(Accurate::of(u64::MAX, true).ace, 4);
    }
}
