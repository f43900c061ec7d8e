/** Limit: Express 5 and pg that send 100 rows of a class as they come, without asking who wants them. */
import express from "express";
import { barePool } from "./bare-pool.ts";
import { listen } from "./listen.ts";

const findObjects = "select id, class, stored_at, attributes from bare.object where class = $1 order by id limit 100";

const pool = barePool();

const application = express();
application.get("/list/:class", async (request, response) => {
  const { rows } = await pool.query(findObjects, [request.params["class"]]);
  response.json(rows);
});
listen(application);
