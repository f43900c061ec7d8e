/**
 * Limit: Express 5 and pg, written by hand. A route looks the session up by the SHA-256 of its id and reads one row of
 * 1.5 kB by its key. `/plain` sends its statements as text, `/prepared` as named prepared statements.
 */
import { createHash } from "node:crypto";
import express, { type Handler } from "express";
import { barePool } from "./bare-pool.ts";
import { listen } from "./listen.ts";

const findSession = "select user_id from bare.session where digest = $1 and expires_at > now()";
const findObject = "select id, class, stored_at, attributes from bare.object where id = $1";

const pool = barePool();

function readRow(names: { session?: string; object?: string }): Handler {
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

const application = express();
application.get("/plain/:id", readRow({}));
application.get("/prepared/:id", readRow({ session: "session", object: "object" }));
listen(application);
