import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { request as startRequest } from "node:http";
import { join } from "node:path";
import { addBan, administrationOf, Applications, ChannelSecrets, type Database } from "@sallyport/core";
import type { ErrorCode } from "@sallyport/storage";
import { setAppRule, setLimits } from "@sallyport/core";
import { AesGcmKeyWrapping, NodeDigests } from "@sallyport/crypto";
import { signIn } from "@sallyport/fake-identity-providers";
import { faults, type Instruction } from "@sallyport/testing/faults";
import { administrationKey } from "../administration/administration-fixture.ts";
import { call, tryLogIn } from "../client.ts";
import { startLogIn } from "../providers/browser.ts";
import { publicUrl, providerEnvironment } from "../providers/provider-fixture.ts";
import { Authenticator, logInWithFactor, factorRequests } from "../second-factor-client.ts";
import type { Case, DemoUser } from "@sallyport/testing/acceptance";
import type { CodeFixture } from "./code-fixture.ts";
import { appKey, logIn } from "./run-cases.ts";

export interface PreparedRequest extends Pick<Case, "method" | "headers" | "body"> {
  readonly path: string;
}

/** A code that no plain request causes: it needs a preparation. */
export interface PreparedCase {
  readonly title: string;
  readonly code: ErrorCode;
  /** Prepares the state, and returns the request that is answered with the code. */
  readonly prepare: (fixture: CodeFixture) => Promise<PreparedRequest>;
  /** The storage fault during the request. */
  readonly fault?: Instruction;
}

const logInRequest = (appName: string, more: object = {}): PreparedRequest => ({
  method: "POST",
  path: "/v1/login",
  body: { user: "demo", pass: "demo", appNames: [appName], ...more },
});

export const inSession = async (
  { server }: CodeFixture,
  request: PreparedRequest,
  user: DemoUser = "demo",
): Promise<PreparedRequest> => ({
  ...request,
  headers: { ...request.headers, sessionid: await logIn(server, user) },
});

const readObjects = (fixture: CodeFixture) => inSession(fixture, { path: "/v1/objects/Customer" });

/** The path of a new object. */
async function create({ server }: CodeFixture, sessionId: string): Promise<string> {
  const { body } = await call(server, "/v1/object/Customer", { method: "POST", sessionId, body: { Name: "Ada" } });
  return `/v1/object/${body.data["~ObjectID"]}`;
}

/** A request for a deleted object. */
const ofDeleted = async (fixture: CodeFixture, request: Omit<PreparedRequest, "path">): Promise<PreparedRequest> => {
  const sessionid = await logIn(fixture.server, "demo");
  const path = await create(fixture, sessionid);
  await call(fixture.server, path, { method: "DELETE", sessionId: sessionid });
  return { ...request, path, headers: { sessionid } };
};

/** The authenticator of a user with a confirmed second factor for a new app name. */
async function withFactor({ server, repositories }: CodeFixture, app: string): Promise<Authenticator> {
  await new Applications(repositories.records).create({ name: app, seats: null, secondFactor: "optional" });
  const factor = factorRequests(server, await logInWithFactor(server, "session", "demo", [app]), app);
  const authenticator = await Authenticator.of(server, (await factor.enrol()).secret);
  await factor.confirm(authenticator.token());
  return authenticator;
}

const octets = { "content-type": "application/octet-stream", "content-range": "bytes 0-9/10" };
const form = {
  "content-type": "multipart/form-data; boundary=x",
  body: '--x\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\nabc\r\n--x--\r\n',
};

/** The headers of a session, and the path of a new upload in it. */
async function newUpload({ server }: CodeFixture) {
  const sessionid = await logIn(server, "admin");
  const { body } = await call(server, "/v1/uploadFile", { sessionId: sessionid });
  return { sessionid, path: `/v1/uploadFile/${body.data.uploadId}` };
}

/** A request for an upload that another request is writing. */
async function ofBusyUpload(fixture: CodeFixture, request: Omit<PreparedRequest, "path">): Promise<PreparedRequest> {
  const { sessionid, path } = await newUpload(fixture);
  const headers = { appkey: appKey, sessionid, ...octets, "content-length": 10, expect: "100-continue" };
  const writing = startRequest(fixture.server.url + path, { method: "PATCH", headers });
  writing.on("error", () => {}).flushHeaders();
  await once(writing, "continue");
  return { ...request, path, headers: { sessionid, ...request.headers } };
}

/** The request for a new file of three bytes. */
async function storedFile({ server }: CodeFixture): Promise<PreparedRequest> {
  const { "content-type": type, body } = form;
  const stored = await fetch(`${server.url}/v1/uploadFile`, {
    method: "POST",
    headers: { appkey: appKey, sessionid: await logIn(server, "admin"), "content-type": type },
    body,
  });
  const { data } = (await stored.json()) as ReturnType<typeof JSON.parse>;
  return { path: `/v1/file/${data["~ObjectID"]}` };
}

