import {
  type AuthenticationMethod,
  identityLinkKind,
  isUuid,
  type NewSession,
  type Repositories,
} from "@sallyport/core";
import { accountOf } from "../../src/fixtures/accounts.ts";
import { generous } from "../../src/fixtures/policy.ts";
import { type BrokenAdapter, broken } from "./broken-adapter.ts";

const changed = "are admitted no more once their custom account is not what it was";
const never = "are never admitted through a door that was shut between proof and opening";
const met = "are never admitted while or after a door is shut, however opening and shutting meet";
const gone = "are admitted no more once their link is gone, even if the identity is bound again";
const ended = "end all at once by their custom account but for one, or by their link";

const replaced = "are admitted no more once the secret of their user was replaced, whatever the way in";

/** The version that the secret of a session's user has now. */
async function versionOf(r: Repositories, { userId, secretVersion }: NewSession): Promise<number> {
  return (await r.accounts.find({ id: userId }, [])).account?.secretVersion ?? secretVersion;
}

/** Faults in what sessions know of how their user came in. */
export const brokenAuthenticationMethods: readonly BrokenAdapter[] = [
  broken(
    "takes every way in for a password",
    ["know how their user came in", changed, gone, never, met],
    () => (r) => ({
      sessions: {
        open: (session, policy) => r.sessions.open({ ...session, authenticationMethod: { kind: "password" } }, policy),
      },
    }),
  ),

  broken("takes the version of a custom account as it is when a session is opened", never, () => (r) => ({
    sessions: {
      open: async (session, policy) => {
        const { authenticationMethod } = session;
        const account =
          authenticationMethod.kind === "custom" ? await accountOf(r, authenticationMethod.accountId) : null;
        const current: AuthenticationMethod =
          authenticationMethod.kind === "custom" && account !== null
            ? { ...authenticationMethod, secretVersion: account.secretVersion }
            : authenticationMethod;
        return r.sessions.open({ ...session, authenticationMethod: current }, policy);
      },
    },
  })),

  broken("does not ask for the user's own secret in sessions of another way in", replaced, () => {
    const opened: NewSession[] = [];
    return (r) => ({
      sessions: {
        open: async (session, policy) => {
          if (session.authenticationMethod.kind === "password") return r.sessions.open(session, policy);
          opened.push(session);
          return r.sessions.open({ ...session, secretVersion: await versionOf(r, session) }, policy);
        },
      },
      accounts: {
        setSecret: async (userId, secret, version) => {
          const outcome = await r.accounts.setSecret(userId, secret, version);
          for (const session of opened) {
            const { digest } = session;
            if (session.userId !== userId || (await r.sessions.end({ digest })) === 0) continue;
            await r.sessions.open({ ...session, secretVersion: await versionOf(r, session) }, generous);
          }
          return outcome;
        },
      },
    });
  }),

  broken(
    "takes the version of the user's own secret as it is when a session of another way in is opened",
    replaced,
    () => (r) => ({
      sessions: {
        open: async (session, policy) => {
          const secretVersion =
            session.authenticationMethod.kind === "password" ? session.secretVersion : await versionOf(r, session);
          return r.sessions.open({ ...session, secretVersion }, policy);
        },
      },
    }),
  ),

  broken(
    "admits sessions of disabled custom accounts",
    [changed, "are admitted again when their custom account is enabled again"],
    () => (r) => ({
      accounts: {
        change: async (id, change) =>
          isUuid(id) && change.disabled !== undefined
            ? (await accountOf(r, id)) !== null
            : r.accounts.change(id, change),
      },
    }),
  ),

  broken("follows a link by its identity", gone, () => {
    const opened = new Map<string, NewSession>();
    return (r) => ({
      sessions: {
        open: (session, policy) => {
          if (session.authenticationMethod.kind === "provider") opened.set(session.digest, session);
          return r.sessions.open(session, policy);
        },
      },
      records: {
        put: async (kind, id, value, options) => {
          const outcome = await r.records.put(kind, id, value, options);
          const [link] = kind === identityLinkKind ? await r.records.get(identityLinkKind, [id]) : [];
          for (const session of opened.values()) {
            const { authenticationMethod } = session;
            if (link === undefined || authenticationMethod.kind !== "provider" || authenticationMethod.link.id !== id)
              continue;
            if ((await r.sessions.end({ digest: session.digest })) === 0) continue;
            await r.sessions.open({ ...session, authenticationMethod: { kind: "provider", link } }, generous);
          }
          return outcome;
        },
      },
    });
  }),

  broken(
    "keeps the link as it was when a session was opened",
    "know the link that their user came in by as it is now",
    () => {
      const methods = new Map<string, AuthenticationMethod>();
      return (r) => ({
        sessions: {
          open: (session, policy) => {
            methods.set(session.digest, session.authenticationMethod);
            return r.sessions.open(session, policy);
          },
        },
        admission: {
          admit: async (request) => {
            const admission = await r.admission.admit(request);
            const authenticationMethod = methods.get(request.session ?? "");
            return admission.session === null || authenticationMethod?.kind !== "provider"
              ? admission
              : { ...admission, session: { ...admission.session, authenticationMethod } };
          },
        },
      });
    },
  ),

  broken("ends the sessions of a custom account without exception", ended, () => (r) => ({
    sessions: {
      end: (selector) =>
        r.sessions.end("customAccountId" in selector ? { customAccountId: selector.customAccountId } : selector),
    },
  })),

  broken("does not end the sessions of a link", ended, () => (r) => ({
    sessions: { end: async (selector) => ("linkId" in selector ? 0 : r.sessions.end(selector)) },
  })),

  broken(
    "keeps the way in of the session that a device replaces",
    "of a device are replaced whatever the two ways in",
    () => {
      const methods = new Map<string, AuthenticationMethod>();
      return (r) => ({
        sessions: {
          open: (session, policy) => {
            const device = `${session.userId} ${session.deviceId ?? ""}`;
            const authenticationMethod =
              session.deviceId === null
                ? session.authenticationMethod
                : (methods.get(device) ?? session.authenticationMethod);
            methods.set(device, authenticationMethod);
            return r.sessions.open({ ...session, authenticationMethod }, policy);
          },
        },
      });
    },
  ),

  broken(
    "renews the version of the database user for a custom account's",
    "of a custom account go on with its new secret when they are renewed",
    () => (r) => ({
      sessions: { renew: async (digest) => (await r.sessions.count()) > 0 && digest !== "" },
    }),
  ),
];
