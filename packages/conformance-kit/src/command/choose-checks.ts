import type { Check } from "../check.ts";
import type { CommandOptions } from "./command-options.ts";
import { UsageError } from "./usage-error.ts";

/** The checks that the options name: all of them, unless they name some. */
export function chooseChecks(
  checks: readonly Check[],
  { sections, checks: names }: Pick<CommandOptions, "sections" | "checks">,
): readonly Check[] {
  const known = {
    section: new Set(checks.map(({ section }) => section)),
    check: new Set(checks.map(({ name }) => name)),
  };
  const unknown = [
    ...sections.filter((name) => !known.section.has(name)).map((name) => `section "${name}"`),
    ...names.filter((name) => !known.check.has(name)).map((name) => `check "${name}"`),
  ];
  if (unknown.length > 0) throw new UsageError(`There is no ${unknown.join(" and no ")}. --list tells what there is.`);
  if (sections.length + names.length === 0) return checks;
  return checks.filter(({ section, name }) => sections.includes(section) || names.includes(name));
}

/** Sections and their checks, one to a line; ends with a line break. */
export function listOfChecks(checks: readonly Check[]): string {
  const sections = new Set(checks.map(({ section }) => section));
  const lines = [...sections].flatMap((section) => [
    section,
    ...checks.filter((check) => check.section === section).map(({ name }) => `  ${name}`),
  ]);
  return `${lines.join("\n")}\n`;
}
