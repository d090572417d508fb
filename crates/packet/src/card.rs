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
    /// The sentences to the numbers that it tells of a decision, as TOML: see `explain`.
    pub says: &'static str,
}

impl Card {
    /// The card of a scheme of which nothing is to be said but where it was published.
    pub const fn of(source: &'static str) -> Card {
        Card { source, family: "", aliases: &[], examples: &[], main: &[], says: "" }
    }
}
