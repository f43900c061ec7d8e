import { type NewSession, type Repositories, ServiceError } from "@sallyport/core";
import { type BrokenAdapter, broken, pause } from "./broken-adapter.ts";

const forever = 1_000_000_000_000;

/** Every request gives the session a whole new life. */
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

/** Faults in the life and the limits of sessions. */
export const brokenSessions: readonly BrokenAdapter[] = [
  broken("reads how many there are, then writes", "fill the last place once when many want it at once", () => (r) => ({
    sessions: {
      open: async (session, policy) => {
        const count = await r.sessions.count();
        await pause();
        if (policy.limit > 0 && count >= policy.limit) throw new ServiceError(315);
        return r.sessions.open(session, { ...policy, limit: 0 });
      },
    },
  })),

  broken("opens one too many", "are opened up to the limit of the database and not beyond", () => (r) => ({
    sessions: {
      open: (session, policy) => r.sessions.open(session, { ...policy, limit: policy.limit && policy.limit + 1 }),
    },
  })),

  broken("opens one too few", "are opened up to the limit of the database and not beyond", () => (r) => ({
    sessions: {
      open: (session, policy) => r.sessions.open(session, { ...policy, limit: Math.max(policy.limit - 1, 0) }),
    },
  })),

  broken("has no limit of the user", "are opened up to the limit of the user and not beyond", () => (r) => ({
    sessions: { open: (session, policy) => r.sessions.open(session, { ...policy, perUserLimit: 0 }) },
  })),

  broken(
    "takes the limit of the user for that of all",
    "are opened up to the limit of the user and not beyond",
    () => (r) => ({
      sessions: {
        open: (session, policy) => r.sessions.open(session, { ...policy, limit: policy.perUserLimit, perUserLimit: 0 }),
      },
    }),
  ),

  broken(
    "keeps a count that forgets the expired",
    ["make room when they are expired, swept or not", "stay exactly limited after all that can happen to them"],
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
    "ends the old session of the device, then looks for room",
    "keep the session of the device when the limit is exceeded without it",
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

  broken("ends all of a user, whatever is excepted", "end all of a user but one", () => (r) => ({
    sessions: { end: (selector) => r.sessions.end("userId" in selector ? { userId: selector.userId } : selector) },
  })),

  broken("renews nothing", "go on with a new secret when they are renewed, alone", () => (r) => ({
    sessions: { renew: (digest) => r.sessions.renew(digest, 1) },
  })),

  broken("takes whatever is renewed for renewed", "are not renewed when they are over", () => (r) => ({
    sessions: {
      renew: async (digest, version) => {
        await r.sessions.renew(digest, version);
        return true;
      },
    },
  })),

  broken(
    "does not know devices",
    [
      "replace one another when a device may have one",
      "of a device make room under a full limit, those of others do not",
    ],
    () => (r) => ({
      sessions: { open: (session, policy) => r.sessions.open({ ...session, deviceId: null }, policy) },
    }),
  ),

  broken("replaces whatever has no device", "without a device replace nothing", () => (r) => ({
    sessions: {
      open: (session, policy) => r.sessions.open({ ...session, deviceId: session.deviceId ?? "none" }, policy),
    },
  })),

  broken("takes a device in any case", "leave those of another user, app key or device alone", () => (r) => ({
    sessions: {
      open: (session, policy) =>
        r.sessions.open({ ...session, deviceId: session.deviceId?.toLowerCase() ?? null }, policy),
    },
  })),

  broken(
    "takes an empty text for nothing",
    "tells a session without a device from one of a device without a name",
    () => (r) => ({
      sessions: {
        open: (session, policy) => r.sessions.open({ ...session, deviceId: session.deviceId || null }, policy),
      },
    }),
  ),

  broken(
    "marks a session as ended and ends it later",
    "accepts no session that was ended, from the very next request",
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

  broken("answers an end that found nothing like any other", "end one at a time by their digest", () => (r) => ({
    sessions: { end: async (selector) => Math.max(1, await r.sessions.end(selector)) },
  })),

  broken("ends the session of another one, too", "end one at a time by their digest", () => {
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

  broken("counts who ends a session by looking first", "are ended by one of those who end them at once", () => {
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

  broken("sweeps without a limit", "are swept away when they are expired, no more than asked for", () => (r) => ({
    sessions: { sweep: () => r.sessions.sweep(1_000) },
  })),

  broken("has no absolute end", "end at their absolute lifetime, however busy they are", () => (r) => ({
    sessions: { open: (session, policy) => r.sessions.open(session, { ...policy, absoluteLifetime: forever }) },
  })),

  broken(
    "extends on every request and beyond the absolute end",
    [
      "are not extended beyond their absolute end by a late request",
      "are not extended before the touch interval has passed",
    ],
    renewing,
  ),

  broken("never extends", "slide: every request gives them their idle time-out again", () => (r) => ({
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
