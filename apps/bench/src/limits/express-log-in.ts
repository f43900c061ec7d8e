import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { hash, verify } from "@node-rs/argon2";
import express from "express";
import { password } from "../database/sample-data.ts";
import { barePool, listen, sha256 } from "./express-server.ts";

const users = 100;

const find = {
  name: "find",
  text: `select a.user_id, a.secret, a.attributes from bare_log_in.app_key k cross join bare_log_in.account a where k.digest = $1 and a.name = $2`,
};
const open = { name: "open", text: "insert into bare_log_in.session values ($1, $2, now() + interval '12 hours')" };
const audit = {
  name: "audit",
  text: "insert into bare_log_in.audit (at, type, user_id, address) values (now(), 'login', $1, $2)",
};

/**
 * Limit: a minimal log-in, written by hand with Express 5, pg and argon2. It finds the app key and the account in one
 * statement, verifies the password, opens a session and writes an audit line in one transaction, and answers with the
 * user's object. It has no limits, lockout or rights. It uses prepared statements.
 */
export async function serveLogIns(): Promise<void> {
  const pool = barePool();
  await pool.query("create schema bare_log_in");
  await pool.query("create table bare_log_in.app_key (digest text primary key, id bigint not null)");
  await pool.query(
    "create table bare_log_in.account (name text primary key, user_id bigint not null, secret text not null, attributes jsonb not null)",
  );
  await pool.query(
    "create table bare_log_in.session (digest text primary key, user_id bigint not null, expires_at timestamptz not null)",
  );
  await pool.query(
    "create table bare_log_in.audit (id bigserial primary key, at timestamptz not null, type text not null, user_id bigint, address text)",
  );
  await pool.query("insert into bare_log_in.app_key values ($1, 1)", [sha256("bare")]);
  const secret = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  await pool.query(
    `insert into bare_log_in.account select 'user' || n, n, $1, jsonb_build_object('Name', 'user' || n, 'Groups', jsonb_build_array('readers'))
     from generate_series(1, $2::int) n`,
    [secret, users],
  );

  const application = express();
  application.use(express.json());
  application.post("/login", async (request, response) => {
    const { user, pass } = request.body as { user: string; pass: string };
    const { rows } = await pool.query({ ...find, values: [sha256(request.get("appkey") ?? ""), user] });
    const proven = rows.length === 1 && (await verifyInLane(rows[0].secret, pass));
    if (!proven) {
      response.status(403).json({ error: "refused" });
      return;
    }
    const sessionId = randomBytes(32).toString("base64url");
    const client = await pool.connect();
    try {
      await client.query("begin");
      await client.query({ ...open, values: [sha256(sessionId), rows[0].user_id] });
      await client.query({ ...audit, values: [rows[0].user_id, request.ip] });
      await client.query("commit");
      client.release();
    } catch (error) {
      // Closes the connection, and so rolls back.
      client.release(true);
      throw error;
    }
    response.json({ sessionId, user: rows[0].attributes });
  });
  listen(application);
}

/**
 * Limit: bare Express 5 that verifies a password. It uses no database and opens no session. It shows the cost of HTTP
 * and one event loop on top of the bare hash.
 */
export async function serveHashes(): Promise<void> {
  const secret = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  const application = express();
  application.use(express.json());
  application.post("/login", async (request, response) => {
    const { pass } = request.body as { pass: string };
    response.json({ proven: await verifyInLane(secret, pass) });
  });
  listen(application);
}

const lanes: Promise<boolean>[] = Array.from({ length: availableParallelism() }, () => Promise.resolve(true));
let turn = 0;

/** Verifies a hash. At most one hash per core runs at a time, because more would compete for the cores. */
function verifyInLane(secret: string, pass: string): Promise<boolean> {
  turn = (turn + 1) % lanes.length;
  const verified = (lanes[turn] as Promise<boolean>).then(() => verify(secret, pass));
  // A failure is answered by its own request, and must not end the lane.
  lanes[turn] = verified.catch(() => false);
  return verified;
}
