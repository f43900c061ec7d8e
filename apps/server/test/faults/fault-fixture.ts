import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Storage } from "@sallyport/storage";
import type { Database } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests } from "@sallyport/crypto";
import { FaultScript } from "@sallyport/testing/faults";
import { seedDemo } from "../../src/demo/index.ts";
import { loadConfiguration, startServer } from "../../src/index.ts";
import { logIn } from "../cases/run-cases.ts";
import { exchange } from "../client.ts";
import { type Engine, filesOf } from "../demo-server.ts";
import { copyEmbeddedDemo } from "../copy-embedded-demo.ts";
import { appKey } from "../subject.ts";
import { storedServerKeys } from "../secure/stored-keys.ts";
import { testEnvironment, tuned, tuningOf } from "../test-environment.ts";
import { FaultyEngines } from "./faulty-engines.ts";

export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: object;
  /** Default: the administrator's; `null` for none. */
  readonly sessionId?: string | null;
  readonly requestId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  readonly code: number;
  readonly data: ReturnType<typeof JSON.parse>;
  /** The complete answer, including headers. */
  readonly text: string;
}

/** A server over a storage with scripted faults, and the same storage without them. */
export interface FaultFixture {
  readonly url: string;
  readonly script: FaultScript;
  readonly storage: Storage;
  /** The database as the server uses it, with the faults. */
  readonly database: Database;
  send(request: Request): Promise<Reply>;
  close(): Promise<void>;
}

/**
 * Starts the demo with one database and additional storage settings, and with the environment of a server. Answers
 * contain error details.
 */
export async function openFaultFixture(
  engine: Engine,
  more: object = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<FaultFixture> {
  const dataDir = mkdtempSync(join(tmpdir(), "sallyport-"));
  if (engine === "embedded") await copyEmbeddedDemo(dataDir);
  const place =
    typeof engine === "string"
      ? { engine, dataDir }
      : { engine: "postgres", url: engine.databaseUrl, migrateOnStart: true };
  const storage = engine === "memory" ? { engine } : { ...place, schema: "sallyport_demo", ...more };
  const configuration = loadConfiguration({
    content: { databases: [{ alias: "", storage }] },
    environment: {
      ...testEnvironment,
      ...storedServerKeys,
      DEBUG_MESSAGES: "true",
      THROTTLE_IP_MAX_FAILURES: "10000",
      THROTTLE_USER_MAX_FAILURES: "10000",
      LOCKS_PER_SESSION: "0",
      ...environment,
    },
  });
  const script = new FaultScript();
  const engines = new FaultyEngines(script);
  const tuning = tuningOf({ ...tuned({ cleanupInterval: 86_400_000 }), ...environment });
  const server = await startServer(configuration, undefined, engines, undefined, tuning);
  const sound = engines.sound[0] as Storage;
  const hasher = await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 });
  const files = filesOf(server, "");
  await seedDemo(sound, { hasher, digests: new NodeDigests(), clientHash: "md5", alias: "", files });
  const administrator = await logIn(server, "admin");
  return {
    url: server.url,
    script,
    storage: sound,
    database: server.databases.get("") as Database,
    send: (request) => send(server.url, administrator, request),
    close: async () => {
      script.clear();
      await server.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function send(
  url: string,
  administrator: string,
  { method, path, body, sessionId = administrator, requestId, headers: more }: Request,
): Promise<Reply> {
  const headers = {
    ...more,
    appkey: appKey,
    ...(sessionId && { sessionid: sessionId }),
    ...(requestId && { "x-request-id": requestId }),
    ...(body && { "content-type": "application/json" }),
  };
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const answer = await exchange(url + path, { method, headers, body: sent });
  const text = answer.body.toString();
  const { status, data } = JSON.parse(text);
  return {
    status: answer.status,
    code: Number(status.internalStatus),
    data,
    text: JSON.stringify(Object.entries(answer.headers)) + text,
  };
}
