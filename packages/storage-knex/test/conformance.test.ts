import { randomBytes } from "node:crypto";
import { storageConformance } from "@sallyport/conformance-kit";
import type { Storage } from "@sallyport/core";
import { openTestDatabase } from "./test-database.ts";

const database = await openTestDatabase();
afterAll(() => database.drop());

await storageConformance({
  name: "KnexStorage over Postgres",
  create: async ({ clockOffset }) => {
    const schema = `check_${randomBytes(6).toString("hex")}`;
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
      destroy: async () => {
        await Promise.all([storage, ...others].map((each) => each.close()));
        await database.admin.query(`drop schema if exists ${schema} cascade`);
      },
    };
  },
});
