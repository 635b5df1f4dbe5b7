//! Lines from a program that may write anything, as much of it as it likes.

use std::io::{BufRead, BufReader, Read};

/// A longer line is cut off; what follows up to its end is counted and forgotten.
pub const LONGEST_LINE: usize = 1 << 20;

/// How much is kept of a line that is too long.
const KEPT: usize = 200;

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Its text; bytes that are no UTF-8 are replaced.
    Text(String),
    /// How it begins, and how many bytes it has.
    TooLong {
        /// The first characters.
        start: String,
        /// Its length.
        bytes: u64,
    },
}

/// Hand over one line after the other until the end of the stream, or until the receiver is gone.
pub fn read_lines(stream: impl Read, mut take: impl FnMut(Line) -> bool) {
    let mut reader = BufReader::new(stream);
    let mut line: Vec<u8> = Vec::new();
    let mut bytes = 0_u64;
    loop {
        let (used, ended) = match reader.fill_buf() {
            Ok([]) | Err(_) => {
                if bytes > 0 {
                    take(whole(&line, bytes));
                }
                return;
            }
            Ok(buffer) => {
                let end = buffer.iter().position(|&byte| byte == b'\n');
                let part = end.map_or(buffer, |end| &buffer[..end]);
                let room = LONGEST_LINE.saturating_sub(line.len());
                line.extend_from_slice(&part[..part.len().min(room)]);
                bytes = bytes.saturating_add(part.len() as u64);
                (part.len() + usize::from(end.is_some()), end.is_some())
            }
        };
        reader.consume(used);
        if ended {
            if !take(whole(&line, bytes)) {
                return;
            }
            line.clear();
            // One long line must not keep its room for ever.
            line.shrink_to(KEPT);
            bytes = 0;
        }
    }
}

fn whole(line: &[u8], bytes: u64) -> Line {
    if bytes > line.len() as u64 {
        let start = &line[..line.len().min(KEPT)];
        Line::TooLong { start: String::from_utf8_lossy(start).into_owned(), bytes }
    } else {
        Line::Text(String::from_utf8_lossy(line).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        read_lines(bytes, |line| {
            lines.push(line);
            true
        });
        lines
    }

    #[test]
    fn lines_are_cut_where_they_end() {
        let text = |text: &str| Line::Text(text.to_string());
        assert_eq!(lines(b"a\n\nb"), [text("a"), text(""), text("b")]);
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"\xff\n"), [text("\u{fffd}")]);
    }

    #[test]
    fn long_lines_are_counted_and_forgotten() {
        let mut bytes = vec![b'x'; 10 << 20];
        bytes.extend_from_slice(b"\nshort\n");
        let found = lines(&bytes);
        assert_eq!(found[0], Line::TooLong { start: "x".repeat(KEPT), bytes: 10 << 20 });
        assert_eq!(found[1], Line::Text("short".to_string()));
        let exactly = vec![b'y'; LONGEST_LINE];
        assert!(matches!(lines(&exactly).as_slice(), [Line::Text(text)] if text.len() == LONGEST_LINE));
    }
}
