import { constants, createHash, createPrivateKey, privateDecrypt } from "node:crypto";
import { ChannelError, SallyportError, type SallyportClient, TransportError } from "@sallyport/client";
import * as identity from "@sallyport/client/identity";
import { secureMode } from "@sallyport/test-kit/crypto/secure-mode-vectors";
import { type Arrived, type FakeServer, refusal, success, user } from "./fake-server.ts";
import { connected, demo, loggedIn, modes } from "./modes.ts";

const md5 = (text: string) => createHash("md5").update(text).digest("hex");
const bodyOf = (arrived: Arrived | undefined) => JSON.parse(arrived?.body ?? "null");
const privateKey = createPrivateKey({ key: secureMode.serverKey.jwk, format: "jwk" });

/** Logs a user in at another endpoint, for a session id. */
function open(
  server: FakeServer,
  path: string,
  refuses: (body: Record<string, unknown>) => Response | undefined = () => undefined,
): void {
  server.routes.set(path, ({ body }) => {
    const refused = refuses(JSON.parse(body));
    if (refused !== undefined) return refused;
    const value = `id-${server.arrived.length}`;
    server.sessions.add({ header: "sessionid", value });
    return success({ sessionId: value, user, databaseName: "demo" });
  });
}

describe("log-in at another endpoint", () => {
  test("of a custom user is repeated when the session ends", async () => {
    const { server, client } = connected();
    open(server, "/v1/auth/df");
    await expect(client.logIn(identity.customLogIn({ ...demo, twoFactorToken: undefined }))).resolves.toEqual({
      mode: "session",
      user,
      databaseName: "demo",
    });
    expect(bodyOf(server.arrived[0])).toEqual({ user: "demo", pass: md5("demo"), appNames: ["demo-app"] });
    server.endSessions();
    await expect(client.request({ path: "/v1/x" })).resolves.toMatchObject({ data: {} });
    expect(server.count("POST /v1/auth/df")).toBe(2);
    expect(server.count("POST /v1/login")).toBe(0);
  });

  test("shows the dfUuid of an unlinked account once", async () => {
    const { server, client } = connected();
    open(server, "/v1/extLogin", ({ dfUuid }) => (dfUuid === "f" ? undefined : refusal(324, 400)));
    await expect(client.logIn(identity.linkingLogIn({ ...demo, dfUuid: "g" }))).rejects.toMatchObject({ code: 324 });
    expect(client.session).toBeUndefined();
    await client.logIn(identity.linkingLogIn({ ...demo, dfUuid: "f" }));
    expect(bodyOf(server.arrived.at(-1))).toEqual({
      user: "demo",
      pass: md5("demo"),
      appNames: ["demo-app"],
      dfUuid: "f",
    });
    server.endSessions();
    await expect(client.request({ path: "/v1/x" })).rejects.toMatchObject({ code: 201 });
    expect(server.count("POST /v1/extLogin")).toBe(2);
  });

  test("with a second factor is not repeated", async () => {
    const { server, client } = connected();
    open(server, "/v1/auth/df");
    await client.logIn(identity.customLogIn({ ...demo, twoFactorToken: "123456" }));
    expect(bodyOf(server.arrived[0])).toMatchObject({ "2faToken": "123456" });
    server.endSessions();
    await expect(client.checkSession()).resolves.toBe(false);
    await expect(client.request({ path: "/v1/x" })).rejects.toMatchObject({ code: 201 });
  });
});

