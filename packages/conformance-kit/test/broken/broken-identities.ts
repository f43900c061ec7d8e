import type { IdentityLink } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const found = "are found by issuer and subject as they were created, dated by the storage's clock";

/** Faults in identity providers and in what is linked at them. */
export const brokenIdentities: readonly BrokenAdapter[] = [
  broken("finds subjects in any case", "are of exactly one identity", () => {
    const spellings = new Map<string, string>();
    return (r) => ({
      identityLinks: {
        create: (link) => {
          spellings.set(link.subject.toLowerCase(), link.subject);
          return r.identityLinks.create(link);
        },
        find: ({ issuer, subject }) =>
          r.identityLinks.find({ issuer, subject: spellings.get(subject.toLowerCase()) ?? subject }),
      },
    });
  }),

  broken("does not look at the issuer", "are of exactly one identity", () => (r) => ({
    identityLinks: {
      find: async ({ subject }) =>
        (await r.identityLinks.list(null, 1_000)).find((link) => link.subject === subject) ?? null,
    },
  })),

  broken("finds links by their addresses", found, () => (r) => ({
    identityLinks: {
      find: async (identity) => {
        const own = await r.identityLinks.find(identity);
        const all = await r.identityLinks.list(null, 1_000);
        return all.find(({ email }) => email !== null && email.toLowerCase() === own?.email?.toLowerCase()) ?? own;
      },
    },
  })),

  broken("dates links by the process's clock", found, () => {
    const dated = (link: IdentityLink): IdentityLink => ({ ...link, linkedAt: Date.now() });
    return (r) => ({
      identityLinks: {
        find: async (identity) => {
          const link = await r.identityLinks.find(identity);
          return link === null ? null : dated(link);
        },
      },
    });
  }),

  broken("forgets that links are shared", [found, "know how their user came in"], () => (r) => ({
    identityLinks: { create: (link) => r.identityLinks.create({ ...link, shared: false }) },
  })),

  broken(
    "takes over an identity that is bound",
    "bind an identity once, and leave the link alone that is there",
    () => (r) => ({
      identityLinks: {
        create: async (link) => {
          const before = await r.identityLinks.find(link);
          if (before !== null) await r.identityLinks.remove({ id: before.id });
          return r.identityLinks.create(link);
        },
      },
    }),
  ),

  broken(
    "looks whether an identity is bound, then binds it",
    "bind an identity to one of those who want it at once",
    () => (r) => ({
      identityLinks: {
        create: async (link) => {
          if ((await r.identityLinks.find(link)) !== null) return "taken";
          await pause();
          await r.identityLinks.create(link);
          return "created";
        },
      },
    }),
  ),

  broken("orders a user's links by time alone", "of a user come by provider and then by time", () => (r) => ({
    identityLinks: {
      ofUser: async (userId) =>
        (await r.identityLinks.ofUser(userId)).toSorted((one, other) => one.linkedAt - other.linkedAt),
    },
  })),

  broken(
    "removes one link of several at a provider",
    "are removed by their id, or all of a user's at a provider",
    () => (r) => ({
      identityLinks: {
        remove: async (selector) => {
          if ("id" in selector) return r.identityLinks.remove(selector);
          const first = (await r.identityLinks.ofUser(selector.userId)).find(
            ({ provider }) => provider === selector.provider,
          );
          return first === undefined ? [] : r.identityLinks.remove({ id: first.id });
        },
      },
    }),
  ),

  broken(
    "removes the links at all providers",
    "are removed by their id, or all of a user's at a provider",
    () => (r) => ({
      identityLinks: {
        remove: async (selector) => {
          const removed = await r.identityLinks.remove(selector);
          if ("userId" in selector)
            for (const { id } of await r.identityLinks.ofUser(selector.userId)) await r.identityLinks.remove({ id });
          return removed;
        },
      },
    }),
  ),

  broken(
    "answers the ids that it was asked to remove",
    [
      "are removed by their id, or all of a user's at a provider",
      "are removed by one of those who want them gone at once",
    ],
    () => (r) => ({
      identityLinks: {
        remove: async (selector) => {
          const removed = await r.identityLinks.remove(selector);
          return "id" in selector ? [selector.id] : removed;
        },
      },
    }),
  ),

  broken("begins a part of the list with what it begins after", "are listed by their ids, part by part", () => (r) => ({
    identityLinks: {
      list: async (after, limit) =>
        (await r.identityLinks.list(null, 1_000)).filter(({ id }) => after === null || id >= after).slice(0, limit),
    },
  })),

  broken("cuts subjects off", "keep hostile and long texts as they are", () => (r) => ({
    identityLinks: { create: (link) => r.identityLinks.create({ ...link, subject: link.subject.slice(0, 190) }) },
  })),
];
