//! Weighted Fair Queueing, another name of `fq`. Fair Queueing with weights is known by this name.
//!
//! Source: Demers, Keshav and Shenker 1989, section 5, which names weights as an extension, and Parekh and Gallager 1993 (PGPS). `fq` serves by the
//! weights of the conversations as it is; only the name differs.
//! Deviations, state per flow and when it is forgotten: those of `fq`.

pub use crate::disciplines::fq::{Fq as Wfq, FqParams as WfqParams};

#[cfg(test)]
mod tests {
    use crate::parts::test::{Arrival, order};

    #[test]
    fn it_is_fq_by_weights() {
        // Weights 3 and 1, packets of 10 bytes, 80 bits: A bids 27, 53, 80, 107, ..., B 80, 160, ...; ties to the earlier arrival. B's first one
        // is sent on its arrival.
        let arrivals: [Arrival; 8] =
            [(0, 1, 10), (0, 0, 10), (0, 0, 10), (0, 0, 10), (0, 0, 10), (0, 0, 10), (0, 0, 10), (0, 1, 10)];
        let by_weight = order(r#"{"kind": "wfq"}"#, &[3, 1], &arrivals);
        assert_eq!(by_weight, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(by_weight, order(r#"{"kind": "fq"}"#, &[3, 1], &arrivals));
        assert_eq!(order(r#"{"kind": "wfq"}"#, &[], &arrivals), [0, 1, 2, 7, 3, 4, 5, 6]);
    }
}
