import { ServiceError } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "../broken-adapter.ts";

/** Faults in app keys and applications. */
export const brokenApplications: readonly BrokenAdapter[] = [
  broken("does not see blanks at the end of app names", "compares app names exactly", () => (r) => ({
    applications: { known: (names) => r.applications.known(names.map((name) => name.trimEnd())) },
  })),

  broken(
    "names app names as often as it is asked",
    "names each app name once, however often it is asked for",
    () => (r) => ({
      applications: {
        known: async (names) => {
          const known = await r.applications.known(names);
          return names.filter((name) => known.includes(name));
        },
      },
    }),
  ),

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

  broken("does not know an application without seats", "knows the app names that were created", () => (r) => ({
    applications: {
      create: async (application) => (application.seats === 0 ? "created" : r.applications.create(application)),
    },
  })),

  broken("takes no names for all names", "knows nothing when it is asked for nothing", () => {
    const all: string[] = [];
    return (r) => ({
      applications: {
        create: (application) => {
          all.push(application.name);
          return r.applications.create(application);
        },
        known: async (names) => (names.length === 0 ? all : r.applications.known(names)),
      },
    });
  }),

  broken(
    "creates an application again and again",
    ["refuses a name that is taken", "creates a name once when it is wanted several times at once"],
    () => (r) => ({
      applications: {
        create: async (application) => {
          await r.applications.create(application);
          return "created";
        },
      },
    }),
  ),

  broken("remembers which app names are unknown", "see what others have kept meanwhile", () => {
    const remembered = new Map<string, Promise<string[]>>();
    return (r) => ({
      applications: {
        known: (names) => {
          const known = remembered.get(names.join()) ?? r.applications.known(names);
          remembered.set(names.join(), known);
          return known;
        },
      },
    });
  }),
];

/** Faults in the lists of app names and app keys. */
export const brokenApplicationLists: readonly BrokenAdapter[] = [
  broken(
    "lists app names in the order of UTF-16",
    "lists app names with their seats by code points, part by part",
    () => (r) => ({
      applications: {
        list: async (after, limit) => {
          const all = await r.applications.list(null, 1_000);
          const sorted = all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
          return sorted.filter(({ name }) => after === null || name > after).slice(0, limit);
        },
      },
    }),
  ),

  broken(
    "begins a part with the name that ended the last one",
    "lists app names with their seats by code points, part by part",
    () => (r) => ({
      applications: {
        list: async (after, limit) => {
          const all = await r.applications.list(null, 1_000);
          const start = all.findIndex(({ name }) => name === after);
          return start === -1 ? r.applications.list(after, limit) : all.slice(start, start + limit);
        },
      },
    }),
  ),

  broken(
    "leaves disabled app keys out of the list",
    "lists app keys as they are by code points, part by part",
    () => (r) => ({
      appKeys: { list: async (after, limit) => (await r.appKeys.list(after, limit)).filter(({ enabled }) => enabled) },
    }),
  ),
];