describe("log-in with a provider", () => {
  test("begins at an address of the server", () => {
    const place = { baseUrl: "https://db.example.com/base/", alias: "archive", appKey: "a key" };
    expect(identity.providerAddress(place, "google")).toBe(
      "https://db.example.com/base/archive/v1/auth/google?appkey=a+key",
    );
    const address = new URL(
      identity.providerAddress({ ...place, alias: undefined }, "../x", {
        appNames: ["one", "two"],
        deviceId: "d&e",
        twoFactorToken: "1",
      }),
    );
    expect(address.pathname).toBe("/base/v1/auth/..%2Fx");
    expect(Object.fromEntries(address.searchParams)).toEqual({
      appkey: "a key",
      appNames: "one,two",
      deviceId: "d&e",
      "2faToken": "1",
    });
    expect(() => identity.providerAddress({ baseUrl: "javascript:alert(1)", appKey: "k" }, "google")).toThrow(
      TypeError,
    );
  });

  test("returns to an address of the app, with a code for this verifier only", async () => {
    const place = { baseUrl: "https://db.example.com", appKey: "key" };
    const started = await Promise.all(
      [1, 2].map(() =>
        identity.startCodeLogIn(place, "google", { returnTo: "http://localhost:5173/back?a=1", appNames: ["one"] }),
      ),
    );
    expect(new Set(started.map(({ verifier }) => verifier)).size).toBe(2);
    for (const { url, verifier } of started) {
      const { origin, pathname, searchParams } = new URL(url);
      expect(verifier).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(origin + pathname).toBe("https://db.example.com/v1/auth/google");
      const challenge = createHash("sha256").update(verifier).digest("base64url");
      expect(Object.fromEntries(searchParams)).toEqual({
        appkey: "key",
        appNames: "one",
        returnTo: "http://localhost:5173/back?a=1",
        challenge,
      });
    }
  });

  test("parses the return parameters", () => {
    expect(identity.returnedCode("com.example.app:/back?a=1&code=a-b_c")).toBe("a-b_c");
    expect(() => identity.returnedCode("https://app.example/back?error=340")).toThrow(
      expect.objectContaining({ name: "SallyportError", code: 340 }),
    );
    expect(() => identity.returnedCode("https://app.example/back?error=324&code=a")).toThrow(SallyportError);
    for (const query of ["", "?code=", "?error=access_denied", "?code=a&error=access_denied"])
      expect(() => identity.returnedCode(`https://app.example/back${query}`)).toThrow(TransportError);
  });

  test("exchanges its code for a session, which is not renewed, or for a dfUuid", async () => {
    const { server, client } = connected();
    open(server, "/v1/auth/code", ({ code, "2faToken": token }) =>
      code !== "c" ? refusal(324, 400) : token === "123456" ? undefined : refusal(341, 401),
    );
    await expect(identity.logInWithCode(client, { code: "x", verifier: "v" })).rejects.toMatchObject({ code: 324 });
    await expect(identity.logInWithCode(client, { code: "c", verifier: "v" })).rejects.toMatchObject({ code: 341 });
    expect(client.session).toBeUndefined();
    await expect(
      identity.logInWithCode(client, { code: "c", verifier: "v", twoFactorToken: "123456" }),
    ).resolves.toMatchObject({ assigned: true });
    expect(bodyOf(server.arrived.at(-1))).toEqual({ code: "c", verifier: "v", "2faToken": "123456" });
    await expect(client.checkSession()).resolves.toBe(true);
    server.endSessions();
    await expect(client.request({ path: "/v1/x" })).rejects.toMatchObject({ code: 201 });
    server.routes.set("/v1/auth/code", () => success({ dfUuid: "f" }));
    await expect(identity.logInWithCode(client, { code: "c", verifier: "v" })).resolves.toEqual({
      assigned: false,
      dfUuid: "f",
    });
  });

  test("returns a session, which the client adopts", async () => {
    const { server, client } = connected();
    server.sessions.add({ header: "sessionid", value: "given" });
    const answer = identity.providerAnswer(
      JSON.stringify({
        status: { internalStatus: "0", statusMessage: "ok" },
        data: { sessionId: "given", user, databaseName: "demo" },
      }),
    );
    if (!answer.assigned) throw new Error("It is assigned.");
    await expect(client.logIn(answer.logIn)).resolves.toEqual({ mode: "session", user, databaseName: "demo" });
    await expect(client.checkSession()).resolves.toBe(true);
    expect(server.log).toEqual(["GET /_CheckSession"]);
    server.endSessions();
    await expect(client.request({ path: "/v1/x" })).rejects.toMatchObject({ code: 201 });
  });

  test("returns a dfUuid, an error, or nothing for a foreign answer", async () => {
    const page = (internalStatus: string, data?: unknown) =>
      JSON.stringify({ status: { internalStatus, statusMessage: "A database user must be assigned" }, data });
    expect(identity.providerAnswer(page("0", { dfUuid: "f" }))).toEqual({ assigned: false, dfUuid: "f" });
    expect(() => identity.providerAnswer(page("324"), 400)).toThrow(
      expect.objectContaining({ code: 324, httpStatus: 400 }),
    );
    expect(() => identity.providerAnswer(page("324"), 400)).toThrow(SallyportError);
    for (const text of ["<html>", "{}", page("0"), page("0", null), page("0", 5), page("0", {})])
      expect(() => identity.providerAnswer(text)).toThrow(TransportError);
  });
});

