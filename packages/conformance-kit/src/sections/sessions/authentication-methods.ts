import {
  type Account,
  type AuthenticationMethod,
  type Digest,
  identityLinkKind,
  type IdentityLinkRecord,
  linkOwner,
  passwordAuthentication,
  type Repositories,
} from "@sallyport/storage";
import { equal, isTrue } from "../../assert/index.ts";
import { type Check, checksAfter } from "../../check.ts";
import { accountNamed, createCustomAccount } from "../../fixtures/accounts.ts";
import { concurrently, sequentially, whileOpen } from "../../fixtures/concurrently.ts";
import { unlimitedSessions } from "../../fixtures/policy.ts";
import { unstorableTexts } from "../../fixtures/hostile-texts.ts";
import { createLink, newLink, removeLink } from "../../fixtures/new-link.ts";
import { Visitor } from "../../fixtures/visitor.ts";

/** A user with a custom account and a link. */
interface Methods {
  readonly visitor: Visitor;
  readonly custom: Account;
  readonly link: IdentityLinkRecord;
}

/** Log-in with a custom account, with its secret version plus `later`. */
function customAuthentication({ id, secretVersion }: Account, later = 0): AuthenticationMethod {
  return { kind: "custom", accountId: id, secretVersion: secretVersion + later };
}

function linkAuthentication(link: IdentityLinkRecord): AuthenticationMethod {
  return { kind: "provider", link };
}

/** Whether a new session with this authentication method is admitted. */
async function admits(r: Repositories, visitor: Visitor, authenticationMethod: AuthenticationMethod): Promise<boolean> {
  return visitor.isAdmitted(r, await visitor.open(r, { authenticationMethod }));
}

async function openMethods(r: Repositories, key?: Visitor): Promise<Methods> {
  const visitor = await Visitor.create(r, key === undefined ? {} : { key });
  const { userId } = visitor.account;
  return { visitor, custom: await createCustomAccount(r, { userId }), link: await createLink(r, { userId }) };
}

/** Changes that revoke log-ins with a custom account. */
const revocations: { readonly [what: string]: (r: Repositories, account: Account) => Promise<unknown> } = {
  "a disabled custom account": (r, { id }) => r.accounts.change(id, { disabled: true }),
  "a removed custom account": (r, { id }) => r.accounts.remove([id]),
  "a custom account with a new secret": (r, { id, secretVersion }) =>
    r.accounts.setSecret(id, "second secret", secretVersion),
  "a custom account with another user": async (r, { id }) =>
    r.accounts.change(id, { userId: (await Visitor.create(r)).account.userId }),
};

