import type { AdapterUnderTest } from "@sallyport/conformance-kit";
import type { Storage } from "@sallyport/storage";
import { createPostgresKnex, KnexStorage } from "@sallyport/storage-knex";
import pg from "pg";
import { startRealPostgres } from "../databases/postgres.ts";
import { SchemaPool } from "../databases/schema-pool.ts";

const postgres = await startRealPostgres();
const database = await postgres.createDatabase();
const admin = new pg.Client({ connectionString: database.directUrl });
admin.on("error", () => {});
await admin.connect();

const connect = (connections: number) =>
  createPostgresKnex({
    url: database.url,
    connectTimeout: 5_000,
    statementTimeout: 10_000,
    pool: { max: connections, acquireTimeout: 5_000, maxPendingAcquires: 100 },
  });
const shared = connect(8);
const schemas = new SchemaPool(
  async (text) => [await admin.query(text)].flat().at(-1)?.rows ?? [],
  async (schema) => void (await new KnexStorage({ knex: shared.knex, schema }).migrate()),
);

/** The Postgres at `DATABASE_URL`, or one that is started for this run: a schema for each check. */
export default {
  name: "KnexStorage over Postgres",
  create: async ({ clockOffset, migrated }) => {
    const schema = await schemas.acquire({ migrated });
    const storage = new KnexStorage({ knex: shared.knex, schema, clockOffset });
    const others: Storage[] = [];
    const failNext = async (times: number, state: string): Promise<void> => {
      await admin.query(`
        create sequence if not exists ${schema}.losses minvalue -100;
        create or replace function ${schema}.lose() returns trigger language plpgsql as $$
          begin
            if nextval('${schema}.losses') <= 0 then raise exception using errcode = '${state}'; end if;
            return new;
          end $$;
        create or replace trigger lose before insert on ${schema}.records for each row execute function ${schema}.lose();
        select setval('${schema}.losses', -${times})`);
    };
    return {
      storage,
      another: async () => {
        const { knex, close } = connect(4);
        const other = new KnexStorage({ knex, schema, clockOffset, onClose: close });
        others.push(other);
        return other;
      },
      loseNext: (times) => failNext(times, "40001"),
      refuseNext: (times) => failNext(times, "53100"),
      destroy: async () => {
        await Promise.all([storage, ...others].map((each) => each.close()));
        await schemas.release(schema);
      },
    };
  },
  close: async () => {
    await shared.close();
    await admin.end();
    await database.drop();
    await postgres.stop();
  },
} satisfies AdapterUnderTest;
