//! Columns of any numbers, for which the target of the fuzzer must hold (`fuzz/README.md`).

use crate::common::cases;
use proptest::prelude::*;

#[path = "../../../fuzz/targets/table.rs"]
mod target;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases::cases(10_000)))]
    #[test]
    fn any_columns_are_a_trace_or_an_error(
        head in prop::collection::vec(any::<u8>(), 5),
        // Mostly small numbers: few traces hold with any.
        rest in prop::collection::vec(prop_oneof![9 => 0..16_u8, 1 => any::<u8>()], 0..600),
    ) {
        target::attempt(&[head, rest].concat());
    }
}
