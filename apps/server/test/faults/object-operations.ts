import { randomUUID } from "node:crypto";
import { type NewObject, type ObjectId, seesAll, type Storage, type StoredObject } from "@sallyport/storage";
import type { FaultFixture } from "./fault-fixture.ts";
import { either, type Scene, type WriteOperation } from "./write-operation.ts";

const customer = (name: string): NewObject => ({
  className: "Customer",
  attributes: { Name: name, City: name, Country: "before" },
});

async function create({ storage }: FaultFixture, ...objects: NewObject[]): Promise<[ObjectId, ...ObjectId[]]> {
  const created = await storage.repositories.objects.insert(objects);
  return created.map(({ id }) => id) as [ObjectId, ...ObjectId[]];
}

function live({ repositories: { objects } }: Storage, ids: readonly ObjectId[]): Promise<StoredObject[]> {
  return objects.get(ids, seesAll);
}

/** The number of objects with this name. */
export function named({ repositories: { objects } }: Storage, name: string): Promise<number> {
  const path = { hops: [], leaf: "Name", type: "string", indexed: false } as const;
  return objects.count({ classes: ["Customer"], filter: { kind: "oneOf", path, values: [name] } }, seesAll);
}

/** A customer with an invoice that refers to it. */
async function customerWithInvoice(fixture: FaultFixture): Promise<{ customerId: ObjectId; invoiceId: ObjectId }> {
  const [customerId] = await create(fixture, customer(randomUUID()));
  const [invoiceId] = await create(fixture, {
    className: "Invoice",
    attributes: { Number: "1", Customer: customerId },
    links: { Customer: [customerId] },
  });
  return { customerId, invoiceId };
}

/** A customer to delete, and the invoice's reference afterwards. */
function leaving(query: string, kind: "deleted" | "recycled"): WriteOperation["prepare"] {
  return async (fixture): Promise<Scene> => {
    const { customerId, invoiceId } = await customerWithInvoice(fixture);
    const state = async () => {
      const there = await live(fixture.storage, [customerId]);
      const left = await fixture.storage.repositories.deletion.find({ kind: "id", id: customerId }, seesAll);
      const [invoice] = await live(fixture.storage, [invoiceId]);
      const pointer = invoice?.attributes["Customer"] === customerId;
      return either([there.length, left?.kind ?? null, pointer], [1, null, true], [0, kind, kind === "recycled"]);
    };
    return { request: { method: "DELETE", path: `/v1/object/${customerId}${query}` }, state };
  };
}

