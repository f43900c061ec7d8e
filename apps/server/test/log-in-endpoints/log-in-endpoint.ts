import { randomUUID } from "node:crypto";
import type { LogInMode } from "@sallyport/client";
import { NodeDigests } from "@sallyport/crypto";
import { logInForm } from "@sallyport/testing/acceptance";
import type { RunningServer } from "../../src/index.ts";
import { appKey, type Subject } from "../subject.ts";

const digests = new NodeDigests();

/** The fields of a log-in, to be sent. */
export type Fields = Readonly<Record<string, unknown>>;

export interface LogInAnswer {
  readonly status: number;
  /** The envelope, decrypted if it came encrypted. */
  readonly body: ReturnType<typeof JSON.parse>;
  readonly retryAfter: string | null;
}

/** A log-in endpoint. */
export interface LogInEndpoint {
  readonly name: string;
  /** Whose password it accepts. */
  readonly of: "database user" | "custom user";
  readonly logIn: (
    server: RunningServer,
    fields: Fields,
    headers: Readonly<Record<string, string>>,
  ) => Promise<LogInAnswer>;
}

/** All log-in endpoints with a password. */
export const endpoints: readonly LogInEndpoint[] = [
  inMode("POST /v1/login", "session"),
  inMode("POST /v2/login", "token"),
  inMode("POST /v2/login, encrypted", "encrypted"),
  inMode("POST /v2/login/secure", "secure"),
  {
    name: "POST /v1/auth/df",
    of: "custom user",
    logIn: (server, fields, headers) => post(server, "/v1/auth/df", JSON.stringify(fields), headers),
  },
  { name: "POST /v1/extLogin", of: "database user", logIn: linkAccount },
];

/** Creates a provider account without a link, as if its owner had just returned from there. */
export async function linkAccount(
  server: RunningServer,
  fields: Fields,
  headers: Readonly<Record<string, string>>,
): Promise<LogInAnswer> {
  const repositories = server.databases.get("")?.storage.repositories;
  const { appKey: known } =
    (await repositories?.admission.admit({
      appKey: digests.sha256(headers["appkey"] ?? appKey),
      session: null,
      idleTimeout: 1,
    })) ?? {};
  const dfUuid = randomUUID();
  const payload = {
    appKeyId: known?.id ?? "",
    provider: "google",
    issuer: "https://issuer.example",
    subject: dfUuid,
    email: null,
    displayName: null,
  };
  await repositories?.records.put("accountLink", digests.sha256(dfUuid), payload, { lifetime: 600_000 });
  return post(server, "/v1/extLogin", JSON.stringify({ ...fields, dfUuid }), headers);
}

function inMode(name: string, mode: LogInMode): LogInEndpoint {
  return {
    name,
    of: "database user",
    logIn: async (server, fields, headers) => {
      const { path, wrap, unwrap } = await logInForm(server.url, appKey, mode);
      return post(server, path, wrap(JSON.stringify(fields)), headers, unwrap);
    },
  };
}

async function post(
  { url }: Subject,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  unwrap = (text: string) => text,
): Promise<LogInAnswer> {
  const sent = { appkey: appKey, "content-type": "application/json", ...headers };
  const answer = await fetch(url + path, { method: "POST", headers: sent, body });
  const text = await answer.text();
  return {
    status: answer.status,
    body: JSON.parse(text.startsWith("{") ? text : unwrap(text)),
    retryAfter: answer.headers.get("retry-after"),
  };
}
