import type { ClaimedRow, ClaimRequest, RecordStatements } from "../../../sql-record-repository.ts";
import { type SqlRunner, statement } from "../../../sql-runner.ts";
import type { Tables } from "../tables.ts";
import { epochMilliseconds, addMilliseconds, storageTime, textsOf } from "../expressions.ts";

const since = (time: string, now: string) => `(timestampdiff(microsecond, ${time}, ${now}) div 1000)`;

const columns = (clock: number, version = "r.version") =>
  `r.id, r.owner, r.value, ${version} as version, r.born, ${epochMilliseconds("r.created_at")} as created_at,
    ${since("r.created_at", storageTime(clock))} as age`;

/** Index hints, because the optimizer does not know the number of records of a kind. */
export function recordStatements({ putRecord, records, recordVersions }: Tables): RecordStatements {
  const ofVersion = `kind = $1 and id = $2 and version = $3 and expires_at > ${storageTime(4)}`;
  // In row order, so that only the returned rows are locked.
  const due = statement(
    "records_due",
    `select ${columns(3, `nextval(${recordVersions})`)}, r.claims + 1 as claims
    from ${records} r force index (records_born)
    where r.kind = $1 and (r.due_at is null or r.due_at <= ${storageTime(3)}) and r.expires_at > ${storageTime(3)}
    order by r.born limit $2 for update skip locked`,
  );
  const claimedRows =
    "json_table($2, '$[*]' columns (id varchar(512) character set utf8mb4 collate utf8mb4_nopad_bin path '$.id', version bigint path '$.version')) claimed";
  const claim = statement(
    "records_claim",
    `update ${claimedRows} straight_join ${records} r force index (primary) on r.kind = $1 and r.id = claimed.id
    set r.version = claimed.version, r.claims = r.claims + 1, r.due_at = ${addMilliseconds(storageTime(4), "$3")}`,
  );
  return {
    get: statement(
      "records_get",
      `select ${columns(3)} from ${textsOf(2)} requested straight_join ${records} r force index (primary) on r.kind = $1 and r.id = requested.value
      where r.expires_at > ${storageTime(3)}`,
    ),
    put: statement("record_put", `call ${putRecord}($1, $2, $3, $4, $5, $6, $7, $8, $9)`),
    take: statement(
      "record_take",
      `delete from ${records} where kind = $1 and id = $2 and expires_at > ${storageTime(3)} returning value`,
    ),
    removeIds: (count) => {
      const ids = Array.from({ length: count }, (_, index) => `$${index + 3}`).join(", ");
      return `delete from ${records} where kind = $1 and id in (${ids}) and expires_at > ${storageTime(2)} returning id`;
    },
    removeOfOwner: statement(
      "records_remove_of_owner",
      `delete from ${records} where kind = $1 and owner = $2 and expires_at > ${storageTime(3)} returning id`,
    ),
    list: statement(
      "records_list",
      `select ${columns(4)} from ${records} r force index (primary) where r.kind = $1 and r.id > $2 and r.expires_at > ${storageTime(4)}
      order by r.id limit $3`,
    ),
    listOfOwner: statement(
      "records_list_of_owner",
      `select ${columns(4)} from ${records} r force index (records_owner)
      where r.owner = $5 and r.kind = $1 and r.id > $2 and r.expires_at > ${storageTime(4)}
      order by r.id limit $3`,
    ),
    count: statement(
      "records_count",
      `select count(*) as count, greatest(0, coalesce(${since("min(created_at)", storageTime(2))}, 0)) as oldest
      from ${records} force index (records_kind_expiry) where kind = $1 and expires_at > ${storageTime(2)}`,
    ),
    claim: <Value>(sql: SqlRunner, { kind, limit, lease, offset }: ClaimRequest) =>
      sql.atomically(async (transaction) => {
        const { rows } = await transaction.run<ClaimedRow<Value>>(due, [kind, limit, offset]);
        if (rows.length === 0) return [];
        const versions = rows.map(({ id, version }) => ({ id, version: Number(version) }));
        await transaction.run(claim, [kind, JSON.stringify(versions), lease, offset]);
        return rows;
      }),
    removeVersion: statement("record_remove_version", `delete from ${records} where ${ofVersion}`),
    settle: statement(
      "record_settle",
      `update ${records} set due_at = coalesce(${addMilliseconds(storageTime(4), "$5")}, due_at), value = coalesce($6, value) where ${ofVersion}`,
    ),
    sweep: statement(
      "records_sweep",
      `delete from ${records} where expires_at <= ${storageTime(2)} order by expires_at limit $1 returning kind`,
    ),
  };
}
