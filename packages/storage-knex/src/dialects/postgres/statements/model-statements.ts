import { type Statement, statement } from "../../../statement.ts";
import type { Tables } from "../tables.ts";
import { modelLock } from "./model-lock.ts";

export interface ModelStatements {
  /** Generation and classes as of one moment. */
  readonly load: Statement;
  /** Until the transaction ends, nobody gets the model whose shared lock every writer of objects takes. */
  readonly hold: Statement;
  /** 1 expected generation, 2 array of definitions, each name once, 3 names to remove. Returns whether the generation was raised. */
  readonly change: Statement;
}

export function modelStatements(tables: Tables): ModelStatements {
  const { settings, classes } = tables;
  return {
    load: statement(
      "model_load",
      `select model_generation as generation,
        (select coalesce(jsonb_agg(definition order by position), '[]') from ${classes}) as classes
      from ${settings}`,
    ),
    hold: statement("model_hold", `select pg_advisory_xact_lock(${modelLock(tables)})`),
    change: statement(
      "model_change",
      `with raised as (
        update ${settings} set model_generation = model_generation + 1 where model_generation = $1::bigint returning 1
      ), put as (
        insert into ${classes} (name, definition)
        select definition ->> 'name', definition
        from jsonb_array_elements($2::jsonb) with ordinality as list (definition, position)
        where exists (select from raised)
        order by position
        on conflict (name) do update set definition = excluded.definition
      ), removed as (
        delete from ${classes} where name = any ($3::text[]) and exists (select from raised)
      )
      select exists (select from raised) as raised`,
    ),
  };
}
