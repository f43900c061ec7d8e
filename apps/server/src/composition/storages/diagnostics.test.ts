import { ServiceError } from "@sallyport/storage";
import { StartError } from "../start-error.ts";
import { mariadbDiagnostics } from "./mariadb.ts";
import { openPostgres, postgresDiagnostics } from "./postgres.ts";

/** Refusals of database servers, in words for operators. */
describe("diagnostics", () => {
  describe("mariadb", () => {
    const storage = { url: "mariadb://shop:S3cret@db.example:3307/till", schema: "till" };

    function diagnosed(
      code: number,
      cause: Partial<Error> & { code?: string; errno?: number },
      url = storage.url,
    ): string | null {
      const error = Object.assign(new Error(cause.message ?? ""), cause);
      return mariadbDiagnostics(new ServiceError(code as 704, { cause: error }), { ...storage, url });
    }

    const remedy = "grant all on till.* to 'shop'@'%'";
    const creation = `create database till character set utf8mb4 collate utf8mb4_nopad_bin; ${remedy}`;

    test.each([
      [
        "a missing database or no right to it",
        704,
        { errno: 1044, code: "ER_DBACCESS_DENIED_ERROR", message: "Access denied" },
        `The account "shop" has no privileges on the database "till" (Access denied). Run as an administrator: ${creation}`,
      ],
      [
        "a wrong password",
        704,
        { errno: 1045, message: "Access denied" },
        'The MariaDB server at db.example:3307 refused the account "shop" (Access denied).',
      ],
      [
        "no right to a table",
        799,
        { errno: 1142, message: "CREATE command denied" },
        `The account "shop" lacks a privilege on the database "till" (CREATE command denied). Run as an administrator: ${remedy}`,
      ],
      [
        "no server at the address",
        704,
        { errno: -111, code: "ECONNREFUSED" },
        "No MariaDB server responds at db.example:3307 (ECONNREFUSED).",
      ],
      ["timed out", 704, { code: "ETIMEDOUT" }, "No MariaDB server responds at db.example:3307 (ETIMEDOUT)."],
      ["an unknown host", 704, { code: "ENOTFOUND" }, "The host db.example cannot be resolved (ENOTFOUND)."],
      [
        "too many connections",
        704,
        { errno: 1040, message: "sorry" },
        "The MariaDB server at db.example:3307 accepts no more connections (sorry).",
      ],
      [
        "a replica",
        704,
        { errno: 1290, message: "--read-only" },
        "The MariaDB server at db.example:3307 is read-only (--read-only).",
      ],
      [
        "a certificate of an unknown authority",
        704,
        { code: "HANDSHAKE_SSL_ERROR", message: "self-signed certificate" },
        "The certificate of the MariaDB server at db.example:3307 is not valid (self-signed certificate).",
      ],
      [
        "no TLS",
        704,
        { code: "HANDSHAKE_NO_SSL_SUPPORT" },
        "The MariaDB server at db.example:3307 does not support TLS, which the connection string requires (sslmode).",
      ],
    ])("%s", (_title, code, cause, expected) => {
      expect(diagnosed(code, cause)).toBe(expected);
    });

    test("omitted parts of the connection string are the driver's defaults", () => {
      expect(diagnosed(704, { code: "ECONNREFUSED" }, "mysql://u@[::1]")).toBe(
        "No MariaDB server responds at [::1]:3306 (ECONNREFUSED).",
      );
      expect(diagnosed(704, { code: "ENOENT" }, "mariadb://u@localhost/till?socket=%2Frun%2Fmysqld.sock")).toBe(
        "No MariaDB server responds at /run/mysqld.sock:3306 (ENOENT).",
      );
    });

    test("leaves unknown errors to others", () => {
      expect(diagnosed(799, { errno: 1064, message: "surprise" })).toBeNull();
      expect(mariadbDiagnostics(new ServiceError(704), storage)).toBeNull();
      expect(mariadbDiagnostics(new Error("ECONNREFUSED"), storage)).toBeNull();
    });
  });

  describe("postgres", () => {
    const storage = { url: "postgres://shop:S3cret@db.example:6432/till", schema: "sallyport" };

    function diagnosed(code: number, cause: Partial<Error> & { code?: string }, url = storage.url): string | null {
      const error = Object.assign(new Error(cause.message ?? ""), cause);
      return postgresDiagnostics(new ServiceError(code as 704, { cause: error }), { ...storage, url });
    }

    test.each([
      ["postgres://shop:S3cret@db/till?sslmod=require", [], /^The database URL has an unknown parameter, number 1\. /],
      [
        "postgres://shop:S3cret@db/till?target_session_attrs=wrong",
        [],
        /^The database URL must have target_session_attrs of /,
      ],
      ["postgres://shop:S3cret@db/till", ["postgres://shop:S3cret@db/till?x=1"], /unknown parameter, number 1/],
    ])("a URL that cannot be used ends the start with a sentence: %s", async (url, readUrls, message) => {
      const pool = { max: 1, acquireTimeout: 1, maxWaiting: 1 };
      const opening = openPostgres({ url, readUrls, pool, statementTimeout: 1 } as never, () => {});
      await expect(opening).rejects.toThrow(StartError);
      await expect(opening).rejects.toThrow(message);
    });

    test.each([
      [
        "a database that does not exist",
        705,
        { code: "3D000" },
        'The database "till" does not exist on the Postgres server at db.example:6432. Create it: createdb -h db.example -p 6432 -U postgres -O shop till',
      ],
      [
        "a wrong password",
        704,
        { code: "28P01" },
        'The Postgres server at db.example:6432 refused the password of the role "shop".',
      ],
      [
        "a role without access",
        704,
        { code: "28000", message: "no pg_hba.conf entry" },
        'The Postgres server at db.example:6432 refused the role "shop" (no pg_hba.conf entry).',
      ],
      [
        "a required password that is missing",
        704,
        { message: "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string" },
        'The Postgres server at db.example:6432 requires a password of the role "shop". The connection string has none.',
      ],
      [
        "no server at the address",
        704,
        { code: "ECONNREFUSED" },
        "No Postgres server responds at db.example:6432 (ECONNREFUSED).",
      ],
      [
        "timed out",
        704,
        { message: "timeout expired" },
        "No Postgres server responds at db.example:6432 (timeout expired).",
      ],
      ["an unknown host", 704, { code: "ENOTFOUND" }, "The host db.example cannot be resolved (ENOTFOUND)."],
      [
        "no right to connect",
        704,
        { code: "42501", message: "permission denied" },
        'The role "shop" cannot connect to the database "till" (permission denied).',
      ],
      [
        "no right to create the schema",
        799,
        { code: "42501", message: "permission denied for database till" },
        'The role "shop" cannot create the schema "sallyport" in the database "till". Run as a superuser: create schema sallyport authorization shop',
      ],
      [
        "no right to a table",
        799,
        { code: "42501", message: "permission denied for table objects" },
        'The role "shop" lacks a privilege in the database "till" (permission denied for table objects). It must own the schema "sallyport" and all objects in it.',
      ],
      [
        "too many connections",
        704,
        { code: "53300", message: "sorry" },
        "The Postgres server at db.example:6432 accepts no more connections (sorry).",
      ],
      [
        "a certificate of an unknown authority",
        704,
        { code: "DEPTH_ZERO_SELF_SIGNED_CERT", message: "self-signed certificate" },
        "The certificate of the Postgres server at db.example:6432 is not valid (self-signed certificate).",
      ],
      [
        "no TLS",
        704,
        { message: "The server does not support SSL connections" },
        "The Postgres server at db.example:6432 does not support TLS, which the connection string requires (sslmode).",
      ],
    ])("%s", (_title, code, cause, expected) => {
      expect(diagnosed(code, cause)).toBe(expected);
    });

    test("omitted parts of the connection string are the driver's defaults, and unusual names are quoted for the shell", () => {
      expect(diagnosed(705, { code: "3D000" }, "postgres://o'brien@[::1]")).toBe(
        `The database "o'brien" does not exist on the Postgres server at [::1]:5432. Create it: createdb -h ::1 -p 5432 -U postgres -O 'o'\\''brien' 'o'\\''brien'`,
      );
      expect(diagnosed(704, { code: "ENOENT" }, "postgres:///till?host=/run/postgres&user=shop")).toBe(
        "No Postgres server responds at /run/postgres:5432 (ENOENT).",
      );
    });

    test("leaves unknown errors to others", () => {
      expect(diagnosed(799, { code: "XX000", message: "surprise" })).toBeNull();
      expect(postgresDiagnostics(new ServiceError(704), storage)).toBeNull();
      expect(postgresDiagnostics(new Error("ECONNREFUSED"), storage)).toBeNull();
    });
  });
});
