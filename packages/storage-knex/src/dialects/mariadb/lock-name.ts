import { createHash } from "node:crypto";

/** The name of a lock of the server for one database and purpose: names of databases may be too long to be part of it. */
export function lockName(database: string, purpose: "archive" | "indexes" | "migrations"): string {
  return `sallyport:${createHash("sha256").update(database).digest("hex").slice(0, 32)}:${purpose}`;
}
