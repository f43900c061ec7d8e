import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type Server, request as startRequest } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Admission, type AdmissionRequest, ServiceError } from "@sallyport/storage";
import {
  type ChannelTraffic,
  type ChunkRange,
  type CredentialReader,
  type Database,
  type IncomingFile,
  type ReceiveFile,
  type StateOptions,
} from "@sallyport/core";
import { AesCtrChannelCipher } from "@sallyport/crypto";
import {
  type Application,
  type ApplicationParts,
  createApplication,
  createServer,
  routeTable,
  type TrafficRecorder,
} from "@sallyport/http";

export const ivPrefix = Uint8Array.of(1, 2, 3);
export const key = randomBytes(32);
const admission = { maintenance: false, modelGeneration: 1, appKey: { enabled: true, origins: [] }, principal: {} };
const open = { appNames: ["app"], authenticationMethod: { kind: "password" } };
const sessions = { session: open, secure: { ...open, channel: { ivPrefix } } };

const database = {
  alias: "",
  answerBytes: 1e6,
  within: () => database,
  unit: { joined: false },
  inTurns: () => database,
  get whole() {
    return database;
  },
  storeTime: { format: (time: number) => `time ${time}` },
  policy: { sessions: { idleTimeout: 1 }, files: { maxSize: 1e8 } },
  limits: { rates: { active: false }, current: () => ({ rates: null }) },
  storage: {
    repositories: {
      admission: {
        admit: async ({ mode, session, idleTimeout }: AdmissionRequest) => {
          use.renewals.push(idleTimeout);
          const isLive = session !== null && !use.hasEnded;
          return { ...admission, session: isLive ? sessions[mode as "session"] : null } as unknown as Admission;
        },
      },
    },
  },
} as unknown as Database;

const cipher = new AesCtrChannelCipher();
const accepted: bigint[] = [];
let answers = 0n;
const traffic = {
  open: async () => ({ key, ivPrefix, answerNumber: answers++ }),
  accept: async (_database: unknown, _session: unknown, number: bigint) => {
    if (accepted.includes(number)) throw new ServiceError(312);
    accepted.push(number);
  },
  apply: (_channel: unknown, iv: Uint8Array, message: Uint8Array) => cipher.apply(key, iv, message),
  applyToStream: (_channel: unknown, iv: Uint8Array, message: AsyncIterable<Uint8Array>) =>
    cipher.applyToStream(key, iv, message),
} as unknown as ChannelTraffic;

/** The file that the latest use case received. */
interface Received extends Omit<IncomingFile, "bytes" | "fields"> {
  readonly range: ChunkRange | null;
  readonly bytes: Buffer;
  readonly fields: Readonly<Record<string, string>>;
}

async function receiveAll(range: ChunkRange | null, receive: ReceiveFile): Promise<Received> {
  use.received = null;
  use.failure = null;
  use.check();
  try {
    const { name, mediaType, bytes, fields } = await receive();
    use.accept();
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) {
      await use.onPiece(piece);
      pieces.push(piece);
    }
    use.received = { range, name, mediaType, bytes: Buffer.concat(pieces), fields: Object.fromEntries(fields) };
    return use.received;
  } catch (error) {
    use.failure = error;
    throw error;
  }
}

export const uploadId = "00000000-0000-4000-8000-000000000000";
export const stateOf = (size: number) => ({ uploadId, size, hash: "hash", ranges: [], expiresAt: 1 });
export const found = { object: { "~ObjectID": "1A" }, version: 3 };
export const content = randomBytes(300_000);
export const validators = { sha256: "01020300", modifiedAt: Date.UTC(2025, 6, 1, 10) };

