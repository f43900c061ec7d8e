import { createHash } from "node:crypto";
import { connect } from "node:net";
import { jest } from "@jest/globals";
import { ServiceError } from "@sallyport/storage";
import { administrationOf, type Database, setMaintenance } from "@sallyport/core";
import { logIn } from "../cases/run-cases.ts";
import { type Answer, call, type Sent } from "../client.ts";
import { onEngines } from "../engines.ts";

/** Two requests at a time are an overload. */
const corsEnvironment = { MAX_REQUESTS_IN_FLIGHT: "1", CORS_ALLOWED_HEADERS: "X-Team, traceparent" };

const digestOf = (key: string) => createHash("sha256").update(key).digest("hex");

/** A promise that the test resolves. */
function barrier<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Answers that pages can read, by the origin that an app key lists. */
onEngines(
  "answers to pages",
  (server) => {
    let count = 0;
    /** Not known to the server yet. */
    const newOrigin = () => `https://page-${(count += 1)}.example`;

    const databaseOf = (alias = "") => server().databases.get(alias) as Database;
    const repositories = () => databaseOf().storage.repositories;

    /** Lists a new origin with a new app key. */
    async function listedOrigin(): Promise<{ origin: string; appkey: string }> {
      const origin = newOrigin();
      const appkey = `key of ${origin}`;
      const key = { name: `page ${count}`, appNames: null, origins: [origin] };
      expect(await repositories().appKeys.create(key, digestOf(appkey))).toBe("created");
      return { origin, appkey };
    }

    /** The origin that may read the answer. */
    const readerOf = ({ headers }: Answer) => headers["access-control-allow-origin"];

    afterEach(() => void jest.restoreAllMocks());

    type Told = readonly [title: string, path: string, code: string | undefined, sent: Sent];
    const answers: readonly Told[] = [
      ["the service check", "/_CheckService", "0", {}],
      ["an unknown path", "/v1/nothing", "304", {}],
      ["an ambiguous path", "/v1/object%2Fx", "304", {}],
      ["an unknown alias", "/nowhere/_CheckService", "304", {}],
      ["a wrong method", "/v1/login", "305", {}],
      ["a missing app key", "/_CheckSession", "100", { headers: { appkey: "" } }],
      ["an unknown app key", "/_CheckSession", "101", { headers: { appkey: "unknown" } }],
      ["the API description", "/openapi.json", undefined, { headers: { appkey: "" } }],
      ["the health check", "/healthz", undefined, {}],
      ["the readiness check", "/readyz", undefined, {}],
    ];

    test.each(answers)(
      "%s can be read by pages of an origin that any key lists, and no others",
      async (_title, path, code, sent) => {
        const { origin } = await listedOrigin();
        const from = (sender: string) =>
          call(server(), path, { ...sent, headers: { ...sent.headers, origin: sender } });
        const answer = await from(origin);
        expect(answer.code).toBe(code);
        if (code === undefined) expect(answer.status).toBe(200);
        expect(readerOf(answer)).toBe(origin);
        expect(answer.headers["access-control-expose-headers"]?.split(", ")).toEqual(
          expect.arrayContaining(["retry-after", "not-executed", "x-request-id"]),
        );
        // The operations listener has no use cases.
        if (code !== undefined && code !== "0") expect(answer.headers["not-executed"]).toBe("1");
        expect(answer.headers["vary"]?.split(", ")).toContain("Origin");
        expect(answer.headers["access-control-allow-credentials"]).toBeUndefined();
        for (const stranger of [newOrigin(), "null", `${origin}.evil.example`, "x".repeat(2_000)]) {
          const strange = await from(stranger);
          expect([strange.code, readerOf(strange)]).toEqual([code, undefined]);
          expect(strange.headers["vary"]?.split(", ")).toContain("Origin");
        }
      },
    );

    test("the metrics can be read by no page", async () => {
      const { origin } = await listedOrigin();
      const answer = await call(server(), "/metrics", { headers: { origin } });
      expect([answer.status, readerOf(answer)]).toEqual([200, undefined]);
    });

    test("an origin is that of a database: the keys of another one do not count", async () => {
      const { origin } = await listedOrigin();
      for (const path of ["/second/_CheckService", "/second/v1/nothing", "/second/v1/login"])
        expect(readerOf(await call(server(), path, { headers: { origin } }))).toBeUndefined();
    });

    test("an answer to an app key is for the origins of this key only", async () => {
      const one = await listedOrigin();
      const other = await listedOrigin();
      const path = "/_CheckSession";
      const refused = await call(server(), path, { headers: { origin: one.origin, appkey: other.appkey } });
      expect([refused.code, readerOf(refused)]).toEqual(["200", undefined]);
      const own = await call(server(), path, { headers: { origin: one.origin, appkey: one.appkey } });
      expect([own.code, readerOf(own)]).toEqual(["200", one.origin]);
    });

    test("maintenance can be read, with the time to wait", async () => {
      const { origin, appkey } = await listedOrigin();
      await setMaintenance(administrationOf(databaseOf()), { message: null, endsAt: null });
      try {
        const answer = await call(server(), "/v1/objects/Customer", { headers: { origin, appkey } });
        expect([answer.code, readerOf(answer)]).toEqual(["706", origin]);
        expect(answer.headers["retry-after"]).toMatch(/^\d+$/);
        const stranger = await call(server(), "/v1/objects/Customer", { headers: { origin: newOrigin(), appkey } });
        expect([stranger.code, readerOf(stranger)]).toEqual(["706", undefined]);
      } finally {
        await setMaintenance(administrationOf(databaseOf()), null);
      }
    });

    const preflight = (origin: string, path: string) =>
      call(server(), path, {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "POST", appkey: "" },
      });

    test("a failing database is told to pages that it knows, and not asked about others", async () => {
      const known = await listedOrigin();
      const unknown = await listedOrigin();
      await call(server(), "/_CheckSession", { headers: known });
      const lists = jest.spyOn(repositories().appKeys, "listsOrigin").mockRejectedValue(new ServiceError(704));
      jest.spyOn(repositories().admission, "admit").mockRejectedValue(new ServiceError(704));
      for (const path of ["/_CheckSession", "/_CheckService"]) {
        const told = await call(server(), path, { headers: known });
        expect([told.code, readerOf(told)]).toEqual(["704", known.origin]);
        expect(readerOf(await call(server(), path, { headers: unknown }))).toBeUndefined();
      }
      expect(lists).not.toHaveBeenCalled();
      // Without its preflight, the page could not send the request.
      expect((await preflight(known.origin, "/v1/login")).code).toBe("0");
      expect((await preflight(unknown.origin, "/v1/login")).code).toBe("704");
      expect(readerOf(await call(server(), "/v1/nothing", { headers: unknown }))).toBeUndefined();
    });

    test("an overload is told to pages that the server knows", async () => {
      const known = await listedOrigin();
      const unknown = await listedOrigin();
      await call(server(), "/_CheckSession", { headers: known });
      const { admission, appKeys } = repositories();
      const admit = admission.admit.bind(admission);
      const held = barrier<void>();
      const entered = barrier<void>();
      jest.spyOn(admission, "admit").mockImplementationOnce(async (asked) => {
        entered.resolve();
        await held.promise;
        return admit(asked);
      });
      const first = call(server(), "/_CheckService");
      await entered.promise;
      const lists = jest.spyOn(appKeys, "listsOrigin");
      const told = await call(server(), "/_CheckSession", { headers: known });
      expect([told.code, readerOf(told), told.headers["retry-after"]]).toEqual(["706", known.origin, "1"]);
      const stranger = await call(server(), "/_CheckSession", { headers: unknown });
      expect([stranger.code, readerOf(stranger)]).toEqual(["706", undefined]);
      expect((await preflight(known.origin, "/v1/login")).code).toBe("0");
      expect(lists).not.toHaveBeenCalled();
      held.resolve();
      expect((await first).code).toBe("0");
    });

    test("a preflight of a listed origin succeeds on every path, so that the page can read the refusal", async () => {
      const { origin } = await listedOrigin();
      for (const path of ["/v1/login", "/v1/nothing", "/_CheckService"]) {
        const answer = await preflight(origin, path);
        expect([path, answer.status, answer.code, readerOf(answer)]).toEqual([path, 200, "0", origin]);
        expect(answer.headers["allow"]).toBeUndefined();
      }
      expect((await preflight(newOrigin(), "/v1/nothing")).code).toBe("304");
    });

    test("a preflight allows the headers of the configuration and those of the service", async () => {
      const { origin } = await listedOrigin();
      const { headers } = await preflight(origin, "/v1/login");
      const allowed = headers["access-control-allow-headers"]?.split(", ");
      expect(allowed).toEqual(expect.arrayContaining(["appkey", "idempotency-key", "x-team", "traceparent"]));
      expect(allowed).not.toContain("baggage");
    });

    test("many origins of strangers cost few statements", async () => {
      const lists = jest.spyOn(repositories().appKeys, "listsOrigin");
      const origin = newOrigin();
      for (let round = 0; round < 20; round += 1) await call(server(), "/v1/nothing", { headers: { origin } });
      // The origin, and its host with any port.
      expect(lists.mock.calls.length).toBeLessThanOrEqual(2);
      lists.mockClear();
      const held = barrier<boolean>();
      lists.mockImplementation(() => held.promise);
      const answered = Array.from({ length: 20 }, () =>
        call(server(), "/v1/nothing", { headers: { origin: newOrigin() } }),
      );
      // Those beyond the budget do not wait for a statement, and those within it not for long.
      await Promise.all(answered);
      held.resolve(false);
      expect(lists.mock.calls.length).toBeLessThanOrEqual(8);
    });

    test("a disabled key lists nothing", async () => {
      const { origin } = await listedOrigin();
      await repositories().appKeys.setEnabled(`page ${count}`, false);
      expect(readerOf(await call(server(), "/_CheckService", { headers: { origin } }))).toBeUndefined();
    });

    test("an answer is for caches that know its origin, with and without one", async () => {
      const { origin } = await listedOrigin();
      await logIn(server(), "demo");
      for (const headers of [{}, { origin }])
        expect((await call(server(), "/_CheckService", { headers })).headers["vary"]).toBe("Origin");
    });

    /** The answer to input that no client library sends. */
    async function answerTo(...lines: readonly string[]): Promise<string> {
      const socket = connect(server().address.port, "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
      let text = "";
      for await (const piece of socket) text += String(piece);
      return text;
    }

    test("a request that breaks HTTP is told to pages, unless its headers are unknown", async () => {
      const { origin } = await listedOrigin();
      const twoHosts = ["GET /_CheckService HTTP/1.1", "Host: a", "Host: b"];
      const told = await answerTo(...twoHosts, `Origin: ${origin}`);
      expect([told.includes('"699"'), told.includes(`Access-Control-Allow-Origin: ${origin}\r\n`)]).toEqual([
        true,
        true,
      ]);
      for (const lines of [
        [...twoHosts, "Origin: https://stranger.example"],
        ["GET / HTTP/9", `Origin: ${origin}`],
      ]) {
        const other = await answerTo(...lines);
        expect([other.includes('"699"'), other.includes("Access-Control")]).toEqual([true, false]);
      }
    });
  },
  { environment: corsEnvironment },
);
