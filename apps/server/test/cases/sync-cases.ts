import { randomUUID } from "node:crypto";
import {
  administrationOf,
  type Database,
  putSyncSchema,
  removeSyncSchema,
  setSyncEnabled,
  syncSchemaKind,
} from "@sallyport/core";
import { type Call, faults } from "@sallyport/testing/faults";
import { call } from "../client.ts";
import type { CodeFixture } from "./code-fixture.ts";
import { inSession, type PreparedCase, type PreparedRequest } from "./prepared-cases.ts";
import { logIn } from "./run-cases.ts";

const schema = "Cases";

const databaseOf = ({ server }: CodeFixture, alias = ""): Database => server.databases.get(alias) as Database;

/** Stores the schema of the cases. */
const withSchema = async (fixture: CodeFixture): Promise<void> => {
  const input = { name: schema, classes: [{ className: "Customer" }], conflicts: "reject" } as const;
  await putSyncSchema(administrationOf(databaseOf(fixture)), input);
};

const pathOf = (uuid: string, name = schema) => `/v1/sync/${name}/${uuid}`;

/** A write of an unknown object. */
const put = async (fixture: CodeFixture, body: object, name = schema): Promise<PreparedRequest> => {
  await withSchema(fixture);
  return inSession(fixture, { method: "PUT", path: pathOf(randomUUID(), name), body });
};

/** The UUID of a new object. */
const create = async (fixture: CodeFixture): Promise<string> => {
  await withSchema(fixture);
  const sessionId = await logIn(fixture.server, "demo");
  const answer = await call(fixture.server, "/v1/object/Customer", {
    method: "POST",
    sessionId,
    body: { Name: "Ada" },
  });
  return answer.body.data["~UUID"];
};

/** An atomic push of one operation. */
const push = async (fixture: CodeFixture, operation: object): Promise<PreparedRequest> => {
  await withSchema(fixture);
  const ops = [{ id: randomUUID(), ...operation }];
  const body = { syncVersion: "0", atomic: true, ops };
  return inSession(fixture, { method: "POST", path: `/v1/sync/${schema}/push`, body });
};

const change = { syncVersion: "1", fields: { Name: "Eve" } };

const ofKind = (call_: Call["name"], kind: string) => ({
  call: ({ name, args }: Call) => name === call_ && args[0] === kind,
  fault: faults.unexpected,
});

/** The codes of writes of synchronized objects. */
export const syncCases: readonly PreparedCase[] = [
  {
    title: "a synchronized object has a version that is a number",
    code: 330,
    prepare: (fixture) => put(fixture, { ...change, syncVersion: 1 }),
  },
  {
    title: "a synchronized object has an unknown field",
    code: 332,
    prepare: (fixture) => put(fixture, { ...change, fields: { Nothing: 1 } }),
  },
  {
    title: "no schema is named",
    code: 335,
    prepare: (fixture) => inSession(fixture, { method: "POST", path: "/v1/sync", body: { syncVersion: "0" } }),
  },
  { title: "a schema is unknown", code: 333, prepare: (fixture) => put(fixture, change, "nothing") },
  {
    title: "a pull names no schema",
    code: 335,
    prepare: async (fixture) => {
      await withSchema(fixture);
      return inSession(fixture, { method: "POST", path: "/v1/sync", body: { syncVersion: "0" } });
    },
  },
  { title: "a synchronized object never was", code: 334, prepare: (fixture) => put(fixture, change) },
  {
    title: "path and body name different objects",
    code: 336,
    prepare: (fixture) => put(fixture, { ...change, uuid: randomUUID() }),
  },
  {
    title: "a synchronized object has no version",
    code: 338,
    prepare: (fixture) => put(fixture, { fields: {} }),
  },
  {
    title: "the result of a put cannot be stored",
    code: 714,
    prepare: async (fixture) => push(fixture, { ...change, op: "put", uuid: await create(fixture) }),
    fault: ofKind("records.put", "syncOperation"),
  },
  {
    title: "the result of a deletion cannot be stored",
    code: 719,
    prepare: async (fixture) => push(fixture, { op: "delete", syncVersion: "1", uuid: await create(fixture) }),
    fault: ofKind("records.put", "syncOperation"),
  },
  {
    title: "a deletion cannot be recorded",
    code: 720,
    prepare: async (fixture) => {
      const path = pathOf(await create(fixture));
      return inSession(fixture, { method: "DELETE", path, body: { syncVersion: "1" } });
    },
    fault: ofKind("records.put", "syncDeletion"),
  },
  {
    title: "the filter of a schema names an attribute that is gone",
    code: 716,
    prepare: async (fixture) => {
      await withSchema(fixture);
      const { repositories } = fixture;
      const [stored] = await repositories.records.get(syncSchemaKind, [schema]);
      if (stored === undefined) throw new Error("The schema is missing.");
      await repositories.records.put(syncSchemaKind, "Broken", { ...stored.value, name: "Broken", where: { Gone: 1 } });
      await repositories.settings.raise();
      return inSession(fixture, { method: "PUT", path: pathOf(randomUUID(), "Broken"), body: change });
    },
  },
  {
    title: "the schemas cannot be read",
    code: 721,
    prepare: (fixture) => put(fixture, change),
    fault: ofKind("records.get", "syncGeneration"),
  },
  {
    title: "synchronization is switched off",
    code: 717,
    prepare: async (fixture) => {
      await setSyncEnabled(administrationOf(databaseOf(fixture, "second")), false);
      return inSecond(fixture);
    },
  },
  {
    title: "the database has no schema",
    code: 611,
    prepare: async (fixture) => {
      const second = administrationOf(databaseOf(fixture, "second"));
      await setSyncEnabled(second, true);
      for (const { id } of await second.r.records.list(syncSchemaKind, { after: null, limit: 100 }))
        await removeSyncSchema(second, id);
      return inSecond(fixture);
    },
  },
];

/** A write in the second database. */
async function inSecond({ server }: CodeFixture): Promise<PreparedRequest> {
  const sessionid = await logIn({ url: `${server.url}/second` }, "demo");
  return { method: "PUT", path: `/second${pathOf(randomUUID())}`, headers: { sessionid }, body: change };
}