/** The use cases of files, in place of those of the domain. */
export const useCases = {
  beginUpload: async () => stateOf(0),
  readUpload: async (_context: unknown, _id: string, { hash = true }: StateOptions) => {
    const { hash: md5, ...state } = stateOf(7);
    return hash ? { ...state, hash: md5 } : state;
  },
  cancelUpload: async () => {},
  finishUpload: async (_context: unknown, _id: string, input: object) => ({ ...found, object: { ...input } }),
  storeChunk: async (
    _context: unknown,
    _id: string,
    range: ChunkRange | null,
    receive: ReceiveFile,
    { hash = true }: StateOptions,
  ) => {
    const { hash: md5, ...state } = stateOf((await receiveAll(range, receive)).bytes.length);
    return hash ? { ...state, hash: md5 } : state;
  },
  storeFile: async (_context: unknown, receive: ReceiveFile) => {
    await receiveAll(null, receive);
    return found;
  },
  openFile: async () => ({
    ...use.opened,
    isReadable: async () => use.mayRead,
    read: async ({ offset, length }: { offset: number; length: number }) => {
      use.readEnded = false;
      return (async function* () {
        try {
          for (let at = offset; at < offset + length; at += 65_536)
            yield use.opened.size > content.length
              ? Buffer.alloc(65_536)
              : content.subarray(at, Math.min(at + 65_536, offset + length));
        } finally {
          use.readEnded = true;
        }
      })();
    },
  }),
};

/** Milliseconds that an upload may be silent. Short, so that the tests of silent clients are, too. */
const shortSilence = 400;

export const uploadPace = { silence: shortSilence, minRate: 16_384 };

const settings = {
  basePath: "",
  maxRequestsInFlight: 10,
  shedding: null,
  maxPipelinedRequests: 10,
  maxConnections: { perIp: 1_000, total: 10_000 },
  maxIncompleteBodies: { perIp: 1, total: 1 },
  maxTransfers: { perIp: 200, total: 200 },
  maxSendBufferBytes: { perIp: 1e6, total: 1e6 },
  uploadPace,
  downloadPace: { silence: 1_500, minRate: 33_554_432 },
  sendTimeout: 500,
  multiTimeout: 10_000,
  bodyTimeout: 10_000,
  debugMessages: true,
  missingCredential: 200,
  allowInsecureTransport: true,
  trustedProxies: [],
};

export const parts = {
  settings,
  databases: new Map([["", database]]),
  services: { objectHooks: { current: async () => null } },
  routes: routeTable(useCases as never),
  digests: { sha256: () => new Uint8Array(32) },
  credentialReader: {
    sessionId: (id: string) => (id === "id" ? { mode: "session", digest: "of the session" } : null),
    secureToken: () => ({ mode: "secure", digest: "of the session" }),
  } as unknown as CredentialReader,
  traffic,
  budget: { spend: (_network: string, work: () => unknown) => work() },
  publishedKeys: {},
  monitoring: { metricsAccess: "off" },
  playground: null,
  console: null,
  reach: { allow: [], hasListener: false },
  observer: { answered: ({ error }: { error?: unknown }) => void (use.observed = error) },
  trafficRecorder: {
    transferred: (_database, _session, { received, sent }) => void use.traffic.push({ received, sent }),
  } satisfies TrafficRecorder,
} as unknown as ApplicationParts;

/** The state of the fixture: the latest file that a use case received, and how the use cases behave. */
export const use = {
  application: undefined as unknown as Application,
  port: 0,
  received: null as Received | null,
  /** How the latest use case failed. */
  failure: null as unknown,
  /** The failure of the latest answer. */
  observed: undefined as unknown,
  /** Called by the use cases before they read. */
  check: (): void => {},
  /** Called before they iterate the bytes. */
  accept: (): void => {},
  /** Called for each piece. */
  onPiece: (_piece: Uint8Array): void | Promise<void> => {},
  /** The counted bytes of each request. */
  traffic: [] as { received: number; sent: number }[],
  ready: 0,
  /** The idle time-out of each look at the session: 0 renews nothing. */
  renewals: [] as number[],
  /** Whether the session has ended, or the right to read the file is lost. */
  hasEnded: false,
  mayRead: true,
  opened: { size: 0, etag: "tag", name: "a.txt", mediaType: "text/plain" as string | null, ...validators },
  readEnded: false,
};

