import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LogInMode, type LogInOptions, SallyportClient } from "@sallyport/client";
import * as identity from "@sallyport/client/identity";
import { linkingLogIn, listLinks, providerAddress, providerAnswer, removeLinks } from "@sallyport/client/identity";
import { Applications } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import { signIn } from "@sallyport/fake-identity-providers";
import { storedKeyPair } from "@sallyport/test-kit/crypto/stored-key-pair";
import { receivedMail } from "@sallyport/test-kit/mail/received-mail";
import { pino } from "pino";
import { until } from "@sallyport/test-kit/jest/until";
import type { RunningServer } from "../../src/index.ts";
import { startDemoServer, startSeededServer } from "../demo-server.ts";
import { withoutLockout } from "../engines.ts";
import { testedModes } from "../modes.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { finishLogIn } from "../providers/browser.ts";
import {
  openProviderFixture,
  type ProviderFixture,
  register,
  providerEnvironment,
} from "../providers/provider-fixture.ts";
import { Authenticator } from "../second-factor-client.ts";
import { storedServerKeys } from "../secure/stored-keys.ts";
import { appKey } from "../subject.ts";
import { newUser } from "../new-user.ts";

/**
 * The identity functions of the client, with a server that logs everything; at the end the log is searched for secrets.
 */

const keyPair = await storedKeyPair();
const digests = new NodeDigests();
const first = "the first password";

let server: RunningServer;
let folder: string;
let log = "";
/** Secrets that must not be in the log. */
const secrets = new Map<string, string>();
const keep = (what: string, text: string | undefined): string => {
  if (text === undefined || text.length < 8) throw new Error(`There is no ${what}.`);
  secrets.set(text, what);
  return text;
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sallyport-mail-"));
  const environment = {
    ...storedServerKeys,
    ...withoutLockout,
    MAIL_DIR: folder,
    MAIL_FROM: "no-reply@example.com",
  };
  server = await startDemoServer(
    "memory",
    environment,
    pino({ level: "trace" }, { write: (line: string) => void (log += line) }),
  );
  const applications = new Applications(repositoriesOf(server).records);
  await applications.create({ name: "may", seats: null, secondFactor: "optional" });
  await applications.create({ name: "must", seats: null, secondFactor: "forced" });
}, 60_000);
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const clientOf = () => new SallyportClient({ baseUrl: server.url, appKey: "demo-app-key" });
const options = (mode: LogInMode, user: string, password: string, more: object = {}) => {
  keep("password", password);
  keep("digest of a password", digests.md5(password));
  const keys = mode === "secure" || mode === "encrypted" ? { keyPair } : {};
  return { mode, user, password, appNames: ["demo-app"], ...keys, ...more } as LogInOptions;
};
const noteSession = async (client: SallyportClient) => {
  const sealed = await client.session?.seal({ headers: {}, body: "" });
  for (const name of ["sessionid", "authorization", "secure-token"]) {
    const value = new Headers(sealed?.headers).get(name);
    if (value !== null) keep("credential", value.replace("Bearer ", ""));
  }
};

/** The last mail to a user, once it was written. */
async function mailTo(address: string) {
  return until(() =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".eml"))
      .toSorted()
      .map((name) => receivedMail(readFileSync(join(folder, name), "utf8")))
      .findLast(({ headers }) => headers.get("to")?.some((to) => to.includes(address))),
  );
}
const addressOf = async (userId: string) =>
  (await repositoriesOf(server).accounts.find({ id: userId }, [])).account?.email as string;

