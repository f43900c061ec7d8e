import { earlier, addMilliseconds } from "../expressions.ts";
import { type Functions, procedure, raise } from "../migrator.ts";
import { ownTables as own, type Tables } from "../tables.ts";

export const throttleProcedures: Functions = {
  name: "throttle",
  number: 2,
  statements: (tables) => [addLockRows(tables), attempt(tables), fail(tables), pass(tables)],
};

/** The lock rows that first exemptions share by the checksum of their key, above those that users share. */
const firstLockRow = 256;
const lockRows = 64;

/** A database of an earlier version lacks the lock rows. */
function addLockRows({ sessionLockRows }: Tables): string {
  const rows = Array.from({ length: lockRows }, (_, row) => `(${firstLockRow + row})`).join(", ");
  return `insert ignore into ${sessionLockRows} (number) values ${rows}`;
}

/** Expired rows that each failure deletes: more than it can add. */
const expiredPerFailure = 10;

// The fragments below expect: `a` the requested keys, `t` their rows, `e` their exemptions, `clock` the time, `exempt_keys`
// those of `a` with an exemption. An exemption is a row without failures, whose key begins with that of its group.

/**
 * The requested keys: `{key, max_failures, initial_delay, max_delay, reset_after, exemption}`. Callers pass them in order, so
 * that rows are locked in that order and calls do not deadlock.
 */
const requested = `json_table(requested, '$[*]' columns (
        \`key\` varchar(100) path '$.key', max_failures integer path '$.max_failures', initial_delay double path '$.initial_delay', max_delay double path '$.max_delay', reset_after double path '$.reset_after',
        exemption varchar(100) path '$.exemption'
      )) a`;

/** `delayAfter` of the domain, in milliseconds. */
const delay =
  "if(t.failures < a.max_failures, 0, least(a.max_delay, a.initial_delay * pow(2, least(t.failures - a.max_failures, 30))))";

/** When the delay of a row ends. */
const freeAt = addMilliseconds("t.delayed_at", delay);

/** Keys with a valid exemption. Read in a statement of its own, which locks no exemption. */
const exempting = `join ${own.throttle} e on e.\`key\` = a.exemption and e.forget_at > clock`;

/** The keys of `a` as a JSON array, null if there are none, and whether a key is in it. */
const keyList = "json_arrayagg(a.`key`)";
const isExempt = "coalesce(json_contains(exempt_keys, json_quote(a.`key`)), false)";

/** Remaining milliseconds, rounded up so that an active delay is never 0. */
const left = `greatest(0, ceil(timestampdiff(microsecond, clock, ${freeAt}) / 1000))`;

/** Answers the longest wait, in milliseconds, and whether the attempt was reserved. Most attempts have no delay and need one lookup only. */
function attempt({ attemptThrottle }: Tables): string {
  const delayed = `${requested} straight_join ${own.throttle} t on t.\`key\` = a.\`key\` and t.forget_at > clock and ${delay} > 0`;
  return procedure(
    attemptThrottle,
    "requested longtext, ahead double",
    `declare clock datetime(6) default ${addMilliseconds("now(6)", "ahead")};
      declare wait bigint;
      declare max_wait bigint;
      declare found bigint;
      declare exempt_keys longtext;
      select coalesce(max(${left}), 0), count(*) into max_wait, found from ${delayed} for update;
      if found = 0 then
        select 0 as wait, false as reserved;
        leave work;
      end if;
      select ${keyList} into exempt_keys from ${requested} ${exempting};
      select coalesce(max(${left}), 0), count(*) into wait, found from ${delayed} and not ${isExempt} for update;
      if wait = 0 and found > 0 then
        update ${delayed} and not ${isExempt} set t.delayed_at = clock;
      end if;
      select if(wait > 0, max_wait, 0) as wait, wait = 0 and found > 0 as reserved;`,
  );
}

/**
 * Answers the longest resulting delay, in milliseconds. Expired rows are found without locks and then locked by key: a
 * locking search along `forget_at` also locks the next row, which can deadlock with its writer.
 */
