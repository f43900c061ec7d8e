import { maximumObjectBytes } from "@sallyport/core";
import { objectSizeConstraint } from "../object-size-constraint.ts";
import type { Tables } from "../tables.ts";
import { insertObjectsFunction } from "./insert-objects-function.ts";
import { releaseLockFunction, takeLockFunction } from "./lock-functions.ts";
import type { Migration } from "./migration.ts";
import { updateObjectsFunction } from "./update-objects-function.ts";

/** What changing objects needs: who points to whom, who has locked what, how large it is, and the functions that write. */
export const writing: Migration = {
  name: "0006-writing",
  statements: (tables) => [
    bounded(tables),
    ...links(tables),
    ...locks(tables),
    insertObjectsFunction(tables),
    updateObjectsFunction(tables),
    takeLockFunction(tables),
    releaseLockFunction(tables),
  ],
};

/**
 * How large each object is, for those who want to know before they read it, and how large it may be. Objects of before may be
 * larger until they are written.
 */
function bounded({ objects }: Tables): string {
  return `alter table ${objects}
    add column bytes integer not null generated always as (octet_length(attributes::text)) stored,
    add constraint ${objectSizeConstraint} check (bytes <= ${maximumObjectBytes}) not valid`;
}

/**
 * The ids that attributes hold, as rows that can be asked from their targets; kept with every write. The second index
 * serves those writes. The objects of before are taken as their classes say: those and what they inherit.
 */
function links({ links: table, linkedObjects, objects, classes }: Tables): string[] {
  return [
    `create table ${table} (
      target bigint not null,
      source bigint not null,
      attribute text collate "C" not null,
      primary key (target, source, attribute)
    )`,
    `create index links_source on ${table} (source, attribute)`,
    `insert into ${table} (target, source, attribute)
      with recursive line (class, name, base) as (
        select name, name, definition ->> 'base' from ${classes}
        union
        select line.class, c.name, c.definition ->> 'base' from line join ${classes} c on c.name = line.base
      ), attribute as (
        select distinct line.class, listed ->> 'name' as name
        from line join ${classes} c on c.name = line.name cross join jsonb_array_elements(c.definition -> 'attributes') as listed
        where listed ->> 'type' in ('reference', 'collection', 'file')
      )
      select distinct target, o.oid, a.name
      from ${objects} o join attribute a on a.class = o.class
      cross join unnest(${linkedObjects}(o.attributes, array[a.name])) as target`,
    `analyze ${table}`,
  ];
}

/**
 * Sessions are not referred to: the session of a device is replaced in its row, and what it had locked must be free then.
 * A lock counts while there is a live session of its digest.
 */
function locks({ locks: table }: Tables): string[] {
  return [
    `create table ${table} (
      oid bigint primary key,
      session bytea not null check (octet_length(session) = 32),
      since timestamptz not null
    ) with (fillfactor = 80)`,
    `create index locks_session on ${table} (session)`,
  ];
}
