import { ServiceError } from "@sallyport/core";
import { postgresTrouble } from "./postgres.ts";

const storage = { url: "postgres://shop:S3cret@db.example:6432/till", schema: "sallyport" };

function told(code: number, cause: Partial<Error> & { code?: string }, url = storage.url): string | null {
  const error = Object.assign(new Error(cause.message ?? ""), cause);
  return postgresTrouble(new ServiceError(code as 704, { cause: error }), { ...storage, url });
}

test.each([
  [
    "a database that does not exist",
    705,
    { code: "3D000" },
    'The database "till" does not exist on the Postgres at db.example:6432. Create it: createdb -h db.example -p 6432 -U postgres -O shop till',
  ],
  [
    "a wrong password",
    704,
    { code: "28P01" },
    'The Postgres at db.example:6432 refuses the password of the role "shop".',
  ],
  [
    "a role that is not let in",
    704,
    { code: "28000", message: "no pg_hba.conf entry" },
    'The Postgres at db.example:6432 does not let the role "shop" in (no pg_hba.conf entry).',
  ],
  [
    "no password where one is wanted",
    704,
    { message: "SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string" },
    'The Postgres at db.example:6432 wants a password of the role "shop", and the connection string has none.',
  ],
  ["nobody there", 704, { code: "ECONNREFUSED" }, "No Postgres answers at db.example:6432 (ECONNREFUSED)."],
  [
    "no answer in time",
    704,
    { message: "timeout expired" },
    "No Postgres answers at db.example:6432 (timeout expired).",
  ],
  ["an unknown host", 704, { code: "ENOTFOUND" }, "The host db.example cannot be found (ENOTFOUND)."],
  [
    "no right to connect",
    704,
    { code: "42501", message: "permission denied" },
    'The role "shop" may not connect to the database "till" (permission denied).',
  ],
  [
    "no right to create the schema",
    799,
    { code: "42501", message: "permission denied for database till" },
    'The role "shop" may not create the schema "sallyport" in the database "till". Let a superuser run: create schema sallyport authorization shop',
  ],
  [
    "no right to a table",
    799,
    { code: "42501", message: "permission denied for table objects" },
    'The role "shop" lacks a right in the database "till" (permission denied for table objects). It should own the schema "sallyport" and everything in it.',
  ],
  [
    "too many connections",
    704,
    { code: "53300", message: "sorry" },
    "The Postgres at db.example:6432 takes no more connections (sorry).",
  ],
  [
    "a certificate of nobody",
    704,
    { code: "DEPTH_ZERO_SELF_SIGNED_CERT", message: "self-signed certificate" },
    "The certificate of the Postgres at db.example:6432 is not accepted (self-signed certificate).",
  ],
  [
    "no TLS",
    704,
    { message: "The server does not support SSL connections" },
    "The Postgres at db.example:6432 offers no TLS, which the connection string asks for (sslmode).",
  ],
])("%s", (_title, code, cause, expected) => {
  expect(told(code, cause)).toBe(expected);
});

test("what the connection string leaves out is what the driver takes, and odd names survive the shell", () => {
  expect(told(705, { code: "3D000" }, "postgres://o'brien@[::1]")).toBe(
    `The database "o'brien" does not exist on the Postgres at [::1]:5432. Create it: createdb -h ::1 -p 5432 -U postgres -O 'o'\\''brien' 'o'\\''brien'`,
  );
  expect(told(704, { code: "ENOENT" }, "postgres:///till?host=/run/postgres&user=shop")).toBe(
    "No Postgres answers at /run/postgres:5432 (ENOENT).",
  );
});

test("what it does not know it leaves to others", () => {
  expect(told(799, { code: "XX000", message: "surprise" })).toBeNull();
  expect(postgresTrouble(new ServiceError(704), storage)).toBeNull();
  expect(postgresTrouble(new Error("ECONNREFUSED"), storage)).toBeNull();
});
