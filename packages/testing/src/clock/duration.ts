/** Milliseconds, or a number with a unit: `31 min`, `2h`, `90 days`. */
export type Duration = number | string;

const units: ReadonlyMap<string, number> = new Map(
  [
    ["ms", "millisecond", 1] as const,
    ["s", "second", 1_000] as const,
    ["sec", "second", 1_000] as const,
    ["m", "minute", 60_000] as const,
    ["min", "minute", 60_000] as const,
    ["h", "hour", 3_600_000] as const,
    ["d", "day", 86_400_000] as const,
  ].flatMap(([short, word, milliseconds]) => [short, word, `${word}s`].map((name) => [name, milliseconds] as const)),
);

/** Returns milliseconds. Throws a `TypeError` for anything but a positive duration. */
export function millisecondsOf(duration: Duration): number {
  const [, amount, unit] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/.exec(String(duration)) ?? [];
  const milliseconds = typeof duration === "number" ? duration : Number(amount) * (units.get(unit ?? "") ?? Number.NaN);
  if (Number.isFinite(milliseconds) && milliseconds > 0) return Math.round(milliseconds);
  throw new TypeError(`"${duration}" is not a duration, such as "31 min", "2 h" or "90 days".`);
}
