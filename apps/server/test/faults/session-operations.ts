import { randomUUID } from "node:crypto";
import { identityLinkId, identityLinkKind } from "@sallyport/storage";
import { NodeDigests } from "@sallyport/crypto";
import type { FaultFixture } from "./fault-fixture.ts";
import { watchRequest } from "./watch-request.ts";
import { either, type WriteOperation } from "./write-operation.ts";

const credentials = { user: "reader", pass: "reader", appNames: ["demo-app"] };

/** A user back from a provider who must prove an identity, and the state of the provider account. */
async function comeFromProvider({ storage: { repositories: r } }: FaultFixture) {
  const dfUuid = randomUUID();
  const digests = new NodeDigests();
  const digest = digests.sha256(dfUuid);
  const appKey = (await r.appKeys.list(null, 10)).find(({ name }) => name === "demo");
  const identity = { issuer: "https://accounts.example", subject: dfUuid };
  const payload = { ...identity, provider: "google", email: null, displayName: null, appKeyId: appKey?.id ?? "" };
  await r.records.put("accountLink", digest, payload, { lifetime: 600_000 });
  const bound = async () => {
    const isBound = (await r.records.get(identityLinkKind, [identityLinkId(identity, digests)])).length > 0;
    return either([(await r.records.get("accountLink", [digest])).length === 0, isBound], [false, false], [true, true]);
  };
  return { dfUuid, bound };
}

/** Routes that open and end sessions. */
export const sessionOperations: readonly WriteOperation[] = [
  ...["/v1/login", "/v2/login"].map(
    (path): WriteOperation => ({
      title: `logs in by ${path}`,
      done: "batch",
      prepare: async (fixture) => {
        const requestId = randomUUID();
        const state = await watchRequest(fixture, requestId, { sessions: 1, event: "login.accepted" });
        return { request: { method: "POST", path, body: credentials, sessionId: null, requestId }, state };
      },
    }),
  ),
  {
    title: "logs a custom user in",
    done: "batch",
    prepare: async (fixture) => {
      const requestId = randomUUID();
      const state = await watchRequest(fixture, requestId, { sessions: 1, event: "login.accepted" });
      return {
        request: {
          method: "POST",
          path: "/v1/auth/df",
          body: { ...credentials, user: "partner", pass: "partner" },
          sessionId: null,
          requestId,
        },
        state,
      };
    },
  },
  {
    title: "logs in and links a provider account",
    done: "commit",
    prepare: async (fixture) => {
      const { dfUuid, bound } = await comeFromProvider(fixture);
      const requestId = randomUUID();
      const watched = [
        bound,
        await watchRequest(fixture, requestId, { sessions: 1, event: "login.accepted" }),
        await watchRequest(fixture, requestId, { sessions: 1, event: "link.created" }),
      ];
      const state = async () =>
        either(
          await Promise.all(watched.map((each) => each())),
          ["absent", "absent", "absent"],
          ["whole", "whole", "whole"],
        );
      return {
        request: { method: "POST", path: "/v1/extLogin", body: { ...credentials, dfUuid }, sessionId: null, requestId },
        state,
      };
    },
  },
  {
    title: "logs out",
    done: "commit",
    failure: 703,
    prepare: async (fixture) => {
      const { data } = await fixture.send({ method: "POST", path: "/v1/login", body: credentials, sessionId: null });
      const requestId = randomUUID();
      const state = await watchRequest(fixture, requestId, { sessions: -1, event: "logout.completed" });
      return { request: { method: "POST", path: "/v1/logout", sessionId: data.sessionId, requestId }, state };
    },
  },
];
