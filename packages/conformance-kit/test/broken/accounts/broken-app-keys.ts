import { type RecordRepository, ServiceError } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "../broken-adapter.ts";

/** Faults in app keys. */
export const brokenAppKeys: readonly BrokenAdapter[] = [
  broken(
    "looks for a free name, then takes it",
    "creates one app key of those that want one name at once",
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

  broken("takes any part of an origin for it", "knows the origins that its app keys list, compared exactly", () => {
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
    "does not keep app names and origins",
    ["keeps an app key as it was created, enabled", "tells an app key for all app names from one for none"],
    () => (r) => ({
      appKeys: { create: ({ name }, digest) => r.appKeys.create({ name, appNames: null, origins: [] }, digest) },
    }),
  ),

  broken(
    "forgets return addresses",
    "keeps the return addresses of an app key in their order, wherever it is read",
    () => (r) => ({
      appKeys: { create: (appKey, digest) => r.appKeys.create({ ...appKey, returnAddresses: [] }, digest) },
    }),
  ),

  broken("gives all app keys one id", "gives every app key an id of its own", () => (r) => ({
    admission: {
      admit: async (request) => {
        const { appKey, ...rest } = await r.admission.admit(request);
        return { ...rest, appKey: appKey === null ? null : { ...appKey, id: "1" } };
      },
    },
  })),

  broken(
    "switches off an app key whose name is wanted again",
    "refuses a name that is taken, and changes nothing",
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

  broken("takes names of app keys in any case", "compares names exactly", () => (r) => ({
    appKeys: { create: (appKey, digest) => r.appKeys.create({ ...appKey, name: appKey.name.toLowerCase() }, digest) },
  })),

  broken("has always switched an app key", "has nothing to switch under a name that no key has", () => (r) => ({
    appKeys: { setEnabled: async (name, enabled) => (await r.appKeys.setEnabled(name, enabled)) || true },
  })),

  broken("fails on names with a zero character", "has nothing to switch under a name that no key has", () => (r) => ({
    appKeys: {
      setEnabled: async (name, enabled) => {
        if (name.includes("\0")) throw new ServiceError(799);
        return r.appKeys.setEnabled(name, enabled);
      },
    },
  })),

  broken("escapes names for a page", "keeps the hostile texts of an app key as they are", () => (r) => ({
    appKeys: {
      create: (appKey, digest) => r.appKeys.create({ ...appKey, name: appKey.name.replaceAll("<", "&lt;") }, digest),
    },
  })),

  broken("remembers which records are missing", "see what others have kept meanwhile", () => {
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
  broken(
    "leaves disabled app keys out of the list",
    "lists app keys as they are by code points, part by part",
    () => (r) => ({
      appKeys: { list: async (after, limit) => (await r.appKeys.list(after, limit)).filter(({ enabled }) => enabled) },
    }),
  ),
];
