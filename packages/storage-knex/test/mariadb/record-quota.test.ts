import type { RowDataPacket } from "mysql2";
import type { MariadbStorage } from "../../src/index.ts";
import { recordQuotaSuite } from "../record-quota-suite.ts";
import { processTimeout } from "../test-database.ts";
import { openTestMariadb, type TestMariadb } from "./test-mariadb.ts";

describe("record quotas on MariaDB", () => {
  let server: TestMariadb;
  let schema: string;
  let storage: MariadbStorage;
  beforeAll(async () => {
    server = await openTestMariadb();
    schema = server.freshName();
    storage = await server.storage({ database: schema });
    await storage.migrate();
  }, processTimeout);
  afterAll(() => server.close());

  const connections = async () =>
    Number((await server.admin.query<RowDataPacket[]>("select @@max_connections as most"))[0][0]?.["most"]);
  recordQuotaSuite(() => ({ url: server.url, schema, storage, connections }));
});
