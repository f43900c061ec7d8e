import { randomUUID } from "node:crypto";
import { seesAll } from "@sallyport/storage";
import { administrationOf, putSyncSchema } from "@sallyport/core";
import type { FaultFixture } from "./fault-fixture.ts";
import { either, type WriteOperation } from "./write-operation.ts";

const schema = "Faults";

async function withSchema({ database }: FaultFixture): Promise<void> {
  await putSyncSchema(administrationOf(database), { name: schema, classes: [{ className: "Customer" }] });
}

/** A synchronized customer, and its state after a change, or after a deletion with `isDeleted`. */
function synchronized(
  { title, done }: Pick<WriteOperation, "title" | "done">,
  isDeleted: boolean,
  request: (uuid: string) => {
    readonly method: "PUT" | "POST" | "DELETE";
    readonly path: string;
    readonly body: object;
  },
): WriteOperation {
  return {
    title,
    done,
    prepare: async (fixture) => {
      await withSchema(fixture);
      const { objects } = fixture.storage.repositories;
      const [created] = await objects.insert([{ className: "Customer", attributes: { Name: "before" } }]);
      const { id, uuid } = created as NonNullable<typeof created>;
      const state = async () => {
        const [object] = await objects.get([id], seesAll);
        return either(object?.attributes["Name"] ?? null, "before", isDeleted ? null : "after");
      };
      return { request: request(uuid), state };
    },
  };
}

const put = { syncVersion: "1", fields: { Name: "after" } };

const pushing = (operation: object) => ({
  method: "POST" as const,
  path: `/v1/sync/${schema}/push`,
  body: { syncVersion: "0", atomic: true, ops: [{ id: randomUUID(), ...operation }] },
});

/** Routes that write synchronized objects. */
export const syncOperations: readonly WriteOperation[] = [
  synchronized({ title: "puts a synchronized object", done: "commit" }, false, (uuid) => ({
    method: "PUT",
    path: `/v1/sync/${schema}/${uuid}`,
    body: put,
  })),
  synchronized({ title: "deletes a synchronized object", done: "commit" }, true, (uuid) => ({
    method: "DELETE",
    path: `/v1/sync/${schema}/${uuid}`,
    body: { syncVersion: "1" },
  })),
  synchronized({ title: "pushes a put", done: "commit" }, false, (uuid) => pushing({ op: "put", uuid, ...put })),
  synchronized({ title: "pushes a deletion", done: "commit" }, true, (uuid) =>
    pushing({ op: "delete", uuid, syncVersion: "1" }),
  ),
];

/** Reads of devices, by what they read. */
export const syncReads = {
  changes: { method: "POST", path: `/v1/sync/${schema}`, body: { syncVersion: "0" } },
  schemas: { method: "GET", path: "/v1/sync" },
} as const;
