//! A chart, and how it is drawn.

use enclosure::Portable;
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

/// Colours that most readers can distinguish (Okabe and Ito).
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
    /// The series, in drawing order.
    pub series: Vec<Series>,
    /// Where the legend is.
    pub legend: Place,
    /// Does the second dashed line belong to the second solid one, whose colour it then has? Otherwise each line has
    /// its own colour, as far as the palette suffices.
    pub paired: bool,
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
    /// Wherever the least is covered; above, to the right, where that is the same.
    Free,
}

/// Why a picture cannot be drawn.
#[derive(Debug)]
pub struct Undrawn(String);

impl fmt::Display for Undrawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot draw the picture: {}", self.0)
    }
}

impl std::error::Error for Undrawn {}

/// Colour of unsound claims.
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
/// Around them; and around a legend below the chart, in points.
const PAD: i32 = fine(7) as i32;
const MARGIN: u32 = 8;

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
        let (size, shapes) = self.themed(theme)?;
        Ok(svg(size, &shapes, theme.paper()))
    }

    /// As PDF.
    pub fn pdf_on(&self, theme: Theme) -> Result<Vec<u8>, Undrawn> {
        let (size, shapes) = self.themed(theme)?;
        Ok(pdf(size, &shapes, theme.paper()))
    }

    /// As PNG.
    pub fn png_on(&self, theme: Theme) -> Result<Vec<u8>, Undrawn> {
        let (size, shapes) = self.themed(theme)?;
        png(size, &shapes, theme.paper()).map_err(Undrawn)
    }

    fn themed(&self, theme: Theme) -> Result<((u32, u32), Vec<Shape>), Undrawn> {
        let (size, shapes) = self.shapes()?;
        Ok((size, shapes.into_iter().map(|shape| theme.shape(shape)).collect()))
    }

    /// The size of the picture, and what is in it.
    fn shapes(&self) -> Result<((u32, u32), Vec<Shape>), Undrawn> {
        for axis in [&self.x, &self.y] {
            let (from, to) = axis.ends();
            if !(from.is_finite() && to.is_finite() && from < to) {
                return Err(Undrawn(format!(
                    "axis `{}` has an invalid range, {} to {}",
                    axis.label, axis.from, axis.to
                )));
            }
        }
        let drawn = |size, below| {
            let mut shapes = Vec::new();
            let area = Sheet::new(size, &mut shapes).into_drawing_area();
            let hidden = self.draw(&area, below).map_err(|error| Undrawn(error.to_string()))?;
            drop(area);
            Ok((shapes, hidden))
        };
        let (shapes, hidden) = drawn(SIZE, false)?;
        if self.legend != Place::Free || hidden == 0 {
            return Ok((SIZE, shapes));
        }
        // No corner is free, so the legend is placed below the chart.
        let lines = self.series.iter().filter(|series| !series.label.is_empty()).count() as u32;
        let size = (SIZE.0, SIZE.1 + lines * PITCH as u32 / FINE + 2 * MARGIN);
        Ok((size, drawn(size, true)?.0))
    }

    /// How much the legend hides, if it is not below.
    fn draw(&self, whole: &DrawingArea<Sheet<'_>, Shift>, below: bool) -> Result<usize, Box<dyn std::error::Error>> {
        let (area, foot) = whole.split_vertically(fine(SIZE.1));
        let area = &area;
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
        // Where lines and marks are, in plotters' pixels.
        let mut covered: Vec<Vec<(i32, i32)>> = Vec::new();
        let solids = self.series.iter().filter(|series| series.style == Style::Line).count();
        let first_dashed = if self.paired { 0 } else { solids };
        let mut solid = COLOURS.iter().cycle().peekable();
        // After all colours come shorter dashes.
        let dashes = [DASH, DASH / 3];
        let each = |dash: u32| COLOURS.iter().map(move |colour| (colour, dash));
        let mut dashed = dashes.into_iter().flat_map(each).cycle().skip(first_dashed);
        // Marks begin with black, and go on with the colours that lines come to last.
        let mut marked = std::iter::once(&BLACK).chain(COLOURS.iter().rev().skip(1)).cycle();
        // Thin series are in the background.
        let (thin, others): (Vec<_>, Vec<_>) = self.series.iter().partition(|series| series.style == Style::Thin);
        for series in thin.into_iter().chain(others) {
            let mut dash = DASH;
            let colour = match series.style {
                Style::Thin => RGBColor(190, 190, 190),
                Style::Marks => *marked.next().unwrap_or(&BLACK),
                Style::Line => *solid.next().unwrap_or(&BLACK),
                Style::Dashed => {
                    let (colour, length) = dashed.next().unwrap_or((&BLACK, DASH));
                    dash = length;
                    *colour
                }
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
                    let inside: Vec<_> = inside.collect();
                    covered.extend(inside.iter().map(|at| vec![chart.backend_coord(at)]));
                    chart.draw_series(inside.into_iter().map(|at| Circle::new(at, MARK, colour.filled())))?;
                }
                Style::Marks => {
                    let inside = points.filter(|&(x, y)| left <= x && x <= right && bottom <= y && y <= top);
                    let inside: Vec<_> = inside.collect();
                    covered.extend(inside.iter().map(|at| vec![chart.backend_coord(at)]));
                    chart.draw_series(inside.into_iter().map(|at| Circle::new(at, MARK, style)))?;
                }
                Style::Dashed => {
                    for piece in clip::clipped(points, (left, right), (bottom, top)) {
                        covered.push(piece.iter().map(|at| chart.backend_coord(at)).collect());
                        chart.draw_series(DashedLineSeries::new(piece, dash, GAP, style))?;
                    }
                }
                Style::Line | Style::Thin => {
                    for piece in clip::clipped(points, (left, right), (bottom, top)) {
                        covered.push(piece.iter().map(|at| chart.backend_coord(at)).collect());
                        chart.draw_series(LineSeries::new(piece, style))?;
                    }
                }
            }
            if !series.label.is_empty() {
                styles.push(Entry { series, style, dash });
            }
        }
        // Background series are last in the legend.
        styles.sort_by_key(|entry| entry.series.style == Style::Thin);
        let (across, down) = chart.plotting_area().get_pixel_range();
        if below {
            let (left, top) = (across.start, foot.get_pixel_range().1.start - fine(MARGIN / 2) as i32);
            entries(whole, &styles, (left, top))?;
            whole.present()?;
            return Ok(0);
        }
        let hidden = legend(area, self.legend, &styles, (across, down), &covered)?;
        whole.present()?;
        Ok(hidden)
    }
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

