//! The report as a page that needs nothing but a browser.

use super::{Report, table};
use crate::error::Error;

/// One self-contained page: the table, and all judgements as data.
///
/// # Errors
/// [`Error::Input`] if the report cannot be written as JSON, which its types rule out.
pub fn page(report: &Report) -> Result<String, Error> {
    let data = serde_json::to_string(report).map_err(|error| Error::input(error.to_string()))?;
    // Inside of a script element only `</` could end it.
    let data = data.replace("</", "<\\/");
    let table = table(&report.summary()).replace('&', "&amp;").replace('<', "&lt;");
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>dpcert audit</title>\n<pre>{table}</pre>\n\
         <script type=\"application/json\" id=\"report\">{data}</script>\n</html>\n"
    ))
}
