import { modelLock } from "../statements/expressions.ts";
import type { Tables } from "../tables.ts";

/** What the functions that write refuse; what each means stands in `sql-errors.ts`. */
type Refusal = "SP304" | "SP307" | "SP610" | "SP713" | "SPLCK" | "SPMOD" | "SPUID";

/**
 * Part of every function that writes objects. The planner takes an array of ids for ten, hopes for a better plan wherever
 * there are fewer, and plans all statements anew in every call: that took four times as long as their work.
 */
export const planOnce = "set plan_cache_mode = force_generic_plan";

/** A statement of a function that refuses. */
export function raise(refusal: Refusal, message: string): string {
  return `raise exception using errcode = '${refusal}', message = '${message}'`;
}

/**
 * How every function that writes objects begins: it shares the model with the other writers, and refuses what was
 * prepared under another one than that of now. Each statement sees what was committed while it waited.
 */
export function acceptModel(tables: Tables, generation: string): string {
  return `perform pg_advisory_xact_lock_shared(${modelLock(tables)});
    if ${generation} <> (select model_generation from ${tables.settings}) then
      ${raise("SPMOD", "The model was changed.")};
    end if;`;
}

/**
 * Holds the targets of links so that none can go before the links are committed. A lock for this does not keep others
 * from changing the targets, so that those who change objects that point to one another do not block each other.
 */
export function lockTargets({ objects }: Tables, targets: string): string {
  return `if cardinality(${targets}) > 0 then
      perform from ${objects} where oid = any (${targets}) order by oid for key share;
      get diagnostics found = row_count;
      if found < cardinality(${targets}) then
        ${raise("SP307", "A target is gone.")};
      end if;
    end if;`;
}

/** Whether the UUID of an object came from somebody who may know that of another one; a fresh one was just made, and needs no look-up. */
export function isGiven(asked: string): string {
  return `${asked} ->> 'fresh' is distinct from 'true'`;
}
