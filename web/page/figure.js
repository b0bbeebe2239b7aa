// A drawing with axes, on the page and as a picture to save.

import { el } from "./dom.js";

const NS = "http://www.w3.org/2000/svg";

/** The width of a character and the minimum length of a side, in CSS pixels. */
const CHAR = 6.7;
const LEAST = 120;

/** The minimum width of a saved picture. */
const WIDE = 1600;

const TOP = 10;
const BOTTOM = 44;
const TITLE = 30;

function svg(name, attributes, ...children) {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

const longest = (ticks) => Math.max(...ticks.map(([, text]) => text.length), 1) * CHAR;

export class Figure {
  /**
   * `room` is the available width, `height` the maximum height, `ratio` the ratio of width to height, or null. `x` and `y` are axes; the positions
   * of `y` count from the top if `isDown`. `bar` is the axis of a color bar, with its `stops`.
   */
  constructor({ room, height, ratio = null, x, y, isDown = false, bar = null }) {
    const many = (length) => Math.max(Math.floor(length / 42), 2);
    const left = longest(y.ticks(many(height))) + 14 + (y.name ? 20 : 0);
    const right = bar ? longest(bar.ticks(many(height))) + 44 + (bar.name ? 20 : 0) : 18;
    const most = Math.max(room - left - right, LEAST);
    const wide = ratio === null ? most : Math.min(most, height * ratio);
    const box = { left, top: TOP, width: Math.max(wide, Math.min(LEAST, most)), height: height };
    if (ratio !== null) box.height = Math.min(Math.max(wide / ratio, LEAST), height);
    this.box = box;
    const down = y.ticks(many(box.height));
    const bars = bar?.ticks(many(box.height)) ?? [];
    this.width = left + box.width + right;
    this.height = box.height + TOP + BOTTOM;
    const across = x.ticks(Math.max(Math.floor(box.width / (longest(x.ticks(5)) + 30)), 1));
    const [bottom, end] = [TOP + box.height, left + box.width];
    const text = (at, down, words, more = {}) =>
      svg("text", { x: at, y: down, fill: "currentColor", ...more }, document.createTextNode(words));
    const stroke = (d) => svg("path", { d, fill: "none", stroke: "currentColor", "stroke-opacity": 0.55 });
    const middle = { "text-anchor": "middle" };
    const inside = ([share]) => share > -1e-6 && share < 1 + 1e-6;
    const axis = (name, ...children) => svg("g", { class: name }, ...children.flat());
    // The name of the y axis reads upwards.
    const upright = (at, words) =>
      text(at, TOP + box.height / 2, words, {
        ...middle,
        transform: `rotate(-90 ${at} ${TOP + box.height / 2})`,
        class: "axis-name",
      });
    const rows = down.filter(inside).map(([share, words]) => [TOP + (isDown ? share : 1 - share) * box.height, words]);
    this.lines = isDown ? [] : rows.map(([at]) => at - TOP);
    this.svg = svg(
      "svg",
      {
        class: "axes",
        viewBox: `0 0 ${this.width} ${this.height}`,
        width: this.width,
        height: this.height,
        "font-family": "system-ui, sans-serif",
        "font-size": 12,
      },
      axis(
        "x-axis",
        across
          .filter(inside)
          .map(([share, words]) => [left + share * box.width, words])
          .flatMap(([at, words]) => [
            stroke(`M${at} ${bottom}v5`),
            text(Math.min(at, this.width - (words.length * CHAR) / 2), bottom + 18, words, middle),
          ]),
        x.name ? text(left + box.width / 2, bottom + 37, x.name, { ...middle, class: "axis-name" }) : [],
      ),
      axis(
        "y-axis",
        rows.flatMap(([at, words]) => [stroke(`M${left} ${at}h-5`), text(left - 9, at + 4, words, { "text-anchor": "end" })]),
        y.name ? upright(12, y.name) : [],
      ),
      bar ? axis("color-bar", ...colorBar(bar, bars, end + 14, box, stroke, text, upright, this.width)) : "",
      stroke(`M${left} ${TOP}h${box.width}v${box.height}h${-box.width}z`),
    );
    this.element = el("div", { class: "figure" }, this.svg);
    this.element.style.width = `${this.width}px`;
  }

  /** Inserts the element that shows values. `paint(context, box, style)` draws them in a saved picture. */
  hold(element, paint) {
    const { left, top, width, height } = this.box;
    Object.assign(element.style, {
      position: "absolute",
      left: `${left}px`,
      top: `${top}px`,
      width: `${width}px`,
      height: `${height}px`,
    });
    this.element.prepend(element);
    this.paint = paint;
  }

  /** A picture with a title. */
  async picture(title) {
    const scale = Math.max(WIDE / this.width, 2);
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(this.width * scale);
    canvas.height = Math.round((this.height + TITLE) * scale);
    const context = canvas.getContext("2d");
    const style = getComputedStyle(this.element);
    const color = style.getPropertyValue("--text");
    context.scale(scale, scale);
    context.fillStyle = style.getPropertyValue("--card");
    context.fillRect(0, 0, this.width, this.height + TITLE);
    context.fillStyle = color;
    context.font = "600 14px system-ui, sans-serif";
    context.fillText(title, 12, 22, this.width - 24);
    context.translate(0, TITLE);
    const { left, top } = this.box;
    context.save();
    context.translate(left, top);
    this.paint(context, this.box, style);
    context.restore();
    const axes = /** @type {SVGElement} */ (this.svg.cloneNode(true));
    axes.setAttribute("color", color.trim());
    axes.setAttribute("width", String(canvas.width));
    axes.setAttribute("height", String(this.height * scale));
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(axes))}`;
    await image.decode();
    context.drawImage(image, 0, 0, this.width, this.height);
    return canvas;
  }
}

function colorBar(bar, ticks, at, box, stroke, text, upright, width) {
  const last = bar.stops.length - 1;
  const stops = bar.stops.map((color, place) => svg("stop", { offset: 1 - place / last, "stop-color": `rgb(${color.join(" ")})` }));
  // Gradients start at the top, with the highest value.
  const gradient = svg("linearGradient", { id: "colors", x1: 0, x2: 0, y1: 0, y2: 1 }, ...stops.reverse());
  return [
    gradient,
    svg("rect", { x: at, y: TOP, width: 14, height: box.height, fill: "url(#colors)" }),
    stroke(`M${at} ${TOP}h14v${box.height}h-14z`),
    ...ticks
      .filter(([share]) => share > -1e-6 && share < 1 + 1e-6)
      .flatMap(([share, words]) => {
        const y = TOP + (1 - share) * box.height;
        return [stroke(`M${at + 14} ${y}h5`), text(at + 22, y + 4, words)];
      }),
    ...(bar.name ? [upright(width - 6, bar.name)] : []),
  ];
}
