import { createHash } from "node:crypto";
import type { BenchDatabase } from "./bench-database.ts";
import { articleAttributes, contactAttributes } from "./sample-attributes.ts";

export interface BareRows {
  readonly articles: number;
  readonly contacts: number;
  readonly sessionIds: readonly string[];
}

/** The tables of the limits: what somebody would make who needs a session and a row and nothing else. */
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