/** Starts a server with the file routes and use cases of the test. */
export function useFileServer(): void {
  let server: Server;
  beforeAll(async () => {
    use.application = createApplication(parts);
    const timeouts = { headers: 500, request: 600, keepAlive: 5_000 };
    server = createServer(use.application, { timeouts, maxConnections: 1_000 }, null).listen(0, "127.0.0.1");
    await once(server, "listening");
    use.port = (server.address() as AddressInfo).port;
  });

  beforeEach(() => {
    use.check = () => {};
    use.accept = () => {};
    use.onPiece = () => {};
    use.received = null;
    use.opened = { size: content.length, etag: "tag", name: "a.txt", mediaType: "text/plain", ...validators };
    use.failure = null;
    use.traffic = [];
    use.renewals = [];
    use.hasEnded = false;
    use.mayRead = true;
    uploadPace.silence = shortSilence;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Everything that a transfer takes is given back. */
  afterEach(async () => {
    for (
      let tries = 0;
      tries < 100 && (use.application.transfers.current > 0 || use.application.load.current > 0);
      tries += 1
    )
      await pause(10);
    expect({ transfers: use.application.transfers.current, load: use.application.load.current }).toEqual({
      transfers: 0,
      load: 0,
    });
  });
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export async function send(
  method: string,
  path: string,
  body?: Buffer | string,
  headers: object = {},
): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${use.port}${path}`, {
    method,
    headers: { appkey: "key", sessionid: "id", ...headers },
    ...(body === undefined ? {} : { body: new Uint8Array(Buffer.from(body)) }),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
  const envelope = isJson ? JSON.parse(bytes.toString()) : {};
  return {
    status: answer.status,
    headers: answer.headers,
    bytes,
    code: envelope.status?.internalStatus,
    data: envelope.data,
  };
}

export const boundary = "--x";
export const formType = { "content-type": `multipart/form-data; boundary=${boundary}` };
export const part = (disposition: string, body: Buffer | string = "abc", type = "Content-Type: text/plain\r\n") =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type}\r\n`),
    Buffer.from(body),
    Buffer.from("\r\n"),
  ]);
export const field = (name: string, value: string) => part(`name="${name}"`, value, "");
export const form = (...all: Buffer[]) => Buffer.concat([...all, Buffer.from(`--${boundary}--\r\n`)]);
export const file = (body: Buffer | string = "abc", name = "a.txt") => part(`name="file"; filename="${name}"`, body);

export const whole = `/v1/uploadFile/${uploadId}`;

/** A request that is sent piece by piece. */
export function upload(headers: Record<string, string>, path = whole, method = "PATCH") {
  const sent = startRequest({
    port: use.port,
    method,
    path,
    headers: {
      appkey: "key",
      sessionid: "id",
      "content-type": "application/octet-stream",
      "content-range": "bytes 0-9/10",
      ...headers,
    },
  });
  for (const [name, value] of Object.entries(headers)) if (value === "") sent.removeHeader(name);
  const answer = new Promise<{ status: number; code: string; connection: string | undefined }>((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", async (response) => {
      const texts: string[] = [];
      for await (const text of response.setEncoding("utf8")) texts.push(text as string);
      const { internalStatus: code } = JSON.parse(texts.join("")).status;
      resolve({ status: response.statusCode ?? 0, code, connection: response.headers.connection });
    });
  });
  answer.catch(() => {});
  return { sent, answer };
}

/** Sends raw bytes and returns the socket and what it received when it ended. */
export function raw(
  head: readonly string[],
  options: { unread?: boolean } = {},
): { socket: Socket; ended: Promise<string> } {
  const socket = connect(use.port, "127.0.0.1");
  let text = "";
  if (options.unread !== true) socket.setEncoding("latin1").on("data", (more) => (text += more));
  socket.on("error", () => {});
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  const ended = new Promise<string>((resolve) => {
    socket.on("close", () => resolve(text));
  });
  return { socket, ended };
}

export const patchHead = [
  `PATCH ${whole} HTTP/1.1`,
  "Host: localhost",
  "appkey: key",
  "sessionid: id",
  "Content-Type: application/octet-stream",
  "Content-Range: bytes 0-9/10",
];