/// A line of the legend.
struct Entry<'a> {
    series: &'a Series,
    style: ShapeStyle,
    dash: u32,
}

/// A box in a corner, with a sample of each series and its name. How much it hides.
fn legend(
    area: &DrawingArea<Sheet<'_>, Shift>,
    place: Place,
    entries: &[Entry<'_>],
    (across, down): (Range<i32>, Range<i32>),
    covered: &[Vec<(i32, i32)>],
) -> Result<usize, Box<dyn std::error::Error>> {
    if entries.is_empty() {
        return Ok(0);
    }
    let pad = PAD;
    let widest = entries.iter().map(|entry| font::width(&entry.series.label, f64::from(LETTERS))).fold(0.0, f64::max);
    let width = SAMPLE + widest.ceil() as i32 + 3 * pad;
    let height = PITCH * entries.len() as i32 + pad;
    let corner = |place| {
        let left = match place {
            Place::UpperLeft | Place::LowerLeft => across.start + pad,
            Place::UpperRight | Place::LowerRight | Place::Free => across.end - pad - width,
        };
        let top = match place {
            Place::UpperLeft | Place::UpperRight | Place::Free => down.start + pad,
            Place::LowerLeft | Place::LowerRight => down.end - pad - height,
        };
        [(left, top), (left + width, top + height)]
    };
    let places = [Place::UpperRight, Place::LowerLeft, Place::UpperLeft, Place::LowerRight];
    let free = places.into_iter().min_by_key(|place| hidden(covered, corner(*place)));
    let corners = corner(if place == Place::Free { free.unwrap_or_default() } else { place });
    area.draw(&Rectangle::new(corners, WHITE.filled()))?;
    area.draw(&Rectangle::new(corners, BLACK.mix(0.3).stroke_width(THIN / 2)))?;
    self::entries(area, entries, corners[0])?;
    Ok(hidden(covered, corners))
}

/// The lines of a legend from this place on.
fn entries(area: &DrawingArea<Sheet<'_>, Shift>, entries: &[Entry<'_>], (left, top): (i32, i32)) -> Drawn {
    let pad = PAD;
    let letters = ("sans-serif", f64::from(LETTERS)).into_font().into_text_style(area);
    let letters = letters.pos(Pos::new(HPos::Left, VPos::Center));
    for (index, Entry { series, style, dash }) in entries.iter().enumerate() {
        let y = top + pad / 2 + PITCH * index as i32 + PITCH / 2;
        let (from, to) = (left + pad, left + pad + SAMPLE);
        match series.style {
            Style::Marks => area.draw(&Circle::new((i32::midpoint(from, to), y), MARK, *style))?,
            Style::Unsound => area.draw(&Circle::new((i32::midpoint(from, to), y), MARK, RED.filled()))?,
            Style::Band => {}
            Style::Dashed => area.draw(&DashedPathElement::new([(from, y), (to, y)], *dash, GAP, *style))?,
            Style::Line | Style::Thin => area.draw(&PathElement::new([(from, y), (to, y)], *style))?,
        }
        area.draw(&Text::new(series.label.as_str(), (to + pad, y), letters.clone()))?;
    }
    Ok(())
}

