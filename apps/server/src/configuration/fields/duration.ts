import { z } from "zod";
import { asIs, type Kind, refusal } from "./kind.ts";

const units: ReadonlyMap<string, number> = new Map([
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
]);

const form = /^(\d{1,9})(ms|s|m|h|d)$/;

/** A length of time, spelled as a whole number and a unit (`500ms`, `15s`, `30m`, `12h`, `7d`); milliseconds once read. */
export function duration(from: string, to: string): Kind<number> {
  const wanted = `a duration from "${from}" to "${to}", such as "15s" or "30m"`;
  const [least, most] = [millisecondsOf(from), millisecondsOf(to)];
  const schema = z.string(refusal(wanted)).transform((text, context) => {
    const milliseconds = millisecondsOf(text);
    if (milliseconds >= least && milliseconds <= most) return milliseconds;
    context.addIssue({ code: "custom", message: `must be ${wanted}` });
    return z.NEVER;
  });
  return { type: `duration ${from}–${to}`, schema, fromText: asIs, toFile: durationText };
}

/** The shortest spelling of a number of milliseconds. */
export function durationText(milliseconds: number): string {
  for (const [unit, size] of units) {
    if (milliseconds >= size && milliseconds % size === 0) return `${milliseconds / size}${unit}`;
  }
  return "0s";
}

function millisecondsOf(text: string): number {
  const [, count, unit] = form.exec(text) ?? [];
  return Number(count) * (units.get(unit ?? "") ?? Number.NaN);
}
