import { highestStamp, lowestOpenStamp, nextStamp } from "../statements/stamps.ts";
import type { Tables } from "../tables.ts";
import type { Run } from "./migrator.ts";

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
  await run({ text: `lock table ${tables.objects}, ${tables.departures} in share row exclusive mode` });
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
