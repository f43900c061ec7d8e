import { createHash } from "node:crypto";
import type { BenchDatabase } from "./bench-database.ts";

type Attributes = Readonly<Record<string, string | number | boolean>>;

const sentence =
  "The gate opens for visitors with the right papers, and stays shut for all others; it checks again now.";

/** Attributes of an `Article`, about 1.5 kB as JSON. `Name` and `Number` are unique. */
export const articleAttributes: Attributes = {
  Name: "Article 1",
  Number: 1,
  Price: 12.5,
  Active: true,
  Since: "2024-03-01T12:00:00.000Z",
  ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`Text${index + 1}`, sentence])),
};

/** Attributes of a `Contact`, about 0.3 kB as JSON. A hundred contacts share a `Shelf`. */
export const contactAttributes: Attributes = {
  Name: "Contact 1",
  Number: 1,
  Shelf: 0,
  City: "Bremerhaven",
  Country: "Germany",
  Email: "contact@example.com",
  Since: "2024-03-01T12:00:00.000Z",
  CreditLimit: 25_000,
  Active: true,
  Remark: sentence,
};

/** Attributes of an `Order` without its contact reference, about 0.2 kB as JSON. */
export const orderAttributes: Attributes = {
  Name: "Order 1",
  Number: 1,
  Total: 129.9,
  Since: "2024-03-01T12:00:00.000Z",
  Remark: sentence,
};

interface BareRows {
  readonly articles: number;
  readonly contacts: number;
  readonly sessionIds: readonly string[];
}

/** Creates the tables of the limits: the minimum for a session and a row. */
export async function fillBareTables(
  database: BenchDatabase,
  { articles, contacts, sessionIds }: BareRows,
): Promise<void> {
  await database.run("create schema bare");
  await database.run(
    "create table bare.session (digest text primary key, user_id bigint not null, expires_at timestamptz not null)",
  );
  await database.run(
    "create table bare.object (id bigint primary key, class text not null, stored_at timestamptz not null, attributes jsonb not null)",
  );
  await database.run(
    `insert into bare.object
     select n, 'Article', now(), $1::jsonb || jsonb_build_object('Name', 'Article ' || n, 'Number', n) from generate_series(1, $2::int) n`,
    [JSON.stringify(articleAttributes), articles],
  );
  await database.run(
    `insert into bare.object
     select $2::int + n, 'Contact', now(), $1::jsonb || jsonb_build_object('Name', 'Contact ' || n, 'Number', n) from generate_series(1, $3::int) n`,
    [JSON.stringify(contactAttributes), articles, contacts],
  );
  await database.run("create index on bare.object (class, id)");
  const digests = sessionIds.map((id) => createHash("sha256").update(id).digest("hex"));
  await database.run(
    "insert into bare.session select digest, 1, now() + interval '1 day' from unnest($1::text[]) digest",
    [digests],
  );
  await database.run("analyze bare.object, bare.session");
}

/** Copies the contacts and orders of a product schema into hand-written tables. */
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

/** The password of every sample user. */
export const password = "correct horse battery staple";
