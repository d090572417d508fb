//! What a code point means to a discipline.
//!
//! Most disciplines that know priorities read a code point as it is: `cake` puts it into a tin, `htb` into the leaf that names it. To others 0 is
//! the most urgent of some levels, while a code point of 0 is best effort. They get one of eight levels.
//!
//! Source: RFC 2474, section 4.2.2: the upper three bits of a code point are its class selector, of which a higher one is served no worse. RFC 8622 and RFC 4594: lower
//! effort (1) and the class selector 1 come after best effort. RFC 8325, section 4.3: assured forwarding of class 1 is best effort.

use headgate_queue::Spec;

/// Code points, of six bits.
const ALL: usize = 64;

/// Levels of urgency: 7 and 6 to 2 of the class selectors, best effort, and lower effort.
const LEVELS: u32 = 8;

/// The level of a code point, 0 being the most urgent.
fn level(code_point: u8) -> u32 {
    match (code_point, u32::from(code_point >> 3)) {
        (1 | 8, _) => LEVELS - 1,
        (_, 0 | 1) => LEVELS - 2,
        (_, selector) => LEVELS - 1 - selector,
    }
}

/// The priority that a discipline gets for each code point.
pub type Priorities = [u8; ALL];

/// How a discipline reads code points.
pub fn priorities(spec: &Spec) -> Priorities {
    let Some(levels) = spec.levels() else { return std::array::from_fn(|code_point| code_point as u8) };
    let of = |code_point: usize| level(code_point as u8) * levels.clamp(1, LEVELS) / LEVELS;
    std::array::from_fn(|code_point| of(code_point) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(spec: &str, code_points: &[usize]) -> Vec<u8> {
        let spec: Spec = serde_json::from_str(spec).expect("a discipline");
        let all = priorities(&spec);
        code_points.iter().map(|code_point| all[*code_point]).collect()
    }

    /// CS7, CS6, EF, voice admit, CS5, AF41, AF33, AF22, AF11, best effort, lower effort, CS1.
    const SOME: [usize; 12] = [56, 48, 46, 44, 40, 34, 30, 20, 10, 0, 1, 8];

    #[test]
    fn levels_are_in_the_order_of_urgency() {
        let due = [0, 1, 2, 2, 2, 3, 4, 5, 6, 6, 7, 7];
        assert_eq!(of(r#"{"kind": "strict_priority"}"#, &SOME), due);
        assert_eq!(of(r#"{"kind": "strict_priority", "levels": 256}"#, &SOME), due);
        assert_eq!(of(r#"{"kind": "blt"}"#, &SOME), due);
        // Fewer levels take several each.
        assert_eq!(of(r#"{"kind": "strict_priority", "levels": 2}"#, &SOME), [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
        assert_eq!(of(r#"{"kind": "strict_priority", "levels": 1}"#, &SOME), [0; 12]);
        // Two levels, then best effort.
        assert_eq!(of(r#"{"kind": "hrr"}"#, &SOME), [0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2]);
    }

    #[test]
    fn others_read_the_code_point_itself() {
        for kind in ["cake", "htb", "fq_codel", "fcfs"] {
            assert_eq!(of(&format!(r#"{{"kind": "{kind}"}}"#), &[0, 8, 46, 63]), [0, 8, 46, 63], "{kind}");
        }
    }
}
