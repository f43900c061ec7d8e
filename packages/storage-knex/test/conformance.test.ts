import { storageConformance } from "@sallyport/conformance-kit";
import type { Storage } from "@sallyport/core";
import { SchemaPool } from "@sallyport/test-kit/databases/schema-pool";
import { openTestDatabase } from "./test-database.ts";

const database = await openTestDatabase();
afterAll(() => database.drop());

const schemas = new SchemaPool(
  async (text) => [await database.admin.query(text)].flat().at(-1)?.rows ?? [],
  async (schema) => void (await database.storage({ schema }).migrate()),
);

await storageConformance({
  name: "KnexStorage over Postgres",
  create: async ({ clockOffset, migrated }) => {
    const schema = await schemas.acquire({ migrated });
    const storage = database.storage({ schema, clockOffset });
    const others: Storage[] = [];
    return {
      storage,
      another: async () => {
        const { knex, close } = database.connect({ pool: { max: 4 } });
        const other = database.storage({ schema, clockOffset, knex, onClose: close });
        others.push(other);
        return other;
      },
      loseNext: async (times) => {
        await database.admin.query(`
          create sequence if not exists ${schema}.losses minvalue -100;
          create or replace function ${schema}.lose() returns trigger language plpgsql as $$
            begin
              if nextval('${schema}.losses') <= 0 then raise exception using errcode = '40001'; end if;
              return new;
            end $$;
          create or replace trigger lose before insert on ${schema}.records for each row execute function ${schema}.lose();
          select setval('${schema}.losses', -${times})`);
      },
      destroy: async () => {
        await Promise.all([storage, ...others].map((each) => each.close()));
        await schemas.release(schema);
      },
    };
  },
});
