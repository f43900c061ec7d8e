import { messageWindow } from "@sallyport/storage";
import type { ChannelStatements, CipherBlockStatements } from "../../../sql-channel-repository.ts";
import { statement } from "../../../sql-runner.ts";
import type { Tables } from "../tables.ts";
import { storageTime } from "../expressions.ts";

export function channelStatements({ channels }: Tables): ChannelStatements {
  const number = "$2::numeric";
  const distance = `(highest - ${number})::integer`;
  const bits = `bit(${messageWindow})`;
  return {
    reserveOut: statement(
      "channel_reserve",
      `update ${channels} set next_out = next_out + $2::bigint where session = $1::bytea returning next_out - $2::bigint as first`,
    ),
    // The cases exclude distances that are too large for the casts. A statement that waits for the row evaluates its new
    // version.
    acceptIn: statement(
      "channel_accept",
      `update ${channels} set
        highest = greatest(highest, ${number}),
        accepted = case
          when ${number} > highest then set_bit(accepted >> least(${number} - highest, ${messageWindow})::integer, 0, 1)::${bits}
          else set_bit(accepted, ${distance}, 1)::${bits}
        end
      where session = $1::bytea and case
        when ${number} > highest then true
        when ${number} <= highest - ${messageWindow} then false
        else get_bit(accepted, ${distance}) = 0
      end`,
    ),
    checkNumber: statement(
      "channel_judge",
      `select ${number} <= highest - ${messageWindow} as old from ${channels} where session = $1::bytea`,
    ),
  };
}

export function cipherBlockStatements({ cipherBlocks }: Tables): CipherBlockStatements {
  const digests = "select decode(digest, 'hex') as digest from unnest($1::text[]) as list (digest)";
  const now = storageTime(4);
  return {
    registerNew: statement(
      "block_register_new",
      `insert into ${cipherBlocks} (digest, client_key, key_id, uses, first_used_at)
      values ($1::bytea, $2::bytea, $3::text, 1, ${now}) on conflict (digest) do nothing`,
    ),
    prepare: statement(
      "block_prepare",
      `insert into ${cipherBlocks} (digest, client_key, key_id, uses, first_used_at)
      select digest, $2::bytea, $3::text, 0, ${now} from (${digests}) digests order by digest
      on conflict (digest) do nothing`,
    ),
    register: statement(
      "block_register",
      `with locked as materialized (
        select * from ${cipherBlocks} where digest = any (array(${digests})) order by digest for update
      ), verdict as materialized (
        select count(*) = cardinality($1::text[]) and coalesce(bool_and(uses = 0 or (
            client_key = $2::bytea and uses < $5::integer and ${now} - first_used_at <= $6::float8 * interval '1 millisecond'
          )), true) as allowed,
          coalesce(bool_or(uses > 0), false) as known
        from locked
      ), used as (
        update ${cipherBlocks} b set
          uses = locked.uses + 1,
          client_key = $2::bytea,
          key_id = case when locked.uses = 0 then $3::text else locked.key_id end,
          first_used_at = case when locked.uses = 0 then ${now} else locked.first_used_at end
        from locked, verdict where b.digest = locked.digest and verdict.allowed
      ), unused as (
        delete from ${cipherBlocks} b using locked, verdict where b.digest = locked.digest and locked.uses = 0 and not verdict.allowed
      )
      select allowed, known from verdict`,
    ),
    sweep: statement("block_sweep", sweep(cipherBlocks)),
  };
}

/** Skips from one key id to the next in the index, because there are few ids and many blocks. */
function sweep(cipherBlocks: string): string {
  return `with recursive ids as (
    (select key_id from ${cipherBlocks} order by key_id limit 1)
    union all
    select (select key_id from ${cipherBlocks} where key_id > ids.key_id order by key_id limit 1) from ids where ids.key_id is not null
  )
  delete from ${cipherBlocks} where digest = any (array(
    select over.digest from ids cross join lateral (
      select digest from ${cipherBlocks} b
      where b.key_id = ids.key_id and b.first_used_at <= ${storageTime(4)} - $2::float8 * interval '1 millisecond'
      limit $3::bigint
    ) over
    where ids.key_id is not null and not ids.key_id = any ($1::text[])
    limit $3::bigint
  ))`;
}
