import { randomBytes } from "node:crypto";
import mysql from "mysql2/promise";

/** A MariaDB server for tests. */
export interface RealMariadb {
  readonly url: string;
  readonly admin: mysql.Connection;
  /** The name of a database that does not exist. If a test creates it, `close` drops it. */
  freshName(): string;
  close(): Promise<void>;
}

/** The server that MARIADB_URL names. Its user must be allowed to create databases. */
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
