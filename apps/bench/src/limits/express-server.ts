import { createHash } from "node:crypto";
import type { Express } from "express";
import pg from "pg";

/** The pool of a limit, from the arguments of the process. Its idle timeout is that of the product. */
export function barePool(): pg.Pool {
  return new pg.Pool({ connectionString: process.argv[3], max: Number(process.argv[4]), idleTimeoutMillis: 30_000 });
}

/** Serves a limit on the port in the first argument. */
export function listen(application: Express): void {
  application.disable("x-powered-by").disable("etag");
  application.listen(Number(process.argv[2]), "127.0.0.1");
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
