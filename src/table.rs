//! Tables in text: a header that names the columns, then one row a line, fields separated by commas.
//!
//! A field in quotation marks may hold commas, and `""` in it is one mark. Lines that begin with `#` are comments;
//! blank lines are ignored. Columns may come in any order, but all are required and unknown ones are refused, because
//! their content would be unchecked. All errors of a table are reported together.

/// The most characters of somebody's text in a message.
const QUOTED: usize = 40;

/// Line number, from 1, and description of an error.
pub type Fault = (usize, String);

/// Maximum number of errors printed; the others are counted.
const TOLD: usize = 6;

/// Several faults as one, by the line of the first.
pub fn together(mut faults: Vec<Fault>) -> Option<Fault> {
    faults.sort_by_key(|(line, _)| *line);
    let more = faults.len().saturating_sub(TOLD);
    let mut all = faults.into_iter().take(TOLD);
    let (line, mut message) = all.next()?;
    for (line, other) in all {
        message += &format!("; line {line}: {other}");
    }
    if more > 0 {
        message += &format!("; and {more} more error{}", plural(more));
    }
    Some((line, message))
}

/// A table as text, before anybody asks what its columns mean.
#[derive(Debug)]
pub struct Table {
    header: Row,
    rows: Vec<Row>,
    /// Lines that are no rows.
    faults: Vec<Fault>,
}

/// One line.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its number in the file, from 1.
    pub line: usize,
    /// Its fields, in the order asked for.
    pub fields: Vec<String>,
}

impl Table {
    /// The header and the rows of a text.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (mut rows, mut faults) = (Vec::new(), Vec::new());
        for (index, line) in text.lines().enumerate() {
            let line = line.trim_end_matches('\r');
            if !line.trim().is_empty() && !line.starts_with('#') {
                let line_number = index + 1;
                match fields(line) {
                    Ok(fields) => rows.push(Row { line: line_number, fields }),
                    Err(what) => faults.push((line_number, what)),
                }
            }
        }
        if rows.is_empty() {
            return Err(together(faults).unwrap_or_else(|| (1, "the file is empty".to_string())));
        }
        let header = rows.remove(0);
        // A header that cannot be read leaves nothing to hold the rows against.
        match faults.first() {
            Some((line, _)) if *line < header.line => Err(faults.swap_remove(0)),
            _ => Ok(Table { header, rows, faults }),
        }
    }

    /// Is there a column of this name?
    pub fn has(&self, column: &str) -> bool {
        self.header.fields.iter().any(|field| field == column)
    }

    /// The rows, with their fields in the order of these columns.
    #[cfg(any(feature = "cli", test))]
    pub fn columns(self, wanted: &[&str]) -> Result<Vec<Row>, Fault> {
        let (rows, faults) = self.rows(wanted)?;
        match together(faults) {
            Some(fault) => Err(fault),
            None => Ok(rows),
        }
    }

    /// The same with what is wrong with other lines, for those who look for more.
    pub fn rows(self, wanted: &[&str]) -> Result<(Vec<Row>, Vec<Fault>), Fault> {
        let Row { line, fields: header } = self.header;
        let places = places(&header, wanted).map_err(|what| (line, what))?;
        let mut rows = Vec::with_capacity(self.rows.len());
        let mut faults = self.faults;
        for Row { line, mut fields } in self.rows {
            if fields.len() == header.len() {
                let fields = places.iter().map(|&place| std::mem::take(&mut fields[place])).collect();
                rows.push(Row { line, fields });
            } else {
                let found = fields.len();
                faults.push((line, format!("{found} field{}, but the header has {}", plural(found), header.len())));
            }
        }
        if rows.is_empty() && faults.is_empty() {
            return Err((line, "no row below the header".to_string()));
        }
        Ok((rows, faults))
    }
}

/// Where each wanted column is in a header, or all that is wrong with that.
fn places(header: &[String], wanted: &[&str]) -> Result<Vec<usize>, String> {
    let expected = wanted.join(",");
    if let [all] = header
        && wanted.len() > 1
        && let Some(separator) = [';', '\t', '|'].into_iter().find(|separator| all.contains(*separator))
    {
        let name = if separator == '\t' { "tabs".to_string() } else { format!("`{separator}`") };
        return Err(format!("fields must be separated by commas, not {name}: the header is {expected}"));
    }
    let mut wrong = Vec::new();
    for (at, name) in header.iter().enumerate() {
        let same = |wanted: &&&str| wanted.eq_ignore_ascii_case(name);
        match wanted.iter().find(same) {
            Some(wanted) if wanted != name => {
                wrong.push(format!("column `{}` must be in lower case, `{wanted}`", quoted(name)));
            }
            None => wrong.push(format!("unknown column `{}`", quoted(name))),
            Some(_) if header[..at].contains(name) => wrong.push(format!("duplicate column `{name}`")),
            Some(_) => {}
        }
    }
    let mut places = Vec::new();
    for name in wanted {
        match header.iter().position(|field| field.eq_ignore_ascii_case(name)) {
            Some(place) => places.push(place),
            None => wrong.push(format!("missing column `{name}`")),
        }
    }
    if wrong.is_empty() { Ok(places) } else { Err(format!("{}; the header must be {expected}", wrong.join(", "))) }
}

