import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip, type ZlibOptions } from "node:zlib";
import express, { type Handler } from "express";
import type { Pool } from "pg";
import { articleAttributes } from "../database/sample-data.ts";
import { barePool, listen } from "./express-server.ts";

/** Limit: Express 5 that sends 1.5 kB of JSON. */
export function serveJson(): void {
  const application = express();
  application.get("/json", (_request, response) => {
    response.json(articleAttributes);
  });
  listen(application);
}

const findObjects = "select id, class, stored_at, attributes from bare.object where class = $1 order by id limit 100";

const compress = promisify<Uint8Array, ZlibOptions, Buffer>(gzip);

/** Limit: Express 5 and pg that send 100 rows of a class, without authentication; as gzip for clients that accept it. */
export function serveLists(): void {
  const pool = barePool();
  const application = express();
  application.get("/list/:class", async (request, response) => {
    const { rows } = await pool.query(findObjects, [request.params["class"]]);
    if (request.get("accept-encoding") !== "gzip") {
      response.json(rows);
      return;
    }
    const body = await compress(Buffer.from(JSON.stringify(rows)), { level: 1 });
    response.set("content-encoding", "gzip").type("json").send(body);
  });
  listen(application);
}

/** Number of rows per read. */
const batch = 5_000;

/** Limit: Express 5 and pg that stream all contacts of a schema as JSON, without authentication. */
export function serveStreams(): void {
  const pool = barePool();
  const application = express();
  application.get("/stream/:schema", async (request, response) => {
    const table = `"${request.params["schema"]}".objects`;
    const text = `select oid, uuid, class, version, stored_at, attributes from ${table} where class = 'Contact' and oid > $1 order by oid limit ${batch}`;
    response.type("json").write("[");
    for (let last = 0; ; ) {
      const { rows } = await pool.query(text, [last]);
      for (const row of rows) response.write(`${last === 0 && row === rows[0] ? "" : ","}${JSON.stringify(row)}`);
      if (rows.length < batch) break;
      last = Number(rows.at(-1).oid);
    }
    response.end("]");
  });
  listen(application);
}

const findSession = "select user_id from bare.session where digest = $1 and expires_at > now()";
const findObject = "select id, class, stored_at, attributes from bare.object where id = $1";

/**
 * Limit: Express 5 and pg, written by hand. A route looks up the session by the SHA-256 of its id and reads one row of
 * 1.5 kB by its key. `/plain` sends its statements as text, `/prepared` as named prepared statements.
 */
export function serveRows(): void {
  const pool = barePool();
  const application = express();
  application.get("/plain/:id", readRow(pool, {}));
  application.get("/prepared/:id", readRow(pool, { session: "session", object: "object" }));
  listen(application);
}

function readRow(pool: Pool, names: { session?: string; object?: string }): Handler {
  const session = names.session === undefined ? { text: findSession } : { name: names.session, text: findSession };
  const object = names.object === undefined ? { text: findObject } : { name: names.object, text: findObject };
  return async (request, response) => {
    const digest = createHash("sha256")
      .update(request.get("sessionid") ?? "")
      .digest("hex");
    const sessions = await pool.query({ ...session, values: [digest] });
    if (sessions.rows.length === 0) {
      response.status(401).json({ error: "no session" });
      return;
    }
    const objects = await pool.query({ ...object, values: [Number(request.params["id"])] });
    if (objects.rows.length === 0) {
      response.status(404).json({ error: "no object" });
      return;
    }
    response.json(objects.rows[0]);
  };
}

const findOnShelf = `select id, class, stored_at, attributes from bare.shelved
  where class = 'Contact' and (attributes -> 'Shelf') = $1::jsonb order by id limit 100`;
const countOnShelf = `select count(*)::int as count from (
  select from bare.shelved where class = 'Contact' and (attributes -> 'Shelf') = $1::jsonb limit 5000) counted`;
