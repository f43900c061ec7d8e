import type { ClaimedRow, ClaimRequest, RecordStatements } from "../../../sql-record-repository.ts";
import { type SqlRunner, statement } from "../../../sql-runner.ts";
import type { Tables } from "../tables.ts";
import { epochMilliseconds, isIndexedRecord, storageTime, unseen } from "../expressions.ts";

const addMilliseconds = (time: string, milliseconds: string) =>
  `${time} + ${milliseconds}::float8 * interval '1 millisecond'`;

const since = (time: string, now: string) => epochMilliseconds(`(${now} - ${time})`);

export function recordStatements({ putRecord, records, recordVersions }: Tables): RecordStatements {
  const columns = (clock: number) =>
    `id, owner, value, version, born, ${epochMilliseconds("created_at")} as created_at, ${since("created_at", storageTime(clock))} as age`;
  const named = "kind = $1::text and id = $2::text";
  const ofVersion = `${named} and version = $3::bigint and expires_at > ${storageTime(4)}`;
  // The ids of the locked rows: the statement's snapshot of a row can be older than the locked version.
  const claim = statement(
    "records_claim",
    `with claimed as (
      update ${records} set version = nextval('${recordVersions}'), claims = claims + 1, due_at = ${addMilliseconds(storageTime(4), "$3")}
      where kind = $1::text and id = any (array(
        select id from ${records}
        where kind = $1::text and ${isIndexedRecord} and (due_at is null or due_at <= ${storageTime(4)}) and expires_at > ${storageTime(4)}
        order by born limit ${unseen("$2::bigint")} for update skip locked
      ))
      returning ${columns(4)}, claims
    )
    select * from claimed order by born`,
  );
  return {
    get: statement(
      "records_get",
      // The limit makes each id a lookup: for a plain join, the planner would read a whole kind.
      `select found.* from unnest(${unseen("$2::text[]")}) as requested (wanted) cross join lateral (
        select ${columns(3)} from ${records} where kind = $1::text and id = wanted and expires_at > ${storageTime(3)} limit 1
      ) found`,
    ),
    put: statement(
      "record_put",
      `select ${putRecord}($1::text, $2::text, $3::text, $4::json, $5::float8, $6::float8, $7::bigint, $8::bigint, $9::bigint) as outcome`,
    ),
    take: statement(
      "record_take",
      `delete from ${records} where ${named} and expires_at > ${storageTime(3)} returning value`,
    ),
    removeIds: (count) => {
      const ids = Array.from({ length: count }, (_, index) => `$${index + 3}`).join(", ");
      return `delete from ${records} where kind = $1::text and id in (${ids}) and expires_at > ${storageTime(2)} returning id`;
    },
    removeOfOwner: statement(
      "records_remove_of_owner",
      `delete from ${records} where kind = $1::text and owner = ${unseen("$2::text")} and expires_at > ${storageTime(3)} returning id`,
    ),
    list: statement(
      "records_list",
      `select ${columns(4)} from ${records} where kind = $1::text and id > $2::text and expires_at > ${storageTime(4)} order by id limit ${unseen("$3::bigint")}`,
    ),
    listOfOwner: statement(
      "records_list_of_owner",
      `select ${columns(4)} from ${records} where kind = $1::text and owner = ${unseen("$5::text")} and id > $2::text and expires_at > ${storageTime(4)}
      order by id limit ${unseen("$3::bigint")}`,
    ),
    count: statement(
      "records_count",
      `select count(*) as count, greatest(0, coalesce(${since("min(created_at)", storageTime(2))}, 0)) as oldest
      from ${records} where kind = $1::text and ${isIndexedRecord} and expires_at > ${storageTime(2)}`,
    ),
    claim: async <Value>(sql: SqlRunner, { kind, limit, lease, offset }: ClaimRequest) =>
      (await sql.run<ClaimedRow<Value>>(claim, [kind, limit, lease, offset])).rows,
    removeVersion: statement("record_remove_version", `delete from ${records} where ${ofVersion}`),
    settle: statement(
      "record_settle",
      `update ${records} set due_at = coalesce(${addMilliseconds(storageTime(4), "$5")}, due_at), value = coalesce($6::json, value) where ${ofVersion}`,
    ),
    // Bounds at both ends make the planner expect few rows.
    sweep: statement(
      "records_sweep",
      `delete from ${records} where ctid = any (array(
        select ctid from ${records} where expires_at between '-infinity' and ${storageTime(2)} and expires_at < 'infinity'
        order by expires_at limit ${unseen("$1::bigint")} for update skip locked
      )) returning kind`,
    ),
  };
}
