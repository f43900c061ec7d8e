import type { State } from "../state.ts";

/** The tables of what an archive can hold. */
const archivedTables = [
  "accounts",
  "accountNames",
  "appKeys",
  "appKeyDigests",
  "audit",
  "auditTallies",
  "classes",
  "tombstones",
  "links",
  "numbers",
  "objects",
  "stamps",
  "switches",
  "uuids",
] as const satisfies readonly (keyof State)[];

export type ArchivedState = Pick<State, (typeof archivedTables)[number] | "records">;

/** The state as it is now, whatever becomes of it. What the tables hold is never changed, so only they are copied. */
export function copyOf(state: State): ArchivedState {
  return Object.fromEntries(
    [...archivedTables, "records" as const].map((name) => [name, state[name].copy()]),
  ) as unknown as ArchivedState;
}

/** Puts a whole state into the place of what is there. */
export function replaceState(state: State, other: ArchivedState): void {
  for (const name of archivedTables) state[name].replace(other[name] as never);
  // Those that are there have a lifetime, and go on.
  for (const [key, record] of other.records.entries()) state.records.set(key, record);
}

/** Whether there is nothing that an archive could hold but what a migration leaves. */
export function isUntouched(state: State): boolean {
  const { accounts, appKeys, audit, auditTallies, tombstones, numbers, objects, records } = state;
  const tables = [accounts, appKeys, audit, auditTallies, tombstones, objects];
  return (
    tables.every((table) => table.entries().next().done === true) &&
    [...records.values()].every(({ expiresAt }) => expiresAt !== null) &&
    numbers.get("modelGeneration") === 1
  );
}
