//! See `targets/table.rs`.
#![no_main]

#[path = "../targets/table.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|data: &[u8]| target::attempt(data));
