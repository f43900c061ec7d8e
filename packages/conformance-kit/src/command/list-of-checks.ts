import type { Check } from "../check.ts";

/** Sections and their checks, one to a line; ends with a line break. */
export function listOfChecks(checks: readonly Check[]): string {
  const sections = new Set(checks.map(({ section }) => section));
  const lines = [...sections].flatMap((section) => [
    section,
    ...checks.filter((check) => check.section === section).map(({ name }) => `  ${name}`),
  ]);
  return `${lines.join("\n")}\n`;
}
