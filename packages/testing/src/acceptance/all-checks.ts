import type { LogInMode } from "@sallyport/client";
import { allCases } from "./cases/all-cases.ts";
import { caseChecks } from "./cases/case-checks.ts";
import { checkRaw, rawCases } from "./cases/raw-cases.ts";
import { errorChecks } from "./journeys/error-checks.ts";
import { fileChecks } from "./journeys/file-checks.ts";
import type { Journey } from "./journeys/journey.ts";
import { logInChecks } from "./journeys/log-in-checks.ts";
import { macroChecks } from "./journeys/macro-checks.ts";
import { multiChecks } from "./journeys/multi-checks.ts";
import { objectChecks } from "./journeys/object-checks.ts";
import { queryChecks } from "./journeys/query-checks.ts";
import { serviceChecks } from "./journeys/service-checks.ts";
import { synchronizationChecks } from "./journeys/synchronization-checks.ts";
import type { ServerCheck } from "./target/visit.ts";

const journeys: readonly Journey[] = [
  logInChecks,
  objectChecks,
  queryChecks,
  macroChecks,
  fileChecks,
  multiChecks,
  synchronizationChecks,
];

/** The checks of any server, in these modes. */
function checksOfAnyServer(modes: readonly LogInMode[]): ServerCheck[] {
  return [...serviceChecks, ...journeys.flatMap((journey) => modes.flatMap((mode) => journey(mode))), ...errorChecks];
}

/** The checks of a server with the demo: the cases of the product's own suite. */
function checksOfDemo(modes: readonly LogInMode[]): ServerCheck[] {
  return [
    ...Object.entries(allCases).flatMap(([section, cases]) =>
      caseChecks(cases, modes).map(
        ({ title, mode, run }): ServerCheck => ({ section, title, mode, run: ({ demo }) => run(demo) }),
      ),
    ),
    ...rawCases.map(
      (each): ServerCheck => ({
        section: "raw HTTP",
        title: each.title,
        mode: null,
        run: ({ target }) => checkRaw(target.url, each),
      }),
    ),
  ];
}

/** All checks, those of a section together. `hasDemo`: the server has the demo, which gets further checks. */
export function allChecks(modes: readonly LogInMode[], hasDemo: boolean): ServerCheck[] {
  const checks = [...checksOfAnyServer(modes), ...(hasDemo ? checksOfDemo(modes) : [])];
  const sections = [...new Set(checks.map(({ section }) => section))];
  return sections.flatMap((section) => checks.filter((each) => each.section === section));
}
