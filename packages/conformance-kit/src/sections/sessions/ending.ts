import type { SessionsOf } from "@sallyport/storage";
import { equal, equalInAnyOrder } from "../../assert/index.ts";
import type { Check } from "../../check.ts";
import { createCustomAccount } from "../../fixtures/accounts.ts";
import { concurrently } from "../../fixtures/concurrently.ts";
import { freshDigest } from "../../fixtures/digests.ts";
import { unlimitedSessions, minute, second } from "../../fixtures/policy.ts";
import { createLink } from "../../fixtures/new-link.ts";
import { Visitor, visitorChecks } from "../../fixtures/visitor.ts";

export const sessionEndingChecks: readonly Check[] = visitorChecks("sessions", {
  "counts live sessions": async ({ r, visitor }) => {
    equal(await r.sessions.count(), 0, "number of live sessions at the beginning");
    const digests = await concurrently(5, () => visitor.open(r));
    equal(await r.sessions.count(), 5, "number of live sessions");
    await r.sessions.end({ digest: digests[0] as string });
    equal(await r.sessions.count(), 4, "number of live sessions after one is ended");
  },

  "ends one session by its digest": async ({ r, visitor }) => {
    const [digest, other] = [await visitor.open(r), await visitor.open(r)];
    equal(await r.sessions.end({ digest }), 1, "number of ended sessions");
    equal(await r.sessions.end({ digest }), 0, "number of sessions ended again");
    equal(await r.sessions.end({ digest: freshDigest() }), 0, "number of ended sessions with an unknown digest");
    equal(await visitor.isAdmitted(r, other), true, "whether the other session is admitted");
  },

  "ends all sessions of a user across app keys": async ({ r, visitor }) => {
    const otherVisitor = await Visitor.create(r, { account: visitor.account });
    const colleague = await Visitor.create(r, { key: visitor });
    const own = [await visitor.open(r), await visitor.open(r, { deviceId: "phone" }), await visitor.openSecure(r)];
    const [far, other] = [await otherVisitor.open(r), await colleague.open(r)];
    equal(await r.sessions.end({ userId: visitor.account.userId }), 4, "number of ended sessions");
    for (const digest of own) {
      equal(await visitor.isAdmitted(r, digest), false, "whether an ended session is admitted");
      equal((await visitor.admitAs(r, "secure", digest)).session, null, "an ended secure session");
    }
    equal(await otherVisitor.isAdmitted(r, far), false, "whether the ended session of another app key is admitted");
    equal(await colleague.isAdmitted(r, other), true, "whether the session of another user is admitted");
    equal(await r.sessions.end({ userId: visitor.account.userId }), 0, "number of sessions ended again");
  },

  "ends and lists the sessions of one link or custom account of several": async ({ r, visitor }) => {
    const { userId } = visitor.account;
    const customs = [await createCustomAccount(r, { userId }), await createCustomAccount(r, { userId })] as const;
    const links = [await createLink(r, { userId }), await createLink(r, { userId })] as const;
    const opened = [
      ...customs.map(({ id, secretVersion }) => ({ kind: "custom", accountId: id, secretVersion }) as const),
      ...links.map((link) => ({ kind: "provider", link }) as const),
    ].map((authenticationMethod) => visitor.newSession({ authenticationMethod }));
    for (const session of opened) await r.sessions.open(session, unlimitedSessions);
    const digests = opened.map(({ digest }) => digest);
    const selectors = [
      ...customs.map(({ id }) => ({ customAccountId: id })),
      ...links.map(({ id }) => ({ linkId: id })),
    ];
    for (const [index, selector] of selectors.entries()) {
      const listed = await r.sessions.list({ after: null, limit: 10 }, selector);
      equal(
        listed.map(({ digest }) => digest),
        [digests[index]],
        "the listed sessions",
      );
    }
    equal(await r.sessions.end(selectors[0] ?? { digest: "" }), 1, "number of ended sessions of a custom account");
    equal(await r.sessions.end(selectors[2] ?? { digest: "" }), 1, "number of ended sessions of a link");
    const left = await Promise.all(digests.map((digest) => visitor.isAdmitted(r, digest)));
    equal(left, [false, true, false, true], "whether each session is admitted");
  },

  "ends each session in one of several concurrent calls": async ({ r, visitor }) => {
    const digest = await visitor.open(r);
    const ended = await concurrently(10, () => r.sessions.end({ digest }));
    equal(ended.toSorted(), [0, 0, 0, 0, 0, 0, 0, 0, 0, 1], "number of sessions ended by each call");
  },

  "lists live sessions by digest, in pages": async ({ r, advance, visitor }) => {
    await visitor.open(r);
    advance(11 * minute);
    const secure = visitor.newSession({ mode: "secure" });
    await r.sessions.open(secure, unlimitedSessions);
    const opened = [
      await visitor.open(r, { deviceId: "phone", appNames: ["Sales"] }),
      secure.digest,
      await visitor.open(r, { mode: "token" }),
    ];
    await r.sessions.changeAppNames(opened[0] as string, { reserve: ["Stock"], limits: [] });
    const [first, next, ...rest] = opened.toSorted();
    const digestsAfter = async (after: string | null, limit: number) =>
      (await r.sessions.list({ after, limit })).map(({ digest }) => digest);
    equal(await digestsAfter(null, 2), [first, next], "the first page");
    equal(await digestsAfter(next ?? null, 2), rest, "the second page");
    equal(await digestsAfter(rest[0] ?? null, 2), [], "the page after the last session");
    const listed = (await r.sessions.list({ after: null, limit: 10 })).find(({ digest }) => digest === opened[0]);
    const [ofSecure] = await r.sessions.list({ after: null, limit: 1 }, { digest: secure.digest });
    equal(ofSecure?.wrappedKey, secure.channel?.wrappedKey, "the sealed key of the secure session");
    equal(await digestsAfter(null, 0), [], "a page with a limit of zero");
    const { openedAt = 0, expiresAt = 0, endsAt = 0, ...session } = listed ?? {};
    const expected = {
      digest: opened[0],
      mode: "session",
      appKeyId: visitor.appKey.id,
      userId: visitor.account.userId,
      appNames: ["Sales"],
      reservedNames: ["Stock"],
      enrolling: false,
      deviceId: "phone",
      method: "password",
      customAccountId: null,
      address: null,
      wrappedKey: null,
    };
    equal(session, expected, "the session");
    const { idleTimeout, absoluteLifetime } = unlimitedSessions;
    equal([expiresAt - openedAt, endsAt - openedAt], [idleTimeout, absoluteLifetime], "the lifetimes");
  },

  "lists the selected sessions": async ({ r, visitor }) => {
    const { account } = visitor;
    const colleague = await Visitor.create(r, { key: visitor });
    const custom = await createCustomAccount(r, { userId: account.userId });
    const link = await createLink(r, { userId: account.userId });
    const own = await visitor.open(r);
    await colleague.open(r);
    const byCustom = await visitor.open(r, {
      authenticationMethod: { kind: "custom", accountId: custom.id, secretVersion: custom.secretVersion },
    });
    const byLink = await visitor.open(r, { authenticationMethod: { kind: "provider", link } });
    const methodsOf = async (selector: SessionsOf) =>
      (await r.sessions.list({ after: null, limit: 10 }, selector)).map(({ digest, method, customAccountId }) => [
        digest,
        method,
        customAccountId,
      ]);
    const all = [
      [own, "password", null],
      [byCustom, "custom", custom.id],
      [byLink, "provider", null],
    ].toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1));
    equal(await methodsOf({ userId: account.userId }), all, "the sessions of the user");
    equal(
      await methodsOf({ userId: account.userId, except: own }),
      all.filter(([digest]) => digest !== own),
      "the other sessions of the user",
    );
    const pages: unknown[] = [];
    for (let after: string | null = null; pages.length < 4; ) {
      const page: readonly { readonly digest: string }[] = await r.sessions.list(
        { after, limit: 2 },
        { userId: account.userId },
      );
      pages.push(page.map(({ digest }) => digest));
      after = page.at(-1)?.digest ?? after;
    }
    const digests = all.map(([digest]) => digest);
    equal(pages, [digests.slice(0, 2), digests.slice(2), [], []], "the pages of the sessions of the user");
    equal(await methodsOf({ customAccountId: custom.id }), [[byCustom, "custom", custom.id]], "those of the account");
    equal(await methodsOf({ linkId: link.id }), [[byLink, "provider", null]], "those of the link");
    equal(await methodsOf({ digest: own }), [[own, "password", null]], "the one session");
    equal(await methodsOf({ digest: freshDigest() }), [], "the sessions with an unknown digest");
  },

  "lists the address of each log-in": async ({ r, visitor }) => {
    const [near, far, unknown] = [
      await visitor.open(r, { address: "192.0.2.7", deviceId: "phone" }),
      await visitor.openSecure(r, { address: "2001:db8:85a3:8d3:1319:8a2e:370:7348" }),
      await visitor.open(r),
    ];
    await visitor.admit(r, near);
    await r.sessions.changeAppNames(near, { reserve: ["Stock"], limits: [] });
    await r.sessions.renew(near, visitor.account.secretVersion);
    const listed = await r.sessions.list({ after: null, limit: 10 });
    equalInAnyOrder(
      listed.map(({ digest, address }) => [digest, address]),
      [
        [near, "192.0.2.7"],
        [far, "2001:db8:85a3:8d3:1319:8a2e:370:7348"],
        [unknown, null],
      ],
      "the addresses of the sessions",
    );
  },

  "sweeps expired sessions up to the limit": async ({ r, advance, visitor }) => {
    await concurrently(5, () => visitor.open(r));
    advance(8 * minute);
    const live = await visitor.open(r);
    equal(await r.sessions.sweep(10), 0, "number of live sessions that were swept");
    advance(2 * minute + second);
    equal(await r.sessions.sweep(0), 0, "number of sessions swept with a limit of zero");
    equal(await r.sessions.sweep(2), 2, "number of sessions swept by the first call");
    equal(await r.sessions.sweep(10), 3, "number of sessions swept by the second call");
    equal(await r.sessions.sweep(10), 0, "number of sessions swept by the third call");
    equal(await visitor.isAdmitted(r, live), true, "whether the live session is admitted");
  },

  "sweeps sessions after their absolute lifetime": async ({ r, advance, visitor }) => {
    const digest = await visitor.open(r, {}, { ...unlimitedSessions, absoluteLifetime: 12 * minute });
    advance(9 * minute);
    equal(await visitor.isAdmitted(r, digest), true, "whether the session is admitted");
    advance(3 * minute + second);
    equal(await r.sessions.sweep(10), 1, "number of swept sessions");
  },

  "sweeps each session in one of several concurrent calls": async ({ r, advance, visitor }) => {
    await concurrently(12, () => visitor.open(r));
    advance(11 * minute);
    const swept = await concurrently(6, () => r.sessions.sweep(100));
    const rest = await r.sessions.sweep(100);
    const all = swept.reduce((sum, each) => sum + each, rest);
    equal(all, 12, "number of swept sessions in total");
  },
});