describe.each(modes)("in mode %s", (mode) => {
  test("lists and removes links", async () => {
    const { server, client } = await loggedIn(mode);
    const links = [
      { provider: "google", displayName: "Anna", email: null, shared: false, linkedAt: "2030-01-01T00:00:00.000Z" },
    ];
    server.routes.set("session /v1/auth/links", () => success({ links }));
    server.routes.set("session /v1/auth/links/a%2Fb", () => refusal(304, 404));
    await expect(identity.listLinks(client)).resolves.toEqual(links);
    await identity.removeLinks(client, "google");
    expect(server.log.at(-1)).toBe("DELETE /v1/auth/links/google");
    await expect(identity.removeLinks(client, "a/b")).rejects.toMatchObject({ code: 304 });
  });

  test("uses a changed password for the next log-in", async () => {
    const { server, client } = await loggedIn(mode);
    server.routes.set("session /v1/changePassword", ({ body }) => {
      const { oldPassword, newPassword } = JSON.parse(body);
      if (oldPassword !== md5(server.password)) return refusal(339, 400);
      server.password = newPassword;
      return success({});
    });
    await expect(
      identity.changePassword(client, { oldPassword: "wrong", newPassword: "a new password" }),
    ).rejects.toMatchObject({ code: 339 });
    await expect(
      identity.changePassword(client, { oldPassword: "demo", newPassword: "a new password" }),
    ).resolves.toEqual({ confirmationRequired: false });
    expect(bodyOf(server.arrived.at(-1))).toEqual({ oldPassword: md5("demo"), newPassword: "a new password" });
    server.endSessions();
    await expect(client.request({ path: "/v1/x" })).resolves.toMatchObject({ data: {} });
  });

  test("begins, confirms, tests and disables a second factor", async () => {
    const { server, client } = await loggedIn(mode);
    const state = { isActivated: true, isConfirmed: false, "2faStatus": 3 };
    const enrolled = { secret: "S", otpauthUrl: "otpauth://x", recoveryCodes: ["1"] };
    server.routes.set("session /v1/2fa/secret", ({ method, body }) => {
      if (method === "GET") return success(state);
      if (method === "POST") return success(enrolled);
      return JSON.parse(body || "{}").token === "123456" ? success({}) : refusal(body === "" ? 341 : 342, 401);
    });
    await expect(identity.readSecondFactor(client, "demo-app")).resolves.toEqual({
      isActivated: true,
      isConfirmed: false,
      status: "forced",
    });
    await expect(identity.enrolSecondFactor(client, "demo-app")).resolves.toEqual(enrolled);
    await identity.confirmSecondFactor(client, "demo-app", "123456");
    expect(server.arrived.at(-1)).toMatchObject({ method: "PATCH", path: "/v1/2fa/secret" });
    expect(server.arrived.at(-1)?.url.searchParams.get("app")).toBe("demo-app");
    await expect(identity.removeSecondFactor(client, "demo-app")).rejects.toMatchObject({ code: 341 });
    await expect(identity.removeSecondFactor(client, "demo-app", "1")).rejects.toMatchObject({ code: 342 });
    await identity.removeSecondFactor(client, "demo-app", "123456");
    await identity.validateSecondFactor(client, "demo-app", "123456");
    expect(server.arrived.at(-1)).toMatchObject({ method: "POST", path: "/v1/2fa/validate" });
    expect(server.count("POST /v1/login")).toBeLessThan(2);
  });
});

