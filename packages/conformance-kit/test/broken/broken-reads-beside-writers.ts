import type { Repositories } from "@sallyport/storage";
import { type BrokenAdapter, type Fault, withFaults } from "./broken-adapter.ts";

/** A fault of reads that shows after writes of objects or accounts. */
function afterWrites(
  fault: string,
  caughtBy: string,
  faulty: (r: Repositories, isBeside: () => boolean) => ReturnType<Fault>,
): BrokenAdapter {
  const create = withFaults(() => {
    let writes = 0;
    return (r) => {
      const { objects = {}, accounts = {}, deletion = {}, ...others } = faulty(r, () => writes > 0);
      return {
        ...others,
        objects: { ...objects, update: (...args) => r.objects.update(...args).finally(() => (writes += 1)) },
        accounts: { ...accounts, change: (...args) => r.accounts.change(...args).finally(() => (writes += 1)) },
        deletion: { ...deletion, restore: (...args) => r.deletion.restore(...args).finally(() => (writes += 1)) },
      };
    };
  });
  return { fault, caughtBy: [caughtBy], create };
}

/** The list without its end. */
function cut<T>(list: readonly T[], isCut: boolean): T[] {
  return isCut ? list.slice(0, -1) : [...list];
}

/** Reads that end early, or lose a row, beside a writer. */
export const brokenReadsBesideWriters: readonly BrokenAdapter[] = [
  afterWrites(
    "ends sorted lists early beside a writer",
    "lists all objects in every order",
    ({ objects }, isBeside) => ({
      objects: {
        find: async (query, visibility, page, bytes) => {
          const found = await objects.find(query, visibility, page, bytes);
          return { ...found, objects: cut(found.objects, isBeside() && query.filter !== undefined) };
        },
      },
    }),
  ),
  afterWrites("ends pages early beside a writer", "gives all unchanged objects by pages", ({ objects }, isBeside) => ({
    objects: {
      find: async (query, visibility, page, bytes) => {
        const found = await objects.find(query, visibility, page, bytes);
        return { ...found, objects: cut(found.objects, isBeside() && "after" in page) };
      },
    },
  })),
  afterWrites("counts too few objects beside a writer", "counts all objects", ({ objects }, isBeside) => ({
    objects: { count: async (...query) => (await objects.count(...query)) - (isBeside() ? 1 : 0) },
  })),
  afterWrites(
    "selects too few objects beside a writer",
    "selects all objects for a bulk change",
    ({ objects }, isBeside) => ({
      objects: { match: async (...query) => cut(await objects.match(...query), isBeside()) },
    }),
  ),
  afterWrites("loses changes beside a writer", "reads the last change of all objects", ({ objects }, isBeside) => ({
    objects: {
      changes: async (query) => {
        const page = await objects.changes(query);
        return { ...page, changes: cut(page.changes, isBeside()) };
      },
    },
  })),
  afterWrites(
    "finds too few references beside a writer",
    "finds all references and all referenced objects",
    ({ deletion }, isBeside) => ({
      deletion: { referrers: async (...query) => cut(await deletion.referrers(...query), isBeside()) },
    }),
  ),
  afterWrites(
    "ends the recycle bin early beside a writer",
    "lists all objects in the recycle bin",
    ({ deletion }, isBeside) => ({
      deletion: { listRecycled: async (query) => cut(await deletion.listRecycled(query), isBeside()) },
    }),
  ),
  afterWrites("lists too few accounts beside a writer", "finds and lists all accounts", ({ accounts }, isBeside) => ({
    accounts: { list: async (...query) => cut(await accounts.list(...query), isBeside()) },
  })),
];
