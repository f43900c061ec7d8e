/**
 * Limit: Express 5 and pg that create a row and change one, each by one plain statement, without asking who does it. A
 * change is made only to the version that its `If-Match` names.
 */
import express from "express";
import { barePool } from "./bare-pool.ts";
import { listen } from "./listen.ts";

const insertObject =
  "insert into bare.written (class, stored_at, attributes) values ($1, now(), $2) returning id, class, version, stored_at, attributes";
const updateObject = `update bare.written set attributes = attributes || $2, version = version + 1, stored_at = now()
  where id = $1 and ($3::int is null or version = $3) returning id, class, version, stored_at, attributes`;

const pool = barePool();
await pool.query(`create table bare.written (
  id bigserial primary key, class text not null, version int not null default 1, stored_at timestamptz not null, attributes jsonb not null
)`);
await pool.query("create index on bare.written (class, id)");
// Those that are changed; what is created comes behind them.
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
    response.status(409).json({ error: "changed by somebody else" });
    return;
  }
  response.set("etag", `"${rows[0].version}"`).json(rows[0]);
});
listen(application);
