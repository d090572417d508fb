//! All tests of flow controls and their transport that use this crate as others do, in one program: it is linked once.

mod accecn;
mod averages;
mod bbr1;
mod bbr3;
#[path = "../../packet/tests/common/cases.rs"]
mod cases;
mod common;
mod conformance;
mod connection;
mod contract;
mod ecn_table;
mod extremes;
mod foreign;
mod gvisor;
mod layered;
mod lined;
mod packet_pair_rules;
mod pair_books;
mod pair_sender;
mod pairs;
mod parameters;
mod pp_cth;
mod pp_cth_epochs;
mod properties;
mod sender;
mod sender_books;
mod slow_starts;
mod stamped_books;
mod tcp_channel;
mod tcp_traces;
mod tcp_undo;
mod trains;
mod windows;
