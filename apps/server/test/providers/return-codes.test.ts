import { Applications } from "@sallyport/core";
import { NodeDigests } from "@sallyport/crypto";
import { signIn } from "@sallyport/fake-identity-providers";
import type { RunningServer } from "../../src/index.ts";
import { call } from "../client.ts";
import { Authenticator } from "../second-factor-client.ts";
import {
  startLogIn,
  finishLogIn,
  pkcePair,
  type Returned,
  returnAddress,
  returnFrom,
  exchangeCode,
} from "./browser.ts";
import { databaseOf } from "../repositories-of.ts";
import { many, returnFixture } from "./return-fixture.ts";
import { onProviderServers, useProviders } from "./on-provider-servers.ts";

/** The codes that apps exchange: their validity, and their number of uses. */
onProviderServers(
  "codes that apps exchange",
  (_server, fixture, demo) => {
    const servers = () => demo.servers() as [RunningServer, RunningServer];
    const { server, r, bind, codeOf } = returnFixture(servers);
    useProviders(server, fixture);
    const { challenge } = pkcePair();
    const bodies: readonly (readonly [string, (returned: Returned) => object, string])[] = [
      ["no code", ({ verifier }) => ({ verifier }), "324"],
      ["no verifier", ({ code }) => ({ code }), "324"],
      ["nothing", () => ({}), "324"],
      ["an unknown code", ({ verifier }) => ({ code: "A".repeat(43), verifier }), "324"],
      ["a blank code", ({ verifier }) => ({ code: "", verifier }), "324"],
      ["another verifier", ({ code }) => ({ code, verifier: pkcePair().verifier }), "324"],
      ["a short verifier", ({ code }) => ({ code, verifier: "short" }), "324"],
      ["a code that is a number", ({ verifier }) => ({ code: 1, verifier }), "307"],
      ["a code that is null", ({ verifier }) => ({ code: null, verifier }), "307"],
      ["a list of codes", ({ code, verifier }) => ({ code: [code], verifier }), "307"],
      ["a verifier that is an object", ({ code }) => ({ code, verifier: {} }), "307"],
      ["a token that is a number", ({ code, verifier }) => ({ code, verifier, "2faToken": 123_456 }), "307"],
      ["an enrolment flag that is a text", ({ code, verifier }) => ({ code, verifier, "2faEnrol": "true" }), "307"],
      [
        "unknown members",
        ({ code, verifier }) => ({ code, verifier, sessionId: "a", returnTo: "https://evil.example" }),
        "0",
      ],
    ];
    test.each(bodies)("answers an exchange with %s", async (_what, made, expected) => {
      const { status, code, body } = await call(server(), "/v1/auth/code", {
        method: "POST",
        body: made(await returnFrom(server(), "google", "anna")),
      });
      expect([status, code]).toEqual([expected === "0" ? 200 : 400, expected]);
      if (expected !== "0") expect(body).not.toHaveProperty("data");
    });

    test("an exchange accepts the app key in a header, a body of JSON and nothing else", async () => {
      const returned = await returnFrom(server(), "google", "anna");
      const asked = (headers: Record<string, string>, path = "/v1/auth/code") =>
        exchangeCode(server(), returned, {}, { headers }).then(({ code }) => [path, code]);
      expect([await asked({ appkey: "" }), await asked({ appkey: "unknown" })]).toEqual([
        ["/v1/auth/code", "100"],
        ["/v1/auth/code", "101"],
      ]);
      expect(
        (await call(server(), `/v1/auth/code?code=${returned.code}&verifier=${returned.verifier}`, { method: "POST" }))
          .code,
      ).toMatch(/^(?:207|300)$/);
      expect((await call(server(), `/v1/auth/code?code=${returned.code}&verifier=${returned.verifier}`)).code).toBe(
        "305",
      );
      const { sessionId } = (
        await call(server(), "/v1/login", {
          method: "POST",
          body: { user: "demo", pass: "demo", appNames: "demo-app" },
        })
      ).body.data;
      const items = [
        { method: "POST", url: "/v1/auth/code", body: { code: returned.code, verifier: returned.verifier } },
      ];
      const multi = await call(server(), "/v1/multi", { method: "POST", sessionId, body: items });
      expect(multi.body.data).toEqual([
        expect.objectContaining({
          httpStatus: 400,
          result: { status: expect.objectContaining({ internalStatus: "307" }) },
        }),
      ]);
      expect(await codeOf(returned)).toBe("0");
    });

    test("a code is valid for its app key and its database only", async () => {
      const other = `another ${Date.now()}`;
      await r().appKeys.create(
        { name: other, appNames: null, origins: [], returnAddresses: ["http://127.0.0.1/callback"] },
        new NodeDigests().sha256(other),
      );
      const foreign = await returnFrom(server(), "google", "anna");
      expect((await exchangeCode(server(), foreign, {}, { alias: "/second" })).code).toBe("324");
      expect((await exchangeCode(server(), foreign, {}, { headers: { appkey: other } })).code).toBe("324");
      // A code sent with another key was stolen, and is spent.
      expect(await codeOf(foreign)).toBe("324");
      const second = await returnFrom(server(), "google", "anna", { alias: "/second" });
      expect(await codeOf(second)).toBe("324");
      expect((await exchangeCode(server(), second, {}, { alias: "/second" })).code).toBe("0");
    });

    test("a wrong verifier spends a code, so that a stolen code allows one guess", async () => {
      await bind();
      const returned = await returnFrom(server(), "google", "anna");
      expect(await codeOf({ ...returned, verifier: pkcePair().verifier })).toBe("324");
      expect(await codeOf(returned)).toBe("324");
    });

    test("another client's code is useless to an app with its own log-in", async () => {
      await bind();
      const [attacker, victim] = [
        await returnFrom(server(), "google", "anna"),
        await returnFrom(server(), "google", "ben"),
      ];
      expect(await codeOf({ ...victim, code: attacker.code })).toBe("324");
      expect(await codeOf(attacker)).toBe("324");
      expect(await codeOf(victim)).toBe("0");
    });

    test("refuses a user or an app key that was disabled before the exchange", async () => {
      await bind();
      const { account } = await r().accounts.find({ realm: "database", loginName: "demo" }, []);
      const [early, late] = [
        await returnFrom(server(), "google", "anna"),
        await returnFrom(server(), "google", "anna"),
      ];
      try {
        await r().accounts.change(account?.userId ?? "", { disabled: true });
        expect(await codeOf(early)).toBe("302");
      } finally {
        await r().accounts.change(account?.userId ?? "", { disabled: false });
      }
      expect(await codeOf(early)).toBe("324");
      const begun = await startLogIn(server(), "google", { query: { returnTo: returnAddress, challenge } });
      const callback = await signIn(begun.location, "anna");
      try {
        await r().appKeys.setEnabled("demo", false);
        expect(await codeOf(late)).toBe("101");
        expect((await finishLogIn(server(), callback, begun.cookie)).headers["location"]).toBe(
          `${returnAddress}?error=101`,
        );
      } finally {
        await r().appKeys.setEnabled("demo", true);
      }
      expect(await codeOf(late)).toBe("0");
    });

    test("requires a second factor at the exchange, and the code stays valid", async () => {
      const appName = `guards its return codes ${Date.now()}`;
      await new Applications(r().records).create({ name: appName, seats: null, secondFactor: "forced" });
      await bind();
      const query = { appNames: appName };
      const enrolling = await returnFrom(server(), "google", "anna", { query });
      expect(enrolling.code).not.toBe("");
      expect([await codeOf(enrolling), await codeOf(enrolling, { "2faToken": "123456" })]).toEqual(["340", "340"]);
      const { sessionId } = (await exchangeCode(server(), enrolling, { "2faEnrol": true })).body.data;
      expect(await codeOf(enrolling, { "2faEnrol": true })).toBe("324");
      const path = `/v1/2fa/secret?app=${encodeURIComponent(appName)}`;
      const authenticator = await Authenticator.of(
        server(),
        (await call(server(), path, { method: "POST", sessionId })).body.data.secret,
      );
      expect(
        (await call(server(), path, { method: "PATCH", sessionId, body: { token: authenticator.token() } })).code,
      ).toBe("0");

      const returned = await returnFrom(server(), "google", "anna", { query });
      expect([
        await codeOf(returned),
        await codeOf(returned, { "2faToken": authenticator.wrong() }),
        await codeOf(returned, { "2faToken": authenticator.token() }),
      ]).toEqual(["341", "342", "342"]);
      const right = { "2faToken": authenticator.token(1) };
      const answers = await Promise.all(
        Array.from({ length: many }, (_, index) =>
          exchangeCode(servers()[index % 2] as RunningServer, returned, right),
        ),
      );
      expect(answers.filter(({ code }) => code === "0")).toHaveLength(1);
      expect(answers.filter(({ code }) => code !== "0").every(({ code }) => code === "324" || code === "342")).toBe(
        true,
      );
      expect(await codeOf(returned, right)).toBe("324");
    });

    test("a token from the start is valid at the exchange", async () => {
      const appName = `takes tokens early ${Date.now()}`;
      await new Applications(r().records).create({ name: appName, seats: null, secondFactor: "optional" });
      await bind();
      const { sessionId } = (
        await exchangeCode(server(), await returnFrom(server(), "google", "anna", { query: { appNames: appName } }))
      ).body.data;
      const path = `/v1/2fa/secret?app=${encodeURIComponent(appName)}`;
      const authenticator = await Authenticator.of(
        server(),
        (await call(server(), path, { method: "POST", sessionId })).body.data.secret,
      );
      expect(
        (await call(server(), path, { method: "PATCH", sessionId, body: { token: authenticator.token() } })).code,
      ).toBe("0");
      expect(
        await codeOf(
          await returnFrom(server(), "google", "anna", {
            query: { appNames: appName, "2faToken": authenticator.token(1) },
          }),
        ),
      ).toBe("0");
    });

    test("pages of an origin of the app key may exchange codes, and no others", async () => {
      const returned = await returnFrom(server(), "google", "anna");
      const preflight = (origin: string) =>
        call(server(), "/v1/auth/code", {
          method: "OPTIONS",
          headers: {
            origin,
            "access-control-request-method": "POST",
            "access-control-request-headers": "appkey,content-type",
          },
        });
      expect((await preflight("http://127.0.0.1:51234")).headers["access-control-allow-origin"]).toBe(
        "http://127.0.0.1:51234",
      );
      expect((await preflight("https://evil.example")).headers["access-control-allow-origin"]).toBeUndefined();
      expect(
        (await exchangeCode(server(), returned, {}, { headers: { origin: "http://127.0.0.1:51234" } })).headers[
          "access-control-allow-origin"
        ],
      ).toBe("http://127.0.0.1:51234");
    });

    test("stores codes by their digests, sealed", async () => {
      const returned = await returnFrom(server(), "google", "anna");
      const digest = new NodeDigests().sha256(returned.code);
      const { records } = databaseOf(server()).storage.repositories;
      expect(JSON.stringify((await records.get("returnCode", [digest]))[0]?.value)).toMatch(/^\{"sealed":"[\w-]+"\}$/);
      expect(await codeOf(returned)).toBe("0");
      expect(await records.get("returnCode", [digest])).toEqual([]);
    });
  },
  { count: 2 },
);
