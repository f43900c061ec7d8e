import { type IdentityLink, identityLinkKind, seesAll } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const admitted = "are admitted with what their state stands for and with its app key, once";
const atOnce = "are told of one of those who show a state at once";
const waiting = "are kept waiting by maintenance, with their state";

/** Faults in who is let back in from a provider. */
export const brokenReturns: readonly BrokenAdapter[] = [
  broken("reads states instead of spending them", admitted, () => (r) => ({
    admission: {
      admitReturn: async (digest) => {
        const [state] = await r.records.get("providerState", [digest]);
        const returned = await r.admission.admitReturn(digest);
        if (state !== undefined && !returned.maintenance)
          await r.records.put("providerState", digest, state.value, { lifetime: 600_000 });
        return returned.maintenance ? returned : { ...returned, state: state?.value ?? null };
      },
    },
  })),

  broken("looks whether a state is good, then spends it", atOnce, () => (r) => ({
    admission: {
      admitReturn: async (digest) => {
        const [state] = await r.records.get("providerState", [digest]);
        await pause();
        const returned = await r.admission.admitReturn(digest);
        return returned.maintenance ? returned : { ...returned, state: state?.value ?? null };
      },
    },
  })),

  broken("takes a link to be for a state", "are admitted by a state alone, and while it is good", () => (r) => ({
    admission: {
      admitReturn: async (digest) => {
        const returned = await r.admission.admitReturn(digest);
        return returned.state === null && !returned.maintenance
          ? { ...returned, state: await r.records.take("accountLink", digest) }
          : returned;
      },
    },
  })),

  broken("spends states during maintenance", waiting, () => (r) => ({
    admission: {
      admitReturn: async (digest) => {
        const returned = await r.admission.admitReturn(digest);
        if (returned.maintenance) await r.records.take("providerState", digest);
        return returned;
      },
    },
  })),

  broken("admits returns without a look at the maintenance switch", waiting, () => (r) => ({
    admission: { admitReturn: async (digest) => ({ ...(await r.admission.admitReturn(digest)), maintenance: false }) },
  })),

  broken("hides app keys that are switched off from whoever returns", admitted, () => (r) => ({
    admission: {
      admitReturn: async (digest) => {
        const returned = await r.admission.admitReturn(digest);
        return returned.appKey?.enabled === false ? { ...returned, appKey: null } : returned;
      },
    },
  })),

  broken(
    "lets whoever returns without an app key have any",
    "have the app key that their state names, and no other",
    () => {
      const digests: string[] = [];
      return (r) => ({
        appKeys: {
          create: (appKey, digest) => {
            digests.push(digest);
            return r.appKeys.create(appKey, digest);
          },
        },
        admission: {
          admitReturn: async (digest) => {
            const returned = await r.admission.admitReturn(digest);
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
    },
  ),

  broken(
    "finds by a link whoever has the next one",
    "are found by what is bound to their user, with the link",
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

  broken("finds by the record of any kind", "are not found by what is bound to nobody", () => (r) => ({
    accounts: {
      find: async (selector, links) => {
        if (!("linkId" in selector)) return r.accounts.find(selector, links);
        const id = selector.linkId;
        const found = await r.accounts.find({ linkId: id }, links);
        const [record] = await r.records.get<IdentityLink>("identityLinks", [id]);
        return record === undefined ? found : { ...found, link: record };
      },
    },
  })),

  broken("finds the users of links without accounts", "are not found by what is bound to nobody", () => (r) => ({
    accounts: {
      find: async (selector, links) => {
        if (!("linkId" in selector)) return r.accounts.find(selector, links);
        const id = selector.linkId;
        const found = await r.accounts.find({ linkId: id }, links);
        const [user = null] = found.link === null ? [] : await r.objects.get([found.link.value.userId], seesAll);
        return { ...found, user };
      },
    },
  })),
];
