import { Applications, SecondFactors } from "@sallyport/core";
import { randomUUID } from "node:crypto";
import { Authenticator } from "../second-factor-client.ts";
import type { FaultFixture } from "./fault-fixture.ts";
import { watchRequest } from "./watch-request.ts";
import { either, type WriteOperation } from "./write-operation.ts";

const app = "with-factor";
const withFactor = { user: "reader", pass: "reader", appNames: [app] };
const path = `/v1/2fa/secret?app=${app}`;

/** A user with two sessions and no factor, and a look-up of the factor. */
async function userWithoutFactor({ storage: { repositories: r }, send }: FaultFixture) {
  await new Applications(r.records).create({ name: app, seats: null, secondFactor: "optional" });
  const { account } = await r.accounts.find({ realm: "database", loginName: withFactor.user }, []);
  const userId = account?.userId ?? "";
  const subject = `user:${userId}`;
  await new SecondFactors(r.records).remove(subject, null);
  await r.sessions.end({ userId });
  const logIn = async (): Promise<string> =>
    (await send({ method: "POST", path: "/v1/login", body: withFactor, sessionId: null })).data.sessionId;
  const [sessionId] = [await logIn(), await logIn()];
  const find = async () => (await new SecondFactors(r.records).find(subject, [app]))[0];
  return { sessionId, find };
}

/** The same with a factor that was begun, or confirmed just now. */
async function userWithFactor(fixture: FaultFixture, isConfirmed: boolean) {
  const { sessionId, find } = await userWithoutFactor(fixture);
  const { data } = await fixture.send({ method: "POST", path, sessionId });
  const begun = await find();
  if (
    begun === undefined ||
    (isConfirmed && !(await new SecondFactors(fixture.storage.repositories.records).accept(begun, 0)))
  )
    throw new Error("The factor cannot be confirmed.");
  return {
    sessionId,
    find,
    secret: data.secret as string,
    codes: data.recoveryCodes as string[],
    left: async () => (await find())?.recoveryCodes.length,
  };
}

/** Routes that set up, spend and end second factors. */
export const factorOperations: readonly WriteOperation[] = [
  {
    title: "begins a second factor",
    done: "commit",
    prepare: async (fixture) => {
      const { sessionId, find } = await userWithoutFactor(fixture);
      const requestId = randomUUID();
      const written = await watchRequest(fixture, requestId, { sessions: 0, event: "secondFactor.enrolled" });
      const state = async () =>
        either([await written(), (await find())?.confirmed ?? null], ["absent", null], ["whole", false]);
      return { request: { method: "POST", path, sessionId, requestId }, state };
    },
  },
  {
    title: "confirms a second factor",
    done: "commit",
    prepare: async (fixture) => {
      const { sessionId, find, secret } = await userWithFactor(fixture, false);
      const token = Authenticator.at(secret, await fixture.storage.now()).token();
      const requestId = randomUUID();
      const written = await watchRequest(fixture, requestId, { sessions: -1, event: "secondFactor.confirmed" });
      const state = async () =>
        either([await written(), (await find())?.confirmed], ["absent", false], ["whole", true]);
      return { request: { method: "PATCH", path, body: { token }, sessionId, requestId }, state };
    },
  },
  {
    title: "reads a second factor again",
    done: "commit",
    prepare: async (fixture) => {
      const { sessionId, codes, left } = await userWithFactor(fixture, true);
      const state = async () => either(await left(), 10, 9);
      return {
        request: { method: "POST", path: `/v1/2fa/validate?app=${app}`, body: { token: codes[0] }, sessionId },
        state,
      };
    },
  },
  {
    title: "logs in with a second factor",
    done: "commit",
    prepare: async (fixture) => {
      const { codes, left } = await userWithFactor(fixture, true);
      const requestId = randomUUID();
      const opened = await watchRequest(fixture, requestId, { sessions: 1, event: "login.accepted" });
      const state = async () => either([await opened(), await left()], ["absent", 10], ["whole", 9]);
      return {
        request: {
          method: "POST",
          path: "/v1/login",
          body: { ...withFactor, "2faToken": codes[0] },
          sessionId: null,
          requestId,
        },
        state,
      };
    },
  },
  {
    title: "disables a second factor",
    done: "commit",
    prepare: async (fixture) => {
      const { codes, left, sessionId } = await userWithFactor(fixture, true);
      const requestId = randomUUID();
      const written = await watchRequest(fixture, requestId, { sessions: 0, event: "secondFactor.removed" });
      const state = async () => either([await written(), await left()], ["absent", 10], ["whole", undefined]);
      return { request: { method: "DELETE", path, body: { token: codes[0] }, sessionId, requestId }, state };
    },
  },
];
