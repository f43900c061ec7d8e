import type { Digest, OneTimeKind, OneTimePayload } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const spent = "are spent by whom they are consumed, and not by reading";
const atOnce = "are spent by one of those who try at once";
const revoked = "are revoked by subject and kind";
const swept = "are forgotten when their time is over, no more than asked for, and no others";
const good = "are good until their time is over by the storage's clock";

/** Faults in secrets that are good once. */
export const brokenOneTime: readonly BrokenAdapter[] = [
  broken("reads instead of spending", [spent, atOnce, "are not given out twice"], () => (r) => ({
    oneTime: { consume: (kind, digest) => r.oneTime.read(kind, digest) },
  })),

  broken("spends by reading", spent, () => (r) => ({
    oneTime: { read: (kind, digest) => r.oneTime.consume(kind, digest) },
  })),

  broken("looks whether it is good, then spends it", [atOnce, "are revoked or spent, never both"], () => (r) => ({
    oneTime: {
      consume: async (kind, digest) => {
        const payload = await r.oneTime.read(kind, digest);
        await pause();
        await r.oneTime.consume(kind, digest);
        return payload;
      },
    },
  })),

  broken("takes one kind for another", "are of one kind", () => {
    const kinds = new Map<Digest, OneTimeKind>();
    return (r) => ({
      oneTime: {
        issue: (secret) => {
          kinds.set(secret.digest, secret.kind);
          return r.oneTime.issue(secret);
        },
        consume: (kind, digest) => r.oneTime.consume(kinds.get(digest) ?? kind, digest),
      },
    });
  }),

  broken("spends all of a subject at once", "are each for themselves", () => {
    const subjects = new Map<Digest, string>();
    return (r) => ({
      oneTime: {
        issue: (secret) => {
          subjects.set(secret.digest, secret.subject ?? "");
          return r.oneTime.issue(secret);
        },
        consume: async (kind, digest) => {
          const payload = await r.oneTime.consume(kind, digest);
          if (payload !== null) await r.oneTime.revoke(kind, subjects.get(digest) ?? "");
          return payload;
        },
      },
    });
  }),

  broken("takes what is false for nothing", "stand for what was given, whatever it is", () => (r) => ({
    oneTime: { read: async (kind, digest) => (await r.oneTime.read(kind, digest)) || null },
  })),

  broken("gives a digest to whoever comes last", "are not given out twice", () => (r) => ({
    oneTime: {
      issue: async (secret) => {
        await r.oneTime.consume(secret.kind, secret.digest);
        return r.oneTime.issue(secret);
      },
    },
  })),

  broken("keeps another subject than it was given", "are not kept with a text that cannot be stored", () => (r) => ({
    oneTime: {
      issue: (secret) =>
        r.oneTime.issue({ ...secret, subject: secret.subject?.replaceAll(/[\0\p{Surrogate}]/gu, "") ?? null }),
    },
  })),

  broken(
    "spends for good, whatever becomes of the transaction",
    "are still good when the transaction that spent them is undone",
    () => {
      const gone = new Set<Digest>();
      return (r) => ({
        oneTime: {
          issue: (secret) => {
            gone.delete(secret.digest);
            return r.oneTime.issue(secret);
          },
          consume: async (kind, digest) => {
            if (gone.has(`${kind} ${digest}`)) return null;
            const payload = await r.oneTime.consume(kind, digest);
            if (payload !== null) gone.add(`${kind} ${digest}`);
            return payload;
          },
          read: async (kind, digest) => (gone.has(`${kind} ${digest}`) ? null : r.oneTime.read(kind, digest)),
        },
      });
    },
  ),

  broken("makes all good for a day", [good, "are as good as absent when their time is over", swept], () => (r) => ({
    oneTime: { issue: (secret) => r.oneTime.issue({ ...secret, lifetime: 86_400_000 }) },
  })),

  broken("goes by the process's clock", [good, "are as good as absent when their time is over"], () => {
    const issued = new Map<string, { readonly payload: OneTimePayload; readonly until: number }>();
    return (r) => ({
      oneTime: {
        issue: (secret) => {
          issued.set(`${secret.kind} ${secret.digest}`, {
            payload: secret.payload,
            until: Date.now() + secret.lifetime,
          });
          return r.oneTime.issue({ ...secret, lifetime: 864_000_000 });
        },
        consume: async (kind, digest) => {
          const { until = 0 } = issued.get(`${kind} ${digest}`) ?? {};
          return until > Date.now() ? r.oneTime.consume(kind, digest) : null;
        },
      },
    });
  }),

  broken("remembers what is over until it is swept", "are as good as absent when their time is over", () => {
    const given = new Set<string>();
    return (r) => ({
      oneTime: {
        issue: async (secret) => {
          if (given.has(`${secret.kind} ${secret.digest}`)) return;
          await r.oneTime.issue(secret);
          given.add(`${secret.kind} ${secret.digest}`);
        },
        consume: (kind, digest) => {
          given.delete(`${kind} ${digest}`);
          return r.oneTime.consume(kind, digest);
        },
      },
    });
  }),

  broken("revokes what is of another kind", revoked, () => (r) => ({
    oneTime: {
      revoke: async (kind, subject) => {
        for (const each of ["providerState", "accountLink", "passwordReset"] as const)
          if (each !== kind) await r.oneTime.revoke(each, subject);
        return r.oneTime.revoke(kind, subject);
      },
    },
  })),

  broken("revokes nobody's, too", revoked, () => (r) => ({
    oneTime: {
      issue: (secret) => r.oneTime.issue({ ...secret, subject: secret.subject ?? "user:1" }),
    },
  })),

  broken("revokes subjects in any case", revoked, () => (r) => ({
    oneTime: {
      issue: (secret) => r.oneTime.issue({ ...secret, subject: secret.subject?.toLowerCase() ?? null }),
      revoke: (kind, subject) => r.oneTime.revoke(kind, subject.toLowerCase()),
    },
  })),

  broken(
    "cuts subjects off",
    "are revoked for subjects with hostile names, and for none that nobody can have",
    () => (r) => ({
      oneTime: { issue: (secret) => r.oneTime.issue({ ...secret, subject: secret.subject?.slice(0, 64) ?? null }) },
    }),
  ),

  broken(
    "says that it revoked what was spent",
    [revoked, "are revoked or spent, never both", "are as good as absent when their time is over"],
    () => {
      const counts = new Map<string, number>();
      return (r) => ({
        oneTime: {
          issue: (secret) => {
            counts.set(secret.subject ?? "", (counts.get(secret.subject ?? "") ?? 0) + 1);
            return r.oneTime.issue(secret);
          },
          revoke: async (kind, subject) => {
            await r.oneTime.revoke(kind, subject);
            return counts.get(subject) ?? 0;
          },
        },
      });
    },
  ),

  broken("sweeps more secrets than it is asked to", swept, () => (r) => ({
    oneTime: { sweep: (limit) => r.oneTime.sweep(limit + 1) },
  })),

  broken("sweeps what is good", swept, () => {
    const given = new Map<Digest, OneTimeKind>();
    return (r) => ({
      oneTime: {
        issue: (secret) => {
          given.set(secret.digest, secret.kind);
          return r.oneTime.issue(secret);
        },
        sweep: async (limit) => {
          const count = await r.oneTime.sweep(limit);
          if (count > 0) for (const [digest, kind] of given) await r.oneTime.consume(kind, digest);
          return count;
        },
      },
    });
  }),
];
