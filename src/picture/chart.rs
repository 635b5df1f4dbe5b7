//! A chart, and how it is drawn.

use std::fmt;
use std::ops::Range;

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::{Axis, Places};
use super::pdf::pdf;
use super::png::png;
use super::sheet::{FINE, Shape, Sheet};
use super::svg::svg;
use super::theme::Theme;
use super::{clip, font};

/// Width and height of a picture, in points.
const SIZE: (u32, u32) = (480, 360);

/// Colours that most readers tell apart (Okabe and Ito).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(90, 90, 90),
];

/// A picture with two axes.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What stands above it.
    pub title: String,
    /// To the right.
    pub x: Axis,
    /// Upward.
    pub y: Axis,
    /// A grey line from one to one, for the eye to compare trade-off functions with.
    pub diagonal: bool,
    /// What is drawn, in this order.
    pub series: Vec<Series>,
    /// Where the legend is.
    pub legend: Place,
}

/// One curve, or one set of marks.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend; none if it is empty.
    pub label: String,
    /// Its points, in order.
    pub points: Vec<(f64, f64)>,
    /// How it is drawn.
    pub style: Style,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A line through its points.
    Line,
    /// A dashed line through its points.
    Dashed,
    /// A mark at each point.
    Marks,
    /// A thin grey line.
    Thin,
    /// What its points enclose, in a light shade of the next line.
    Band,
    /// A red disc at each point.
    Unsound,
}

/// A corner of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// Above, to the right.
    #[default]
    UpperRight,
    /// Above, to the left.
    UpperLeft,
    /// Below, to the right.
    LowerRight,
    /// Below, to the left.
    LowerLeft,
}

/// Why a picture cannot be drawn.
#[derive(Debug)]
pub struct Undrawn(String);

impl fmt::Display for Undrawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the picture could not be drawn: {}", self.0)
    }
}

impl std::error::Error for Undrawn {}

/// What is wrong.
const RED: RGBColor = RGBColor(200, 30, 30);

/// Widths of lines, sizes of marks, of dashes and of what is between them, in plotters' pixels.
const LINE: u32 = fine(3) / 2;
const THIN: u32 = fine(1);
const MARK: u32 = fine(3);
const DASH: u32 = fine(6);
const GAP: u32 = fine(4);

/// The size of the legend's letters, the distance of its lines, the length of its samples.
const LETTERS: u32 = fine(10);
const PITCH: i32 = fine(15) as i32;
const SAMPLE: i32 = fine(22) as i32;

/// Points in plotters' pixels.
const fn fine(points: u32) -> u32 {
    points * FINE
}

impl Chart {
    /// As SVG, on white.
    pub fn svg(&self) -> Result<String, Undrawn> {
        self.svg_on(Theme::Light)
    }

    /// As PDF, on white.
    pub fn pdf(&self) -> Result<Vec<u8>, Undrawn> {
        self.pdf_on(Theme::Light)
    }

    /// As SVG.
    pub fn svg_on(&self, theme: Theme) -> Result<String, Undrawn> {
        Ok(svg(SIZE, &self.themed(theme)?, theme.paper()))
    }

    /// As PDF.
    pub fn pdf_on(&self, theme: Theme) -> Result<Vec<u8>, Undrawn> {
        Ok(pdf(SIZE, &self.themed(theme)?, theme.paper()))
    }

    /// As PNG.
    pub fn png_on(&self, theme: Theme) -> Result<Vec<u8>, Undrawn> {
        png(SIZE, &self.themed(theme)?, theme.paper()).map_err(Undrawn)
    }

    fn themed(&self, theme: Theme) -> Result<Vec<Shape>, Undrawn> {
        Ok(self.shapes()?.into_iter().map(|shape| theme.shape(shape)).collect())
    }

    fn shapes(&self) -> Result<Vec<Shape>, Undrawn> {
        for axis in [&self.x, &self.y] {
            let (from, to) = axis.ends();
            if !(from.is_finite() && to.is_finite() && from < to) {
                return Err(Undrawn(format!("the axis `{}` goes from {} to {}", axis.label, axis.from, axis.to)));
            }
        }
        let mut shapes = Vec::new();
        let area = Sheet::new(SIZE, &mut shapes).into_drawing_area();
        self.draw(&area).map_err(|error| Undrawn(error.to_string()))?;
        drop(area);
        Ok(shapes)
    }

