import type { Run } from "./connection.ts";
import type { Functions } from "./migrations/migrator.ts";
import type { Tables } from "./tables.ts";

/**
 * The stamp of what is written now: the number of the transaction, which the server gives out once, and the offset of
 * this database, which is above 0 where its rows have seen higher numbers on another server.
 */
function writeStamp({ stampOffset }: Tables): string {
  return `${stampOffset}() + txid_current()`;
}

/** The lowest stamp that may still appear. Transactions of the whole server count; those that only read have no number. */
export function lowestOpenStamp({ stampOffset }: Tables): string {
  return `${stampOffset}() + txid_snapshot_xmin(txid_current_snapshot())`;
}

/** The lowest stamp that nobody has yet. */
function nextStamp({ stampOffset }: Tables): string {
  return `${stampOffset}() + txid_snapshot_xmax(txid_current_snapshot())`;
}

/** The highest stamp of a row. It never falls: an object that leaves it takes a higher one, also when it goes or returns. */
export function highestStamp({ tombstones, objects }: Tables): string {
  return `greatest((select max(stamp) from ${objects}), (select max(stamp) from ${tombstones}), 0)`;
}

/**
 * Whether rows have stamps that have yet to be given out: they were written on another server, or before this one was
 * made anew. What is written then would go unnoticed by those who have come further.
 */
export async function stampsAreAhead(run: Run, tables: Tables): Promise<boolean> {
  const { rows } = await run<{ ahead: boolean }>({
    text: `select ${highestStamp(tables)} >= ${nextStamp(tables)} as ahead`,
  });
  return rows[0]?.ahead === true;
}

/**
 * Lets new stamps follow those that are there, unless they do. Until the end of the transaction nobody writes objects, and
 * transactions that began before it get stamps above them, too.
 */
export async function raiseStamps(run: Run, tables: Tables): Promise<void> {
  if (!(await stampsAreAhead(run, tables))) return;
  await run({ text: `lock table ${tables.objects}, ${tables.tombstones} in share row exclusive mode` });
  const { rows } = await run<{ missing: string; offset: string }>({
    text: `select ${highestStamp(tables)} + 1 - (${lowestOpenStamp(tables)}) as missing, ${tables.stampOffset}() as offset`,
  });
  const [found] = rows as [{ missing: string; offset: string }];
  const offset = BigInt(found.offset) + BigInt(found.missing);
  // The one place where the offset stands. In a statement the function costs no more than a number there.
  await run({
    text: `create or replace function ${tables.stampOffset} () returns bigint language sql stable as 'select (${offset})::bigint'`,
  });
}

export const stampRowFunction: Functions = {
  name: "stamp_row",
  number: 1,
  statements: (tables) => [definition(tables)],
};

/** Triggers call it to correct the stamp on every write of the row. */
function definition(tables: Tables): string {
  return `create or replace function ${tables.stampRow} () returns trigger language plpgsql as $$
  begin
    new.stamp := ${writeStamp(tables)};
    return new;
  end
  $$`;
}
