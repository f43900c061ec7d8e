import type { Attributes, JsonValue } from "@sallyport/storage";
import { positionalQuery } from "./dialects/mariadb/connection.ts";
import { serverOf } from "./dialects/mariadb/create-mariadb-knex.ts";
import { attributesOf, attributesText, storedValue } from "./dialects/mariadb/object-row.ts";
import { acceptDatabaseName } from "./dialects/mariadb/tables.ts";
import { acceptSchemaName } from "./dialects/postgres/tables.ts";
import { batchStatement } from "./dialects/postgres/batch-statement.ts";
import { type Statement, statement } from "./sql-runner.ts";

describe("numbered parameters", () => {
  test("become question marks with the values in order of their positions", () => {
    const query = positionalQuery("select $2, $1, $2 from t limit $10", ["a", "b", 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(query).toEqual({ sql: "select ?, ?, ? from t limit ?", values: ["b", "a", "b", 10] });
  });

  test("pass arrays as JSON and other values unchanged", () => {
    const bytes = Buffer.from("ab");
    expect(positionalQuery("$1 $2 $3 $4 $5", [["a", '"'], [1, 2], null, true, bytes]).values).toEqual([
      '["a","\\""]',
      "[1,2]",
      null,
      true,
      bytes,
    ]);
  });

  test("fail without a value", () => {
    expect(() => positionalQuery("select $2", ["a"])).toThrow(RangeError);
  });
});

describe("the URL of a MariaDB", () => {
  test("contains the server and the credentials", () => {
    const server = { host: "db.example", port: 3307, user: "sally port", password: "p@ss" };
    expect(serverOf("mariadb://sally%20port:p%40ss@db.example:3307/sallyport")).toEqual(server);
    expect(serverOf("mysql://u@[::1]/")).toEqual({ host: "::1", port: 3306, user: "u", password: "" });
    expect(serverOf("mariadb://u@localhost/?socket=%2Frun%2Fmysqld.sock")).toEqual({
      socketPath: "/run/mysqld.sock",
      user: "u",
      password: "",
    });
  });

  test.each([
    ["disable", undefined],
    ["require", { rejectUnauthorized: false, verifyIdentity: false }],
    ["verify-full", { rejectUnauthorized: true, verifyIdentity: true }],
  ])("requires encryption with sslmode=%s", (mode, ssl) => {
    expect(serverOf(`mariadb://u@h/d?sslmode=${mode}`).ssl).toEqual(ssl);
  });

  test.each([
    "mariadb://u:secret@:x/d",
    "secret",
    "mariadb://u:secret@h/d?sslmode=maybe",
    "mariadb://u:secret@h/d?multipleStatements=true",
  ])("is refused without revealing its password: %s", (url) => {
    expect(() => serverOf(url)).toThrow(/^(?!.*secret).*database URL/);
  });
});

const attributes: Attributes = JSON.parse(
  `{"text":"a\\"b","number":0.1,"no":false,"nothing":null,"ids":["A1","B2"],"empty":{},"list":[],"mixed":[1,null,[2]],"record":{"b":1,"a":{"json":"{}"}},"__proto__":{"__proto__":1}}`,
) as Attributes;

const stored = (input: Attributes) => attributesOf(JSON.parse(attributesText(input)) as Attributes);

test("restores attributes as stored", () => {
  expect(stored(attributes)).toEqual(attributes);
  expect(Object.keys(stored(attributes))).toContain("__proto__");
});

test("stores deeply nested values without nesting", () => {
  let deep: JsonValue = 1;
  for (let depth = 0; depth < 200; depth += 1) deep = depth % 2 === 0 ? [deep] : { deep };
  const texts = Object.values(
    JSON.parse(attributesText({ deep, last: [["core"]] })) as Record<string, { json: unknown }>,
  );
  expect(texts.map(({ json }) => typeof json)).toEqual(["string", "string"]);
  expect(stored({ deep })).toEqual({ deep });
});

test("stores equal values equally for any member order", () => {
  const one = { a: 1, b: [{ c: 2, d: 3 }] };
  const other = { b: [{ d: 3, c: 2 }], a: 1 };
  expect(storedValue(one)).toEqual(storedValue(other));
  expect(storedValue([1, { a: 2 }])).not.toEqual(storedValue([{ a: 2 }, 1]));
});

describe("the name of a database", () => {
  test.each(["sallyport", "_a1", "x".repeat(63)])("%s is accepted", (name) => {
    expect(acceptDatabaseName(name)).toBe(name);
  });

  test.each(["", "Sallyport", "a-b", "a`b", "1a", "x".repeat(64), "mysql", "information_schema"])(
    "%s is refused",
    (name) => {
      expect(() => acceptDatabaseName(name)).toThrow("A database name must have");
    },
  );
});

describe("joint statement", () => {
  const call = (name: string, text: string): Statement => ({ name, text, batch: "call" });
  const addition = (name: string, text: string): Statement => ({ name, text, batch: "addition" });

  const [one, two] = [call("one", "select f($1::text, $2::int, $1::text)"), call("two", "select g($1)")];
  const row = addition("row", "insert into t values ($2, $1)");

  test("combines the calls in order with the additions, and renumbers the parameters", () => {
    expect(batchStatement([one, two, row])?.text).toBe(
      "with added_0 as (insert into t values ($5, $4)) select f($1::text, $2::int, $1::text), g($3)",
    );
    expect(batchStatement([two, one])?.text).toBe("select g($1), f($2::text, $3::int, $2::text)");
  });

  test("is identical for identical calls", () => {
    expect(batchStatement([one, row])).toBe(batchStatement([one, row]));
    expect(batchStatement([one, row])?.name).not.toBe(batchStatement([two, row])?.name);
  });

  test("refuses statements that return rows or would lose their order", () => {
    const other = { name: "other", text: "select 1" };
    for (const statements of [
      [],
      [row],
      [other],
      [one, other],
      [other, one],
      [one, other, row],
      [row, one],
      [one, row, two],
    ])
      expect(batchStatement(statements)).toBeNull();
  });
});

describe("names of schemas", () => {
  test.each(["a", "sallyport", "_private", "tenant_7", "x".repeat(63)])("%s is accepted", (name) => {
    expect(acceptSchemaName(name)).toBe(name);
  });

  test.each([
    "",
    "Upper",
    "7up",
    "a-b",
    "a b",
    'a"b',
    "a.b",
    "a;drop",
    "é",
    "pg_catalog",
    "pg_mine",
    "information_schema",
    "x".repeat(64),
    "a\n",
  ])("%j is refused", (name) => {
    expect(() => acceptSchemaName(name)).toThrow("schema name");
  });
});

describe("statements", () => {
  test("have equal names for equal texts only", () => {
    expect(statement("admit", "select 1").name).toBe(statement("admit", "select 1").name);
    expect(statement("admit", "select 1").name).not.toBe(statement("admit", "select 2").name);
  });

  test("have names that the server does not truncate", () => {
    expect(statement("session_open_within", "select 1").name.length).toBeLessThan(64);
  });
});
