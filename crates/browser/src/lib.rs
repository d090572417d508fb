//! The simulator as a module of WebAssembly, for the page that has no server: requests in, answers out, both as JSON. It imports nothing
//! but the functions of flow controls that are written on the page, if it has the feature `own`. With the feature `replay` it replays the bytes of a
//! file too, which it is given as they are.
//!
//! A request is written where [`headgate_room`] says, and [`headgate_ask`] answers it. Long work is begun by a request, and [`headgate_step`] does a
//! piece of it at a time, so that the page hears how far it is and can stop it. A fault of the program ends the module: the page then reads
//! [`headgate_fault`], and begins the module again.

mod kept;
#[cfg(feature = "own")]
mod own;
mod packets;
mod phase;
#[cfg(feature = "replay")]
mod replay;
mod request;
mod routes;
mod run;
mod session;

pub use session::{BEGUN, MORE, OK, Reply, Session, WHOLE};

use std::cell::{Cell, RefCell};
use std::sync::Once;

thread_local! {
    static SESSION: RefCell<Session> = RefCell::new(Session::default());
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// The last reply, as it is read: its status and the length of its text, 4 bytes each, and the text.
    static REPLY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// What a panic said.
    static FAULT: Cell<Option<String>> = const { Cell::new(None) };
}

/// Where the `length` bytes of the next request are to be written.
#[unsafe(no_mangle)]
pub extern "C" fn headgate_room(length: usize) -> *mut u8 {
    note_faults();
    ROOM.with_borrow_mut(|room| {
        room.clear();
        room.resize(length, 0);
        room.as_mut_ptr()
    })
}

/// Where the `length` bytes of a file are to be written, which a request opens then; null if it is too long.
#[cfg(feature = "replay")]
#[unsafe(no_mangle)]
pub extern "C" fn headgate_file(length: usize) -> *mut u8 {
    note_faults();
    SESSION.with_borrow_mut(|session| session.file(length).map_or(std::ptr::null_mut(), <[u8]>::as_mut_ptr))
}

/// Answers the request that was written: its status as of HTTP, or [`BEGUN`] or [`WHOLE`] with the number of the work that it has begun.
#[unsafe(no_mangle)]
pub extern "C" fn headgate_ask() -> *const u8 {
    told(ROOM.with_borrow(|request| SESSION.with_borrow_mut(|session| session.ask(request))))
}

/// Does the next piece of some work, about `events` events of it: a line of its answer, and whether more lines are to come ([`MORE`]). `seconds` have
/// passed since the work began, which is told with its result.
#[unsafe(no_mangle)]
pub extern "C" fn headgate_step(work: u32, events: u32, seconds: f64) -> *const u8 {
    told(SESSION.with_borrow_mut(|session| session.step(work, events, seconds)))
}

/// Gives up some work.
#[unsafe(no_mangle)]
pub extern "C" fn headgate_stop(work: u32) {
    SESSION.with_borrow_mut(|session| session.stop(work));
}

/// What was wrong with the program, after it has ended.
#[unsafe(no_mangle)]
pub extern "C" fn headgate_fault() -> *const u8 {
    let text = FAULT.take().unwrap_or_else(|| "no memory was left".to_owned());
    told(Reply { status: 500, text })
}

fn told(reply: Reply) -> *const u8 {
    REPLY.with_borrow_mut(|bytes| {
        let length = u32::try_from(reply.text.len()).expect("a module has less memory");
        bytes.clear();
        bytes.extend(reply.status.to_le_bytes());
        bytes.extend(length.to_le_bytes());
        bytes.extend(reply.text.as_bytes());
        bytes.as_ptr()
    })
}

/// The text of a panic is kept: the module itself cannot print it.
fn note_faults() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|fault| FAULT.set(Some(fault.to_string())))));
}
