import { embedded, memory, messageOf, postgres } from "../../test/configuration-file.ts";

describe("refusals", () => {
  describe("refuses", () => {
    const faults: readonly (readonly [string, object, RegExp, Record<string, string>?])[] = [
      [
        "a reserved alias",
        { databases: [{ alias: "admin", ...memory }] },
        /databases\[0\]\.alias: must be empty, or a lowercase letter/,
      ],
      ["a malformed alias", { databases: [{ alias: "A", ...memory }] }, /databases\[0\]\.alias: must be/],
      [
        "a duplicate alias",
        {
          databases: [
            { alias: "a", ...memory },
            { alias: "a", ...memory },
          ],
        },
        /databases\[1\]\.alias: is already used by databases\[0\]/,
      ],
      [
        "two databases with the empty alias",
        { databases: [memory, memory] },
        /databases\[1\]\.alias: is already used by/,
      ],
      [
        "an unknown time zone",
        { databases: [{ timeZone: "Mars/Olympus", ...memory }] },
        /databases\[0\]\.timeZone: must be the name of a time zone/,
      ],
      [
        "an unknown engine",
        { databases: [{ storage: { engine: "oracle" } }] },
        /databases\[0\]\.storage\.engine: must be "postgres", "mariadb", "embedded", "memory" or "module"$/m,
      ],
      [
        "a module without a name",
        { databases: [{ storage: { engine: "module" } }] },
        /databases\[0\]\.storage\.module: is required with the engine "module"/,
      ],
      [
        "a module for another engine",
        { databases: [{ storage: { engine: "memory", module: "./a.js" } }] },
        /databases\[0\]\.storage\.module: does not apply to the engine "memory"/,
      ],
      [
        "invalid options",
        { databases: [{ storage: { engine: "module", module: "a", options: [] } }] },
        /databases\[0\]\.storage\.options: must be an object/,
      ],
      [
        "a module twice with the same options",
        {
          databases: ["", "b"].map((alias) => ({
            alias,
            storage: { engine: "module", module: "a", options: { file: "f" } },
          })),
        },
        /databases\[1\]\.storage\.options: must differ from those of databases\[0\]/,
      ],
      ["a Postgres without an address", { databases: [{ storage: {} }] }, /databases\[0\]\.storage\.url: is required/],
      [
        "an address for memory",
        { databases: [{ storage: { engine: "memory", url: "postgres://h/d" } }] },
        /databases\[0\]\.storage\.url: does not apply to the engine "memory"/,
      ],
      [
        "a directory for Postgres",
        { databases: [postgres("postgres://h/d", { dataDir: "x" })] },
        /databases\[0\]\.storage\.dataDir: does not apply/,
      ],
      [
        "a directory for a server",
        { databases: [{ storage: { url: "mariadb://h/d", dataDir: "x" } }] },
        /databases\[0\]\.storage\.dataDir: does not apply to a database server/,
      ],
      [
        "a Postgres address for MariaDB",
        { databases: [postgres("mariadb://h/d")] },
        /databases\[0\]\.storage\.engine: does not match the connection string, which is for the engine "mariadb"/,
      ],
      [
        "a MariaDB address for Postgres",
        { databaseUrl: "postgres://h/d", databases: [{ storage: { engine: "mariadb" } }] },
        /databases\[0\]\.storage\.engine: does not match/,
      ],
      [
        "a database twice on one MariaDB",
        {
          databases: [
            { storage: { url: "mariadb://a@h/d" } },
            { alias: "b", storage: { url: "mysql://b@h:3306/", schema: "d" } },
          ],
        },
        /databases\[1\]\.storage\.schema: is already used by databases\[0\]/,
      ],
      [
        "a database name of another form",
        { databases: [{ storage: { url: "mariadb://h/Big" } }] },
        /databases\[0\]\.storage\.schema: is required: the default "Big"/,
      ],
      [
        "a pool for an embedded engine",
        { databases: [embedded("x", { pool: {} })] },
        /databases\[0\]\.storage\.pool: does not apply/,
      ],
      [
        "two addresses",
        { databases: [postgres("postgres://h/d", { urlFile: "x" })] },
        /databases\[0\]\.storage\.urlFile: cannot be combined with url/,
      ],
      [
        "a missing address file",
        { databases: [{ storage: { urlFile: "/none" } }] },
        /databases\[0\]\.storage\.urlFile: the file does not exist/,
      ],
      [
        "a malformed schema",
        { databases: [embedded("x", { schema: "pg_a" })] },
        /databases\[0\]\.storage\.schema: must be a lowercase letter/,
      ],
      [
        "a schema twice on one Postgres",
        {
          databases: [
            postgres("postgres://a:b@h/d", { schema: "s" }),
            { alias: "b", ...postgres("postgresql://c@h:5432/d", { schema: "s" }) },
          ],
        },
        /databases\[1\]\.storage\.schema: is already used by databases\[0\]/,
      ],
      [
        "a schema twice in one directory",
        {
          databases: [
            { alias: "a-b", ...embedded("x") },
            { alias: "a_b", ...embedded("./x") },
          ],
        },
        /databases\[1\]\.storage\.schema: is already used by databases\[0\]: "sallyport_a_b"/,
      ],
      [
        "an alias too long for a schema",
        { databases: [{ alias: "a".repeat(60), ...embedded("x") }] },
        /databases\[0\]\.storage\.schema: is required/,
      ],
      [
        "conflicting pools",
        {
          databases: [postgres("postgres://h/d"), { alias: "b", ...postgres("postgres://h/d", { pool: { max: 3 } }) }],
        },
        /databases\[1\]\.storage\.pool: and statementTimeout must be the same as in databases\[0\]/,
      ],
      [
        "a lossy failover of an engine without timelines",
        { databases: [{ storage: { url: "mariadb://h/d", afterLossyFailover: "warn" } }] },
        /databases\[0\]\.storage\.afterLossyFailover: does not apply to the engine "mariadb"/,
      ],
      [
        "conflicting time-outs in one directory",
        { databases: [embedded("x"), { alias: "b", ...embedded("x", { statementTimeout: "6s" }) }] },
        /databases\[1\]\.storage\.statementTimeout: must be the same as in databases\[0\], which shares the directory/,
      ],
    ];

    const rows = faults.map(
      ([title, content, expected, environment]) => [title, content, expected, environment ?? {}] as const,
    );
    test.each(rows)("%s", (_title, content, expected, environment) => {
      expect(messageOf(content, environment)).toMatch(expected);
    });
  });
});
