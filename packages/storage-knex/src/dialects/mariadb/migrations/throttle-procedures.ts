import { earlier, later } from "../statements/storage-time.ts";
import { ownTables as own, type Tables } from "../tables.ts";
import { procedure, raise } from "./procedure.ts";

/** How many forgotten rows each failure clears away: more than it can add. */
const swept = 10;

/** What is asked for, in the order of the keys, in which rows are held, so that nobody deadlocks: `{key, free, first, longest, forget}`. */
const asked = `json_table(asked, '$[*]' columns (
        \`key\` varchar(100) path '$.key', free integer path '$.free', first double path '$.first', longest double path '$.longest', forget double path '$.forget'
      )) a`;

/** `delayAfter` of the domain, in milliseconds. */
const delay = "if(t.failures < a.free, 0, least(a.longest, a.first * pow(2, least(t.failures - a.free, 30))))";

/** Rows whose delay, if they have one, is over at this time. */
const freeAt = later("t.delayed_at", delay);

export function throttleProcedures(tables: Tables): string[] {
  return [attempt(tables), fail(tables), pass(tables)];
}

/** Answers the longest wait, in milliseconds, rounded up so that what is not over never looks like it, and whether the attempt was claimed. */
function attempt({ attemptThrottle }: Tables): string {
  const held = `${asked} straight_join ${own.throttle} t on t.\`key\` = a.\`key\` and t.forget_at > clock and ${delay} > 0`;
  return procedure(
    attemptThrottle,
    "asked longtext, ahead double",
    `declare clock datetime(6) default ${later("now(6)", "ahead")};
      declare wait bigint;
      declare found bigint;
      select coalesce(max(greatest(0, ceil(timestampdiff(microsecond, clock, ${freeAt}) / 1000))), 0), count(*) into wait, found
      from ${held} for update;
      if wait = 0 and found > 0 then
        update ${held} set t.delayed_at = clock;
      end if;
      select wait, wait = 0 and found > 0 as claimed;`,
  );
}

/**
 * Answers the longest delay that follows, in milliseconds. What can be cleared away is looked for without holding it, and then held by its key:
 * a search that holds what it finds along `forget_at` holds the next row as well, which somebody may be changing who waits for it there.
 */
function fail({ failThrottle }: Tables): string {
  return procedure(
    failThrottle,
    "asked longtext, ahead double",
    `declare clock datetime(6) default ${later("now(6)", "ahead")};
      for forgotten in (select \`key\` from ${own.throttle} where forget_at <= clock order by forget_at limit ${swept}) do
        for held in (select \`key\` from ${own.throttle} where \`key\` = forgotten.\`key\` and forget_at <= clock for update skip locked) do
          delete from ${own.throttle} where \`key\` = held.\`key\`;
        end for;
      end for;
      insert into ${own.throttle} (\`key\`, failures, delayed_at, forget_at)
      select a.\`key\`, 1, clock, ${later("clock", "a.forget")} from ${asked}
      on duplicate key update
        failures = if(forget_at > clock, failures + 1, 1),
        delayed_at = value(delayed_at),
        forget_at = value(forget_at);
      select coalesce(max(${delay}), 0) as wait from ${asked} join ${own.throttle} t on t.\`key\` = a.\`key\`;`,
  );
}

/**
 * `all_keys` are all that `asked` and `forget` name: most log-ins come without any failure before them, and then one look is all. It holds what
 * it finds for writing: those who only shared it, and delete it afterwards, would wait for one another.
 */
function pass({ passThrottle }: Tables): string {
  const named = (list: string) => `json_table(${list}, '$[*]' columns (\`key\` varchar(100) path '$'))`;
  return procedure(
    passThrottle,
    "all_keys longtext, asked longtext, forget longtext, ahead double",
    `declare clock datetime(6) default ${later("now(6)", "ahead")};
      declare found bigint;
      select count(*) into found from ${named("all_keys")} n straight_join ${own.throttle} t on t.\`key\` = n.\`key\` for update;
      if found = 0 then
        leave work;
      end if;
      if exists (
        select 1 from ${asked} join ${own.throttle} t on t.\`key\` = a.\`key\`
        where t.forget_at > clock and t.failures >= a.free and t.delayed_at > ${earlier("clock", delay)}
      ) then
        ${raise("SP302", "A delay runs.")};
      end if;
      delete t from ${named("forget")} n straight_join ${own.throttle} t on t.\`key\` = n.\`key\`;`,
  );
}
