import { expect } from "../../matchers/expect.ts";
import type { Case } from "./case.ts";

const pack = (text: string) => Buffer.from(text).toString("base64url");

const nowhere = (path: string): Case => ({
  title: `finds no route at ${path.slice(0, 40)}`,
  path,
  expect: { code: 304 },
});

/** Paths and methods, with known variations by clients. */
export const transportCases: readonly Case[] = [
  ...[
    "/",
    "/v1",
    "/v1/",
    "/v3/login",
    "/v1/nothing",
    "/v1/login/more",
    "/V1/login",
    "/v1/Login",
    "/unknown/v1/login",
    "/SECOND/_CheckService",
    "/second",
    "/second/",
    "/second/second/_CheckService",
    "/v2/objects/Customer",
    "/__proto__/v1/login",
    "/constructor/_CheckService",
    "/v1/object%2FCustomer",
    "/v1/objects/..%2fCustomer",
    "/v1/objects;x=1/Customer",
    "/v1/%zz",
    "/v1/objects/%00",
    "/index.html",
    "/.env",
    "/v1/objects/Customer/extra",
    `/${"x".repeat(2_000)}`,
  ].map(nowhere),
  {
    title: "finds no route at an unknown path, with a session",
    as: "demo",
    path: "/v1/nothing",
    expect: { code: 304, beforeSession: true },
  },

  { title: "tolerates doubled slashes", path: "//_CheckService//", expect: { code: 0 } },
  { title: "tolerates a bare question mark", path: "/_CheckService?", expect: { code: 0 } },
  {
    title: "ignores unknown query parameters",
    as: "demo",
    path: "/v1/objects/Customer?perPage=1&x=y",
    expect: { code: 0 },
  },
  {
    title: "ignores unknown query parameters with two values",
    as: "demo",
    path: `/v1/objects/Customer?perPage=1&x=y&x=z&qb64=${pack("x=1&toString=2&toString=3")}`,
    expect: { code: 0 },
  },
  {
    title: "refuses two values of a known parameter, packed or not",
    as: "demo",
    path: `/v1/objects/Customer?perPage=1&qb64=${pack("perPage=2")}`,
    expect: { code: 307 },
  },
  {
    title: "unpacks query parameters",
    as: "demo",
    path: `/v1/objects/Customer?qb64=${pack("perPage=3&page=1")}`,
    expect: { code: 0, data: (data) => expect(data["~Elements"]).toHaveLength(3) },
  },
  {
    title: "refuses a packed parameter that is not packed",
    as: "demo",
    path: "/v1/objects/Customer?qb64=*",
    expect: { code: 307 },
  },
  {
    title: "refuses a parameter with two values",
    as: "demo",
    path: "/v1/objects/Customer?page=0&page=1",
    expect: { code: 307 },
  },
  ...[
    "/v1/objects/Customer?query=%7B%22where%22%3A%7B%22Name%22%3A%22%ff%22%7D%7D",
    "/v1/objects/Customer?x=%C3%28",
  ].map(
    (path): Case => ({ title: `refuses bytes that are not UTF-8 in ${path}`, as: "demo", path, expect: { code: 307 } }),
  ),
  {
    title: "refuses packed bytes that are not UTF-8",
    as: "demo",
    path: `/v1/objects/Customer?qb64=${Buffer.from([0x78, 0x3d, 0xff]).toString("base64url")}`,
    expect: { code: 307 },
  },
  {
    title: "refuses bytes that are not UTF-8 in the query string of a route without parameters",
    path: "/_CheckService?x=%ff",
    expect: { code: 307 },
  },
  { title: "finds no route at bytes that are not UTF-8", path: "/v1/objects/%ff", expect: { code: 304 } },
  {
    title: "reads a percent sign that encodes nothing as itself",
    path: "/_CheckService?x=100%&y=%zz",
    expect: { code: 0 },
  },
  {
    title: "reads plus signs as blanks",
    as: "demo",
    path: "/v1/objects/Customer?query=+%7B+%7D+",
    expect: { code: 0 },
  },

  ...["PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "POST"].map(
    (method): Case => ({
      title: `refuses ${method} on a GET route`,
      method,
      path: "/_CheckSession",
      headers: { appkey: null },
      expect: { code: 305, headers: { allow: "GET" } },
    }),
  ),
  { title: "refuses GET on a POST route", path: "/v1/login", expect: { code: 305, headers: { allow: "POST" } } },
  {
    title: "does not let a header change the method",
    method: "POST",
    path: "/_CheckService",
    headers: { "x-http-method-override": "GET" },
    expect: { code: 305 },
  },
  { title: "checks the path before the method", method: "DELETE", path: "/v1/nothing", expect: { code: 304 } },
  {
    title: "checks the method before the app key",
    method: "DELETE",
    path: "/v1/login",
    headers: { appkey: null },
    expect: { code: 305 },
  },
  {
    title: "refuses a preflight from an unlisted origin",
    method: "OPTIONS",
    path: "/v1/login",
    headers: { appkey: null, origin: "https://evil.example", "access-control-request-method": "POST" },
    expect: { code: 305 },
  },
  {
    title: "refuses an address that is too long for HTTP",
    path: `/_CheckService?${"x".repeat(20_000)}`,
    expect: { code: 699, headers: { connection: "close" } },
  },
  {
    title: "repeats a valid request id",
    path: "/_CheckService",
    headers: { "x-request-id": "client-7.b_c" },
    expect: { code: 0, headers: { "x-request-id": "client-7.b_c" } },
  },
  {
    title: "replaces an invalid request id",
    path: "/_CheckService",
    headers: { "x-request-id": "a b {}" },
    expect: { code: 0, headers: { "x-request-id": /^[0-9a-f-]{36}$/ } },
  },
];
