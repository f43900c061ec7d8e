import { expect } from "../../matchers/expect.ts";
import { rawRequest } from "../requests/raw-request.ts";

const head = (line: string, ...headers: string[]) => [line, "Host: localhost", ...headers, "", ""].join("\r\n");
const good = ["appkey: demo-app-key"];
const logInBody = JSON.stringify({ user: "demo", pass: "demo", appNames: "demo-app" });
const post = (body: string, ...headers: string[]) =>
  head(
    "POST /v1/login HTTP/1.1",
    ...good,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ) + body;
const repeated = (name: string, ...values: string[]) => values.map((value) => `${name}: ${value}`);
const chunked = (chunks: string, ...headers: string[]) =>
  head("POST /v1/login HTTP/1.1", ...good, "Content-Type: application/json", "Transfer-Encoding: chunked", ...headers) +
  chunks;
const coded = (...headers: string[]) =>
  `${head("POST /v1/login HTTP/1.1", ...good, "Content-Type: application/json", ...headers)}0\r\n\r\n`;
const check = (...headers: string[]) => head("GET /_CheckSession HTTP/1.1", ...headers);
const id = (character: string) => character.repeat(43);

const logOut = (sessionId: string) =>
  head("POST /v1/logout HTTP/1.1", ...good, `sessionId: ${sessionId}`, "Content-Length: 0");

/** A request that no client library would send, with the expected status and code. */
export interface RawCase {
  readonly title: string;
  readonly bytes: string | Buffer;
  readonly status: number;
  readonly code: number;
}

