import type { ContractCoverage, Part } from "./contract-coverage.ts";

/** Names of one kind that the text shows. */
const shown = 8;

const share = ({ exercised, missing }: Part<unknown>) => `${exercised.length} of ${exercised.length + missing.length}`;

/** A coverage for a terminal, with a trailing newline. */
export function coverageText(coverage: ContractCoverage): string {
  const { routes, codes, pairs, administration, modes, neverWithoutSession } = coverage;
  const hasAdministration = administration.exercised.length > 0;
  const lines = [
    "Contract coverage",
    `  ${share(routes)} routes (${routes.percent} %)`,
    ...listOf("never called", routes.missing),
    `  ${share(codes)} codes (${codes.percent} %)`,
    ...listOf("never answered", codes.missing),
    `  ${share(pairs)} codes of routes (${pairs.percent} %)`,
    ...(hasAdministration
      ? [
          `  ${share(administration)} routes of administration (${administration.percent} %)`,
          ...listOf("never called", administration.missing),
        ]
      : []),
    ...(modes === null ? [] : [`  ${share(modes)} log-in modes`, ...listOf("without a success", modes.missing)]),
    ...(neverWithoutSession === null || neverWithoutSession.length === 0
      ? []
      : [`  ${neverWithoutSession.length} routes never called without a session`, ...listOf("", neverWithoutSession)]),
  ];
  return `${lines.join("\n")}\n`;
}

function listOf(title: string, all: readonly (string | number)[]): string[] {
  if (all.length === 0) return [];
  const rest = all.length > shown ? ` and ${all.length - shown} more` : "";
  return [`      ${title === "" ? "" : `${title}: `}${all.slice(0, shown).join(", ")}${rest}`];
}
