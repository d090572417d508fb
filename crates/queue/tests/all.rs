//! All tests of queueing disciplines and ports that use this crate as others do, in one program: it is linked once.

mod adaptive_red;
mod afd;
#[path = "../../packet/tests/common/cases.rs"]
mod cases;
mod choke;
mod cobalt;
mod codel;
mod common;
mod conformance;
mod csfq;
mod delay;
mod dualpi2;
mod early;
mod explain;
mod explain_by_hand;
mod extremes;
mod fairness;
mod foreign;
mod forgotten;
mod fq_reference;
mod gauges;
mod idle_line;
mod link_change;
mod link_info;
mod managed;
mod parameters;
mod pie;
mod port;
mod preemption;
mod sfb;
