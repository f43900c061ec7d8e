import { type LiveSession, type NewSession, type Repositories, ServiceError } from "@sallyport/storage";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const forever = 1_000_000_000_000;

/** Gives the session a full new lifetime with every request. */
function renewing(): (r: Repositories) => {
  sessions: Partial<Repositories["sessions"]>;
  admission: Partial<Repositories["admission"]>;
} {
  const opened = new Map<string, NewSession>();
  return (r) => ({
    sessions: {
      open: async (session, policy) => {
        opened.set(session.digest, session);
        return r.sessions.open(session, policy);
      },
    },
    admission: {
      admit: async (request) => {
        const admission = await r.admission.admit(request);
        const session = opened.get(request.session ?? "");
        if (admission.session !== null && session !== undefined) {
          await r.sessions.end({ digest: session.digest });
          await r.sessions.open(session, {
            idleTimeout: request.idleTimeout,
            absoluteLifetime: forever,
            limit: 0,
            perUserLimit: 0,
            perDevice: 5,
          });
        }
        return admission;
      },
    },
  });
}

/** Faults in the lifetime and the limits of sessions. */
export const brokenSessions: readonly BrokenAdapter[] = [
  broken(
    "counts sessions before it opens one",
    "opens one of several concurrent sessions at the last free slot",
    () => (r) => ({
      sessions: {
        open: async (session, policy) => {
          const count = await r.sessions.count();
          await pause();
          if (policy.limit > 0 && count >= policy.limit) throw new ServiceError(315);
          return r.sessions.open(session, { ...policy, limit: 0 });
        },
      },
    }),
  ),

  broken("opens one session too many", "opens sessions up to the limit of the database", () => (r) => ({
    sessions: {
      open: (session, policy) => r.sessions.open(session, { ...policy, limit: policy.limit && policy.limit + 1 }),
    },
  })),

  broken("opens one session too few", "opens sessions up to the limit of the database", () => (r) => ({
    sessions: {
      open: (session, policy) => r.sessions.open(session, { ...policy, limit: Math.max(policy.limit - 1, 0) }),
    },
  })),

  broken("ignores the session limit of the user", "opens sessions up to the limit of the user", () => (r) => ({
    sessions: { open: (session, policy) => r.sessions.open(session, { ...policy, perUserLimit: 0 }) },
  })),

  broken("applies the session limit of the user to all", "opens sessions up to the limit of the user", () => (r) => ({
    sessions: {
      open: (session, policy) => r.sessions.open(session, { ...policy, limit: policy.perUserLimit, perUserLimit: 0 }),
    },
  })),

  broken(
    "keeps a session count that ignores expiry",
    [
      "opens another session after one expires, swept or not",
      "enforces the limit exactly after all kinds of session changes",
    ],
    () => {
      let count = 0;
      return (r) => ({
        sessions: {
          open: async (session, policy) => {
            if (policy.limit > 0 && count >= policy.limit) throw new ServiceError(315);
            count += 1;
            return r.sessions.open(session, { ...policy, limit: 0 });
          },
          end: async (selector) => {
            const ended = await r.sessions.end(selector);
            count -= ended;
            return ended;
          },
        },
      });
    },
  ),

  broken(
    "ends the previous session of the device before it checks the limit",
    "keeps the session of a device if the limit is exceeded without it",
    () => {
      const devices = new Map<string, string>();
      return (r) => ({
        sessions: {
          open: async (session, policy) => {
            const old = devices.get(session.deviceId ?? "");
            if (old !== undefined) await r.sessions.end({ digest: old });
            if (session.deviceId !== null) devices.set(session.deviceId, session.digest);
            return r.sessions.open(session, policy);
          },
        },
      });
    },
  ),

  broken("ends all sessions of a user without exception", "ends all sessions of a user except one", () => (r) => ({
    sessions: { end: (selector) => r.sessions.end("userId" in selector ? { userId: selector.userId } : selector) },
  })),

  broken("renews no sessions", "renews a single session with a new secret", () => (r) => ({
    sessions: { renew: (digest) => r.sessions.renew(digest, 1) },
  })),

  broken("reports every session as renewed", "refuses to renew an expired session", () => (r) => ({
    sessions: {
      renew: async (digest, version) => {
        await r.sessions.renew(digest, version);
        return true;
      },
    },
  })),

  broken(
    "ignores devices",
    [
      "replaces the session of a device with a limit of one",
      "replaces a session of the same device at a full limit, and none of other devices",
    ],
    () => (r) => ({
      sessions: { open: (session, policy) => r.sessions.open({ ...session, deviceId: null }, policy) },
    }),
  ),

  broken("replaces sessions without a device", "replaces no session without a device", () => (r) => ({
    sessions: {
      open: (session, policy) => r.sessions.open({ ...session, deviceId: session.deviceId ?? "none" }, policy),
    },
  })),

  broken("compares devices case-insensitively", "keeps the sessions of another user, app key or device", () => (r) => ({
    sessions: {
      open: (session, policy) =>
        r.sessions.open({ ...session, deviceId: session.deviceId?.toLowerCase() ?? null }, policy),
    },
  })),

  broken(
    "treats an empty device name as none",
    "distinguishes a session without a device from one with an empty device name",
    () => (r) => ({
      sessions: {
        open: (session, policy) => r.sessions.open({ ...session, deviceId: session.deviceId || null }, policy),
      },
    }),
  ),

  broken(
    "marks a session as ended and ends it later",
    "admits no ended session, starting with the next request",
    () => (r) => ({
      sessions: {
        end: async (selector) => {
          void pause()
            .then(() => r.sessions.end(selector))
            .catch(() => {});
          return 1;
        },
      },
    }),
  ),

  broken("lists expired sessions, too", "lists live sessions by digest, in pages", () => {
    const ended = new Map<string, LiveSession>();
    return (r) => ({
      sessions: {
        open: async (session, policy) => {
          await r.sessions.open(session, policy);
          for (const each of await r.sessions.list({ after: null, limit: 100 })) ended.set(each.digest, each);
        },
        list: async ({ after, limit }, selector) => {
          if (selector !== undefined) return r.sessions.list({ after, limit }, selector);
          const all = [...ended.values()].toSorted((one, other) => (one.digest < other.digest ? -1 : 1));
          return all.filter(({ digest }) => after === null || digest > after).slice(0, limit);
        },
      },
    });
  }),

  broken("lists the address of the last log-in for all", "lists the address of each log-in", () => {
    let last: string | null = null;
    return (r) => ({
      sessions: {
        open: (session, policy) => {
          last = session.address ?? null;
          return r.sessions.open(session, policy);
        },
        list: async (page, selector) =>
          (await r.sessions.list(page, selector)).map((session) => ({ ...session, address: last })),
      },
    });
  }),

  broken("lists the session to continue after again", "lists live sessions by digest, in pages", () => (r) => ({
    sessions: {
      list: async ({ after, limit }, selector) => {
        const before = after === null ? [] : await r.sessions.list({ after: null, limit: 100 }, { digest: after });
        return [...before, ...(await r.sessions.list({ after, limit }, selector))].slice(0, limit);
      },
    },
  })),

  broken("lists all sessions of the user of a custom account", "lists the selected sessions", () => (r) => ({
    sessions: {
      list: async (page, selector) => {
        if (selector === undefined || !("customAccountId" in selector)) return r.sessions.list(page, selector);
        const { account } = await r.accounts.find({ id: selector.customAccountId }, []);
        return r.sessions.list(page, { userId: account?.userId ?? "" });
      },
    },
  })),

  broken(
    "keeps the administrator flag of a new account",
    "applies a change of the administrator flag to open sessions",
    () => (r) => ({
      accounts: { change: (id, { administrator: _administrator, ...change }) => r.accounts.change(id, change) },
    }),
  ),

  broken("reports an end without a session as success", "ends one session by its digest", () => (r) => ({
    sessions: { end: async (selector) => Math.max(1, await r.sessions.end(selector)) },
  })),

  broken("ends another session, too", "ends one session by its digest", () => {
    const users = new Map<string, string>();
    return (r) => ({
      sessions: {
        open: (session, policy) => {
          users.set(session.digest, session.userId);
          return r.sessions.open(session, policy);
        },
        end: async (selector) => {
          const ended = await r.sessions.end(selector);
          if ("digest" in selector && ended > 0) await r.sessions.end({ userId: users.get(selector.digest) ?? "" });
          return ended;
        },
      },
    });
  }),

  broken("checks a session before it ends it", "ends each session in one of several concurrent calls", () => {
    const live = new Set<string>();
    return (r) => ({
      sessions: {
        open: async (session, policy) => {
          live.add(session.digest);
          return r.sessions.open(session, policy);
        },
        end: async (selector) => {
          if (!("digest" in selector)) return r.sessions.end(selector);
          const found = live.has(selector.digest) ? 1 : 0;
          await r.sessions.end(selector);
          live.delete(selector.digest);
          return found;
        },
      },
    });
  }),

  broken("sweeps sessions without a limit", "sweeps expired sessions up to the limit", () => (r) => ({
    sessions: { sweep: () => r.sessions.sweep(1_000) },
  })),

  broken("ignores the absolute lifetime", "ends a busy session at its absolute lifetime", () => (r) => ({
    sessions: { open: (session, policy) => r.sessions.open(session, { ...policy, absoluteLifetime: forever }) },
  })),

  broken(
    "extends sessions on every request and beyond the absolute lifetime",
    [
      "does not extend a session beyond its absolute lifetime",
      "does not extend a session before the touch interval has passed",
    ],
    renewing,
  ),

  broken("never extends sessions", "renews the idle timeout with every request", () => (r) => ({
    admission: {
      admit: async (request) => {
        const { session, ...rest } = await r.admission.admit({ ...request, session: null });
        // A touch interval that never passes.
        const found = await r.admission.admit({ ...request, idleTimeout: Number.NaN });
        return { ...rest, session: found.session ?? session, principal: found.principal };
      },
    },
  })),
];
