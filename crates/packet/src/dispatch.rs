//! Static dispatch over a list: what an enum of the list's entries does, it hands on to the one that it holds.

/// Makes the `impl` of a trait for an enum. Each of its variants holds one thing that has the trait, or a box of it, and every method is handed on to what
/// is held. A method is one line, its signature, with its attributes before it; constants are given as in any `impl`.
///
/// ```
/// trait Shape {
///     const ROUND: bool;
///     fn area(&self) -> f64;
///     fn grow(&mut self, by: f64);
/// }
/// struct Square(f64);
/// impl Shape for Square {
///     const ROUND: bool = false;
///     fn area(&self) -> f64 { self.0 * self.0 }
///     fn grow(&mut self, by: f64) { self.0 += by; }
/// }
/// struct Disc(f64);
/// impl Shape for Disc {
///     const ROUND: bool = true;
///     fn area(&self) -> f64 { 3.0 * self.0 * self.0 }
///     fn grow(&mut self, by: f64) { self.0 += by / 2.0; }
/// }
/// enum AnyShape {
///     Square(Square),
///     Disc(Box<Disc>),
/// }
/// headgate_packet::dispatch! {
///     /// The constant holds for all of them.
///     impl Shape for AnyShape [Square, Disc] {
///         const ROUND: bool = Square::ROUND && Disc::ROUND;
///         #[inline]
///         fn area(&self) -> f64;
///         fn grow(&mut self, by: f64);
///     }
/// }
/// let mut shapes = [AnyShape::Square(Square(1.0)), AnyShape::Disc(Box::new(Disc(1.0)))];
/// shapes.iter_mut().for_each(|shape| shape.grow(2.0));
/// assert_eq!(shapes.map(|shape| shape.area()), [9.0, 12.0]);
/// assert!(!AnyShape::ROUND);
/// ```
#[macro_export]
macro_rules! dispatch {
    (
        $(#[$about:meta])*
        impl $Trait:ident for $Enum:ident $variants:tt {
            $(const $CONSTANT:ident : $Type:ty = $value:expr;)*
            $($(#[$attribute:meta])* fn $method:ident $arguments:tt $(-> $Output:ty)?;)*
        }
    ) => {
        $(#[$about])*
        impl $Trait for $Enum {
            $(const $CONSTANT: $Type = $value;)*
            $($crate::dispatch!(@method $Enum $variants [$(#[$attribute])*] $method $arguments [$(-> $Output)?]);)*
        }
    };
    (@method $Enum:ident $variants:tt $attributes:tt $method:ident (&mut $me:ident $(, $name:ident : $Type:ty)*) $output:tt) => {
        $crate::dispatch!(@body $Enum $variants $attributes $method $me (&mut $me $(, $name: $Type)*) ($($name),*) $output);
    };
    (@method $Enum:ident $variants:tt $attributes:tt $method:ident (&$me:ident $(, $name:ident : $Type:ty)*) $output:tt) => {
        $crate::dispatch!(@body $Enum $variants $attributes $method $me (&$me $(, $name: $Type)*) ($($name),*) $output);
    };
    (
        @body $Enum:ident [$($Variant:ident),+ $(,)?] [$($attributes:tt)*]
        $method:ident $me:ident ($($arguments:tt)*) $handed:tt [$($output:tt)*]
    ) => {
        $($attributes)*
        fn $method($($arguments)*) $($output)* {
            match $me { $($Enum::$Variant(held) => held.$method $handed,)+ }
        }
    };
}
