import type { ConformanceRun } from "../run-checks.ts";
import { type Speed, worstOf } from "../speed/measure-speed.ts";
import { counted } from "./counted.ts";
import { totalsOf } from "./totals.ts";

export interface Badge {
  readonly label: string;
  readonly message: string;
  /** As `#rrggbb`. */
  readonly color: string;
}

const [green, grey, red, yellow] = ["#2e7d32", "#616161", "#b71c1c", "#f9a825"];

/** `speeds`: the measured ones. The badge shows the worst light of them; without any it shows the checks alone. */
export function badgeOf(
  { results, strayErrors }: Pick<ConformanceRun, "results" | "strayErrors">,
  speeds: readonly Pick<Speed, "light">[] = [],
): Badge {
  const label = "sallyport storage";
  const { run, failed, notImplemented } = totalsOf(results);
  if (failed > 0) return { label, message: `${failed} of ${counted(run, "check")} failed`, color: red };
  if (strayErrors.length > 0) return { label, message: counted(strayErrors.length, "stray error"), color: red };
  if (notImplemented > 0)
    return { label, message: `${run - notImplemented} of ${counted(run, "check")} passed`, color: grey };
  const message = `${counted(run, "check")} passed`;
  if (speeds.length === 0) return { label, message, color: green };
  const light = worstOf(speeds);
  return { label, message: `${message}, speed ${light}`, color: { green, yellow, red }[light] };
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
