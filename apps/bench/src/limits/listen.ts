import type { Express } from "express";

/** Puts a limit on the port that its first argument names. */
export function listen(application: Express): void {
  application.disable("x-powered-by").disable("etag");
  application.listen(Number(process.argv[2]), "127.0.0.1");
}
