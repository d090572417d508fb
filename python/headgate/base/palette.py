"""The colours of all figures, once.

Source: Okabe and Ito 2008, "Color universal design": most people who see few colours can distinguish them. Their yellow is left out,
since it is too pale for lines. No figure relies on colour alone: lines differ in dashes, and points in markers.
"""

BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK = "#E69F00", "#56B4E9", "#000000"

#: In the order in which series take them.
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)

#: Colours of everything except series: reference lines, notes, the grid, the background of a panel.
INK, GREY, PALE, GRID, GROUND = "#222222", "#666666", "#999999", "#dddddd", "#eeeeee"