const findOrders = `select o.id, o.class, o.stored_at, o.attributes,
    c.id as contact_id, c.class as contact_class, c.stored_at as contact_stored_at, c.attributes as contact
  from bare.ordered o left join bare.shelved c on c.id = o.contact_id order by o.id limit 100`;

/**
 * Limit: Express 5 and pg with hand-written SQL, without authentication: the hundred rows of a shelf with their count,
 * up to 5,000, and a hundred orders joined with their contacts.
 */
export function serveQueries(): void {
  const pool = barePool();
  const application = express();
  application.get("/shelf/:shelf", async (request, response) => {
    const values = [request.params["shelf"]];
    const [objects, counts] = await Promise.all([pool.query(findOnShelf, values), pool.query(countOnShelf, values)]);
    response.json({ count: counts.rows[0].count, elements: objects.rows });
  });
  application.get("/orders", async (_request, response) => {
    const { rows } = await pool.query(findOrders);
    response.json(
      rows.map(({ contact_id: id, contact_class: className, contact_stored_at: storedAt, contact, ...order }) => ({
        ...order,
        attributes: {
          ...order.attributes,
          Contact: { id, class: className, stored_at: storedAt, attributes: contact },
        },
      })),
    );
  });
  listen(application);
}

const insertObject =
  "insert into bare.written (class, stored_at, attributes) values ($1, now(), $2) returning id, class, version, stored_at, attributes";
const updateObject = `update bare.written set attributes = attributes || $2, version = version + 1, stored_at = now()
  where id = $1 and ($3::int is null or version = $3) returning id, class, version, stored_at, attributes`;

/**
 * Limit: Express 5 and pg that create and update a row with one plain statement each, without authentication. An update
 * applies only to the version in its `If-Match`.
 */
export async function serveWrites(): Promise<void> {
  const pool = barePool();
  await pool.query(`create table bare.written (
    id bigserial primary key, class text not null, version int not null default 1, stored_at timestamptz not null, attributes jsonb not null
  )`);
  await pool.query("create index on bare.written (class, id)");
  // The rows to update; inserted rows follow them.
  await pool.query(
    "insert into bare.written (class, stored_at, attributes) select class, stored_at, attributes from bare.object order by id",
  );

  const application = express();
  application.use(express.json());
  application.post("/object/:class", async (request, response) => {
    const { rows } = await pool.query(insertObject, [request.params["class"], request.body]);
    response.set("etag", `"${rows[0].version}"`).json(rows[0]);
  });
  application.patch("/object/:id", async (request, response) => {
    const expected = request.get("if-match");
    const { rows } = await pool.query(updateObject, [
      Number(request.params["id"]),
      request.body,
      expected === undefined ? null : JSON.parse(expected),
    ]);
    if (rows.length === 0) {
      response.status(409).json({ error: "changed by another user" });
      return;
    }
    response.set("etag", `"${rows[0].version}"`).json(rows[0]);
  });
  listen(application);
}

const upsert = `insert into bare.upserted (uuid, class, stored_at, attributes) values ($1, 'Contact', now(), $2)
  on conflict (uuid) do update set attributes = upserted.attributes || excluded.attributes, version = upserted.version + 1, stored_at = now()
  returning uuid, version`;

/** Limit: Express 5 and pg that write the rows of a request in one transaction, with one plain statement each. */
export async function serveUpserts(): Promise<void> {
  const pool = barePool();
  await pool.query(`create table bare.upserted (
    uuid uuid primary key, class text not null, version int not null default 1, stored_at timestamptz not null, attributes jsonb not null
  )`);
  const application = express();
  application.use(express.json({ limit: "8mb" }));
  application.post("/upserts", async (request, response) => {
    const client = await pool.connect();
    const results: unknown[] = [];
    await client.query("begin");
    for (const { uuid, fields } of request.body) results.push((await client.query(upsert, [uuid, fields])).rows[0]);
    await client.query("commit");
    client.release();
    response.json(results);
  });
  listen(application);
}
