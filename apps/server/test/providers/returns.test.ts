import { type ProviderType, providerTypes, seesAll } from "@sallyport/storage";
import { NodeDigests } from "@sallyport/crypto";
import { signIn } from "@sallyport/fake-identity-providers";
import type { RunningServer } from "../../src/index.ts";
import { checkSession } from "../client.ts";
import { appKey } from "../subject.ts";
import {
  startLogIn,
  begin,
  finishLogIn,
  link,
  pkcePair,
  type Returned,
  returnAddress,
  returnFrom,
  exchangeCode,
} from "./browser.ts";
import { linksOf, register } from "./provider-fixture.ts";
import { many, returnFixture } from "./return-fixture.ts";
import { onProviderServers, useProviders } from "./on-provider-servers.ts";

const oneOfMany = (refusal: string) => ["0", ...Array.from({ length: many - 1 }, () => refusal)];

/** Provider log-ins that return to an app, at one server or two servers with the same databases. */
onProviderServers(
  "provider log-ins that return to an app",
  (_server, fixture, demo) => {
    const servers = () => demo.servers() as [RunningServer, RunningServer];
    const { server, r, bind, codeOf } = returnFixture(servers);
    const users = async () =>
      (await r().objects.find({ classes: ["xRestApiUserProvider"] }, seesAll, { offset: 0, limit: 100 })).objects
        .length;
    /** Alternating between the servers. */
    const concurrently = (input: Returned) =>
      Promise.all(
        Array.from({ length: many }, (_, index) => exchangeCode(servers()[index % 2] as RunningServer, input)),
      );

    useProviders(server, fixture);

    describe.each(providerTypes)("at %s", (type: ProviderType) => {
      test("a browser returns with a code, which is exchanged for a dfUuid, and later for a session", async () => {
        const first = await returnFrom(server(), type, "anna");
        const { status, body, headers } = first.answer;
        expect({ status, body }).toEqual({
          status: 302,
          body: { status: { internalStatus: "0", statusMessage: "ok" }, data: {} },
        });
        expect(headers["location"]).toBe(`${returnAddress}?code=${first.code}`);
        expect(first.code).toMatch(/^[\w-]{43}$/);
        expect([headers["cache-control"], headers["referrer-policy"]]).toEqual(["no-store", "no-referrer"]);
        expect(headers["set-cookie"]).toEqual([
          expect.stringMatching(/^(?:__Host-)?sallyport_login_[0-9a-f]{8}=; Path=[^;]+; Max-Age=0; HttpOnly; /),
        ]);
        const unbound = await exchangeCode(server(), first);
        expect(unbound).toMatchObject({
          status: 200,
          code: "0",
          body: { status: { statusMessage: "A database user must be assigned" }, data: { dfUuid: expect.any(String) } },
        });
        expect(Object.keys(unbound.body.data)).toEqual(["dfUuid"]);
        expect((await link(server(), unbound.body.data.dfUuid)).code).toBe("0");

        const bound = await exchangeCode(server(), await returnFrom(server(), type, "anna"));
        expect(bound).toMatchObject({
          status: 200,
          body: {
            status: { statusMessage: "ok" },
            data: { sessionId: expect.any(String), databaseName: "demo", user: { Name: "demo" } },
          },
        });
        expect(bound.headers["cache-control"]).toBe("no-store");
        expect(await checkSession(server(), bound.body.data.sessionId)).toBe("0");
        expect(await codeOf(first)).toBe("324");
      });

      test("a browser returns with an error when the user cancels", async () => {
        const { answer } = await returnFrom(server(), type, null);
        expect([answer.status, answer.code, answer.headers["location"]]).toEqual([
          302,
          "0",
          `${returnAddress}?error=324`,
        ]);
        expect(await linksOf(server())).toEqual([]);
      });

      test("one of several concurrent exchanges succeeds", async () => {
        await bind(type);
        const answers = await concurrently(await returnFrom(server(), type, "anna"));
        expect(answers.map(({ code }) => code).toSorted()).toEqual(oneOfMany("324"));
      });
    });

    test("one of several concurrent exchanges links a new user, and one returns a dfUuid", async () => {
      const unbound = await concurrently(await returnFrom(server(), "google", "anna"));
      expect(unbound.map(({ code }) => code).toSorted()).toEqual(oneOfMany("324"));
      const { account } = await r().accounts.find({ realm: "database", loginName: "reader" }, []);
      await register(fixture(), server(), "google", { defaultUserId: account?.userId ?? null });
      try {
        const before = await users();
        const input = await returnFrom(server(), "google", "ben");
        expect([await linksOf(server()), await users()]).toEqual([[], before]);
        const answers = await concurrently(input);
        expect(answers.map(({ code }) => code).toSorted()).toEqual(oneOfMany("324"));
        expect([await linksOf(server()), await users()]).toEqual([
          [expect.objectContaining({ userId: account?.userId, shared: true })],
          before + 1,
        ]);
      } finally {
        await register(fixture(), server(), "google");
      }
    });

    const { challenge } = pkcePair();
    test.each<[string, Readonly<Record<string, string>>]>([
      ["no challenge", { returnTo: returnAddress }],
      ["a challenge without an address", { challenge }],
      ["an empty address", { returnTo: "", challenge }],
      ["an empty challenge", { returnTo: returnAddress, challenge: "" }],
      ["a malformed challenge", { returnTo: returnAddress, challenge: "a".repeat(64) }],
      ["a challenge that is too long", { returnTo: returnAddress, challenge: "a".repeat(5_000) }],
      ["an address that is not listed", { returnTo: "https://evil.example/callback", challenge }],
      ["a host that begins like a listed one", { returnTo: "http://127.0.0.1.evil.example/callback", challenge }],
      ["user information", { returnTo: "http://127.0.0.1:80@evil.example/callback", challenge }],
      ["a path below the listed one", { returnTo: `${returnAddress}/../other`, challenge }],
      ["a query", { returnTo: `${returnAddress}?code=1`, challenge }],
      ["a fragment", { returnTo: `${returnAddress}#`, challenge }],
      ["no scheme", { returnTo: "//127.0.0.1/callback", challenge }],
      ["another scheme", { returnTo: "https://127.0.0.1/callback", challenge }],
      ["a script", { returnTo: "javascript:alert(1)", challenge }],
      ["a header", { returnTo: `${returnAddress}\r\nSet-Cookie: a=b`, challenge }],
      ["an address that is too long", { returnTo: `${returnAddress}?${"a".repeat(2_048)}`, challenge }],
    ])("refuses to begin with %s", async (_what, query) => {
      const { status, code, headers } = await begin(server(), "google", { query });
      expect([status, code, headers["location"], headers["set-cookie"]]).toEqual([400, "307", undefined, undefined]);
    });

    test("refuses to begin with two addresses, or with one of another app key", async () => {
      const name = `lists ${Date.now()}`;
      const returnAddresses = ["https://app.example/back?at=1", "com.example.app:/back"];
      await r().appKeys.create({ name, appNames: null, origins: [], returnAddresses }, new NodeDigests().sha256(name));
      const of = (returnTo: string, key: string) =>
        begin(server(), "google", { query: { appkey: key, returnTo, challenge } }).then(({ code }) => code);
      for (const address of returnAddresses)
        expect([await of(address, name), await of(address, appKey)]).toEqual(["0", "307"]);
      expect(await of(returnAddress, name)).toBe("307");
      const twice = await fetch(
        `${server().url}/v1/auth/google?${new URLSearchParams([
          ["appkey", appKey],
          ["challenge", challenge],
          ["returnTo", returnAddress],
          ["returnTo", "https://evil.example"],
        ])}`,
        { redirect: "manual" },
      );
      expect([twice.status, twice.headers.get("location")]).toEqual([400, null]);
      const { answer } = await returnFrom(server(), "google", "anna", {
        query: { appkey: name, returnTo: returnAddresses[0] as string },
      });
      expect(answer.headers["location"]).toMatch(/^https:\/\/app\.example\/back\?at=1&code=[\w-]{43}$/);
    });

    test("ignores a return address given to the callback", async () => {
      const { location, cookie } = await startLogIn(server(), "google", {
        query: { returnTo: returnAddress, challenge },
      });
      const { parameters, ...callback } = await signIn(location, "anna");
      const answer = await finishLogIn(
        server(),
        {
          ...callback,
          parameters: new Map([...parameters, ["returnTo", "https://evil.example"], ["challenge", challenge]]),
        },
        cookie,
      );
      expect(answer.headers["location"]?.startsWith(`${returnAddress}?code=`)).toBe(true);
      const plain = await startLogIn(server(), "google");
      const other = await signIn(plain.location, "anna");
      expect(
        await finishLogIn(
          server(),
          {
            ...other,
            parameters: new Map([...other.parameters, ["returnTo", returnAddress], ["challenge", challenge]]),
          },
          plain.cookie,
        ),
      ).toMatchObject({ status: 200, body: { data: { dfUuid: expect.any(String) } } });
    });

    test("does not redirect a return in another browser, or a second one", async () => {
      const start = async () => {
        const { location, cookie } = await startLogIn(server(), "google", {
          query: { returnTo: returnAddress, challenge },
        });
        return { callback: await signIn(location, "anna"), cookie };
      };
      const [first, second] = [await start(), await start()];
      for (const cookie of [null, second.cookie, `${first.cookie.split("=")[0]}=${"A".repeat(43)}`]) {
        const { status, code, headers } = await finishLogIn(server(), (await start()).callback, cookie);
        expect([status, code, headers["location"]]).toEqual([400, "324", undefined]);
      }
      expect((await finishLogIn(server(), first.callback, first.cookie)).status).toBe(302);
      const again = await finishLogIn(server(), first.callback, first.cookie);
      expect([again.status, again.code, again.headers["location"]]).toEqual([400, "324", undefined]);
    });

    test.each([
      ["serverError", "706"],
      ["notJson", "324"],
      ["refusesClient", "608"],
    ] as const)("tells the app about a provider that %s", async (token, code) => {
      fixture().fakes.injectFaults("google", { answers: { token } });
      const { answer } = await returnFrom(server(), "google", "anna");
      expect([answer.status, answer.headers["location"], answer.body]).toEqual([
        302,
        `${returnAddress}?error=${code}`,
        { status: { internalStatus: "0", statusMessage: "ok" }, data: {} },
      ]);
    });
  },
  { count: 2 },
);
