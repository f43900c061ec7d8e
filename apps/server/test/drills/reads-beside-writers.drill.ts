import { type AdapterUnderTest, checks, runChecks } from "@sallyport/conformance-kit";
import type { AttributeIndex } from "@sallyport/storage";
import { createMariadbKnex, type MariadbKnex, MariadbStorage } from "@sallyport/storage-knex";
import { openRealMariadb, type RealMariadb } from "@sallyport/test-kit/databases/mariadb";
import type { RowDataPacket } from "mysql2";

const reads = Number(process.env["READS"] ?? 10_000);

/** Milliseconds for the reads of a check on a busy machine, and for its database with its indexes. */
const maxTime = reads * 200 + 120_000;

const ofReads = checks.filter(({ section }) => section === "reads beside writers");

interface Connection {
  query(sql: string, ...rest: unknown[]): unknown;
  isForced?: boolean;
}

/** Storages on MariaDB whose reads of objects use one index, or the value index of an attribute. */
class ForcedIndex {
  private index: string | undefined;

  constructor(
    private readonly server: RealMariadb,
    private readonly plan: string,
  ) {}

  async adapter(): Promise<AdapterUnderTest> {
    const { knex, close } = await this.connect();
    return {
      name: this.plan,
      reads,
      timeLimit: maxTime,
      create: async ({ clockOffset }) => {
        this.index = undefined;
        const database = this.server.freshName();
        const storage = new MariadbStorage({ knex, database, clockOffset });
        const align = storage.alignIndexes.bind(storage);
        storage.alignIndexes = async (wanted: readonly AttributeIndex[]) => {
          const report = await align(wanted);
          this.index = await this.indexIn(database);
          return report;
        };
        return {
          storage,
          destroy: async () => {
            await storage.close();
            await this.server.admin.query(`drop database if exists ${database}`);
          },
        };
      },
      close,
    };
  }

  private async connect(): Promise<MariadbKnex> {
    const engine = await createMariadbKnex({
      url: this.server.url,
      connectTimeout: 5_000,
      statementTimeout: 10_000,
      pool: { max: 8, acquireTimeout: 5_000, maxPendingAcquires: 100 },
    });
    const client = engine.knex.client as { acquireConnection(): Promise<Connection> };
    const acquire = client.acquireConnection.bind(client);
    client.acquireConnection = async () => {
      const connection = await acquire();
      if (connection.isForced === true) return connection;
      const query = connection.query.bind(connection);
      return Object.assign(connection, {
        isForced: true,
        query: (sql: string, ...rest: unknown[]) => query(this.forced(sql), ...rest),
      });
    };
    return engine;
  }

  private forced(sql: string): string {
    if (this.index === undefined) return sql;
    return sql.replaceAll(
      /(from `\w+`\.`objects`(?: o(?= where | left join )|(?= where class)))/g,
      `$1 force index (${this.index})`,
    );
  }

  private async indexIn(database: string): Promise<string> {
    const [rows] = await this.server.admin.query<RowDataPacket[]>(
      `select number from ${database}.value_columns where attribute = ?`,
      [this.plan],
    );
    return rows[0] === undefined ? this.plan : `value_${rows[0]["number"]}`;
  }
}

const onMariadb = process.env["MARIADB_URL"] === undefined ? describe.skip : describe;
onMariadb(`${reads} reads beside writers on MariaDB, by each index`, () => {
  let server: RealMariadb;
  beforeAll(async () => {
    server = await openRealMariadb();
  });
  afterAll(() => server.close());

  test.each(["primary", "objects_uuid", "objects_class", "objects_changes", "Name", "Size", "Made", "Maker", "Open"])(
    "%s",
    async (plan) => {
      const adapter = await new ForcedIndex(server, plan).adapter();
      const { results } = await runChecks(adapter, { checks: ofReads });
      await adapter.close?.();
      expect(results.filter(({ outcome }) => outcome !== "passed")).toEqual([]);
    },
    maxTime * ofReads.length,
  );
});