describe.each(testedModes)("in mode %s", (mode) => {
  test("a password is changed, and the client continues with it", async () => {
    const { name } = await newUser(server);
    const client = clientOf();
    await client.logIn(options(mode, name, first));
    await noteSession(client);
    for (const password of ["a wrong password", "another password", "yet another password"]) keep("password", password);
    const change = (oldPassword: string, newPassword: string, more: object = {}) =>
      identity.changePassword(client, { oldPassword, newPassword, ...more });
    await expect(change("a wrong password", "another password")).rejects.toMatchObject({ code: 339 });
    await expect(change(first, "password")).rejects.toMatchObject({ code: 320 });
    await expect(change(first, first)).rejects.toMatchObject({ code: 321 });
    await expect(change(first, "another password")).resolves.toEqual({ confirmationRequired: false });
    await expect(change("another password", "yet another password", { encrypted: true })).resolves.toEqual({
      confirmationRequired: false,
    });
    await expect(client.checkSession()).resolves.toBe(true);
    const { userId } =
      (await repositoriesOf(server).accounts.find({ realm: "database", loginName: name }, [])).account ?? {};
    await repositoriesOf(server).sessions.end({ userId: userId as string });
    await expect(client.getStructure()).resolves.toMatchObject({ classes: expect.any(Array) });
    await expect(clientOf().logIn(options(mode, name, first))).rejects.toMatchObject({ code: 302 });
  });

  test("a second factor is set up, required and disabled", async () => {
    const { name } = await newUser(server);
    const client = clientOf();
    await client.logIn(options(mode, name, first, { appNames: ["may"] }));
    await expect(identity.readSecondFactor(client, "may")).resolves.toEqual({
      isActivated: false,
      isConfirmed: false,
      status: "optional",
    });
    const { secret, recoveryCodes, otpauthUrl } = await identity.enrolSecondFactor(client, "may");
    for (const text of [secret, ...recoveryCodes, otpauthUrl]) keep("second factor", text);
    const authenticator = await Authenticator.of(server, secret);
    await expect(identity.confirmSecondFactor(client, "may", authenticator.wrong())).rejects.toMatchObject({
      code: 342,
    });
    await identity.confirmSecondFactor(client, "may", authenticator.token());
    await expect(clientOf().logIn(options(mode, name, first, { appNames: ["may"] }))).rejects.toMatchObject({
      code: 341,
      httpStatus: 401,
    });
    await expect(
      clientOf().logIn(options(mode, name, first, { appNames: ["may"], twoFactorToken: authenticator.token() })),
    ).rejects.toMatchObject({ code: 342 });
    const other = clientOf();
    await other.logIn(options(mode, name, first, { appNames: ["may"], twoFactorToken: authenticator.token(1) }));
    await identity.validateSecondFactor(other, "may", recoveryCodes[0] as string);
    await expect(identity.validateSecondFactor(other, "may", recoveryCodes[0] as string)).rejects.toMatchObject({
      code: 342,
    });
    await identity.removeSecondFactor(other, "may", recoveryCodes[1]);
    await expect(identity.readSecondFactor(other, "may")).resolves.toMatchObject({ isActivated: false });
  });

  test("seats are reserved and released", async () => {
    const app = `few ${mode}`;
    await new Applications(repositoriesOf(server).records).create({ name: app, seats: 1 });
    const { name } = await newUser(server);
    const [client, other] = [clientOf(), clientOf()];
    for (const each of [client, other]) await each.logIn(options(mode, name, first));
    await identity.reserveSeats(client, [app], { twoFactorToken: undefined });
    await expect(identity.reserveSeats(other, [app])).rejects.toMatchObject({ code: 306 });
    await identity.releaseSeats(client, [app, "demo-app"]);
    await expect(identity.releaseSeats(client, [app])).rejects.toMatchObject({ code: 323 });
    await identity.reserveSeats(other, [app]);
  });

  test("a forced second factor is set up in a session for enrolment only", async () => {
    const { name } = await newUser(server);
    const logIn = (more: object) => {
      const client = clientOf();
      return client.logIn(options(mode, name, first, { appNames: ["must"], ...more })).then(() => client);
    };
    await expect(logIn({})).rejects.toMatchObject({ code: 340 });
    const client = await logIn({ enrolling: true });
    await expect(client.countObjects("Customer")).rejects.toMatchObject({ code: 340 });
    const { secret } = await identity.enrolSecondFactor(client, "must");
    keep("second factor", secret);
    const authenticator = await Authenticator.of(server, secret);
    const whole = await logIn({ twoFactorToken: authenticator.token() });
    await expect(whole.getStructure()).resolves.toMatchObject({ classes: expect.any(Array) });
    await expect(client.checkSession()).resolves.toBe(false);
  });
});

