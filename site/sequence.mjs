/** Draws the sequence diagrams of Mermaid as SVG. `style.css` of the theme has the colors. */

const font = { size: 12, width: 6.1, line: 16 };
const gap = { edge: 12, text: 20, row: 16, box: 34 };

/** Width in pixels below which readers scroll the picture instead of reading smaller texts. */
const smallest = 740;

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escaped = (text) => text.replaceAll(/[&<>]/g, (character) => escapes[character]);
const linesOf = (text) => text.trim().split(/<br\s*\/?>/);
const widthOf = (lines) => Math.max(...lines.map((line) => line.length)) * font.width;

/** Parses the diagram. Throws for syntax that this file does not draw. */
function parse(source) {
  const actors = new Map();
  const steps = [];
  for (const line of source.split("\n").map((each) => each.trim())) {
    const actor = /^(?:participant|actor) (\w+)(?: as (.+))?$/.exec(line);
    const note = /^Note over (\w+)(?:,\s*(\w+))?: (.+)$/.exec(line);
    const message = /^(\w+)\s*(-{1,2})>>\s*(\w+): (.+)$/.exec(line);
    if (actor) actors.set(actor[1], actor[2] ?? actor[1]);
    else if (note) steps.push({ kind: "note", from: note[1], to: note[2] ?? note[1], lines: linesOf(note[3]) });
    else if (message) {
      const [, from, dashes, to, text] = message;
      steps.push({ kind: "message", from, to, dashed: dashes === "--", lines: linesOf(text) });
    } else if (line !== "" && line !== "sequenceDiagram") throw new Error(`No sequence diagram has this line: ${line}`);
  }
  const names = [...actors.keys()];
  for (const step of steps) {
    step.from = names.indexOf(step.from);
    step.to = names.indexOf(step.to);
    if (step.from < 0 || step.to < 0) throw new Error("A participant is not declared.");
    step.width = widthOf(step.lines) + gap.text;
  }
  return { labels: [...actors.values()], steps };
}

/** The horizontal centers of the participants, and the width of the picture. */
function columns(labels, steps) {
  const boxes = labels.map((label) => widthOf([label]) + gap.text);
  const half = (index) => (boxes[index] ?? 0) / 2;
  // Distances between neighbours; the first and the last lead to the edges.
  const distances = Array.from({ length: labels.length + 1 }, (_, index) =>
    Math.max(half(index - 1) + half(index) + gap.text, gap.text),
  );
  const widen = (index, width) => void (distances[index] = Math.max(distances[index], width));
  for (const { kind, from, to, width } of steps) {
    const [left, right] = [Math.min(from, to), Math.max(from, to)];
    if (left < right) {
      const between = distances.slice(left + 1, right + 1).reduce((sum, each) => sum + each, 0);
      distances[right] += Math.max(0, width - between);
    } else if (kind === "note") [left, left + 1].forEach((index) => widen(index, width / 2 + gap.edge));
    // The text of a message to oneself covers the lines that it crosses.
    else if (right === labels.length - 1) widen(right + 1, width + 2 * gap.text);
  }
  let at = 0;
  const centers = labels.map((_, index) => (at += distances[index]));
  return { centers, boxes, width: at + distances[labels.length] };
}

function texts(lines, x, y, kind) {
  return lines
    .map((line, index) => `<text class="${kind}" x="${x}" y="${y + index * font.line}">${escaped(line)}</text>`)
    .join("");
}

export function drawSequence(source) {
  const { labels, steps } = parse(source);
  const { centers, boxes, width } = columns(labels, steps);
  const parts = [];
  let y = gap.edge + gap.box + gap.row;
  for (const { kind, from, to, lines, dashed, width: wide } of steps) {
    const [start, end] = [centers[from], centers[to]];
    const middle = (start + end) / 2;
    const height = lines.length * font.line;
    if (kind === "note") {
      const across = Math.max(wide, Math.abs(end - start));
      parts.push(`<rect class="note" x="${middle - across / 2}" y="${y}" width="${across}" height="${height + 10}"/>`);
      parts.push(texts(lines, middle, y + font.line + 1, "inside"));
      y += height + 10;
    } else if (from === to) {
      parts.push(arrow(`M${start} ${y + 4}h${gap.text}v${height}H${start}`, dashed));
      parts.push(texts(lines, start + gap.text + 8, y + font.line, "beside"));
      y += height + 8;
    } else {
      parts.push(texts(lines, middle, y + font.line - 5, "above"));
      y += height + 2;
      parts.push(arrow(`M${start} ${y}H${end}`, dashed));
    }
    y += gap.row;
  }
  const actors = labels.map((label, index) => {
    const [x, w] = [centers[index], boxes[index]];
    const box = `<rect class="actor" x="${x - w / 2}" y="${gap.edge}" width="${w}" height="${gap.box}" rx="4"/>`;
    const line = `<path class="lifeline" d="M${x} ${gap.edge + gap.box}V${y}"/>`;
    return line + box + texts([label], x, gap.edge + gap.box / 2 + 4, "inside");
  });
  const head =
    '<marker id="sequence-arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">';
  return `<svg class="sequence" viewBox="0 0 ${width} ${y + gap.edge}" width="${width}" style="min-width:${Math.min(width, smallest)}px" role="img" font-size="${font.size}"><defs>${head}<path d="M0 0L8 4L0 8z"/></marker></defs>${actors.join("")}${parts.join("")}</svg>`;
}

function arrow(path, dashed) {
  return `<path class="arrow${dashed ? " dashed" : ""}" d="${path}" marker-end="url(#sequence-arrow)"/>`;
}