/** A request of a session after a change of the folder of the file store. */
async function withFolder(
  fixture: CodeFixture,
  change: (folder: string) => void,
  request: PreparedRequest,
): Promise<PreparedRequest> {
  const prepared = await inSession(fixture, request, "admin");
  rmSync(fixture.filesDirectory, { recursive: true });
  change(fixture.filesDirectory);
  return prepared;
}

/** One case for each code, the shortest; the suites have the others. */
export const preparedCases: readonly PreparedCase[] = [
  {
    title: "the key of the session is wrapped under another master key",
    code: 314,
    prepare: async ({ repositories }) => {
      const sessionId = "A".repeat(43);
      const appKey = (await repositories.appKeys.list(null, 10)).find(({ name }) => name === "demo");
      const { account } = await repositories.accounts.find({ realm: "database", loginName: "demo" }, []);
      await repositories.sessions.open(
        {
          digest: new NodeDigests().sha256(sessionId),
          mode: "secure",
          appKeyId: appKey?.id ?? "",
          userId: account?.userId ?? "",
          secretVersion: account?.secretVersion ?? 0,
          appNames: ["demo-app"],
          deviceId: null,
          authenticationMethod: { kind: "password" },
          channel: { wrappedKey: "of another master key", ivPrefix: new Uint8Array(3) },
        },
        { idleTimeout: 60_000, absoluteLifetime: 60_000, limit: 0, perUserLimit: 0, perDevice: 1 },
      );
      const wrapping = new AesGcmKeyWrapping(Buffer.from(providerEnvironment["MASTER_KEY"] ?? "", "base64"));
      const token = new ChannelSecrets(wrapping).sealSessionId("", sessionId);
      return { path: "/_CheckSession", headers: { "secure-token": token } };
    },
  },
  {
    title: "no seat is free",
    code: 306,
    prepare: async ({ server }) => {
      while ((await tryLogIn(server, "demo", { appNames: ["demo-seats"] })).code === "0");
      return logInRequest("demo-seats");
    },
  },
  {
    title: "the licence server does not accept a required message",
    code: 711,
    prepare: async ({ licences }) => {
      licences.answering = ({ type }) => {
        if (type === "seats.counted") return 204;
        licences.answering = () => 204;
        return 500;
      };
      return logInRequest("demo-app");
    },
  },
  {
    title: "the database has reached its session limit",
    code: 315,
    prepare: async ({ server }) => {
      while ((await tryLogIn({ url: `${server.url}/second` }, "demo")).code === "0");
      return { ...logInRequest("demo-app"), path: "/second/v1/login" };
    },
  },
  {
    title: "the device is banned",
    code: 318,
    prepare: async ({ server }) => {
      const deviceId = "banned phone";
      const admin = administrationOf(server.databases.get("") as Database);
      await addBan(admin, { device: deviceId, reason: "lost", from: null, until: null });
      return logInRequest("demo-app", { device: { deviceId } });
    },
  },
  {
    title: "a rule forbids the app name",
    code: 403,
    prepare: async ({ server, repositories }) => {
      await new Applications(repositories.records).create({ name: "closed", seats: null });
      const admin = administrationOf(server.databases.get("") as Database);
      await setAppRule(admin, { app: "closed", access: "forbid", reason: "" });
      return logInRequest("closed");
    },
  },
  {
    title: "a forced second factor is not set up",
    code: 340,
    prepare: async ({ repositories }) => {
      await new Applications(repositories.records).create({ name: "forced", seats: null, secondFactor: "forced" });
      return logInRequest("forced");
    },
  },
  {
    title: "a second factor is missing",
    code: 341,
    prepare: async (fixture) => {
      await withFactor(fixture, "not shown");
      return logInRequest("not shown");
    },
  },
  {
    title: "a second factor is wrong",
    code: 342,
    prepare: async (fixture) => logInRequest("wrong", { "2faToken": (await withFactor(fixture, "wrong")).wrong() }),
  },
  {
    title: "a macro is reserved for administrators",
    code: 401,
    prepare: (fixture) => inSession(fixture, { method: "POST", path: "/v1/execute/Closed" }),
  },
  {
    title: "the check of a macro may not be skipped",
    code: 402,
    prepare: (fixture) => inSession(fixture, { method: "POST", path: "/v1/execute/Checked?skipChecker=true" }),
  },
  {
    title: "all connections are taken",
    code: 607,
    prepare: readObjects,
    fault: { call: "objects.find", fault: faults.poolExhausted },
  },
  {
    title: "a provider refuses the service as its client",
    code: 608,
    prepare: async ({ server, providers }) => {
      providers.fakes.injectFaults("google", { answers: { token: "refusesClient" } });
      const { location, cookie } = await startLogIn(server, "google");
      const { address, parameters } = await signIn(location, "anna");
      const path = `${address.replace(publicUrl, "")}?${new URLSearchParams([...parameters])}`;
      return { path, headers: { cookie } };
    },
  },
  { title: "an object to read is deleted", code: 609, prepare: (fixture) => ofDeleted(fixture, {}) },
  {
    title: "an object to change is deleted",
    code: 610,
    prepare: (fixture) => ofDeleted(fixture, { method: "PATCH", body: { Name: "Eve" } }),
  },
  {
    title: "the storage fails to end the session",
    code: 703,
    prepare: (fixture) => inSession(fixture, { method: "POST", path: "/v1/logout" }),
    fault: { call: "sessions.end", fault: faults.unexpected },
  },
  {
    title: "the database becomes unreachable",
    code: 704,
    prepare: readObjects,
    fault: { call: "objects.find", fault: faults.lostBefore },
  },
  {
    title: "a database has no storage settings",
    code: 705,
    prepare: async () => ({ path: "/unconfigured/_CheckService" }),
  },
  {
    title: "a statement exceeds its time limit",
    code: 706,
    prepare: readObjects,
    fault: { call: "objects.find", fault: faults.timeout },
  },
  {
    title: "mail is not configured",
    code: 712,
    prepare: async () => ({ method: "POST", path: "/v1/resetPassword", body: { user: "demo" } }),
  },
  {
    title: "another session has locked the object to delete",
    code: 718,
    prepare: async (fixture) => {
      const sessionId = await logIn(fixture.server, "demo");
      const path = await create(fixture, sessionId);
      await call(fixture.server, path.replace("/object/", "/lock/object/"), { method: "POST", sessionId });
      return inSession(fixture, { method: "DELETE", path });
    },
  },
  {
    title: "the audit cannot be written",
    code: 799,
    prepare: async () => logInRequest("demo-app"),
    fault: { call: "audit.append", fault: faults.foreign },
  },
  {
    title: "a session exceeds the rate of its database",
    code: 800,
    prepare: async ({ server }) => {
      const second = { url: `${server.url}/second` };
      const limits = new Map([
        ["rates.session.perMinute", 1],
        ["sessions.limit", 0],
      ]);
      await setLimits(administrationOf(server.databases.get("second") as Database), limits);
      const sessionid = await logIn(second, "demo");
      await call(second, "/_CheckSession", { sessionId: sessionid });
      return { path: "/second/_CheckSession", headers: { sessionid } };
    },
  },
  {
    title: "an upload to cancel is being written",
    code: 605,
    prepare: (fixture) => ofBusyUpload(fixture, { method: "DELETE" }),
  },
  {
    title: "an upload is being written",
    code: 606,
    prepare: (fixture) => ofBusyUpload(fixture, { method: "PATCH", headers: octets, body: "0123456789" }),
  },
  {
    title: "the bytes of a file are gone",
    code: 707,
    prepare: async (fixture) => withFolder(fixture, (folder) => void mkdirSync(folder), await storedFile(fixture)),
  },
  {
    title: "the encrypted bytes of a file were changed",
    code: 708,
    prepare: async (fixture) => {
      const request = await storedFile(fixture);
      for (const entry of readdirSync(fixture.filesDirectory, { recursive: true, withFileTypes: true }))
        if (entry.isFile()) writeFileSync(join(entry.parentPath, entry.name), "x".repeat(19));
      return inSession(fixture, request, "admin");
    },
  },
  {
    title: "the place of an upload is gone",
    code: 702,
    prepare: async (fixture) => {
      const { sessionid, path } = await newUpload(fixture);
      const request = { path, method: "PATCH", headers: octets, body: "0123456789" };
      const prepared = await withFolder(fixture, (folder) => void mkdirSync(folder), request);
      return { ...prepared, headers: { ...prepared.headers, sessionid } };
    },
  },
  {
    title: "the folder of the file store has no place for an upload",
    code: 700,
    prepare: (fixture) =>
      withFolder(
        fixture,
        (folder) => {
          mkdirSync(folder);
          const prefixes = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, "0"));
          for (const prefix of prefixes) writeFileSync(join(folder, prefix), "");
        },
        { path: "/v1/uploadFile" },
      ),
  },
  {
    title: "the folder of the file store is gone",
    code: 709,
    prepare: (fixture) => withFolder(fixture, () => {}, { path: "/v1/uploadFile" }),
  },
  {
    title: "the last proof of an administrator is too old",
    code: 802,
    prepare: async ({ server, repositories }) => {
      const headers = { appkey: await administrationKey(server) };
      const body = { user: "admin", pass: "admin" };
      const { data } = (await call(server, "/admin/v1/login", { method: "POST", headers, body })).body;
      await repositories.records.remove("recentProof", { owner: `user:${data.user["~ObjectID"]}` });
      const path = "/admin/v1/keys/jwt/rotate";
      return { method: "POST", path, headers: { ...headers, sessionid: data.sessionId } };
    },
  },
];