test("a forgotten password is reset by a mailed token", async () => {
  const { name, userId } = await newUser(server);
  const client = clientOf();
  await client.logIn(options("session", name, first));
  await identity.resetPassword(clientOf(), name);
  await identity.resetPassword(clientOf(), `${name} unknown`);
  const { bodies } = await mailTo(await addressOf(userId));
  const token = keep("token of a mail", /[\w-]{43}/.exec(bodies.get("text/plain") ?? "")?.[0]);
  await expect(
    identity.confirmResetPassword(clientOf(), { token: "x".repeat(43), newPassword: "set by a mail" }),
  ).rejects.toMatchObject({ code: 328 });
  await identity.confirmResetPassword(clientOf(), { token, newPassword: keep("new password", "set by a mail") });
  await expect(
    identity.confirmResetPassword(clientOf(), { token, newPassword: "set once more" }),
  ).rejects.toMatchObject({ code: 328 });
  await expect(client.checkSession()).resolves.toBe(false);
  await expect(clientOf().logIn(options("session", name, "set by a mail"))).resolves.toMatchObject({
    user: { Name: name },
  });
}, 60_000);

test("custom users log in, and again when their session has ended", async () => {
  const client = clientOf();
  await expect(
    client.logIn(identity.customLogIn({ user: "partner", password: "partner", appNames: ["demo-app"] })),
  ).resolves.toMatchObject({ mode: "session", user: { Name: "reader" } });
  await noteSession(client);
  const account = (await repositoriesOf(server).accounts.find({ realm: "custom", loginName: "partner" }, [])).account;
  await repositoriesOf(server).sessions.end({ customAccountId: account?.id as string });
  await expect(client.countObjects("Customer")).resolves.toBeGreaterThan(0);
  await expect(
    clientOf().logIn(identity.customLogIn({ user: "demo", password: "demo", appNames: ["demo-app"] })),
  ).rejects.toMatchObject({ code: 302 });
});

test("a custom user changes the password with a mailed code, and the client continues with it", async () => {
  const { accounts, sessions } = repositoriesOf(server);
  const { account } = await accounts.find({ realm: "custom", loginName: "partner" }, []);
  const client = clientOf();
  await client.logIn(identity.customLogIn({ user: "partner", password: "partner", appNames: ["demo-app"] }));
  const newPassword = keep("new password", "what partners say");
  await expect(identity.changePassword(client, { oldPassword: "partner", newPassword })).resolves.toEqual({
    confirmationRequired: true,
  });
  const { bodies } = await mailTo(account?.email as string);
  const code = keep("code of a mail", /\b[A-Z2-9]{4}-[A-Z2-9]{4}\b/.exec(bodies.get("text/plain") ?? "")?.[0]);
  await expect(identity.confirmPasswordChange(client, "ZZZZ-ZZZZ")).rejects.toMatchObject({ code: 326 });
  await identity.confirmPasswordChange(client, code, { newPassword });
  await expect(client.checkSession()).resolves.toBe(true);
  await sessions.end({ customAccountId: account?.id as string });
  await expect(client.countObjects("Customer")).resolves.toBeGreaterThan(0);
});

test("a token is valid for its own purpose only", async () => {
  const { name, userId } = await newUser(server);
  await identity.resetPassword(clientOf(), name);
  const { bodies } = await mailTo(await addressOf(userId));
  const token = keep("token of a mail", /[\w-]{43}/.exec(bodies.get("text/plain") ?? "")?.[0]);
  const client = clientOf();
  const send = (path: string, headers: Record<string, string>) => client.request({ path, headers, anonymous: true });
  for (const headers of [{ sessionid: token }, { authorization: `Bearer ${token}` }, { "secure-token": token }])
    await expect(send("/_CheckSession", headers)).rejects.toMatchObject({ httpStatus: 401 });
  await expect(client.logIn(options("session", name, token))).rejects.toMatchObject({ code: 302 });
  // Another database refuses it, and its own one still accepts it.
  const secondDatabase = new SallyportClient({ baseUrl: server.url, alias: "second", appKey: "demo-app-key" });
  await expect(
    identity.confirmResetPassword(secondDatabase, { token, newPassword: "set by a mail" }),
  ).rejects.toMatchObject({ code: 328 });
  await identity.confirmResetPassword(client, { token, newPassword: "set by a mail" });
}, 60_000);

