import { randomBytes } from "node:crypto";
import mysql from "mysql2/promise";

/** A MariaDB server for tests. */
export interface RealMariadb {
  readonly url: string;
  readonly admin: mysql.Connection;
  /** A database name that is not in use. `close` drops the database if it exists. */
  freshName(): string;
  close(): Promise<void>;
}

/** Connects to the server at `MARIADB_URL`. Its user needs permission to create databases. Throws if it is not set. */
export async function openRealMariadb(): Promise<RealMariadb> {
  const url = process.env["MARIADB_URL"];
  if (url === undefined || url === "") throw new Error("MARIADB_URL names no server.");
  const { hostname, port, username, password } = new URL(url);
  const admin = await mysql.createConnection({
    host: hostname,
    port: Number(port || 3306),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    charset: "utf8mb4",
    multipleStatements: true,
  });
  const names: string[] = [];
  return {
    url,
    admin,
    freshName: () => {
      const name = `sallyport_test_${randomBytes(8).toString("hex")}`;
      names.push(name);
      return name;
    },
    close: async () => {
      for (const name of names) await admin.query(`drop database if exists ${name}`);
      await admin.end();
    },
  };
}
