import { request } from "node:http";
import { gunzipSync } from "node:zlib";
import { logIn } from "../cases/run-cases.ts";
import { createObject, tryLogIn } from "../client.ts";
import { openSession } from "../open-session.ts";
import { appKey } from "../subject.ts";
import { onEngines } from "../engines.ts";

interface Bytes {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Sends a request without the decompression of other clients. */
function bytesOf(
  url: string,
  { method = "GET", headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: unknown } = {},
): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    const json = body === undefined ? {} : { "content-type": "application/json" };
    const sent = request(url, { method, headers: { appkey: appKey, ...json, ...headers } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const gzip = { "accept-encoding": "gzip" };

/** Compression of answers. */
onEngines(
  "compressed objects",
  (server) => {
    let sessionid: string;
    beforeAll(async () => {
      sessionid = await logIn(server(), "admin");
    });

    const take = (path: string, sent: Parameters<typeof bytesOf>[1] = {}) =>
      bytesOf(server().url + path, { ...sent, headers: { sessionid, ...sent.headers } });

    const unpacked = ({ body }: Bytes) => gunzipSync(body).toString();

    test.each([
      ["a list of some kilobytes", "/v1/objects/Customer?perPage=30", {}],
      ["a list of some hundred kilobytes", "/v1/objects/Invoice?perPage=1000", {}],
      ["a list by a query in the body", "/v1/objects/Customer/query", { method: "POST", body: { perPage: 30 } }],
      ["a pull", "/v1/sync/sales", { method: "POST", body: { syncVersion: "0" } }],
      ["the API description", "/openapi.json", {}],
      ["the description of the administration", "/admin/v1/openapi.json", {}],
      [
        "several lists",
        "/v1/multi",
        { method: "POST", body: [{ method: "GET", path: "/v1/objects/Customer?perPage=30" }] },
      ],
    ])("%s is compressed for clients that accept it", async (_title, path, sent) => {
      const plain = await take(path, sent);
      const packed = await take(path, { ...sent, headers: gzip });
      expect([plain.headers["content-encoding"], packed.headers["content-encoding"]]).toEqual([undefined, "gzip"]);
      for (const { headers } of [plain, packed]) expect(headers["vary"]).toBe("Origin, Accept-Encoding");
      expect(Number(packed.headers["content-length"])).toBe(packed.body.length);
      expect(packed.body.length).toBeLessThan(plain.body.length / 2);
      expect(packed.headers["content-type"]).toBe(plain.headers["content-type"]);
      // They name the moment, or are sealed for each answer.
      const comparable = (text: string) => text.replaceAll(/"(~Cursor|cursor|syncVersion)":"[^"]*"/g, "");
      expect(comparable(unpacked(packed))).toBe(comparable(plain.body.toString()));
    });

    test.each(["gzip;q=0", "identity", "br", "*;q=0", "gzip;q=0.1, identity;q=0.9"])(
      "an answer is plain for Accept-Encoding: %s",
      async (coding) => {
        const { headers, body } = await take("/v1/objects/Customer?perPage=30", {
          headers: { "accept-encoding": coding },
        });
        expect([headers["content-encoding"], headers["vary"]]).toEqual([undefined, "Origin, Accept-Encoding"]);
        expect(JSON.parse(body.toString()).status.internalStatus).toBe("0");
      },
    );

    test("a small answer is plain", async () => {
      const { headers } = await take("/v1/objects/Customer?perPage=1", { headers: gzip });
      expect([headers["content-encoding"], headers["vary"]]).toEqual([undefined, "Origin, Accept-Encoding"]);
    });

    test("a compressed object has a tag of its own, and both name the version", async () => {
      const session = await openSession(server(), "session", "admin");
      const id = await createObject(server(), session, "Customer", { Name: "long", City: "x".repeat(5_000) });
      const path = `/v1/object/${id}`;
      const plain = await take(path);
      const packed = await take(path, { headers: gzip });
      expect([plain.headers["etag"], packed.headers["etag"]]).toEqual(['"1"', '"1-gzip"']);
      const change = (tag: string, City: string) =>
        take(path, { method: "PATCH", headers: { ...gzip, "if-match": tag }, body: { City } });
      const changed = await change('"1-gzip"', "y".repeat(5_000));
      expect([changed.status, changed.headers["etag"]]).toEqual([200, '"2"']);
      expect(JSON.parse((await change('"1-gzip"', "z")).body.toString()).status.internalStatus).toBe("713");
      expect((await take(path, { headers: gzip })).headers["etag"]).toBe('"2-gzip"');
      expect((await change('"2-gzip"', "z")).headers["etag"]).toBe('"3"');
    });

    test("an answer with a credential is never compressed", async () => {
      const body = { user: "admin", pass: "admin", appNames: ["demo-app"] };
      for (const path of ["/v1/login", "/v2/login"]) {
        const { headers } = await bytesOf(server().url + path, { method: "POST", headers: gzip, body });
        expect([headers["content-encoding"], headers["vary"]]).toEqual([undefined, "Origin"]);
      }
    });

    test("several requests are plain if the operation of one is never compressed", async () => {
      const list = { method: "GET", path: "/v1/objects/Customer?perPage=30" };
      const check = { method: "GET", path: "/_CheckSession" };
      for (const query of ["", "?atomic=true"]) {
        const sent = (items: readonly object[]) =>
          take(`/v1/multi${query}`, { method: "POST", headers: gzip, body: items });
        expect((await sent([list, list])).headers["content-encoding"]).toBe("gzip");
        expect((await sent([list, check])).headers["content-encoding"]).toBeUndefined();
      }
    });

    test("an answer of a secure session is never compressed", async () => {
      const session = await openSession(server(), "secure", "admin");
      const { headers } = await session.seal({ headers: { appkey: appKey, ...gzip } });
      const answer = await bytesOf(`${server().url}/v1/objects/Customer?perPage=30`, {
        headers: headers as Record<string, string>,
      });
      expect([answer.headers["content-encoding"], answer.headers["vary"]]).toEqual([undefined, "Origin"]);
      expect(answer.body.length).toBeGreaterThan(4_096);
    });

    test("a failure is plain", async () => {
      expect((await tryLogIn(server(), "admin", { pass: "wrong" }, gzip)).headers["content-encoding"]).toBeUndefined();
      const { headers } = await take("/v1/objects/Nothing", { headers: gzip });
      expect(headers["content-encoding"]).toBeUndefined();
    });

    test("files of the documentation are compressed, each with a tag of its own", async () => {
      const path = "/docs/swagger-ui-bundle.js";
      const plain = await take(path);
      const packed = await take(path, { headers: gzip });
      expect(packed.headers["content-encoding"]).toBe("gzip");
      expect(unpacked(packed)).toBe(plain.body.toString());
      expect(packed.headers["etag"]).toBe(String(plain.headers["etag"]).replace(/"$/, '-gzip"'));
      for (const { headers } of [plain, packed]) {
        expect(headers["vary"]).toBe("Accept-Encoding");
        const tag = { "if-none-match": String(headers["etag"]) };
        const own = headers === packed.headers ? gzip : {};
        expect((await take(path, { headers: { ...own, ...tag } })).status).toBe(304);
        expect((await take(path, { headers: { ...(own === gzip ? {} : gzip), ...tag } })).status).toBe(200);
      }
      // Its page names the public passwords of the demo.
      expect((await take("/docs", { headers: gzip })).headers["content-encoding"]).toBeUndefined();
    });
  },
  { environment: { MASTER_KEY: Buffer.alloc(32, 7).toString("base64") } },
);