    fn draw(&self, area: &DrawingArea<Sheet<'_>, Shift>) -> Result<(), Box<dyn std::error::Error>> {
        let text = |points: u32| ("sans-serif", f64::from(fine(points))).into_font();
        let mut builder = ChartBuilder::on(area);
        builder.margin(fine(12)).margin_right(fine(18)).x_label_area_size(fine(38)).y_label_area_size(fine(54));
        if !self.title.is_empty() {
            builder.caption(&self.title, text(13));
        }
        let ((left, right), (bottom, top)) = (self.x.ends(), self.y.ends());
        let mut chart = builder.build_cartesian_2d(Places::from(&self.x), Places::from(&self.y))?;
        chart
            .configure_mesh()
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .axis_desc_style(text(12))
            .label_style(text(10))
            .axis_style(BLACK.stroke_width(fine(1) * 3 / 4))
            .bold_line_style(BLACK.mix(0.1).stroke_width(fine(1) / 2))
            .light_line_style(TRANSPARENT)
            .set_all_tick_mark_size(fine(3))
            .x_label_formatter(&|place| self.x.name(*place))
            .y_label_formatter(&|place| self.y.name(*place))
            .draw()?;
        if self.diagonal {
            let grey = BLACK.mix(0.3).stroke_width(fine(1) * 3 / 4);
            chart.draw_series(LineSeries::new([(0.0, 1.0), (1.0, 0.0)], grey))?;
        }
        let mut styles = Vec::new();
        // Solid and dashed lines are counted apart: the third of both has the same colour.
        let (mut solid, mut dashed) = (COLOURS.iter().cycle().peekable(), COLOURS.iter().cycle());
        // Marks begin with black, and go on with the colours that lines come to last.
        let mut marked = std::iter::once(&BLACK).chain(COLOURS.iter().rev().skip(1)).cycle();
        // What is thin is in the background.
        let (thin, others): (Vec<_>, Vec<_>) = self.series.iter().partition(|series| series.style == Style::Thin);
        for series in thin.into_iter().chain(others) {
            let colour = match series.style {
                Style::Thin => RGBColor(190, 190, 190),
                Style::Marks => *marked.next().unwrap_or(&BLACK),
                Style::Line => *solid.next().unwrap_or(&BLACK),
                Style::Dashed => *dashed.next().unwrap_or(&BLACK),
                // That of the line it belongs to, which comes after it.
                Style::Band => **solid.peek().unwrap_or(&&BLACK),
                Style::Unsound => RED,
            };
            let width = if series.style == Style::Line || series.style == Style::Dashed { LINE } else { THIN };
            let style = colour.stroke_width(width);
            let points = series.points.iter().map(|&(x, y)| (self.x.place(x), self.y.place(y)));
            match series.style {
                Style::Band => {
                    let inside = |(x, y): (f64, f64)| (x.clamp(left, right), y.clamp(bottom, top));
                    let outline: Vec<(f64, f64)> = points.map(inside).collect();
                    chart.draw_series([Polygon::new(outline, colour.mix(0.25).filled())])?;
                }
                Style::Unsound => {
                    let inside = points.filter(|&(x, y)| left <= x && x <= right && bottom <= y && y <= top);
                    chart.draw_series(inside.map(|at| Circle::new(at, MARK, colour.filled())))?;
                }
                Style::Marks => {
                    let inside = points.filter(|&(x, y)| left <= x && x <= right && bottom <= y && y <= top);
                    chart.draw_series(inside.map(|at| Circle::new(at, MARK, style)))?;
                }
                Style::Dashed => {
                    for piece in clip::clipped(points, (left, right), (bottom, top)) {
                        chart.draw_series(DashedLineSeries::new(piece, DASH, GAP, style))?;
                    }
                }
                Style::Line | Style::Thin => {
                    for piece in clip::clipped(points, (left, right), (bottom, top)) {
                        chart.draw_series(LineSeries::new(piece, style))?;
                    }
                }
            }
            if !series.label.is_empty() {
                styles.push((series, style));
            }
        }
        // What is in the background is last in the legend.
        styles.sort_by_key(|(series, _)| series.style == Style::Thin);
        let range = chart.plotting_area().get_pixel_range();
        legend(area, self.legend, &styles, range)?;
        area.present()?;
        Ok(())
    }
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

/// A box in a corner, with a sample of each series and its name.
fn legend(
    area: &DrawingArea<Sheet<'_>, Shift>,
    place: Place,
    series: &[(&Series, ShapeStyle)],
    (across, down): (Range<i32>, Range<i32>),
) -> Drawn {
    if series.is_empty() {
        return Ok(());
    }
    let pad = fine(7) as i32;
    let widest = series.iter().map(|(series, _)| font::width(&series.label, f64::from(LETTERS))).fold(0.0, f64::max);
    let width = SAMPLE + widest.ceil() as i32 + 3 * pad;
    let height = PITCH * series.len() as i32 + pad;
    let left = match place {
        Place::UpperLeft | Place::LowerLeft => across.start + pad,
        Place::UpperRight | Place::LowerRight => across.end - pad - width,
    };
    let top = match place {
        Place::UpperLeft | Place::UpperRight => down.start + pad,
        Place::LowerLeft | Place::LowerRight => down.end - pad - height,
    };
    let corners = [(left, top), (left + width, top + height)];
    area.draw(&Rectangle::new(corners, WHITE.filled()))?;
    area.draw(&Rectangle::new(corners, BLACK.mix(0.3).stroke_width(THIN / 2)))?;
    let letters = ("sans-serif", f64::from(LETTERS)).into_font().into_text_style(area);
    let letters = letters.pos(Pos::new(HPos::Left, VPos::Center));
    for (index, (series, style)) in series.iter().enumerate() {
        let y = top + pad / 2 + PITCH * index as i32 + PITCH / 2;
        let (from, to) = (left + pad, left + pad + SAMPLE);
        match series.style {
            Style::Marks => area.draw(&Circle::new((i32::midpoint(from, to), y), MARK, *style))?,
            Style::Unsound => area.draw(&Circle::new((i32::midpoint(from, to), y), MARK, RED.filled()))?,
            Style::Band => {}
            Style::Dashed => area.draw(&DashedPathElement::new([(from, y), (to, y)], DASH, GAP, *style))?,
            Style::Line | Style::Thin => area.draw(&PathElement::new([(from, y), (to, y)], *style))?,
        }
        area.draw(&Text::new(series.label.as_str(), (to + pad, y), letters.clone()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        let axis = |label: &str, from, to, logarithmic| Axis { label: label.into(), from, to, logarithmic };
        let series = |label: &str, style| Series {
            label: label.into(),
            points: vec![(0.0, 1.0), (0.123_456, 1e-3), (1.0, 0.0)],
            style,
        };
        Chart {
            title: "a title".into(),
            x: axis("x", 0.0, 1.0, false),
            y: axis("y", 1e-6, 1.0, true),
            diagonal: false,
            series: vec![
                series("line", Style::Line),
                series("dashed", Style::Dashed),
                series("marks", Style::Marks),
                series("", Style::Thin),
            ],
            legend: Place::LowerLeft,
        }
    }

    #[test]
    fn lines_have_fractions_of_points_and_end_at_the_border() {
        let svg = chart().svg().unwrap();
        let line = svg.lines().find(|line| line.contains("polyline") && line.contains("#0072b2")).unwrap();
        let points: Vec<(f64, f64)> = line
            .split('"')
            .nth(1)
            .unwrap()
            .split(' ')
            .map(|point| {
                let (x, y) = point.split_once(',').unwrap();
                (x.parse().unwrap(), y.parse().unwrap())
            })
            .collect();
        assert_eq!(points.len(), 3);
        assert!(points[1].0.fract() != 0.0 && points[1].1.fract() != 0.0, "{points:?}");
        // What falls to zero leaves through the lower end of a logarithmic axis, before x = 1.
        assert!(points[2].0 < 450.0 && points[2].1 > points[1].1, "{points:?}");
        let (thin, thick) = (svg.find("#bebebe").unwrap(), svg.find("#0072b2").unwrap());
        assert!(thin < thick, "what is thin is drawn first");
        for text in [">line<", ">dashed<", ">marks<", ">a title<", ">1e-6<"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(chart().pdf().unwrap().starts_with(b"%PDF-1."));
        assert_eq!(chart().svg().unwrap(), svg);
    }

    #[test]
    fn an_axis_without_length_is_refused() {
        let mut chart = chart();
        chart.y.from = 0.0;
        assert!(chart.svg().is_err_and(|error| error.to_string().contains("the axis `y` goes from 0 to 1")));
    }
}
