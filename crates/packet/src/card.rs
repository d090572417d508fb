//! The card of a scheme: what other parts may want to know of it besides its parameters and its law. It stands in the scheme's own file and travels with
//! the scheme's line in its list, so that no other part keeps a list of names.

/// What a scheme says of itself. All but the source may be left out:
///
/// ```
/// use headgate_packet::Card;
/// const CARD: Card = Card { family: "fair queueing", aliases: &["drr1995"], ..Card::of("Shreedhar and Varghese 1995") };
/// assert_eq!((CARD.source, CARD.family, CARD.examples.len()), ("Shreedhar and Varghese 1995", "fair queueing", 0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// Where it was published.
    pub source: &'static str,
    /// What it belongs to among those of its list, in the words of the field; empty where the list has no families.
    pub family: &'static str,
    /// Other names under which it is known, in small letters with `_` between words.
    pub aliases: &'static [&'static str],
    /// Parameters as JSON objects without `kind`, with which it acts on few packets: contract tests go through them.
    pub examples: &'static [&'static str],
    /// The parameters that a page shows first, because they are changed most often.
    pub main: &'static [&'static str],
    /// What it keeps of a flow that left; nothing is said of those that do not distinguish flows.
    pub remembers: &'static [Memory],
    /// The texts with sentences to the numbers that it tells of a decision: its own, which may stand in `NAME.says` beside its file, and those of parts that
    /// it shares with others.
    pub says: &'static [&'static str],
}

/// Two lists of texts, one after the other, for a name of two schemes together: `says: &both::<2>(SCHEDULER.says, AQM.says)`.
///
/// # Panics
/// There are not this many; of a constant that is an error of the compiler.
pub const fn both<const N: usize>(first: &[&'static str], then: &[&'static str]) -> [&'static str; N] {
    assert!(first.len() + then.len() == N, "another number of texts");
    let (mut all, mut i) = ([""; N], 0);
    while i < N {
        all[i] = if i < first.len() { first[i] } else { then[i - first.len()] };
        i += 1;
    }
    all
}

/// What a scheme keeps of a flow of which no packet waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// With which parameters, in the words of a table; empty where they do not matter.
    pub with: &'static str,
    /// What it keeps.
    pub keeps: &'static str,
    /// When it is forgotten: [`Memory::NEVER`], or in words.
    pub until: &'static str,
}

impl Memory {
    /// It is not forgotten.
    pub const NEVER: &str = "never";

    /// With any parameters.
    pub const fn of(keeps: &'static str, until: &'static str) -> Memory {
        Memory { with: "", keeps, until }
    }
}

impl Card {
    /// The card of a scheme of which nothing is to be said but where it was published.
    pub const fn of(source: &'static str) -> Card {
        Card { source, family: "", aliases: &[], examples: &[], main: &[], remembers: &[], says: &[] }
    }
}