const requests: readonly (readonly [title: string, bytes: string | Buffer, status: number, code: number])[] = [
  ["an empty request line", "\r\n\r\n \r\n\r\n", 400, 699],
  ["rubbish", "rubbish\r\n\r\n", 400, 699],
  ["bytes that are not text", Buffer.from([0x16, 0x03, 0x01, 0x00, 0x00, 0xff, 0x0d, 0x0a, 0x0d, 0x0a]), 400, 699],
  ["an unknown method", head("BREW /v1/login HTTP/1.1"), 400, 699],
  ["an unknown version", head("GET /_CheckService HTTP/9.9"), 400, 699],
  ["a header without a colon", head("GET /_CheckService HTTP/1.1", "broken"), 400, 699],
  ["a header with a zero byte", head("GET /_CheckService HTTP/1.1", "x: a\0b"), 400, 699],
  ["headers of 64 KiB", head("GET /_CheckService HTTP/1.1", `x: ${"y".repeat(65_536)}`), 400, 699],
  ["two lengths", head("POST /v1/login HTTP/1.1", "Content-Length: 1", "Content-Length: 2"), 400, 699],
  ["a length that is not a number", head("POST /v1/login HTTP/1.1", "Content-Length: x"), 400, 699],
  ["a length and chunks", head("POST /v1/login HTTP/1.1", "Content-Length: 1", "Transfer-Encoding: chunked"), 400, 699],
  ["chunks and a length", head("POST /v1/login HTTP/1.1", "Transfer-Encoding: chunked", "Content-Length: 1"), 400, 699],
  ["the same length twice", head("POST /v1/login HTTP/1.1", "Content-Length: 2", "Content-Length: 2"), 400, 699],
  ["a list of lengths", head("POST /v1/login HTTP/1.1", "Content-Length: 2, 2"), 400, 699],
  ["a length with a sign", head("POST /v1/login HTTP/1.1", "Content-Length: +2"), 400, 699],
  [
    "a length beyond any number type",
    head("POST /v1/login HTTP/1.1", "Content-Length: 99999999999999999999999"),
    400,
    699,
  ],
  ["a blank before the colon", head("POST /v1/login HTTP/1.1", "Transfer-Encoding : chunked"), 400, 699],
  ["a duplicate transfer coding", coded("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"), 400, 699],
  ["an unknown transfer coding", coded("Transfer-Encoding: xchunked"), 400, 699],
  ["a transfer coding after the chunks", coded("Transfer-Encoding: chunked, identity"), 400, 699],
  ["a transfer coding before the chunks", coded("Transfer-Encoding: gzip, chunked"), 400, 699],
  ["chunks in HTTP/1.0", coded("Transfer-Encoding: chunked").replace("HTTP/1.1", "HTTP/1.0"), 400, 699],
  ["a folded header", head("GET /_CheckService HTTP/1.1", "x: a", " b"), 400, 699],
  ["a header with a carriage return", head("GET /_CheckService HTTP/1.1", "x: a\rb"), 400, 699],
  ["bare line feeds", "GET /_CheckService HTTP/1.1\nHost: localhost\n\n", 400, 699],
  ["no host", "GET /_CheckService HTTP/1.1\r\n\r\n", 400, 699],
  ["no host, on an operations route", "GET /healthz HTTP/1.1\r\n\r\n", 400, 699],
  ["two hosts", head("GET /_CheckService HTTP/1.1", "Host: localhost"), 400, 699],
  ["no host in HTTP/1.0", "GET /_CheckService HTTP/1.0\r\n\r\n", 200, 0],
  ["no version", "GET /_CheckService\r\n\r\n", 400, 699],
  ["HTTP/2.0", head("GET /_CheckService HTTP/2.0"), 400, 699],
  ["the HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, 699],
  ["an unknown expectation", post(logInBody, "Expect: something-else"), 400, 699],
  ["an expectation among others", post(logInBody, "Expect: something-else, 100-continue"), 400, 699],
  ["a tunnel", head("CONNECT localhost:443 HTTP/1.1"), 400, 699],
  [
    "an upgrade to another protocol",
    head("GET /_CheckService HTTP/1.1", "Connection: Upgrade", "Upgrade: websocket"),
    200,
    0,
  ],
  ["an address of 15 KB", head(`GET /${"x".repeat(15_000)} HTTP/1.1`), 404, 304],
  ["an address of 20 KB", head(`GET /${"x".repeat(20_000)} HTTP/1.1`), 400, 699],
  ["3,000 headers", head("GET /_CheckService HTTP/1.1", ...Array<string>(3_000).fill("x:")), 200, 0],
  [
    "two app keys, one after 3,000 headers",
    check(...good, ...Array<string>(3_000).fill("x:"), "appkey: other"),
    401,
    101,
  ],
  ["a chunk size that is not a number", chunked("zz\r\n"), 400, 699],
  ["a chunk size with a sign", chunked("-1\r\n{}\r\n0\r\n\r\n"), 400, 699],
  ["a chunk size beyond any number type", chunked("FFFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n"), 400, 699],
  ["a chunk longer than its size", chunked("1\r\n{}\r\n0\r\n\r\n"), 400, 699],
  ["a chunk with an extension", chunked("2;a=b\r\n{}\r\n0\r\n\r\n"), 400, 301],
  ["a chunk with an extension of 20 KB", chunked(`2;${"x".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`), 400, 699],
  ["a trailer of 20 KB", chunked(`2\r\n{}\r\n0\r\nx: ${"y".repeat(20_000)}\r\n\r\n`), 400, 699],
  ["an app key in the trailer", chunked("2\r\n{}\r\n0\r\nappkey: other\r\n\r\n"), 400, 301],
  ["a path with dot segments", head("GET /v1/../_CheckService HTTP/1.1"), 404, 304],
  ["a path with encoded dot segments", head("GET /v1/%2e%2e/_CheckService HTTP/1.1"), 404, 304],
  ["a path with a backslash", head("GET /v1\\login HTTP/1.1"), 404, 304],
  ["OPTIONS for the whole server", head("OPTIONS * HTTP/1.1"), 404, 304],
  ["the absolute form of a path", head("GET http://localhost/_CheckService HTTP/1.1"), 200, 0],
  ["the absolute form without a path", head("GET http://localhost HTTP/1.1"), 404, 304],
  ["a bare question mark", head("GET /_CheckService? HTTP/1.1"), 200, 0],
  ["a duplicate app key", check(...repeated("appkey", "demo-app-key", "demo-app-key")), 400, 200],
  ["two app keys", check(...repeated("appkey", "demo-app-key", "other")), 401, 101],
  ["two sessions", check(...good, ...repeated("sessionid", id("A"), id("B"))), 401, 201],
  ["two tokens", check(...good, ...repeated("secure-token", "a", "b")), 401, 203],
  ["two authorizations", check(...good, ...repeated("authorization", "a", "b")), 401, 203],
  [
    "a body that is not UTF-8",
    Buffer.concat([
      Buffer.from(head("POST /v1/login HTTP/1.1", ...good, "Content-Type: application/json", "Content-Length: 8")),
      Buffer.from('{"a":"\xff"}', "latin1").subarray(0, 8),
    ]),
    400,
    311,
  ],
  [
    "a body in chunks",
    `${head("POST /v1/login HTTP/1.1", ...good, "Content-Type: application/json", "Transfer-Encoding: chunked")}2\r\n{}\r\n0\r\n\r\n`,
    400,
    301,
  ],
  ["a complete log-in", post(logInBody), 200, 0],
  ["a complete log-in with Expect: 100-continue", post(logInBody, "Expect: 100-continue"), 200, 0],
];

export const rawCases: readonly RawCase[] = requests.map(([title, bytes, status, code]) => ({
  title,
  bytes,
  status,
  code,
}));

const everyAnswer = [
  /^content-type: application\/json; charset=utf-8$/im,
  /^cache-control: no-store$/im,
  /^content-security-policy: default-src 'none'; frame-ancestors 'none'$/im,
  /^referrer-policy: no-referrer$/im,
  /^x-content-type-options: nosniff$/im,
  /^x-request-id: [\w.-]{1,64}$/im,
];

/** Sends the bytes, compares the answer, and checks that the server still serves. */
export async function checkRaw(url: string, { bytes, status, code }: RawCase): Promise<void> {
  const answer = await rawRequest(url, bytes);
  // An answer to `Expect` comes in two parts.
  const body = answer.status === 100 ? answer.body.slice(answer.body.indexOf("\r\n\r\n") + 4) : answer.body;
  const final = answer.status === 100 ? Number(/HTTP\/1\.1 (\d{3})/.exec(answer.body)?.[1]) : answer.status;
  expect(final).toBe(status);
  const { status: envelopeStatus, data } = JSON.parse(body);
  expect(envelopeStatus.internalStatus).toBe(String(code));
  const headers = answer.status === 100 ? answer.body : answer.headers;
  for (const line of everyAnswer) expect(headers).toMatch(line);
  if (code === 699) expect(headers).toMatch(/^connection: close$/im);
  if (data?.sessionId !== undefined) await rawRequest(url, logOut(data.sessionId));

  const next = await rawRequest(url, head("GET /_CheckService HTTP/1.1"));
  expect(next.status).toBe(200);
}
