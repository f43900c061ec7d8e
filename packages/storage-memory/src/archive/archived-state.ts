import type { State } from "../state.ts";

/** The tables of what an archive can hold. */
const archivedTables = [
  "accounts",
  "accountNames",
  "appKeys",
  "appKeyDigests",
  "applications",
  "audit",
  "auditTallies",
  "classes",
  "customAccounts",
  "departures",
  "identityLinks",
  "identityProviders",
  "keys",
  "links",
  "macros",
  "numbers",
  "objects",
  "passwordHistory",
  "secondFactors",
  "stamps",
  "switches",
  "uuids",
] as const satisfies readonly (keyof State)[];

export type ArchivedState = Pick<State, (typeof archivedTables)[number]>;

/** The state as it is now, whatever becomes of it. What the tables hold is never changed, so only they are copied. */
export function copyOf(state: State): ArchivedState {
  return Object.fromEntries(archivedTables.map((name) => [name, state[name].copy()])) as unknown as ArchivedState;
}

/** Puts a whole state into the place of what is there. */
export function replaceState(state: State, other: ArchivedState): void {
  for (const name of archivedTables) state[name].replace(other[name] as never);
}

/** Whether there is nothing that an archive could hold but what a migration leaves. */
export function isUntouched(state: State): boolean {
  const {
    accounts,
    appKeys,
    applications,
    audit,
    auditTallies,
    customAccounts,
    departures,
    identityLinks,
    identityProviders,
    keys,
    macros,
    numbers,
    objects,
    passwordHistory,
    secondFactors,
  } = state;
  const tables = [
    accounts,
    appKeys,
    applications,
    audit,
    auditTallies,
    customAccounts,
    departures,
    identityLinks,
    identityProviders,
    keys,
    macros,
    objects,
    passwordHistory,
    secondFactors,
  ];
  return tables.every((table) => table.entries().next().done === true) && numbers.get("modelGeneration") === 1;
}
