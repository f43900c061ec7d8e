import { createPublicKey, randomBytes, verify } from "node:crypto";
import request from "supertest";
import type { RunningServer } from "../../src/index.ts";
import { appKey } from "../cases/run-cases.ts";
import { startConfiguredServer } from "../demo-server.ts";
import { openPostgresFixture, type PostgresFixture } from "../postgres-fixture.ts";

describe("key set", () => {
  type Jwk = { readonly kid: string; readonly [member: string]: string };

  const masterKey = randomBytes(32).toString("base64");

  const read = (server: RunningServer, path = "/.well-known/jwks.json") =>
    request(new URL(server.url).origin)
      .get(path)
      .ok(() => true);

  async function keysOf(server: RunningServer): Promise<Jwk[]> {
    const answer = await read(server);
    return answer.body.keys;
  }

  async function tokenOf({ url }: RunningServer, alias = ""): Promise<string> {
    const answer = await request(url)
      .post(`${alias}/v2/login`)
      .set("appkey", appKey)
      .send({ user: "demo", pass: "demo", appNames: "demo-app" });
    return answer.body.data.token;
  }

  const partOf = (text: string | undefined) => JSON.parse(Buffer.from(text ?? "", "base64url").toString());

  /**
   * Checks a token by the published keys alone, like any library; returns its claims, or `null` if no key confirms it.
   */
  function claimsBy(keys: readonly Jwk[], token: string): { readonly aud: string; readonly iss: string } | null {
    const [header, payload, signature] = token.split(".");
    const { alg, kid } = partOf(header);
    const jwk = keys.find((each) => each.kid === kid && each["alg"] === alg && each["use"] === "sig");
    if (jwk === undefined) return null;
    const key = createPublicKey({ key: jwk, format: "jwk" });
    const good = verify(
      "sha256",
      Buffer.from(`${header}.${payload}`),
      { key, dsaEncoding: "ieee-p1363" },
      Buffer.from(signature ?? "", "base64url"),
    );
    return good ? partOf(payload) : null;
  }

  describe("key set", () => {
    let postgres: PostgresFixture;
    let server: RunningServer;
    beforeAll(async () => {
      postgres = await openPostgresFixture();
      server = await postgres.demo({ MASTER_KEY: masterKey, BASE_PATH: "/base" });
    }, 60_000);
    afterAll(() => postgres.close());

    test("suffices to check the tokens of every database", async () => {
      const keys = await keysOf(server);
      expect(keys).toHaveLength(2);
      expect(claimsBy(keys, await tokenOf(server))).toMatchObject({ aud: "demo", iss: "sallyport" });
      expect(claimsBy(keys, await tokenOf(server, "/second"))).toMatchObject({ aud: "second" });
      const [header, , signature] = (await tokenOf(server)).split(".");
      expect(claimsBy(keys, `${header}.${Buffer.from("{}").toString("base64url")}.${signature}`)).toBeNull();
    });

    test("contains public parts only, and is public for a minute", async () => {
      const { status, headers, body } = await read(server).set("origin", "https://anywhere.example");
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        "content-type": "application/jwk-set+json",
        "cache-control": "public, max-age=60",
        "access-control-allow-origin": "*",
        "x-content-type-options": "nosniff",
        "x-request-id": expect.any(String),
      });
      expect(Object.keys(body)).toEqual(["keys"]);
      for (const key of body.keys)
        expect(Object.keys(key).toSorted()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
    });

    test.each([
      "/.well-known/jwks.json",
      "/base/.well-known/jwks.json",
      "/base/.well-known/jwks.json?x=y",
      "//.well-known/jwks.json/",
    ])("exists at %s", async (path) => {
      expect((await read(server, path)).body).toEqual({ keys: expect.any(Array) });
    });

    test.each([
      "/base/second/.well-known/jwks.json",
      "/.well-known",
      "/.well-known/jwks.json/more",
      "/other/.well-known/jwks.json",
    ])("does not exist at %s", async (path) => {
      const { status, body } = await read(server, path);
      expect([status, body.status.internalStatus]).toEqual([404, "304"]);
    });

    test.each(["post", "put", "patch", "delete", "options", "head"] as const)("is not served to %s", async (method) => {
      const answer = await request(new URL(server.url).origin)
        [method]("/.well-known/jwks.json")
        .ok(() => true);
      expect(answer.status).toBe(405);
      expect(answer.headers).toMatchObject({
        allow: "GET",
        "content-type": "application/json; charset=utf-8",
        "cache-control": "no-store",
      });
      if (method !== "head")
        expect(answer.body).toEqual({ status: { internalStatus: "305", statusMessage: expect.any(String) } });
    });
  });

  describe("key set of a server", () => {
    let server: RunningServer | undefined;
    afterEach(() => server?.close());
    const memory = { storage: { engine: "memory" } };

    test("is empty without a master key", async () => {
      server = await startConfiguredServer({ databases: [memory] });
      expect((await read(server)).body).toEqual({ keys: [] });
    });

    test("omits a database that is down, and is then cached for a short time", async () => {
      const down = { alias: "down", storage: { engine: "postgres", url: "postgres://u@127.0.0.1:1/d" } };
      server = await startConfiguredServer(
        { databases: [memory, down, { alias: "later" }] },
        { MASTER_KEY: masterKey },
      );
      const { body, headers } = await read(server);
      expect(body.keys).toHaveLength(1);
      expect(headers["cache-control"]).toBe("public, max-age=5");
    });

    test("sealed under another master key makes a server not ready", async () => {
      const own = await openPostgresFixture();
      const first = await own.demo({ MASTER_KEY: masterKey });
      await tokenOf(first);
      const readiness = ({ url }: RunningServer) =>
        fetch(`${url}/readyz`).then(async (answer) => ({ status: answer.status, told: await answer.json() }));
      expect(await readiness(first)).toMatchObject({ status: 200 });
      const other = await own.demo({ MASTER_KEY: randomBytes(32).toString("base64") });
      expect(await readiness(other)).toMatchObject({
        told: { databases: { "(empty)": "keys encrypted with another master key" } },
      });
      await own.close();
    });
  });
});
