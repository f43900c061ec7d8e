import { randomUUID } from "node:crypto";
import { Argon2PasswordHasher, NodeDigests } from "@sallyport/crypto";
import { resetMail } from "../reset-mail.ts";
import type { Stage } from "./stage.ts";
import { either, type WriteOperation } from "./write-operation.ts";

const digests = new NodeDigests();
const password = "the first password";

/** Somebody with an address and two sessions, and what a new password changes of that. */
async function newcomer({ storage: { repositories: r }, send }: Stage) {
  const name = `newcomer ${randomUUID()}`;
  const [user] = await r.objects.insert([{ className: "User", attributes: { Name: name } }]);
  const userId = user?.id ?? "";
  const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
  await r.accounts.create({ userId, loginName: name, secret: await hasher.hash(digests.md5(password)), administrator: false, email: "newcomer@mail.example" }, name);
  const logIn = async (): Promise<string> => {
    const { data } = await send({ method: "POST", path: "/v1/login", body: { user: name, pass: password, appNames: ["demo-app"] }, sessionId: null });
    return data.sessionId;
  };
  const sessions = [await logIn(), await logIn()];
  const prepared = await resetMail.prepare(r, { user: name });
  const live = await r.sessions.count();
  const stateOf = async (event: string, ended: number): Promise<unknown> => {
    const { account } = await r.accounts.byUser(userId, []);
    const former = await r.passwordHistory.latest(`user:${userId}`, 10);
    const events = (await r.audit.read(0, 100_000)).filter(({ type, userId: of, outcome }) => type === event && of === userId && outcome === 0);
    const token = await r.oneTime.read("passwordReset", digests.sha256(prepared?.token ?? ""));
    return either([account?.secretVersion, former.length, events.length, token === null, live - (await r.sessions.count())], [1, 0, 0, false, 0], [2, 1, 1, true, ended]);
  };
  return { sessionId: sessions[0] as string, token: prepared?.token, stateOf };
}

/** Routes that set passwords. */
export const passwordOperations: readonly WriteOperation[] = [
  {
    title: "changes a password",
    done: "commit",
    prepare: async (stage) => {
      const { sessionId, stateOf } = await newcomer(stage);
      const body = { oldPassword: password, newPassword: "another password" };
      return { request: { method: "POST", path: "/v1/changePassword", sessionId, body }, state: () => stateOf("password.changed", 1) };
    },
  },
  {
    title: "sets a password by the token of a mail",
    done: "commit",
    prepare: async (stage) => {
      const { token, stateOf } = await newcomer(stage);
      const body = { resetPasswordToken: token, newPassword: "another password" };
      return { request: { method: "POST", path: "/v1/confirmResetPassword", sessionId: null, body }, state: () => stateOf("password.reset", 2) };
    },
  },
];
