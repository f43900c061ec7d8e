import { maskedJson, maskedText } from "./secrets.ts";

/** The members of a sent request that a command needs, as Supertest keeps them. */
interface SentRequest {
  readonly method?: unknown;
  readonly url?: unknown;
  /** Headers by name. */
  readonly header?: Readonly<Record<string, unknown>>;
  readonly _data?: unknown;
}

/** Credentials, and the shell variables that stand for them. */
const variables: Readonly<Record<string, string>> = {
  appkey: "$APP_KEY",
  sessionid: "$SESSION_ID",
  authorization: "$TOKEN",
  "secure-token": "$SECURE_TOKEN",
  cookie: "$COOKIE",
};

const notSent = new Set(["content-length", "accept-encoding", "host", "connection"]);

/** Quotes a word for a shell. */
const quoted = (word: string) => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);

/** The request as a command for a shell, with variables or masks for credentials; `null` if it is not known. */
export function requestAsCurl(request: unknown): string | null {
  const { method, url, header = {}, _data: data } = (request ?? {}) as SentRequest;
  if (typeof method !== "string" || typeof url !== "string") return null;
  const headers = Object.entries(header).flatMap(([name, value]) => {
    const key = name.toLowerCase();
    if (notSent.has(key) || typeof value !== "string") return [];
    const variable = variables[key];
    return [variable === undefined ? `-H ${quoted(`${name}: ${value}`)}` : `-H "${name}: ${variable}"`];
  });
  const shown = typeof data === "string" ? maskedText(data) : maskedJson(data);
  const body = data === undefined || data === null ? [] : [`-d ${quoted(shown)}`];
  const verb = method === "GET" ? [] : [method === "HEAD" ? "--head" : `-X ${method}`];
  return ["curl -sS", ...verb, quoted(maskedText(url)), ...headers, ...body].join(" ");
}
