import { randomUUID } from "node:crypto";
import { type ClassDefinition, objectIdOf, objectNumber, type Repositories } from "@sallyport/storage";
import { Applications, createAccount } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests, NodeRandomSource } from "@sallyport/crypto";
import { createPostgresKnex, KnexStorage } from "@sallyport/storage-knex";
import { articleAttributes, contactAttributes, orderAttributes, password } from "./sample-data.ts";
import type { BenchDatabase } from "./bench-database.ts";

/** A migrated schema with an app key, an app name, a user and two classes. */
export interface PreparedSchema {
  readonly schema: string;
  readonly appKey: string;
  readonly appKeyId: string;
  /** Object number of the user. The other users share its secret. Its group may read, create and write. */
  readonly userNumber: number;
  readonly groupId: string;
}

export const appName = "bench";

/**
 * Migrates a schema, with indexes on these attributes of `Contact` and this number of classes more, and creates the data
 * for a log-in.
 */
export function prepareSchema(
  url: string,
  schema: string,
  indexed: readonly string[],
  emptyClasses = 0,
): Promise<PreparedSchema> {
  return withStorage(url, schema, async (storage) => {
    await storage.migrate();
    return prepare(storage.repositories, schema, indexed, emptyClasses);
  });
}

export async function withStorage<T>(url: string, schema: string, work: (storage: KnexStorage) => Promise<T>) {
  const pool = { max: 2, acquireTimeout: 5_000, maxPendingAcquires: 10 };
  const { knex, close } = createPostgresKnex({ url, pool, connectTimeout: 5_000, statementTimeout: 30_000 });
  const storage = new KnexStorage({ knex, schema, onClose: close });
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

async function prepare(
  r: Repositories,
  schema: string,
  indexed: readonly string[],
  emptyClasses: number,
): Promise<PreparedSchema> {
  const digests = new NodeDigests();
  const appKey = `bench-${randomUUID()}`;
  const digest = digests.sha256(appKey);
  await r.appKeys.create({ name: "bench", appNames: null, origins: [] }, digest);
  await new Applications(r.records).create({ name: appName, seats: null });

  const [group] = await r.objects.insert([{ className: "UserGroup", attributes: { Name: "readers" } }]);
  const groupId = group?.id ?? "";
  const [user] = await r.objects.insert([
    { className: "User", attributes: { Name: "first", Groups: [groupId] }, links: { Groups: [groupId] } },
  ]);
  const userId = user?.id ?? "";
  const services = { hasher: await Argon2PasswordHasher.create(), random: new NodeRandomSource() };
  await createAccount({ database: { digests }, services }, r.accounts, {
    realm: "database",
    userId,
    loginName: "first",
    password,
    clientHash: "md5",
  });

  const { generation, classes } = await r.model.load();
  const contact = classOf("Contact", contactAttributes, groupId, indexed);
  const order = classOf("Order", orderAttributes, groupId);
  const put = [
    classOf("Article", articleAttributes, groupId),
    contact,
    { ...order, attributes: [...order.attributes, toContact] },
    ...Array.from({ length: emptyClasses }, (_, index) => classOf(`Class${index + 1}`, orderAttributes, groupId)),
    // For uploads and downloads.
    ...classes.filter(({ name }) => name === "File").map((file) => ({ ...file, rights: rightsOf(groupId) })),
  ];
  await r.model.change({ put }, generation);
  // The creation returns no id; an admission does.
  const admitted = await r.admission.admit({ appKey: digest, session: null, idleTimeout: 60_000 });
  return { schema, appKey, appKeyId: admitted.appKey?.id ?? "", userNumber: objectNumber(userId), groupId };
}

const toContact = { name: "Contact", type: "reference", target: "Contact" } as const;

function classOf(
  name: string,
  sample: Readonly<Record<string, string | number | boolean>>,
  group: string,
  indexed: readonly string[] = [],
): ClassDefinition {
  const attributes = Object.entries(sample).map(([attribute, value]) => ({
    name: attribute,
    type: attribute === "Since" ? ("date" as const) : (typeof value as "string" | "number" | "boolean"),
    indexed: indexed.includes(attribute),
  }));
  return { name, base: null, attributes, rights: rightsOf(group) };
}

function rightsOf(group: string): ClassDefinition["rights"] {
  return [{ group, permissions: ["read", "create", "write"] }];
}

/** Numbers of rows to insert. */
export interface SchemaRows {
  readonly articles: number;
  readonly contacts: number;
  /** Each order points to its own contact. Default 0. */
  readonly orders?: number;
  readonly users: number;
  /** Live sessions, spread over all users. Their ids are `sessionIdOf(1)` and so on. */
  readonly sessions: number;
  /** Events of the audit, one a second until now. Default 0. */
  readonly events?: number;
  /** Classes without objects, which `prepareSchema` creates. Default 0. */
  readonly emptyClasses?: number;
}

/** Object numbers of the inserted rows: first the articles, then the contacts and the orders. */
export interface FilledSchema {
  readonly firstArticle: number;
  readonly articles: number;
  readonly firstContact: number;
  readonly contacts: number;
}

/** `sessionIdOf(n)` in SQL. */
const sessionIdSql = "'session' || lpad(n::text, 36, '0')";

export function sessionIdOf(number: number): string {
  return `session${String(number).padStart(36, "0")}`;
}

export function userNameOf(number: number): string {
  return `user${number}`;
}

/** Fills the product's tables by SQL: a minute faster for a million objects than through the API. */
export async function fillSchema(
  database: BenchDatabase,
  { schema, appKeyId, userNumber, groupId }: PreparedSchema,
  { articles, contacts, orders = 0, users, sessions, events = 0 }: SchemaRows,
): Promise<FilledSchema> {
  const objects = async (className: string, attributes: object, count: number, more = "'{}'::jsonb") => {
    await database.run(
      `insert into ${schema}.objects (uuid, class, stored_at, attributes)
       select gen_random_uuid(), $1, now(), $2::jsonb || jsonb_build_object('Name', $1 || ' ' || n, 'Number', n) || ${more}
       from generate_series(1, $3::int) n order by n`,
      [className, JSON.stringify(attributes), count],
    );
    const [first] = await database.run(`select min(oid) as oid from ${schema}.objects where class = $1`, [className]);
    return Number(first?.["oid"]);
  };
  const firstArticle = await objects("Article", articleAttributes, articles);
  const firstContact = await objects(
    "Contact",
    contactAttributes,
    contacts,
    "jsonb_build_object('Shelf', (n - 1) / 100)",
  );
  await objects("Order", orderAttributes, orders);
  await database.run(
    `update ${schema}.objects o set attributes = attributes || jsonb_build_object('Contact', ids.id)
     from unnest($1::text[]) with ordinality as ids (id, n) where o.class = 'Order' and o.attributes -> 'Number' = to_jsonb(ids.n)`,
    [Array.from({ length: orders }, (_, place) => objectIdOf(firstContact + place))],
  );

  await database.run(
    `with added as (
       insert into ${schema}.objects (uuid, class, stored_at, attributes)
       select gen_random_uuid(), 'User', now(), jsonb_build_object('Name', 'user' || n, 'Groups', jsonb_build_array($1::text))
       from generate_series(1, $2::int) n order by n
       returning oid, attributes ->> 'Name' as name
     )
     insert into ${schema}.accounts (user_id, login_name, confusable_key, secret, administrator)
     select added.oid, name, name, secret, false from added, ${schema}.accounts where user_id = $3`,
    [groupId, users, userNumber],
  );
  await database.run(
    `insert into ${schema}.sessions (digest, mode, app_key_id, user_id, secret_version, app_names, opened_at, expires_at, ends_at)
     select sha256((${sessionIdSql})::bytea), 'session', $1, user_id, secret_version, '["bench"]', now(), now() + interval '12 hours', now() + interval '12 hours'
     from generate_series(1, $2::int) n
     join (select user_id, secret_version, row_number() over (order by user_id) - 1 as turn from ${schema}.accounts where user_id <> $3) accounts
       on turn = n % $4::int`,
    [appKeyId, sessions, userNumber, users],
  );
  await database.run(`update ${schema}.session_counts set sessions = sessions + $1 where shard = 0`, [sessions]);
  await database.run(
    `insert into ${schema}.audit (at, type, request_id, outcome, app_key_id, actor_id, subject_id, address, app_names)
     select now() - ($1::int - n) * interval '1 second', 'login.accepted', 'request' || n, 0, $2, $3, $3, '192.0.2.1', '["bench"]'
     from generate_series(1, $1::int) n`,
    [events, appKeyId, userNumber],
  );
  return { firstArticle, articles, firstContact, contacts };
}
