import { type IdentityLink, identityLinkKind, seesAll } from "@sallyport/storage";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const admitted = "admits a provider callback once, with the value of its state and its app key";
const atOnce = "admits one of several concurrent callbacks with the same state";
const waiting = "refuses callbacks during maintenance and keeps their state";

/** Faults in provider callbacks. */
export const brokenCallbacks: readonly BrokenAdapter[] = [
  broken("reads states without spending them", admitted, () => (r) => ({
    admission: {
      admitCallback: async (digest) => {
        const [state] = await r.records.get("providerState", [digest]);
        const returned = await r.admission.admitCallback(digest);
        if (state !== undefined && !returned.maintenance)
          await r.records.put("providerState", digest, state.value, { lifetime: 600_000 });
        return returned.maintenance ? returned : { ...returned, state: state?.value ?? null };
      },
    },
  })),

  broken("checks a state before it spends it", atOnce, () => (r) => ({
    admission: {
      admitCallback: async (digest) => {
        const [state] = await r.records.get("providerState", [digest]);
        await pause();
        const returned = await r.admission.admitCallback(digest);
        return returned.maintenance ? returned : { ...returned, state: state?.value ?? null };
      },
    },
  })),

  broken("accepts any record as a state", "admits a callback by an unexpired state only", () => (r) => ({
    admission: {
      admitCallback: async (digest) => {
        const returned = await r.admission.admitCallback(digest);
        return returned.state === null && !returned.maintenance
          ? { ...returned, state: await r.records.take("accountLink", digest) }
          : returned;
      },
    },
  })),

  broken("spends states during maintenance", waiting, () => (r) => ({
    admission: {
      admitCallback: async (digest) => {
        const returned = await r.admission.admitCallback(digest);
        if (returned.maintenance) await r.records.take("providerState", digest);
        return returned;
      },
    },
  })),

  broken("admits callbacks during maintenance", waiting, () => (r) => ({
    admission: {
      admitCallback: async (digest) => ({ ...(await r.admission.admitCallback(digest)), maintenance: false }),
    },
  })),

  broken("hides disabled app keys in callbacks", admitted, () => (r) => ({
    admission: {
      admitCallback: async (digest) => {
        const returned = await r.admission.admitCallback(digest);
        return returned.appKey?.enabled === false ? { ...returned, appKey: null } : returned;
      },
    },
  })),

  broken("returns any app key for a callback without one", "returns exactly the app key named by the state", () => {
    const digests: string[] = [];
    return (r) => ({
      appKeys: {
        create: (appKey, digest) => {
          digests.push(digest);
          return r.appKeys.create(appKey, digest);
        },
      },
      admission: {
        admitCallback: async (digest) => {
          const returned = await r.admission.admitCallback(digest);
          if (returned.state === null || returned.appKey !== null) return returned;
          const { appKey } = await r.admission.admit({
            appKey: digests.at(-1) ?? null,
            session: null,
            idleTimeout: 60_000,
          });
          return { ...returned, appKey };
        },
      },
    });
  }),

  broken(
    "finds the next link instead of the given one",
    "finds the account of a user through a bound record, including the record",
    () => (r) => ({
      accounts: {
        find: async (selector, links) => {
          if (!("linkId" in selector)) return r.accounts.find(selector, links);
          const id = selector.linkId;
          const [next] = await r.records.list(identityLinkKind, { after: id, limit: 1 });
          const [first] = await r.records.list(identityLinkKind, { after: null, limit: 1 });
          return r.accounts.find({ linkId: (next ?? first)?.id ?? id }, links);
        },
      },
    }),
  ),

  broken(
    "finds users by records of any kind",
    "finds nothing through a record that is bound to no account",
    () => (r) => ({
      accounts: {
        find: async (selector, links) => {
          if (!("linkId" in selector)) return r.accounts.find(selector, links);
          const id = selector.linkId;
          const found = await r.accounts.find({ linkId: id }, links);
          const [record] = await r.records.get<IdentityLink>("identityLinks", [id]);
          return record === undefined ? found : { ...found, link: record };
        },
      },
    }),
  ),

  broken(
    "finds users of links without accounts",
    "finds nothing through a record that is bound to no account",
    () => (r) => ({
      accounts: {
        find: async (selector, links) => {
          if (!("linkId" in selector)) return r.accounts.find(selector, links);
          const id = selector.linkId;
          const found = await r.accounts.find({ linkId: id }, links);
          const [user = null] = found.link === null ? [] : await r.objects.get([found.link.value.userId], seesAll);
          return { ...found, user };
        },
      },
    }),
  ),
];
