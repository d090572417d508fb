//! Any bytes are either a capture, whose packets are written and read back as they were, or a clear error; never a panic.

use headgate_capture::{CaptureError, Classify, Key, Reader, Writer, endpoints};
use std::io::Cursor;

/// Time, length and captured bytes.
type Packet = (u64, u32, Vec<u8>);

/// The packets of a capture, up to the first error that ends the reading.
/// Writes them to `writer`, where given.
fn pass(capture: Vec<u8>, mut writer: Option<&mut Writer<Vec<u8>>>) -> Result<Vec<Packet>, CaptureError> {
    let mut reader = Reader::new(Cursor::new(capture))?;
    let mut packets = Vec::new();
    let mut last = 0;
    loop {
        match reader.next() {
            Ok(None) => return Ok(packets),
            Ok(Some(frame)) => {
                assert_eq!(frame.number, last + 1, "every packet is counted");
                assert!(frame.bytes > 0 && frame.captured.len() <= frame.bytes as usize);
                let key = endpoints(&frame).map_or(Key::NOT_IP, |e| e.key(Classify::FiveTuple));
                if let Some(writer) = &mut writer {
                    writer.write(&frame, frame.time, &key.to_string(), false).expect("a vector takes everything");
                }
                packets.push((frame.time.nanos(), frame.bytes, frame.captured.to_vec()));
                last += 1;
            }
            Err(e) => {
                assert!(!e.to_string().is_empty());
                last += u64::from(e.skippable());
            }
        }
    }
}

/// Tries bytes.
pub fn attempt(bytes: &[u8]) {
    let mut writer = Writer::new(Vec::new()).expect("a vector takes everything");
    let Ok(packets) = pass(bytes.to_vec(), Some(&mut writer)) else { return };
    let written = writer.into_inner().expect("a vector takes everything");
    assert_eq!(pass(written, None).expect("what was written is a capture"), packets);

    // Marks change no length.
    let mut writer = Writer::new(Vec::new()).expect("a vector takes everything");
    let mut reader = Reader::new(Cursor::new(bytes.to_vec())).expect("it was read before");
    while let Ok(Some(frame)) = reader.next() {
        let marked = writer.write(&frame, frame.time, "", true).expect("a vector takes everything");
        assert!(endpoints(&frame).is_none() || marked, "what has endpoints has room for a mark");
    }
}
