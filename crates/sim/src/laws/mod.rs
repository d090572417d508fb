//! Probability distributions of sizes and times. Each is one file and one line in the list below.
//!
//! - A distribution has the mean 1, and a workload multiplies what it draws by its own mean. Those of published sizes, and `empirical` with values
//!   in bytes, have their own sizes instead.
//! - A draw takes one random number (none for `fixed`), and a greater one gives a greater value: under the same seed two distributions are
//!   compared at the same shares.

mod normal;
mod points;
mod sizes;

pub use sizes::{MOST_PACKETS, Sizes};

use headgate_packet::{Duration, Rng, Wrong};

/// Makes the enum over all distributions from the list.
macro_rules! laws {
    ($($module:ident : $Type:ident ( $Params:ident )),+ $(,)?) => {
        $(pub mod $module;)+
        headgate_packet::choice!("a distribution", $($module: $Type($Params)),+);

        /// Any distribution of the list.
        #[derive(Clone, Debug)]
        pub enum AnyLaw {
            $(#[doc = concat!("`", stringify!($module), "`")] $Type($module::$Type)),+
        }

        impl Spec {
            /// The distribution, whose parameters were checked.
            pub fn build(&self) -> AnyLaw {
                match self { $(Spec::$Type(p) => AnyLaw::$Type($module::$Type::new(p))),+ }
            }
        }

        headgate_packet::dispatch! {
            impl Law for AnyLaw [$($Type),+] {
                fn quantile(&self, share: f64) -> f64;
                fn own_bytes(&self) -> Option<f64>;
            }
        }
    };
}

laws! {
    fixed: Fixed(FixedParams),
    exponential: Exponential(ExponentialParams),
    uniform: Uniform(UniformParams),
    pareto: Pareto(ParetoParams),
    lognormal: Lognormal(LognormalParams),
    empirical: Empirical(EmpiricalParams),
    web_search: WebSearch(WebSearchParams),
    data_mining: DataMining(DataMiningParams),
}

/// A distribution of positive numbers.
pub trait Law {
    /// The value below which this share of all draws lies, from 0 up to but not including 1.
    fn quantile(&self, share: f64) -> f64;
    /// The mean in bytes, if values are sizes in bytes; otherwise values have the mean 1.
    fn own_bytes(&self) -> Option<f64> {
        None
    }
}

impl AnyLaw {
    /// A value: of mean 1, or in bytes.
    #[inline]
    pub fn draw(&self, rng: &mut Rng) -> f64 {
        match self {
            AnyLaw::Fixed(_) => 1.0,
            law => law.quantile(rng.uniform()),
        }
    }

    /// A time of this mean; at most the longest duration.
    #[inline]
    pub fn time(&self, mean: Duration, rng: &mut Rng) -> Duration {
        Duration::from_ps((self.draw(rng) * mean.as_ps() as f64) as u64)
    }
}

impl Spec {
    /// Whether its values are sizes in bytes.
    pub fn in_bytes(&self) -> bool {
        match self {
            Spec::WebSearch(_) | Spec::DataMining(_) => true,
            Spec::Empirical(p) => p.in_bytes(),
            _ => false,
        }
    }

    /// The parameter at `path` is a distribution of times.
    ///
    /// # Errors
    /// Its values are sizes.
    pub fn check_times(&self, path: &str) -> Result<(), Wrong> {
        if !self.in_bytes() {
            return Ok(());
        }
        Err(Wrong::at(path, "expected a distribution of times: the values of this one are sizes").found(&self.name()))
    }
}

#[cfg(test)]
mod tests;
