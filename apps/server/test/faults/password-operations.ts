import { randomUUID } from "node:crypto";
import { FormerPasswords, createAccount } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests, NodeRandomSource } from "@sallyport/crypto";
import { resetMail } from "../accounts/reset-mail.ts";
import type { FaultFixture } from "./fault-fixture.ts";
import { either, type WriteOperation } from "./write-operation.ts";

const digests = new NodeDigests();
const password = "the first password";

/** A user with an address and two sessions, and the state after a new password. */
async function newcomer({ storage: { repositories: r }, send }: FaultFixture) {
  const name = `newcomer ${randomUUID()}`;
  const [user] = await r.objects.insert([{ className: "User", attributes: { Name: name } }]);
  const userId = user?.id ?? "";
  const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
  await r.accounts.create(
    {
      userId,
      loginName: name,
      secret: await hasher.hash(digests.md5(password)),
      administrator: false,
      email: "newcomer@mail.example",
    },
    name,
  );
  const logIn = async (): Promise<string> => {
    const { data } = await send({
      method: "POST",
      path: "/v1/login",
      body: { user: name, pass: password, appNames: ["demo-app"] },
      sessionId: null,
    });
    return data.sessionId;
  };
  const sessions = [await logIn(), await logIn()];
  const prepared = await resetMail.prepare(r, { user: name });
  const live = await r.sessions.count();
  const stateOf = async (event: string, ended: number): Promise<unknown> => {
    const { account } = await r.accounts.find({ id: userId }, []);
    const former = await new FormerPasswords(r.records).latest(`user:${userId}`, 10);
    const events = (await r.audit.read(0, 100_000)).filter(
      ({ type, subjectId: of, outcome }) => type === event && of === userId && outcome === 0,
    );
    const [token] = await r.records.get("passwordReset", [digests.sha256(prepared?.token ?? "")]);
    return either(
      [account?.secretVersion, former.length, events.length, token === undefined, live - (await r.sessions.count())],
      [1, 0, 0, false, 0],
      [2, 1, 1, true, ended],
    );
  };
  return { sessionId: sessions[0] as string, token: prepared?.token, stateOf };
}

/** A custom user with two sessions, and the state after a new password. */
async function customNewcomer({ storage: { repositories: r }, send }: FaultFixture) {
  const name = `newcomer ${randomUUID()}`;
  const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
  const { account: mapped } = await r.accounts.find({ realm: "database", loginName: "reader" }, []);
  const userId = mapped?.userId ?? "";
  const creating = { database: { digests: digests }, services: { hasher, random: new NodeRandomSource() } };
  const id = await createAccount(creating, r.accounts, {
    realm: "custom",
    loginName: name,
    password,
    userId,
    email: "newcomer@mail.example",
    clientHash: "md5",
  });
  const logIn = () =>
    send({
      method: "POST",
      path: "/v1/auth/df",
      body: { user: name, pass: password, appNames: ["demo-app"] },
      sessionId: null,
    });
  for (let times = 0; times < 2; times += 1) await logIn();
  const prepared = await resetMail.prepare(r, { user: name, custom: true });
  const live = await r.sessions.count();
  const resets = async () =>
    (await r.audit.read(0, 100_000)).filter(
      ({ type, outcome }) => type === "customPassword.reset.completed" && outcome === 0,
    ).length;
  const before = await resets();
  const state = async (): Promise<unknown> => {
    const account = (await r.accounts.find({ id }, [])).account;
    const former = await new FormerPasswords(r.records).latest(`custom:${id}`, 10);
    const [token] = await r.records.get("passwordReset", [digests.sha256(prepared?.token ?? "")]);
    return either(
      [
        account?.secretVersion,
        former.length,
        (await resets()) - before,
        token === undefined,
        live - (await r.sessions.count()),
      ],
      [1, 0, 0, false, 0],
      [2, 1, 1, true, 2],
    );
  };
  return { token: prepared?.token, state };
}

/** Routes that set passwords. */
export const passwordOperations: readonly WriteOperation[] = [
  {
    title: "changes a password",
    done: "commit",
    prepare: async (fixture) => {
      const { sessionId, stateOf } = await newcomer(fixture);
      const body = { oldPassword: password, newPassword: "another password" };
      return {
        request: { method: "POST", path: "/v1/changePassword", sessionId, body },
        state: () => stateOf("password.changed", 1),
      };
    },
  },
  {
    title: "sets a password by a mailed token",
    done: "commit",
    prepare: async (fixture) => {
      const { token, stateOf } = await newcomer(fixture);
      const body = { resetPasswordToken: token, newPassword: "another password" };
      return {
        request: { method: "POST", path: "/v1/confirmResetPassword", sessionId: null, body },
        state: () => stateOf("password.reset.completed", 2),
      };
    },
  },
  {
    title: "sets the password of a custom user by a mailed token",
    done: "commit",
    prepare: async (fixture) => {
      const { token, state } = await customNewcomer(fixture);
      const body = { resetPasswordToken: token, newPassword: "another password" };
      return { request: { method: "POST", path: "/v1/confirmResetPassword", sessionId: null, body }, state };
    },
  },
];
