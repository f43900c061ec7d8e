import { ServiceError } from "@sallyport/core";
import { mariadbTrouble } from "./mariadb.ts";

const storage = { url: "mariadb://shop:S3cret@db.example:3307/till", schema: "till" };

function told(
  code: number,
  cause: Partial<Error> & { code?: string; errno?: number },
  url = storage.url,
): string | null {
  const error = Object.assign(new Error(cause.message ?? ""), cause);
  return mariadbTrouble(new ServiceError(code as 704, { cause: error }), { ...storage, url });
}

const remedy = "grant all on till.* to 'shop'@'%'";
const creation = `create database till character set utf8mb4 collate utf8mb4_nopad_bin; ${remedy}`;

test.each([
  [
    "a database that is not there or not his",
    704,
    { errno: 1044, code: "ER_DBACCESS_DENIED_ERROR", message: "Access denied" },
    `The account "shop" has no right to the database "till" (Access denied). Let an administrator run: ${creation}`,
  ],
  [
    "a wrong password",
    704,
    { errno: 1045, message: "Access denied" },
    'The MariaDB at db.example:3307 does not let the account "shop" in (Access denied).',
  ],
  [
    "no right to a table",
    799,
    { errno: 1142, message: "CREATE command denied" },
    `The account "shop" lacks a right in the database "till" (CREATE command denied). Let an administrator run: ${remedy}`,
  ],
  ["nobody there", 704, { errno: -111, code: "ECONNREFUSED" }, "No MariaDB answers at db.example:3307 (ECONNREFUSED)."],
  ["no answer in time", 704, { code: "ETIMEDOUT" }, "No MariaDB answers at db.example:3307 (ETIMEDOUT)."],
  ["an unknown host", 704, { code: "ENOTFOUND" }, "The host db.example cannot be found (ENOTFOUND)."],
  [
    "too many connections",
    704,
    { errno: 1040, message: "sorry" },
    "The MariaDB at db.example:3307 takes no more connections (sorry).",
  ],
  [
    "a replica",
    704,
    { errno: 1290, message: "--read-only" },
    "The MariaDB at db.example:3307 can only be read (--read-only).",
  ],
  [
    "a certificate of nobody",
    704,
    { code: "HANDSHAKE_SSL_ERROR", message: "self-signed certificate" },
    "The certificate of the MariaDB at db.example:3307 is not accepted (self-signed certificate).",
  ],
  [
    "no TLS",
    704,
    { code: "HANDSHAKE_NO_SSL_SUPPORT" },
    "The MariaDB at db.example:3307 offers no TLS, which the connection string asks for (sslmode).",
  ],
])("%s", (_title, code, cause, expected) => {
  expect(told(code, cause)).toBe(expected);
});

test("what the connection string leaves out is what the driver takes", () => {
  expect(told(704, { code: "ECONNREFUSED" }, "mysql://u@[::1]")).toBe(
    "No MariaDB answers at [::1]:3306 (ECONNREFUSED).",
  );
  expect(told(704, { code: "ENOENT" }, "mariadb://u@localhost/till?socket=%2Frun%2Fmysqld.sock")).toBe(
    "No MariaDB answers at /run/mysqld.sock:3306 (ENOENT).",
  );
});

test("what it does not know it leaves to others", () => {
  expect(told(799, { errno: 1064, message: "surprise" })).toBeNull();
  expect(mariadbTrouble(new ServiceError(704), storage)).toBeNull();
  expect(mariadbTrouble(new Error("ECONNREFUSED"), storage)).toBeNull();
});
