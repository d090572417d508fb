//! The page's side of a control: functions that the module imports. Elsewhere than in a page a function of the tests stands for it.

#[cfg(target_arch = "wasm32")]
mod imported {
    #[link(wasm_import_module = "headgate")]
    unsafe extern "C" {
        /// An object of a class, made with these parameters; 0 if that fails.
        pub fn own_make(class: u32, values: *const u8, length: usize) -> u32;
        /// Calls an object: the number of the event, its numbers, and where its four answers go; 0 if that fails.
        pub fn own_call(handle: u32, event: u32, numbers: *const f64, count: usize, answer: *mut f64) -> u32;
        /// The value of a gauge.
        pub fn own_gauge(handle: u32, place: u32) -> f64;
        /// An object is not needed any more.
        pub fn own_release(handle: u32);
        /// Writes what failed last, at most `most` bytes of it, and returns the number of bytes.
        pub fn own_fault(room: *mut u8, most: usize) -> usize;
    }
}

/// The longest text of a failure.
#[cfg(target_arch = "wasm32")]
const FAULT: usize = 4000;

#[cfg(target_arch = "wasm32")]
fn fault() -> String {
    let mut text = vec![0; FAULT];
    // SAFETY: the page writes at most `FAULT` bytes, for which there is room.
    let length = unsafe { imported::own_fault(text.as_mut_ptr(), FAULT) };
    text.truncate(length);
    String::from_utf8_lossy(&text).into_owned()
}

#[cfg(target_arch = "wasm32")]
pub fn make(class: u32, values: &str) -> Result<u32, String> {
    // SAFETY: the page reads the bytes of `values`.
    match unsafe { imported::own_make(class, values.as_ptr(), values.len()) } {
        0 => Err(fault()),
        handle => Ok(handle),
    }
}

#[cfg(target_arch = "wasm32")]
pub fn call(handle: u32, event: u32, numbers: &[f64]) -> Result<[f64; 4], String> {
    let mut answer = [0.0; 4];
    // SAFETY: the page reads the numbers, and writes four, for which there is room.
    let done = unsafe { imported::own_call(handle, event, numbers.as_ptr(), numbers.len(), answer.as_mut_ptr()) };
    if done == 0 { Err(fault()) } else { Ok(answer) }
}

#[cfg(target_arch = "wasm32")]
pub fn gauge(handle: u32, place: u32) -> f64 {
    // SAFETY: the page gives a number.
    unsafe { imported::own_gauge(handle, place) }
}

#[cfg(target_arch = "wasm32")]
pub fn release(handle: u32) {
    // SAFETY: the page forgets the object.
    unsafe { imported::own_release(handle) }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
pub use stand_in::{Caller, set};
#[cfg(not(target_arch = "wasm32"))]
pub use stand_in::{call, gauge, make, release};

/// What the tests put in the place of a page.
#[cfg(not(target_arch = "wasm32"))]
mod stand_in {
    use std::cell::RefCell;

    pub type Caller = Box<dyn FnMut(u32, u32, &[f64]) -> Result<[f64; 4], String>>;

    thread_local!(static CALLER: RefCell<Option<Caller>> = const { RefCell::new(None) });

    #[cfg(test)]
    pub fn set(caller: Caller) {
        CALLER.set(Some(caller));
    }

    pub fn make(class: u32, _values: &str) -> Result<u32, String> {
        CALLER.with_borrow(|caller| {
            caller.as_ref().map(|_| class).ok_or_else(|| "controls are written on a page".to_owned())
        })
    }

    pub fn call(handle: u32, event: u32, numbers: &[f64]) -> Result<[f64; 4], String> {
        CALLER.with_borrow_mut(|caller| match caller {
            Some(caller) => caller(handle, event, numbers),
            None => Err("controls are written on a page".to_owned()),
        })
    }

    pub fn gauge(handle: u32, place: u32) -> f64 {
        f64::from(handle * 10 + place)
    }

    pub fn release(_handle: u32) {}
}
