import type { RowDataPacket } from "mysql2";
import type { MariadbStorage } from "../../src/index.ts";
import { channel, sharedChannelSuite, sharedSessionSuite, sharedThrottleSuite } from "../processes-suite.ts";
import { digestOf, newSession, openPolicy } from "../sample.ts";
import { processTimeout } from "../test-database.ts";
import { openTestMariadb, type TestMariadb } from "./test-mariadb.ts";

describe("processes that share a MariaDB", () => {
  let server: TestMariadb;
  let database: string;
  let storage: MariadbStorage;
  let offset = 0;

  beforeAll(async () => {
    server = await openTestMariadb();
    database = server.freshName();
    storage = await server.storage({ database, clockOffset: () => offset });
    await storage.migrate();
  }, processTimeout);
  beforeEach(async () => {
    offset = 0;
    for (const userId of ["1", "2"]) await storage.repositories.sessions.end({ userId });
  });
  afterAll(() => server.close());

  const subject = () => ({
    url: server.url,
    schema: database,
    storage,
    unusedBlocks: () => rowsOf(`select 1 from ${database}.cipher_blocks where uses = 0`),
    setClock: (ahead: number) => void (offset = ahead),
  });
  const rowsOf = async (text: string) => (await server.admin.query<RowDataPacket[]>(text))[0];

  sharedSessionSuite(subject);
  sharedChannelSuite(subject);
  sharedThrottleSuite(subject);

  test("remove channels when sessions are ended, swept or replaced", async () => {
    const { sessions } = storage.repositories;
    for (const name of ["ended", "of a device", "of a device, again", "swept"]) {
      await sessions.open(newSession(name, { mode: "secure", channel, deviceId: name.split(",")[0] ?? null }), {
        ...openPolicy,
        perDevice: 1,
      });
    }
    await sessions.end({ digest: digestOf("ended") });
    const channels = () => rowsOf(`select lower(hex(session)) as digest from ${database}.channels order by 1`);
    expect(await channels()).toEqual(
      [digestOf("of a device, again"), digestOf("swept")].toSorted().map((digest) => ({ digest })),
    );
    offset = openPolicy.absoluteLifetime;
    expect(await sessions.sweep(10)).toBe(2);
    expect(await channels()).toEqual([]);
  });
});