/** Routes that write objects. */
export const objectOperations: readonly WriteOperation[] = [
  {
    title: "creates an object",
    done: "objects.insert",
    refusal: 713,
    prepare: async ({ storage }) => {
      const Name = randomUUID();
      const state = async () => either(await named(storage, Name), 0, 1);
      return { request: { method: "POST", path: "/v1/object/Customer", body: { Name } }, state };
    },
  },
  {
    title: "creates an object that refers to another",
    done: "objects.insert",
    refusal: 713,
    prepare: async (fixture) => {
      const [target] = await create(fixture, customer(randomUUID()));
      const state = async () =>
        either(
          (await fixture.storage.repositories.deletion.referrers([target], { attributes: null, limit: 9 })).length,
          0,
          1,
        );
      return {
        request: { method: "POST", path: "/v1/object/Invoice", body: { Number: "1", Customer: target } },
        state,
      };
    },
  },
  {
    title: "changes an object",
    done: "objects.update",
    refusal: 713,
    locks: "objects.update",
    prepare: async (fixture) => {
      const [id] = await create(fixture, customer(randomUUID()));
      const state = async () => {
        const [object] = await live(fixture.storage, [id]);
        return either([object?.attributes["Country"], object?.version], ["before", 1], ["after", 2]);
      };
      return { request: { method: "PATCH", path: `/v1/object/${id}`, body: { Country: "after" } }, state };
    },
  },
  {
    title: "changes the readers of an object",
    done: "commit",
    refusal: 713,
    locks: "objects.update",
    prepare: async (fixture) => {
      const [id] = await create(fixture, customer(randomUUID()));
      const state = async () => {
        const [object] = await live(fixture.storage, [id]);
        return either([object?.readers, object?.version], [null, 1], [[], 2]);
      };
      return { request: { method: "PUT", path: `/v1/object/${id}/readers`, body: { readers: [] } }, state };
    },
  },
  {
    title: "changes all matching objects",
    done: "commit",
    refusal: 713,
    locks: "objects.update",
    prepare: async (fixture) => {
      const City = randomUUID();
      const ids = await create(fixture, ...[1, 2, 3].map(() => customer(City)));
      const state = async () => {
        const countries = (await live(fixture.storage, ids)).map(({ attributes, version }) => [
          attributes["Country"],
          version,
        ]);
        return either(
          countries,
          ids.map(() => ["before", 1]),
          ids.map(() => ["after", 2]),
        );
      };
      const query = encodeURIComponent(JSON.stringify({ where: { City } }));
      return {
        request: { method: "PATCH", path: `/v1/objects/Customer?query=${query}`, body: { Country: "after" } },
        state,
      };
    },
  },
  { title: "deletes an object", done: "commit", refusal: 718, prepare: leaving("", "deleted") },
  { title: "recycles an object", done: "commit", refusal: 718, prepare: leaving("?moveToRecycler=true", "recycled") },
  {
    title: "restores objects that were deleted together",
    done: "commit",
    refusal: 713,
    prepare: async (fixture) => {
      const { storage } = fixture;
      const ids = await create(fixture, customer(randomUUID()), customer(randomUUID()));
      await storage.transaction(async ({ deletion }) => {
        await deletion.lock(ids);
        await deletion.delete(ids, { recycled: true, root: ids[0] });
      });
      const state = async () => either((await live(storage, ids)).length, 0, 2);
      return { request: { method: "POST", path: `/v1/object/${ids[0]}/restore` }, state };
    },
  },
  {
    title: "purges objects that were deleted together",
    done: "commit",
    refusal: 718,
    prepare: async (fixture) => {
      const { storage } = fixture;
      const { customerId, invoiceId } = await customerWithInvoice(fixture);
      const [other] = await create(fixture, customer(randomUUID()));
      await storage.transaction(async ({ deletion }) => {
        await deletion.lock([customerId, other]);
        await deletion.delete([customerId, other], { recycled: true, root: customerId });
      });
      const state = async () => {
        const { deletion } = storage.repositories;
        const left = await Promise.all([customerId, other].map((id) => deletion.find({ kind: "id", id }, seesAll)));
        const [invoice] = await live(storage, [invoiceId]);
        const pointer = invoice?.attributes["Customer"] === customerId;
        return either(
          [...left.map((each) => each?.kind), pointer],
          ["recycled", "recycled", true],
          ["deleted", "deleted", false],
        );
      };
      return { request: { method: "DELETE", path: `/v1/recycler/${customerId}` }, state };
    },
  },
  {
    title: "locks an object",
    done: "locks.take",
    refusal: 713,
    locks: "locks.take",
    prepare: async (fixture) => {
      const [id] = await create(fixture, customer(randomUUID()));
      const state = async () => either((await fixture.storage.repositories.locks.state(id)) === null, true, false);
      return { request: { method: "POST", path: `/v1/lock/object/${id}` }, state };
    },
  },
  {
    title: "unlocks an object",
    done: "locks.release",
    refusal: 713,
    locks: "locks.release",
    prepare: async (fixture) => {
      const [id] = await create(fixture, customer(randomUUID()));
      await fixture.send({ method: "POST", path: `/v1/lock/object/${id}` });
      const state = async () => either((await fixture.storage.repositories.locks.state(id)) === null, false, true);
      return { request: { method: "DELETE", path: `/v1/lock/object/${id}` }, state };
    },
  },
];
