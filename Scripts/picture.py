#!/usr/bin/env python3
"""Draws quality against rate: picture.py README OUT.svg

Reads the table of README whose first column is "kbit/s, stereo": a column for each encoder, the mean ODG in a cell.
"""
import sys

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 400, 60, 20, 110, 50
COLOURS = ["#c0392b", "#2c3e50", "#2980b9", "#27ae60", "#8e44ad", "#7f8c8d"]
LOW, HIGH = -3.5, 0.25


def table(path):
    rows = []
    for line in open(path):
        if line.startswith("| kbit/s, stereo"):
            rows = [[cell.strip() for cell in line.strip("|\n ").split("|")]]
        elif rows and line.startswith("|"):
            cells = [cell.strip().strip("*") for cell in line.strip("|\n ").split("|")]
            if not set(cells[0]) <= set("-: "):
                rows.append(cells)
        elif rows:
            break
    return rows


def main():
    names, *rows = table(sys.argv[1])
    rates = [float(row[0]) for row in rows]

    def x(rate):
        return LEFT + (rate - rates[0]) / (rates[-1] - rates[0]) * (WIDTH - LEFT - RIGHT)

    def y(grade):
        return TOP + (HIGH - grade) / (HIGH - LOW) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for grade in range(-3, 1):
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(grade):.1f}" y2="{y(grade):.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 10}" y="{y(grade) + 4:.1f}" text-anchor="end">{grade}</text>')
    for rate in rates:
        out.append(f'<text x="{x(rate):.1f}" y="{HEIGHT - BOTTOM + 22}" text-anchor="middle">{rate:g}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">kbit/s, stereo</text>')
    out.append(f'<text x="16" y="{HEIGHT / 2}" transform="rotate(-90 16 {HEIGHT / 2})" text-anchor="middle">mean ODG</text>')
    # Labels beside the last points, moved apart where they would touch.
    ends = sorted(((y(float(rows[-1][column])), column) for column in range(1, len(names))))
    place, labels = TOP, {}
    for end, column in ends:
        place = max(end + 4, place + 16)
        labels[column] = place
    for column in range(1, len(names)):
        colour = COLOURS[(column - 1) % len(COLOURS)]
        points = " ".join(f"{x(rate):.1f},{y(float(row[column])):.1f}" for rate, row in zip(rates, rows))
        width = 3 if column == 1 else 1.5
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}"/>')
        out.append(f'<text x="{WIDTH - RIGHT + 8}" y="{labels[column]:.1f}" fill="{colour}">{names[column]}</text>')
    out.append("</svg>")
    open(sys.argv[2], "w").write("\n".join(out) + "\n")


main()
