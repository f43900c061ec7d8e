import { equal } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { freshDigest } from "../../fixtures/digests.ts";
import { hour } from "../../fixtures/policy.ts";
import { Visitor, visitorChecks } from "../../fixtures/visitor.ts";

export const sessionRenewingChecks: readonly Check[] = visitorChecks("sessions", {
  "ends all sessions of a user except one": async ({ r, visitor }) => {
    const colleague = await Visitor.create(r, { key: visitor });
    const { userId } = visitor.account;
    const [kept, other] = [await visitor.open(r), await colleague.open(r)];
    const ended = [await visitor.open(r), await visitor.open(r, { deviceId: "phone" })];
    equal(await r.sessions.end({ userId, except: kept }), 2, "number of ended sessions");
    for (const digest of ended)
      equal(await visitor.isAdmitted(r, digest), false, "whether an ended session is admitted");
    equal(await visitor.isAdmitted(r, kept), true, "whether the excepted session is admitted");
    equal(
      await r.sessions.end({ userId, except: other }),
      1,
      "number of ended sessions with an exception of another user",
    );
    equal(await colleague.isAdmitted(r, other), true, "whether the session of another user is admitted");
    const unknown = { userId: colleague.account.userId, except: freshDigest() };
    equal(await r.sessions.end(unknown), 1, "number of ended sessions with an unknown exception");
  },

  "renews a single session with a new secret": async ({ storage, r, visitor }) => {
    const { userId, secretVersion } = visitor.account;
    const [own, other] = [await visitor.open(r), await visitor.open(r)];
    const renewed = await storage.transaction(async (inside) => {
      await inside.accounts.setSecret(userId, "second secret", secretVersion);
      return inside.sessions.renew(own, secretVersion + 1);
    });
    equal(renewed, true, "whether the session is renewed");
    equal(await visitor.isAdmitted(r, own), true, "whether the renewed session is admitted");
    equal(await visitor.isAdmitted(r, other), false, "whether another session is admitted");
    equal(await r.sessions.renew(other, secretVersion), true, "whether a session is renewed with another version");
    equal(await visitor.isAdmitted(r, other), false, "whether a session with another version is admitted");
  },

  "refuses to renew an expired session": async ({ r, advance, visitor }) => {
    const [ended, expired] = [await visitor.open(r), await visitor.open(r)];
    await r.sessions.end({ digest: ended });
    advance(hour);
    for (const digest of [ended, expired, freshDigest()]) {
      equal(await r.sessions.renew(digest, 1), false, "whether the session is renewed");
      equal(await visitor.isAdmitted(r, digest), false, "whether the session is admitted");
    }
  },
});
