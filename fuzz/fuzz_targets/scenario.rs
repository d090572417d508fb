//! See `targets/scenario.rs`.
#![no_main]

#[path = "../targets/scenario.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|text: &str| target::attempt(text));