test("the log contains none of the secrets", () => {
  expect(log.length).toBeGreaterThan(10_000);
  expect(secrets.size).toBeGreaterThan(12 * testedModes.length);
  expect([...secrets].filter(([text]) => log.includes(text)).map(([, what]) => what)).toEqual([]);
});

describe("client providers", () => {
  /** A provider log-in through the client, with a server that logs everything. */

  let fixture: ProviderFixture;
  let server: RunningServer;
  let log = "";
  beforeAll(async () => {
    fixture = await openProviderFixture();
    const logger = pino({ level: "trace" }, { write: (line: string) => void (log += line) });
    server = await startSeededServer(
      [{ engine: "memory" }, { engine: "memory" }],
      providerEnvironment,
      logger,
      fixture.content,
    );
    await register(fixture, server, "google");
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await fixture.close();
  });

  /** Goes to an address and to the provider's page like a browser, and returns the contents of the last page. */
  async function browse(address: string, secrets: string[]) {
    const away = await fetch(address, { redirect: "manual" });
    const [cookie = ""] = (away.headers.get("set-cookie") ?? "").split(";");
    const callback = await signIn(away.headers.get("location") ?? "", "anna");
    secrets.push(
      cookie.split("=")[1] ?? "",
      ...["state", "code"].map((name) => new Map(callback.parameters).get(name) ?? ""),
    );
    const { body, status } = await finishLogIn(server, callback, cookie);
    return providerAnswer(JSON.stringify(body), status);
  }

  test("an account is linked, opens sessions, and is unlinked; no secret is in the log", async () => {
    const secrets: string[] = [];
    const place = { baseUrl: server.url, appKey };
    const address = providerAddress(place, "google", {
      appNames: ["demo-app"],
      deviceId: "device",
      twoFactorToken: "a token of no use",
    });
    const first = await browse(address, secrets);
    if (first.assigned) throw new Error("No account is linked yet.");
    const client = new SallyportClient(place);
    const demo = { user: "demo", password: "demo", appNames: ["demo-app"] };
    await expect(
      client.logIn(linkingLogIn({ ...demo, password: "wrong", dfUuid: first.dfUuid })),
    ).rejects.toMatchObject({
      code: 302,
    });
    await expect(client.logIn(linkingLogIn({ ...demo, dfUuid: first.dfUuid }))).resolves.toMatchObject({
      mode: "session",
      user: { Name: "demo" },
    });
    await expect(
      new SallyportClient(place).logIn(linkingLogIn({ ...demo, dfUuid: first.dfUuid })),
    ).rejects.toMatchObject({ code: 324 });
    await expect(listLinks(client)).resolves.toMatchObject([{ provider: "google", shared: false }]);

    const second = await browse(address, secrets);
    if (!second.assigned) throw new Error("The account is bound.");
    const other = new SallyportClient(place);
    await expect(other.logIn(second.logIn)).resolves.toMatchObject({
      mode: "session",
      databaseName: "demo",
      user: { Name: "demo" },
    });
    await expect(other.countObjects("Customer")).resolves.toBeGreaterThan(0);
    await removeLinks(client, "google");
    await expect(other.checkSession()).resolves.toBe(false);
    await expect(client.checkSession()).resolves.toBe(true);
    await expect(removeLinks(client, "nobody")).rejects.toMatchObject({ code: 698 });

    secrets.push(
      first.dfUuid,
      second.logIn.endpoint?.answered === undefined
        ? ""
        : (second.logIn.endpoint.answered as { sessionId: string }).sessionId,
      "a token of no use",
      "a+token+of+no+use",
    );
    expect(secrets.filter((text) => text.length < 6)).toEqual([]);
    expect(log).toContain("/v1/auth/{providerName}");
    expect(secrets.filter((text) => log.includes(text))).toEqual([]);
  });
});