/// How much of the lines and marks lies inside of a box: places along them, a point of the picture apart.
fn hidden(covered: &[Vec<(i32, i32)>], [(left, top), (right, bottom)]: [(i32, i32); 2]) -> usize {
    let inside = |(x, y): (f64, f64)| {
        f64::from(left) <= x && x <= f64::from(right) && f64::from(top) <= y && y <= f64::from(bottom)
    };
    let along = |from: (i32, i32), to: (i32, i32)| {
        let (from, to) = ((f64::from(from.0), f64::from(from.1)), (f64::from(to.0), f64::from(to.1)));
        let steps = ((to.0 - from.0).portable_hypot(to.1 - from.1) / f64::from(fine(1))).ceil().max(1.0);
        let at = move |i: usize| {
            let share = i as f64 / steps;
            (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1))
        };
        (0..steps as usize).filter(|&i| inside(at(i))).count()
    };
    let of_piece = |piece: &Vec<(i32, i32)>| match piece.as_slice() {
        // A mark is as much as a line that is as long.
        [(x, y)] if inside((f64::from(*x), f64::from(*y))) => (2 * MARK / FINE) as usize,
        points => points.windows(2).map(|ends| along(ends[0], ends[1])).sum(),
    };
    covered.iter().map(of_piece).sum()
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
            paired: true,
        }
    }

    /// The legend covers no curve, and unpaired lines have their own colours.
    #[test]
    fn the_legend_hides_nothing() {
        let free = |points: Vec<(f64, f64)>| {
            let line = Series { label: "line".into(), points, style: Style::Line };
            let dashed = Series { style: Style::Dashed, ..line.clone() };
            let mut chart = Chart { legend: Place::Free, paired: false, series: vec![line, dashed], ..chart() };
            chart.y = Axis { logarithmic: false, from: 0.0, ..chart.y };
            let svg = chart.svg().unwrap();
            let name = svg.lines().find(|line| line.contains(">line<")).unwrap();
            let at = |key: &str| name.split(&format!(" {key}=\"")).nth(1).unwrap().split('"').next().unwrap().parse();
            let at: [f64; 2] = [at("x").unwrap(), at("y").unwrap()];
            assert!(svg.contains("#0072b2") && svg.contains("#d55e00"));
            (at[0] > 240.0, at[1] > 180.0)
        };
        assert_eq!(free(vec![(0.0, 0.5), (0.4, 0.01), (1.0, 0.0)]), (true, false));
        assert_eq!(free(vec![(0.0, 1.0), (0.9, 0.9), (1.0, 0.1)]), (false, true));
        assert_eq!(free(vec![(0.0, 1.0), (1.0, 0.0)]), (true, false));
        // Below the chart where each corner is taken.
        let everywhere = (0..=40).map(|i| (f64::from(i) / 40.0, f64::from(i % 2))).collect();
        let line = Series { label: "line".into(), points: everywhere, style: Style::Line };
        let mut chart = Chart { legend: Place::Free, series: vec![line; 2], ..chart() };
        chart.y = Axis { logarithmic: false, from: 0.0, ..chart.y };
        assert!(chart.svg().unwrap().contains(&format!("height=\"{}\"", 360 + 2 * 15 + 16)));
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
        assert!(chart.svg().is_err_and(|error| error.to_string().contains("axis `y` has an invalid range, 0 to 1")));
    }
}
