import type { ContractCoverage } from "./contract-coverage.ts";

const label = "contract";
const [good, fair, poor] = ["#2e7d32", "#8a6d00", "#b71c1c"];

/** Pixels: the average width of a character, and the margin of a text. The SVG stretches each text to fit. */
const [character, margin] = [6.6, 7];

/** A coverage as an SVG image, with a trailing newline. */
export function coverageBadge({ codes, routes }: ContractCoverage): string {
  const message = `${codes.exercised.length} codes, ${routes.percent} % of routes`;
  const color = routes.percent >= 80 ? good : routes.percent >= 40 ? fair : poor;
  const [left, right] = [widthOf(label), widthOf(message)];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${message}">
  <title>${label}: ${message}</title>
  <rect width="${left}" height="20" fill="#444"/>
  <rect x="${left}" width="${right}" height="20" fill="${color}"/>
  <g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">
    <text x="${margin}" y="14" textLength="${left - 2 * margin}">${label}</text>
    <text x="${left + margin}" y="14" textLength="${right - 2 * margin}">${message}</text>
  </g>
</svg>
`;
}

function widthOf(text: string): number {
  return Math.round(text.length * character) + 2 * margin;
}
