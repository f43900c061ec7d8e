/**
 * Limit: bare Express 5 that checks a password and says so. It asks no database and opens nothing: what HTTP and one event
 * loop leave of the bare hash.
 */
import { hash } from "@node-rs/argon2";
import express from "express";
import { password } from "../product/password.ts";
import { listen } from "./listen.ts";
import { verifyInLane } from "./verify-in-lane.ts";

const secret = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
const application = express();
application.use(express.json());
application.post("/login", async (request, response) => {
  const { pass } = request.body as { pass: string };
  response.json({ proven: await verifyInLane(secret, pass) });
});
listen(application);
