import type { Run } from "./connection.ts";
import type { Functions } from "./migrations/migrator.ts";
import type { Tables } from "./tables.ts";

/**
 * The stamp of a write: the transaction id, unique on the server, plus the offset of this database. The offset is above
 * 0 if rows have higher stamps from another server.
 */
function writeStamp({ stampOffset }: Tables): string {
  return `${stampOffset}() + txid_current()`;
}

/** The lowest stamp that can still appear. Transactions of the whole server count; read-only ones have no id. */
export function lowestOpenStamp({ stampOffset }: Tables): string {
  return `${stampOffset}() + txid_snapshot_xmin(txid_current_snapshot())`;
}

/** The lowest stamp that is not yet issued. */
function nextStamp({ stampOffset }: Tables): string {
  return `${stampOffset}() + txid_snapshot_xmax(txid_current_snapshot())`;
}

/** The highest stamp of all rows. It never falls: a changed, deleted or restored object gets a higher one. */
export function highestStamp({ tombstones, objects }: Tables): string {
  return `greatest((select max(stamp) from ${objects}), (select max(stamp) from ${tombstones}), 0)`;
}

/**
 * Whether rows have stamps that this server has not issued yet: they come from another server, or from before a
 * reinstallation. Readers that are further ahead would miss new writes.
 */
export async function stampsAreAhead(run: Run, tables: Tables): Promise<boolean> {
  const { rows } = await run<{ ahead: boolean }>({
    text: `select ${highestStamp(tables)} >= ${nextStamp(tables)} as ahead`,
  });
  return rows[0]?.ahead === true;
}

/**
 * Raises the offset so that new stamps exceed all existing ones. Blocks writers of objects until the transaction ends.
 * Transactions that began before it also get higher stamps.
 */
export async function raiseStamps(run: Run, tables: Tables): Promise<void> {
  if (!(await stampsAreAhead(run, tables))) return;
  await run({ text: `lock table ${tables.objects}, ${tables.tombstones} in share row exclusive mode` });
  const { rows } = await run<{ missing: string; offset: string }>({
    text: `select ${highestStamp(tables)} + 1 - (${lowestOpenStamp(tables)}) as missing, ${tables.stampOffset}() as offset`,
  });
  const [found] = rows as [{ missing: string; offset: string }];
  const offset = BigInt(found.offset) + BigInt(found.missing);
  // The function is the only place of the offset. Inlined, it costs no more than a literal.
  await run({
    text: `create or replace function ${tables.stampOffset} () returns bigint language sql stable as 'select (${offset})::bigint'`,
  });
}

export const stampRowFunction: Functions = {
  name: "stamp_row",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/** A trigger function that sets the stamp on every write of a row. */
function definition(tables: Tables): string {
  return `create or replace function ${tables.stampRow} () returns trigger language plpgsql as $$
  begin
    new.stamp := ${writeStamp(tables)};
    return new;
  end
  $$`;
}
