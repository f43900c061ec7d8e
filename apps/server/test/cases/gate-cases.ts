import type { LogInMode } from "@sallyport/client";
import { addBan, administrationOf, Applications, type Database } from "@sallyport/core";
import { type ErrorCode, identityLinkKind } from "@sallyport/storage";
import { setAppRule, setLimits } from "@sallyport/core";
import { signIn } from "@sallyport/fake-identity-providers";
import { call } from "../client.ts";
import { logInForm } from "@sallyport/testing/acceptance";
import { link, logInAt, returnFrom, startLogIn } from "../providers/browser.ts";
import { publicUrl } from "../providers/provider-fixture.ts";
import { newCustomUser } from "../new-custom-user.ts";
import type { CodeFixture } from "./code-fixture.ts";
import { appKey } from "../subject.ts";
import type { PreparedCase, PreparedRequest } from "./prepared-cases.ts";

/** The app name and the device of a log-in. */
interface Wanted {
  readonly appName: string;
  readonly deviceId?: string;
}

type LogInRequest = (fixture: CodeFixture, wanted: Wanted) => Promise<PreparedRequest>;

const fieldsOf = ({ appName, deviceId }: Wanted, user = "demo", pass = user) => ({
  user,
  pass,
  appNames: [appName],
  ...(deviceId === undefined ? {} : { device: { deviceId } }),
});

const inMode =
  (mode: LogInMode): LogInRequest =>
  async ({ server }, wanted) => {
    const { path, wrap } = await logInForm(server.url, appKey, mode);
    const headers = { "content-type": "application/json" };
    return { method: "POST", path, headers, body: wrap(JSON.stringify(fieldsOf(wanted))) };
  };

async function custom({ server }: CodeFixture, wanted: Wanted): Promise<PreparedRequest> {
  const { loginName } = await newCustomUser(server, { password: "custom password" });
  return { method: "POST", path: "/v1/auth/df", body: fieldsOf(wanted, loginName, "custom password") };
}

/** The query of a log-in at Google, whose account is linked to `demo`. */
async function linkedQuery({ server, repositories }: CodeFixture, { appName, deviceId }: Wanted) {
  const links = await repositories.records.list(identityLinkKind, { after: null, limit: 1 });
  if (links.length === 0) await link(server, (await logInAt(server, "google", "anna")).body.data.dfUuid);
  return { appNames: appName, ...(deviceId === undefined ? {} : { deviceId }) };
}

const requests: ReadonlyMap<string, LogInRequest> = new Map([
  ["POST /v1/login", inMode("session")],
  ["POST /v2/login", inMode("token")],
  ["POST /v2/login, encrypted", inMode("encrypted")],
  ["POST /v2/login/secure", inMode("secure")],
  ["POST /v1/auth/df", custom],
  [
    "POST /v1/extLogin",
    async ({ server }, wanted) => {
      const { dfUuid } = (await logInAt(server, "google", "ben")).body.data;
      return { method: "POST", path: "/v1/extLogin", body: { ...fieldsOf(wanted), dfUuid } };
    },
  ],
  [
    "GET /v1/{providerName}/callback",
    async (fixture, wanted) => {
      const query = await linkedQuery(fixture, wanted);
      const { location, cookie } = await startLogIn(fixture.server, "google", { query });
      const { address, parameters } = await signIn(location, "anna");
      const path = `${address.replace(publicUrl, "")}?${new URLSearchParams([...parameters])}`;
      return { path, headers: { cookie } };
    },
  ],
  [
    "POST /v1/auth/code",
    async (fixture, wanted) => {
      const query = await linkedQuery(fixture, wanted);
      const { code, verifier } = await returnFrom(fixture.server, "google", "anna", { query });
      return { method: "POST", path: "/v1/auth/code", body: { code, verifier } };
    },
  ],
]);

const administration = ({ server }: CodeFixture, alias = "") =>
  administrationOf(server.databases.get(alias) as Database);

/** The state that refuses a log-in, by its code. */
const refusals: ReadonlyMap<ErrorCode, (fixture: CodeFixture, logIn: LogInRequest) => Promise<PreparedRequest>> =
  new Map([
    [
      306,
      async (fixture, logIn) => {
        await new Applications(fixture.repositories.records).create({ name: "no seats", seats: 0 });
        return logIn(fixture, { appName: "no seats" });
      },
    ],
    [
      318,
      async (fixture, logIn) => {
        await addBan(administration(fixture), { device: "lost phone", reason: "", from: null, until: null });
        return logIn(fixture, { appName: "demo-app", deviceId: "lost phone" });
      },
    ],
    [
      403,
      async (fixture, logIn) => {
        await new Applications(fixture.repositories.records).create({ name: "shut", seats: null });
        await setAppRule(administration(fixture), { app: "shut", access: "forbid", reason: "" });
        return logIn(fixture, { appName: "shut" });
      },
    ],
    [
      711,
      async (fixture, logIn) => {
        const { licences } = fixture;
        const request = await logIn(fixture, { appName: "demo-app" });
        licences.answering = ({ type }) => {
          if (type !== "session.opened") return 204;
          licences.answering = () => 204;
          return 500;
        };
        return request;
      },
    ],
    [
      800,
      // The address is counted before anything else, and by each database for itself.
      async (fixture, logIn) => {
        const { path, ...request } = await logIn(fixture, { appName: "demo-app" });
        const limits = new Map([
          ["rates.address.perMinute", 1],
          ["rates.address.burst", 1],
        ]);
        await setLimits(administration(fixture, "second"), limits);
        await call(fixture.server, "/second/_CheckService");
        return { ...request, path: `/second${path}` };
      },
    ],
  ]);

/** Each refusal of the gate's rules at each log-in endpoint. The last of them use up the rate of the second database. */
export const gateCases: readonly PreparedCase[] = [...refusals].flatMap(([code, prepared]) =>
  [...requests].map(([endpoint, logIn]) => ({ title: endpoint, code, prepare: (fixture) => prepared(fixture, logIn) })),
);
