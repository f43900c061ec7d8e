import type { BenchDatabase } from "./bench-database.ts";

/** The contacts and orders of a schema of the product, in the tables that somebody would make for them by hand. */
export async function fillQueryTables(database: BenchDatabase, schema: string): Promise<void> {
  await database.run(
    "create table bare.shelved (id bigint primary key, class text not null, stored_at timestamptz not null, attributes jsonb not null)",
  );
  await database.run(
    `insert into bare.shelved select oid, class, stored_at, attributes from ${schema}.objects where class = 'Contact' order by oid`,
  );
  await database.run("create index on bare.shelved (class, (attributes -> 'Shelf'), id)");
  await database.run(`create table bare.ordered (
    id bigint primary key, class text not null, stored_at timestamptz not null, contact_id bigint references bare.shelved, attributes jsonb not null
  )`);
  await database.run(
    `insert into bare.ordered
     select o.oid, o.class, o.stored_at, c.oid, o.attributes - 'Contact' from ${schema}.objects o
     join ${schema}.objects c on c.oid = (${schema}.linked_objects(o.attributes, array['Contact']))[1] where o.class = 'Order' order by o.oid`,
  );
  await database.run("vacuum analyze bare.shelved, bare.ordered");
  await database.run("checkpoint");
}
