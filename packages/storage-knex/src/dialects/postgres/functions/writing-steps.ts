import { modelLock } from "../expressions.ts";
import type { Tables } from "../tables.ts";

/** SQLSTATEs that writing functions raise. `sql-errors.ts` maps them. */
type Refusal = "SP304" | "SP307" | "SP610" | "SP713" | "SPLCK" | "SPMOD" | "SPUID";

/**
 * Part of every function that writes objects. The planner estimates ten ids for an array and replans every call with
 * fewer, in the hope of a better plan. That took four times as long as the work.
 */
export const planOnce = "set plan_cache_mode = force_generic_plan";

/** For a function whose result changed: the database does not replace such a function. */
export function dropFunction(name: string): string {
  return `drop function if exists ${name}`;
}

/** A statement that raises a refusal. */
export function raise(refusal: Refusal, message: string): string {
  return `raise exception using errcode = '${refusal}', message = '${message}'`;
}

/** The first statement of every function that writes objects. Later statements see what was committed while it waited. */
export function shareModel(tables: Tables): string {
  return `perform pg_advisory_xact_lock_shared(${modelLock(tables)});`;
}

/** The start of a function that writes objects: it takes the shared model lock and refuses an outdated model generation. */
export function acceptModel(tables: Tables, generation: string): string {
  return `${shareModel(tables)}
    if ${generation} <> (select model_generation from ${tables.settings}) then
      ${raise("SPMOD", "The model was changed.")};
    end if;`;
}

/**
 * Locks the targets of links until the links are committed, so that none can be deleted before. `for key share` still
 * permits changes of the targets, so that writers of objects that reference one another do not deadlock.
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

/** Whether the client chose the UUID, which can be in use. A fresh one was just generated and needs no lookup. */
export function isGiven(requested: string): string {
  return `${requested} ->> 'fresh' is distinct from 'true'`;
}
