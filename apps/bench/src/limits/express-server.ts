import { createHash } from "node:crypto";
import type { Express } from "express";
import pg from "pg";

/** The pool of a limit: second argument the address of the database, third the number of connections. Kept as long as the product keeps its own. */
export function barePool(): pg.Pool {
  return new pg.Pool({ connectionString: process.argv[3], max: Number(process.argv[4]), idleTimeoutMillis: 30_000 });
}

/** Puts a limit on the port that its first argument names. */
export function listen(application: Express): void {
  application.disable("x-powered-by").disable("etag");
  application.listen(Number(process.argv[2]), "127.0.0.1");
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