export const authenticationMethodChecks: readonly Check[] = checksAfter("sessions", ({ r }) => openMethods(r), {
  "returns the authentication method of a session": async ({ r, visitor, custom, link }) => {
    const shared = await createLink(r, { userId: visitor.account.userId, shared: true });
    for (const mode of ["session", "token", "secure"] as const) {
      for (const authenticationMethod of [
        passwordAuthentication,
        customAuthentication(custom),
        linkAuthentication(link),
        linkAuthentication(shared),
      ]) {
        const { session, principal } = await visitor.admitAs(
          r,
          mode,
          await visitor.open(r, { mode, authenticationMethod }),
        );
        equal(
          [session?.authenticationMethod, principal?.userId],
          [authenticationMethod, visitor.account.userId],
          "the authentication method and the user",
        );
      }
    }
  },

  "returns the current state of the link that opened a session": async ({ r, visitor, link }) => {
    const digest = await visitor.open(r, { authenticationMethod: linkAuthentication(link) });
    const value = { ...link.value, shared: true, displayName: "somebody else" };
    await r.records.put(identityLinkKind, link.id, value, { owner: linkOwner(value.userId) });
    const { session } = await visitor.admit(r, digest);
    equal(session?.authenticationMethod, linkAuthentication({ ...link, value }), "the authentication method");
  },

  "admits no session after its custom account is disabled, removed, remapped or given a new secret": async ({ r }) => {
    for (const [what, revoke] of Object.entries(revocations)) {
      const { visitor, custom } = await openMethods(r);
      const bystander = await createCustomAccount(r, { userId: visitor.account.userId });
      const digest = await visitor.open(r, { authenticationMethod: customAuthentication(custom) });
      const others = [
        await visitor.open(r),
        await visitor.open(r, { authenticationMethod: customAuthentication(bystander) }),
      ];
      equal(await visitor.isAdmitted(r, digest), true, `whether a session of ${what} is admitted before the change`);
      await revoke(r, custom);
      equal(await visitor.isAdmitted(r, digest), false, `whether a session of ${what} is admitted`);
      const stay = await sequentially(others, (other) => visitor.isAdmitted(r, other));
      equal(stay, [true, true], `whether the other sessions of the user are admitted after the change to ${what}`);
    }
  },

  "admits no session of any authentication method after the secret of the user is replaced": async ({ r }) => {
    const key = await Visitor.create(r);
    const bystander = await openMethods(r, key);
    const ways: { readonly [what: string]: (of: Methods) => AuthenticationMethod } = {
      "a custom account": ({ custom }) => customAuthentication(custom),
      "a link": ({ link }) => linkAuthentication(link),
    };
    for (const [what, way] of Object.entries(ways)) {
      const own = await openMethods(r, key);
      const { visitor } = own;
      const authenticationMethod = way(own);
      const digest = await visitor.open(r, { authenticationMethod });
      const other = await bystander.visitor.open(r, { authenticationMethod: way(bystander) });
      equal(await visitor.isAdmitted(r, digest), true, `whether a session with ${what} is admitted before the change`);
      await r.accounts.setSecret(visitor.account.userId, "second secret", visitor.account.secretVersion);
      equal(await visitor.isAdmitted(r, digest), false, `whether a session with ${what} is admitted after the change`);
      const late = await admits(r, visitor, authenticationMethod);
      equal(late, false, `whether a late session with ${what} and the old secret is admitted`);
      const account = await accountNamed(r, visitor.account.loginName);
      isTrue(account !== null, "The account must exist");
      const renewed = await Visitor.create(r, { account, key });
      equal(
        await admits(r, renewed, authenticationMethod),
        true,
        `whether a session with ${what} and the new secret is admitted`,
      );
      equal(await visitor.isAdmitted(r, other), true, `whether the session of another user with ${what} is admitted`);
    }
  },

  "admits a session again after its custom account is enabled again": async ({ r, visitor, custom }) => {
    const digest = await visitor.open(r, { authenticationMethod: customAuthentication(custom) });
    for (const disabled of [true, false]) {
      await r.accounts.change(custom.id, { disabled });
      equal(await visitor.isAdmitted(r, digest), !disabled, "whether the session is admitted");
    }
  },

  "admits no session after its link is removed, even if the identity is linked again": async ({ r, visitor, link }) => {
    const { userId } = visitor.account;
    const [other, apple] = [await createLink(r, { userId }), await createLink(r, { userId, provider: "apple" })];
    const opened = await sequentially([link, other, apple], (each) =>
      visitor.open(r, { authenticationMethod: linkAuthentication(each) }),
    );
    const admitted = () => Promise.all(opened.map((each) => visitor.isAdmitted(r, each)));
    await removeLink(r, link);
    equal(await admitted(), [false, true, true], "the admitted sessions after one link is removed");
    const { issuer, subject } = link.value;
    const bound = await createLink(r, { ...newLink({ userId }), issuer, subject });
    equal(bound.id, link.id, "the record ID of the identity");
    equal(await admitted(), [false, true, true], "the admitted sessions after the identity is linked again");
    await r.records.remove(identityLinkKind, { owner: linkOwner(userId) });
    equal(await admitted(), [false, false, false], "the admitted sessions after all links of the user are removed");
  },

  "admits no session if its authentication method is revoked between proof and opening": async ({ r }) => {
    for (const [what, revoke] of Object.entries(revocations)) {
      const { visitor, custom } = await openMethods(r);
      await revoke(r, custom);
      equal(
        await admits(r, visitor, customAuthentication(custom)),
        false,
        `whether a late session of ${what} is admitted`,
      );
    }
    const { visitor, link } = await openMethods(r);
    await removeLink(r, link);
    equal(
      await admits(r, visitor, linkAuthentication(link)),
      false,
      "whether a late session of a removed link is admitted",
    );
  },

  "admits no session that is opened while its authentication method is revoked": async ({
    storage,
    r,
    visitor: key,
  }) => {
    for (let round = 0; round < 6; round += 1) {
      const { visitor, custom, link } = await openMethods(r, key);
      const opened = await whileOpen(
        storage,
        async (inside) => {
          await removeLink(inside, link);
          await inside.sessions.end({ linkId: link.id });
          if (round % 2 === 0) await inside.accounts.remove([custom.id]);
          else await inside.accounts.change(custom.id, { disabled: true });
          await inside.sessions.end({ customAccountId: custom.id });
        },
        () =>
          concurrently(6, async (index): Promise<Digest> => {
            const authenticationMethod = index % 2 === 0 ? customAuthentication(custom) : linkAuthentication(link);
            return visitor.open(r, { authenticationMethod, mode: index < 3 ? "session" : "token" });
          }),
      );
      for (const digest of opened) {
        for (const mode of ["session", "token"] as const)
          equal((await visitor.admitAs(r, mode, digest)).session, null, "a session opened during the revocation");
      }
    }
  },

  "ends all sessions of a custom account except one, or all of a link": async ({ r, visitor, custom, link }) => {
    const methods = [passwordAuthentication, customAuthentication(custom), linkAuthentication(link)];
    const opened = [];
    for (const authenticationMethod of methods)
      opened.push(
        await visitor.open(r, { authenticationMethod }),
        await visitor.openSecure(r, { authenticationMethod }),
      );
    const [password, , account, secure, linked] = opened as [string, string, string, string, string];
    const late = await visitor.open(r, { authenticationMethod: customAuthentication(custom, 1) });
    const ended = await r.sessions.end({ customAccountId: custom.id, except: account });
    equal(ended, 2, "number of ended sessions of the custom account");
    equal(await visitor.isAdmitted(r, account), true, "whether the excepted session is admitted");
    equal((await visitor.admitAs(r, "secure", secure)).session, null, "another session");
    equal(await r.sessions.end({ digest: late }), 0, "number of remaining late sessions");
    equal(await r.sessions.end({ customAccountId: custom.id }), 1, "number of remaining sessions");
    equal(await r.sessions.end({ linkId: link.id }), 2, "number of ended sessions of the link");
    for (const id of [custom.id, link.id, link.value.id, "", "no id", ...unstorableTexts]) {
      for (const selector of [{ customAccountId: id }, { linkId: id }])
        equal(await r.sessions.end(selector), 0, `number of ended sessions of "${id}"`);
    }
    equal(await visitor.isAdmitted(r, linked), false, "whether a session of the link is admitted");
    equal(await visitor.isAdmitted(r, password), true, "whether a session by password is admitted");
    equal(await r.sessions.count(), 2, "number of live sessions");
  },

  "renews a session of a custom account with the new secret": async ({ storage, r, visitor, custom }) => {
    const authenticationMethod = customAuthentication(custom);
    const [own, other] = [
      await visitor.open(r, { authenticationMethod }),
      await visitor.open(r, { authenticationMethod }),
    ];
    await storage.transaction(async (inside) => {
      const outcome = await inside.accounts.setSecret(custom.id, "second secret", custom.secretVersion);
      equal(outcome, "stored", "the outcome of setting the secret");
      equal(await inside.sessions.renew(own, custom.secretVersion + 1), true, "whether the session is renewed");
    });
    const { session } = await visitor.admit(r, own);
    equal(
      session?.authenticationMethod,
      customAuthentication(custom, 1),
      "the authentication method of the renewed session",
    );
    equal(await visitor.isAdmitted(r, other), false, "whether another session with the old secret is admitted");
  },

  "replaces the session of a device regardless of the authentication methods": async ({ r, visitor, custom, link }) => {
    const [byAccount, byLink] = [customAuthentication(custom), linkAuthentication(link)];
    const policy = { ...unlimitedSessions, limit: 1, perUserLimit: 1 };
    let before: Digest | null = null;
    for (const authenticationMethod of [byAccount, byLink, passwordAuthentication, byLink, byAccount]) {
      const digest: Digest = await visitor.open(r, { authenticationMethod, deviceId: "phone" }, policy);
      equal(
        (await visitor.admit(r, digest)).session?.authenticationMethod,
        authenticationMethod,
        "the authentication method of the session of the device",
      );
      if (before !== null)
        equal(await visitor.isAdmitted(r, before), false, "whether the replaced session is admitted");
      before = digest;
    }
    isTrue(before !== null, "A session must have been opened");
    equal(await r.sessions.end({ linkId: link.id }), 0, "number of sessions of the replaced authentication method");
    equal(await visitor.isAdmitted(r, before), true, "whether the last session is admitted");
  },
});
