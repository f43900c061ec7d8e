const day = 24 * 60 * 60 * 1000;

/** The date that many days after another, both as `yyyy-MM-dd`. */
export function dayAfter(start: string, days: number): string {
  return new Date(Date.parse(start) + days * day).toISOString().slice(0, 10);
}