function fail({ failThrottle }: Tables): string {
  return procedure(
    failThrottle,
    "requested longtext, ahead double",
    `declare clock datetime(6) default ${addMilliseconds("now(6)", "ahead")};
      declare exempt_wait bigint;
      declare exempt_keys longtext;
      for expired in (select \`key\` from ${own.throttle} where forget_at <= clock order by forget_at limit ${expiredPerFailure}) do
        for lockable in (select \`key\` from ${own.throttle} where \`key\` = expired.\`key\` and forget_at <= clock for update skip locked) do
          delete from ${own.throttle} where \`key\` = lockable.\`key\`;
        end for;
      end for;
      select ${keyList}, coalesce(max(${left}), 0) into exempt_keys, exempt_wait
      from ${requested} straight_join ${own.throttle} t on t.\`key\` = a.\`key\` and t.forget_at > clock and ${delay} > 0 and ${freeAt} > clock ${exempting};
      insert into ${own.throttle} (\`key\`, failures, delayed_at, forget_at)
      select a.\`key\`, 1, clock, ${addMilliseconds("clock", "a.reset_after")} from ${requested} where not ${isExempt}
      on duplicate key update
        failures = if(forget_at > clock, failures + 1, 1),
        delayed_at = value(delayed_at),
        forget_at = value(forget_at);
      select greatest(exempt_wait, coalesce(max(${delay}), 0)) as wait from ${requested} join ${own.throttle} t on t.\`key\` = a.\`key\` and not ${isExempt};`,
  );
}

/**
 * `all_keys` are all keys that `requested` and `reset_keys` name. Most log-ins have no earlier failure and need one lookup only. It locks rows exclusively:
 * share locks followed by deletes would deadlock. `granted` is the key of an exemption. It is read without a lock and written unless it was written
 * within `renewal`. A new one can exceed the limit of its group, whose exemptions that end first then go. Its lock row is locked before the insert:
 * calls that wait for the insert of another transaction get gap locks when that is rolled back, and deadlock.
 */
function pass({ passThrottle }: Tables): string {
  const readExemption = `select max(forget_at) into exempt_until from ${own.throttle} where \`key\` = granted;`;
  const named = (list: string) => `json_table(${list}, '$[*]' columns (\`key\` varchar(100) path '$'))`;
  return procedure(
    passThrottle,
    `all_keys longtext, requested longtext, reset_keys longtext, ahead double,
    granted varchar(100), granted_group varchar(100), at_most integer, lifetime double, renewal double`,
    `declare clock datetime(6) default ${addMilliseconds("now(6)", "ahead")};
      declare found bigint;
      declare exempted bigint;
      declare exempt_until datetime(6);
      declare lock_row integer;
      declare is_first boolean;
      select count(*) into found from ${named("all_keys")} n straight_join ${own.throttle} t on t.\`key\` = n.\`key\` for update;
      if found > 0 then
        select count(*), count(e.\`key\`) into found, exempted
        from ${requested} join ${own.throttle} t on t.\`key\` = a.\`key\` left ${exempting}
        where t.forget_at > clock and t.failures >= a.max_failures and t.delayed_at > ${earlier("clock", delay)};
        if found > exempted then
          ${raise("SP302", "A delay runs.")};
        end if;
        delete t from ${named("reset_keys")} n straight_join ${own.throttle} t on t.\`key\` = n.\`key\`;
      end if;
      if granted is null then
        leave work;
      end if;
      ${readExemption}
      set is_first = exempt_until is null;
      if is_first then
        select number into lock_row from ${own.sessionLockRows} where number = ${firstLockRow} + crc32(granted) % ${lockRows} for update;
        ${readExemption}
      end if;
      if exempt_until >= ${addMilliseconds("clock", "lifetime - renewal")} then
        leave work;
      end if;
      insert into ${own.throttle} (\`key\`, failures, delayed_at, forget_at) values (granted, 0, clock, ${addMilliseconds("clock", "lifetime")})
      on duplicate key update delayed_at = value(delayed_at), forget_at = value(forget_at);
      if is_first then
        for surplus in (
          select \`key\` from ${own.throttle} where \`key\` > granted_group and \`key\` < concat(granted_group, '~')
          order by forget_at desc, \`key\` limit at_most, 1000000
        ) do
          for lockable in (select \`key\` from ${own.throttle} where \`key\` = surplus.\`key\` for update skip locked) do
            delete from ${own.throttle} where \`key\` = lockable.\`key\`;
          end for;
        end for;
      end if;`,
  );
}