/// At most a few words of somebody's text, printable.
pub fn quoted(text: &str) -> String {
    let printable = text.replace(|c: char| c.is_control(), "?");
    match printable.char_indices().nth(QUOTED) {
        Some((at, _)) => format!("{}...", printable.split_at(at).0),
        None => printable,
    }
}

/// A field as [`Table`] reads it back.
#[cfg(feature = "cli")]
pub fn field(text: &str) -> String {
    if text.contains([',', '"']) || text.trim() != text || text.starts_with('#') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// The fields of a line, without the blanks around them.
fn fields(line: &str) -> Result<Vec<String>, String> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let (field, after) = match rest.strip_prefix('"') {
            Some(inside) => {
                let (field, after) = unquote(inside).ok_or("unclosed quotation mark")?;
                let after = after.trim_start();
                if !after.is_empty() && !after.starts_with(',') {
                    return Err("a comma must follow the closing quotation mark".to_string());
                }
                (field, after)
            }
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                let (field, after) = rest.split_at(end);
                if field.contains('"') {
                    return Err("a quotation mark must be the first character of its field".to_string());
                }
                (field.trim_end().to_string(), after)
            }
        };
        fields.push(field);
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None => return Ok(fields),
        }
    }
}

/// What stands before the closing mark, and what comes after it.
fn unquote(inside: &str) -> Option<(String, &str)> {
    let mut field = String::new();
    let mut rest = inside;
    loop {
        let (before, after) = rest.split_once('"')?;
        field.push_str(before);
        match after.strip_prefix('"') {
            Some(more) => {
                field.push('"');
                rest = more;
            }
            None => return Some((field, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, wanted: &[&str]) -> Result<Vec<(usize, Vec<String>)>, Fault> {
        Ok(Table::parse(text)?.columns(wanted)?.into_iter().map(|row| (row.line, row.fields)).collect())
    }

    fn row(line: usize, fields: &[&str]) -> (usize, Vec<String>) {
        (line, fields.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn fields_find_their_columns() {
        let text = "\u{feff}# said by nobody\r\n\r\nb,a\r\n1, 2 \r\n\"x, \"\"y\"\"\" ,\n";
        assert_eq!(rows(text, &["a", "b"]), Ok(vec![row(4, &["2", "1"]), row(5, &["", "x, \"y\""])]));
    }

    #[test]
    fn what_is_written_is_read() {
        for text in ["plain", "a,b", "a\"b", " blank ", "#comment", "", "\"\""] {
            let table = format!("x,y\n{},1\n", field(text));
            assert_eq!(rows(&table, &["x", "y"]), Ok(vec![row(2, &[text, "1"])]), "{text}");
        }
    }

    #[test]
    fn faults_know_their_line() {
        for (text, line, message) in [
            ("", 1, "the file is empty"),
            ("\n# nothing\n", 1, "the file is empty"),
            ("a,b\n", 1, "no row below the header"),
            ("# h\na\n1\n", 2, "missing column `b`; the header must be a,b"),
            ("a,b,c\n", 1, "unknown column `c`; the header must be a,b"),
            ("a,b,a\n", 1, "duplicate column `a`; the header must be a,b"),
            ("A,b\n1,2\n", 1, "column `A` must be in lower case, `a`; the header must be a,b"),
            (
                "c,d\n",
                1,
                "unknown column `c`, unknown column `d`, missing column `a`, missing column `b`; \
                the header must be a,b",
            ),
            ("a;b\n1;2\n", 1, "fields must be separated by commas, not `;`: the header is a,b"),
            ("a\tb\n1\t2\n", 1, "fields must be separated by commas, not tabs: the header is a,b"),
            (
                "a,b\n1\n1,2\n1,\"2\n1,2,3\n",
                2,
                "1 field, but the header has 2; line 4: unclosed quotation mark; line 5: 3 fields, but the header has \
                 2",
            ),
            (
                "a,b\n1\n1\n1\n1\n1\n1\n1\n1\n",
                2,
                "1 field, but the header has 2; line 3: 1 field, but the header has 2; line 4: 1 field, but the \
                 header has 2; line 5: 1 field, but the header has 2; line 6: 1 field, but the header has 2; line 7: \
                 1 field, but the header has 2; and 2 more errors",
            ),
            ("a,b\n1,2\n3\n", 3, "1 field, but the header has 2"),
            ("a,b\n1,2,3\n", 2, "3 fields, but the header has 2"),
            ("a,b\n1,\"2\n", 2, "unclosed quotation mark"),
            ("a,b\n1,\"2\"3\n", 2, "a comma must follow the closing quotation mark"),
            ("a,b\n1,2\"3\"\n", 2, "a quotation mark must be the first character of its field"),
        ] {
            assert_eq!(rows(text, &["a", "b"]), Err((line, message.to_string())), "{text:?}");
        }
    }
}