describe("password", () => {
  const change = (client: SallyportClient, more: object = {}) =>
    identity.changePassword(client, { oldPassword: "demo", newPassword: "ünlikely", ...more });
  const opened = (text: string) =>
    privateDecrypt(
      { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha256" },
      Buffer.from(text, "base64"),
    ).toString();

  test("that looks like a digest is sent as one", async () => {
    const { server, client } = await loggedIn("session");
    const digest = md5("x");
    await change(client, { newPassword: digest });
    expect(bodyOf(server.arrived.at(-1)).newPassword).toBe(md5(digest));
    await change(client, { newPassword: digest, passwordHash: "none" });
    expect(bodyOf(server.arrived.at(-1))).toEqual({ oldPassword: "demo", newPassword: digest });
  });

  test("is encrypted with a fetched or a known key", async () => {
    const { server, client } = await loggedIn("session");
    await change(client, { encrypted: true });
    const { oldPassword, newPassword, encrypted } = bodyOf(server.arrived.at(-1));
    expect([opened(oldPassword), opened(newPassword), encrypted]).toEqual([md5("demo"), "ünlikely", true]);
    const { data } = await client.request<{ key: string }>({ path: "/v2/login/secure/key", anonymous: true });
    const keys = server.count("GET /v2/login/secure/key");
    await change(client, { encrypted: { serverKey: data.key } });
    expect(opened(bodyOf(server.arrived.at(-1)).newPassword)).toBe("ünlikely");
    expect(server.count("GET /v2/login/secure/key")).toBe(keys);
  });

  test("is not encrypted with a key from an unprotected connection by default", async () => {
    const { server, client } = await loggedIn("session", { baseUrl: "http://db.example" });
    await expect(change(client, { encrypted: true })).rejects.toEqual(new ChannelError("unprotected-key"));
    expect(server.count("POST /v1/changePassword")).toBe(0);
    await change(client, { encrypted: { allowUnprotectedKey: true } });
    expect(server.count("POST /v1/changePassword")).toBe(1);
  });

  test("of a custom user is used for the next log-in once it is confirmed", async () => {
    const { server, client } = connected();
    open(server, "/v1/auth/df");
    await client.logIn(identity.customLogIn(demo));
    server.routes.set("session /v1/changePassword", () => success({ confirmationRequired: true }));
    server.routes.set("session /v1/auth/df/confirmChangePassword", ({ body }) =>
      JSON.parse(body).confirmationCode === "42" ? success({}) : refusal(326, 400),
    );
    await expect(change(client)).resolves.toEqual({ confirmationRequired: true });
    await expect(identity.confirmPasswordChange(client, "1")).rejects.toMatchObject({ code: 326 });
    await identity.confirmPasswordChange(client, "42", { newPassword: "ünlikely" });
    server.endSessions();
    await client.request({ path: "/v1/x" });
    expect(bodyOf(server.arrived.findLast(({ path }) => path === "/v1/auth/df")).pass).toBe(md5("ünlikely"));
    await identity.confirmPasswordChange(client, "42");
    server.endSessions();
    await expect(client.request({ path: "/v1/x" })).rejects.toMatchObject({ code: 201 });
  });

  test("is reset without a session", async () => {
    const { server, client } = await loggedIn("secure");
    const plain: Record<string, unknown>[] = [];
    for (const path of ["/v1/resetPassword", "/v1/confirmResetPassword"]) {
      server.routes.set(path, ({ body, headers }) => {
        plain.push({ ...JSON.parse(body), session: headers.has("secure-token") });
        return success({});
      });
    }
    await identity.resetPassword(client, "demo");
    await identity.resetPassword(client, "partner", { custom: true });
    await identity.confirmResetPassword(client, { token: "t", newPassword: "a new password" });
    expect(plain).toEqual([
      { user: "demo", session: false },
      { user: "partner", custom: true, session: false },
      { resetPasswordToken: "t", newPassword: "a new password", session: false },
    ]);
  });
});
