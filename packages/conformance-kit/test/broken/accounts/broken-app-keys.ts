import { type RecordRepository, ServiceError } from "@sallyport/storage";
import { type BrokenAdapter, broken, pause } from "../broken-adapter.ts";

/** Faults in app keys. */
export const brokenAppKeys: readonly BrokenAdapter[] = [
  broken(
    "checks whether a name is free before it creates an app key",
    "creates one app key when concurrent calls use the same name",
    () => (r) => ({
      appKeys: {
        create: async (appKey, digest) => {
          const free = !(await r.appKeys.setEnabled(appKey.name, true));
          await pause();
          if (free) await r.appKeys.create(appKey, digest);
          return free ? "created" : "nameTaken";
        },
      },
    }),
  ),

  broken("accepts a part of an origin", "reports the listed origins of app keys by exact comparison", () => {
    const origins: string[] = [];
    return (r) => ({
      appKeys: {
        create: (appKey, digest) => {
          origins.push(...appKey.origins);
          return r.appKeys.create(appKey, digest);
        },
        listsOrigin: async (origin) => origins.some((listed) => listed.includes(origin)),
      },
    });
  }),

  broken(
    "drops app names and origins",
    [
      "creates an app key enabled and stores it unchanged",
      "distinguishes an app key for all app names from one for none",
    ],
    () => (r) => ({
      appKeys: { create: ({ name }, digest) => r.appKeys.create({ name, appNames: null, origins: [] }, digest) },
    }),
  ),

  broken(
    "drops return addresses",
    "keeps the order of the return addresses of an app key in every read",
    () => (r) => ({
      appKeys: { create: (appKey, digest) => r.appKeys.create({ ...appKey, returnAddresses: [] }, digest) },
    }),
  ),

  broken("gives all app keys the same ID", "gives each app key a unique ID", () => (r) => ({
    admission: {
      admit: async (request) => {
        const { appKey, ...rest } = await r.admission.admit(request);
        return { ...rest, appKey: appKey === null ? null : { ...appKey, id: "1" } };
      },
    },
  })),

  broken(
    "disables an app key whose name is used again",
    "refuses a duplicate app key name without changes",
    () => (r) => ({
      appKeys: {
        create: async (appKey, digest) => {
          const outcome = await r.appKeys.create(appKey, digest);
          if (outcome === "nameTaken") await r.appKeys.setEnabled(appKey.name, false);
          return outcome;
        },
      },
    }),
  ),

  broken("compares names of app keys case-insensitively", "compares app key names exactly", () => (r) => ({
    appKeys: { create: (appKey, digest) => r.appKeys.create({ ...appKey, name: appKey.name.toLowerCase() }, digest) },
  })),

  broken(
    "reports success for switching an unknown app key",
    "reports that no app key has an unknown name",
    () => (r) => ({
      appKeys: { setEnabled: async (name, enabled) => (await r.appKeys.setEnabled(name, enabled)) || true },
    }),
  ),

  broken("fails on names with a zero character", "reports that no app key has an unknown name", () => (r) => ({
    appKeys: {
      setEnabled: async (name, enabled) => {
        if (name.includes("\0")) throw new ServiceError(799);
        return r.appKeys.setEnabled(name, enabled);
      },
    },
  })),

  broken("escapes names for HTML", "stores the hostile texts of an app key unchanged", () => (r) => ({
    appKeys: {
      create: (appKey, digest) => r.appKeys.create({ ...appKey, name: appKey.name.replaceAll("<", "&lt;") }, digest),
    },
  })),

  broken("caches missing records", "shows a transaction the commits of others", () => {
    const missing = new Set<string>();
    return (r) => {
      const get = async (kind: string, ids: readonly string[]) => {
        const asked = ids.filter((id) => !missing.has(id));
        const found = await r.records.get(kind, asked);
        for (const id of asked) if (!found.some((record) => record.id === id)) missing.add(id);
        return found;
      };
      return { records: { get: get as RecordRepository["get"] } };
    };
  }),
];

/** Faults in the list of app keys. */
export const brokenAppKeyLists: readonly BrokenAdapter[] = [
  broken("omits disabled app keys from the list", "lists app keys page by page in code point order", () => (r) => ({
    appKeys: { list: async (after, limit) => (await r.appKeys.list(after, limit)).filter(({ enabled }) => enabled) },
  })),
];
