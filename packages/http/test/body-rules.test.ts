import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { anyJson, buildCounterBlock, type JsonBody, directions, formatEncryptedHeader } from "@sallyport/contract";
import type { Admission } from "@sallyport/storage";
import type { ChannelTraffic, CredentialReader, Database } from "@sallyport/core";
import { type ApplicationParts, createApplication, type Route } from "@sallyport/http";

const ivPrefix = Uint8Array.of(1, 2, 3);
const admission = { maintenance: false, modelGeneration: 1, appKey: { enabled: true, origins: [] }, principal: {} };
const open = { appNames: ["app"], authenticationMethod: { kind: "password" } };
const sessions = { session: open, secure: { ...open, channel: { ivPrefix } } };

const database = {
  inTurns: () => database,
  alias: "",
  policy: { sessions: { idleTimeout: 1 } },
  limits: { rates: { active: false }, current: () => ({ rates: null }) },
  storage: {
    repositories: {
      admission: {
        admit: async ({ mode }: { mode: "session" | "secure" }) =>
          ({ ...admission, session: sessions[mode] }) as unknown as Admission,
      },
    },
  },
} as unknown as Database;

/** A cipher that changes nothing: messages are their own ciphertext. */
const traffic = {
  open: async () => ({ key: new Uint8Array(32), ivPrefix, answerNumber: 0n }),
  accept: async () => {},
  apply: (_channel: unknown, _iv: unknown, message: Uint8Array) => message,
} as unknown as ChannelTraffic;

const echo = (path: string, body: JsonBody): Route => ({
  method: "POST",
  path,
  id: "echo",
  tag: "Service",
  administration: false,
  rights: [],
  inMulti: false,
  summary: "",
  access: "session",
  body,
  needsBody: body.optional !== true,
  data: anyJson,
  errors: [],
  handle: async (_context, { body: given }) => ({
    data: { given, none: given === undefined },
  }),
});

const settings = {
  basePath: "",
  maxRequestsInFlight: 10,
  shedding: null,
  maxPipelinedRequests: 10,
  maxConnections: { perIp: 10, total: 100 },
  maxIncompleteBodies: { perIp: 10, total: 10 },
  maxTransfers: { perIp: 10, total: 10 },
  maxSendBufferBytes: { perIp: 1e6, total: 1e6 },
  sendTimeout: 10_000,
  multiTimeout: 10_000,
  bodyTimeout: 10_000,
  debugMessages: false,
  missingCredential: 200,
  allowInsecureTransport: true,
  trustedProxies: [],
};

const parts = {
  settings,
  databases: new Map([["", database]]),
  routes: [
    echo("/v1/any", { json: anyJson, any: true }),
    echo("/v1/perhaps", { json: anyJson, any: true, optional: true }),
  ],
  digests: { sha256: () => new Uint8Array(32) },
  credentialReader: {
    sessionId: () => ({ mode: "session", digest: "" }),
    secureToken: () => ({ mode: "secure", digest: "" }),
  } as unknown as CredentialReader,
  traffic,
  budget: { spend: (_network: string, work: () => unknown) => work() },
  publishedKeys: {},
  monitoring: { metricsAccess: "off" },
  playground: null,
  console: null,
  reach: { allow: [], hasListener: false },
  observer: { answered: () => {} },
  trafficRecorder: { transferred: () => {} },
} as unknown as ApplicationParts;

let server: Server;

beforeAll(async () => {
  server = createServer(createApplication(parts).listener).listen(0, "127.0.0.1");
  await once(server, "listening");
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

type Sent = { readonly body?: string; readonly type?: string; readonly chunked?: boolean };

interface Answered {
  readonly status: { readonly internalStatus: string };
  readonly data?: { readonly given?: unknown; readonly none: boolean };
}

async function post(
  path: string,
  { body, type = "application/json", chunked = false }: Sent,
  headers: Record<string, string>,
): Promise<string> {
  const stream = () => new Blob([body ?? ""]).stream();
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
    method: "POST",
    headers: { appkey: "key", ...(type === "" ? {} : { "content-type": type }), ...headers },
    ...(chunked
      ? { body: stream(), duplex: "half" }
      : body === undefined
        ? {}
        : { body: new TextEncoder().encode(body) }),
  } as RequestInit);
  return answer.text();
}

const modes = {
  "in clear": async (path: string, sent: Sent) => JSON.parse(await post(path, sent, { sessionid: "id" })) as Answered,
  encrypted: async (path: string, { body, ...sent }: Sent) => {
    const iv = buildCounterBlock({ direction: directions.toServer, ivPrefix, message: 0n, block: 0 });
    const message = {
      ...sent,
      type: sent.type === undefined ? "application/text" : sent.type,
      ...(body === undefined ? {} : { body: Buffer.from(body).toString("base64") }),
    };
    const answer = await post(path, message, { "secure-token": "token", encrypted: formatEncryptedHeader({ iv }) });
    return JSON.parse(Buffer.from(answer, "base64").toString()) as Answered;
  },
};

const codeOf = ({ status }: Answered) => Number(status.internalStatus);
const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

describe.each(Object.entries(modes))("body of any JSON, %s", (mode, send) => {
  const notJson = mode === "encrypted" ? 312 : 311;

  test.each(["null", "true", "12.5", '"text"', "[1,[2]]", '{"a":{"b":[]}}', " [ ] "])(
    "accepts %s as a required and as an optional body",
    async (body) => {
      const expected = { given: JSON.parse(body) as unknown, none: false };
      expect((await send("/v1/any", { body })).data).toEqual(expected);
      expect((await send("/v1/perhaps", { body })).data).toEqual(expected);
      expect((await send("/v1/perhaps", { body, chunked: true })).data).toEqual(expected);
    },
  );

  test.each(["{", "1 2", "undefined", " ", "\uFEFF1,"])("refuses the invalid JSON %j", async (body) => {
    expect(codeOf(await send("/v1/any", { body }))).toBe(notJson);
    expect(codeOf(await send("/v1/perhaps", { body }))).toBe(notJson);
  });

  test.each([
    deep(33),
    `[${Array.from({ length: 10_001 }, () => 0).join()}]`,
    '[{"__proto__":1}]',
    '{"a":{"constructor":1}}',
  ])("applies the limits of all JSON", async (body) => {
    expect(codeOf(await send("/v1/any", { body }))).toBe(307);
    expect(codeOf(await send("/v1/perhaps", { body }))).toBe(307);
  });

  test("may be missing on a route with an optional body, in any form", async () => {
    for (const sent of [
      {},
      { type: "" },
      { body: "", chunked: true },
      { body: "", chunked: true, type: "" },
      { body: "", type: "text/plain" },
    ]) {
      expect((await send("/v1/perhaps", sent)).data).toEqual({ none: true });
    }
    expect(codeOf(await send("/v1/any", {}))).toBe(300);
  });

  test("must declare its type, also in chunks", async () => {
    for (const type of ["", "text/html"]) {
      expect(codeOf(await send("/v1/any", { body: "1", type }))).toBe(207);
      expect(codeOf(await send("/v1/perhaps", { body: "1", type }))).toBe(207);
      expect(codeOf(await send("/v1/perhaps", { body: "1", type, chunked: true }))).toBe(207);
    }
  });
});
