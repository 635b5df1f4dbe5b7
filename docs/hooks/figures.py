"""Figures of papers in two colour schemes."""

import re

#: Lightness of the dark background, as in src/picture/theme.rs.
GROUND = 0.09


def dark(svg):
    """The same SVG for a dark background: hue and saturation stay, lightness is inverted, as in src/picture/theme.rs."""
    return re.sub(r'"#([0-9a-fA-F]{6})"', lambda found: f'"{inverted(found[1])}"', svg)


def inverted(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    most, least = max(parts), min(parts)
    light, chroma = (most + least) / 2, most - least
    saturation = chroma / (1 - abs(2 * light - 1)) if chroma else 0
    light = GROUND + (1 - GROUND) * (1 - light)
    wide = saturation * (1 - abs(2 * light - 1))
    mixed = [light + ((part - least) / chroma - 0.5 if chroma else 0) * wide for part in parts]
    return "#" + "".join(f"{min(max(round(255 * part), 0), 255):02x}" for part in mixed)


def both(caption, target):
    """Markdown of a figure: the reader sees the picture of their colour scheme."""
    return f"![{caption}]({target}#only-light)![{caption}]({target.removesuffix('.svg')}-dark.svg#only-dark)"
