import type { State } from "../state.ts";

/** The tables that an archive can contain. */
const archivedTables = [
  "accounts",
  "accountNames",
  "appKeys",
  "appKeyDigests",
  "audit",
  "auditTallies",
  "classes",
  "formerReaders",
  "tombstones",
  "links",
  "numbers",
  "objects",
  "stamps",
  "switches",
  "uuids",
] as const satisfies readonly (keyof State)[];

export type ArchivedState = Pick<State, (typeof archivedTables)[number] | "records">;

/** A snapshot of the state. Values are immutable, so only the tables are copied. */
export function copyOf(state: State): ArchivedState {
  return Object.fromEntries(
    [...archivedTables, "records" as const].map((name) => [name, state[name].copy()]),
  ) as unknown as ArchivedState;
}

/** Replaces the whole state. */
export function replaceState(state: State, other: ArchivedState): void {
  for (const name of archivedTables) state[name].replace(other[name] as never);
  // Existing records have a lifetime and stay.
  for (const [key, record] of other.records.entries()) state.records.set(key, record);
}

/** Whether the state contains nothing that an archive can contain, except what a migration creates. */
export function isUntouched(state: State): boolean {
  const { accounts, appKeys, audit, auditTallies, tombstones, numbers, objects, records, uuids } = state;
  const tables = [accounts, appKeys, audit, auditTallies, tombstones, objects, uuids];
  return (
    tables.every((table) => table.entries().next().done === true) &&
    [...records.values()].every(({ expiresAt }) => expiresAt !== null) &&
    numbers.get("modelGeneration") === 1
  );
}
