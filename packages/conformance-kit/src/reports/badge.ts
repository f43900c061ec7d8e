import type { ConformanceRun } from "../run-checks.ts";
import { counted } from "./counted.ts";
import { totalsOf } from "./totals.ts";

export interface Badge {
  readonly label: string;
  readonly message: string;
  /** As `#rrggbb`. */
  readonly color: string;
}

const [green, grey, red] = ["#2e7d32", "#616161", "#b71c1c"];

export function badgeOf({ results, strayErrors }: Pick<ConformanceRun, "results" | "strayErrors">): Badge {
  const label = "sallyport storage";
  const { run, failed, notImplemented } = totalsOf(results);
  if (failed > 0) return { label, message: `${failed} of ${counted(run, "check")} failed`, color: red };
  if (strayErrors.length > 0) return { label, message: counted(strayErrors.length, "stray error"), color: red };
  if (notImplemented > 0)
    return { label, message: `${run - notImplemented} of ${counted(run, "check")} passed`, color: grey };
  return { label, message: `${counted(run, "check")} passed`, color: green };
}

/** A badge as JSON for a shields.io endpoint, with a trailing newline. */
export function badgeEndpoint({ label, message, color }: Badge): string {
  return `${JSON.stringify({ schemaVersion: 1, label, message, color }, null, 2)}\n`;
}

/** Pixels: the average width of a letter and the margin of a text. The SVG stretches each text to fit. */
const letter = 6.6;
const margin = 7;
const height = 20;

/** A badge as a standalone SVG image, with a trailing newline. */
export function badgeSvg({ label, message, color }: Badge): string {
  const [left, right] = [widthOf(label), widthOf(message)];
  const title = escaped(`${label}: ${message}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${height}" role="img" aria-label="${title}">
  <title>${title}</title>
  <clipPath id="corners"><rect width="${left + right}" height="${height}" rx="3"/></clipPath>
  <g clip-path="url(#corners)">
    <rect width="${left}" height="${height}" fill="#444"/>
    <rect x="${left}" width="${right}" height="${height}" fill="${escaped(color)}"/>
  </g>
  <g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">
    <text x="${margin}" y="14" textLength="${left - 2 * margin}">${escaped(label)}</text>
    <text x="${left + margin}" y="14" textLength="${right - 2 * margin}">${escaped(message)}</text>
  </g>
</svg>
`;
}

function widthOf(text: string): number {
  return Math.round(text.length * letter) + 2 * margin;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
