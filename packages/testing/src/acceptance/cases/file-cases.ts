import type { LogInMode } from "@sallyport/client";
import type { Case } from "./case.ts";

/** In a secure session these bodies would be ciphertext; `packages/http/test/files.test.ts` has them. */
const inClear: readonly LogInMode[] = ["session", "token", "encrypted"];

const boundary = "cases";
const formType = { "content-type": `multipart/form-data; boundary=${boundary}` };
const octets = { "content-type": "application/octet-stream" };

const part = (disposition: string, body = "abc") =>
  `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: text/plain\r\n\r\n${body}\r\n`;
const field = (name: string, value: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const form = (...parts: readonly string[]) => `${parts.join("")}--${boundary}--\r\n`;
const file = (name = "a.txt", body = "abc") => part(`name="file"; filename="${name}"`, body);

const unknown = "/v1/uploadFile/00000000-0000-4000-8000-000000000000";

const posting = (title: string, body: string | undefined, code: number, headers: object = formType): Case => ({
  title: `one request: ${title}`,
  as: "admin",
  modes: inClear,
  method: "POST",
  path: "/v1/uploadFile",
  headers: { ...headers },
  body,
  expect: { code },
  ...(code === 0 ? { undo: (data) => `/v1/object/${data["~ObjectID"]}` } : {}),
});

/** Uploads and downloads without preparation. */
export const fileCases: readonly Case[] = [
  posting("stores a file", form(field("path", "/"), file("one.txt")), 0),
  posting("has no body", undefined, 300),
  posting("has no body and no type", undefined, 207, {}),
  posting("has bytes that are not a form", "abc", 207, octets),
  posting("has no boundary", form(file()), 207, { "content-type": "multipart/form-data" }),
  posting("has no parts", form(), 500),
  posting("has fields only", form(field("a", "b")), 500),
  posting("has an empty file", form(file("a.txt", "")), 501),
  posting("has a separator in the name", form(file("a/b.txt")), 502),
  posting("has a parent folder as a name", form(file("..")), 502),
  posting("has two files", form(file(), file("b.txt")), 503),
  posting("has 10,000 parts", form(file(), ...Array.from({ length: 10_000 }, () => file())), 503),
  posting("has 10,000 fields", form(...Array.from({ length: 10_000 }, () => field("a", "b")), file()), 307),
  posting("has a nested field", form(field("x[4294967295]", "a"), file()), 307),
  posting("has a repeated field", form(field("path", "/"), file(), field("path", "/")), 307),
  posting("has a file without a field name", form(part('name=""; filename="unnamed.txt"')), 0),
  posting("has a control character in the name", form(file("a\u0001b.txt")), 502),
  posting("has a field __proto__", form(field("__proto__", "a"), file("proto.txt")), 0),
  posting("has an unknown folder", form(field("path", "/reports"), file()), 304),
  posting("has a folder outside of the root", form(field("path", "../../etc"), file()), 304),
  posting("names the folder after the file", form(file(), field("path", "/reports")), 304),
  { ...posting("has a class without bytes", form(file()), 304), path: "/v1/uploadFile?className=Customer" },
  posting("has no end boundary", file(), 699),
  posting("has 1 MiB of part headers", form(part(`name="f"; filename="a"; x="${"y".repeat(1_048_576)}"`)), 699),

  {
    title: "begins an upload",
    as: "admin",
    path: "/v1/uploadFile",
    expect: { code: 0 },
    undo: ({ uploadId }) => `/v1/uploadFile/${uploadId}`,
  },
  {
    title: "begins no upload for users that can only read files",
    as: "reader",
    path: "/v1/uploadFile",
    expect: { code: 404 },
  },
  {
    title: "refuses a chunk without an id",
    as: "admin",
    method: "PATCH",
    path: "/v1/uploadFile",
    expect: { code: 601 },
  },
  {
    title: "cancels nothing without an id",
    as: "admin",
    method: "DELETE",
    path: "/v1/uploadFile",
    expect: { code: 601 },
  },
  {
    title: "begins no upload under a name with a separator",
    as: "admin",
    path: "/v1/uploadFile?name=a%2Fb",
    expect: { code: 502 },
  },
  { title: "refuses an id that is not a UUID", as: "admin", path: "/v1/uploadFile/7", expect: { code: 602 } },
  { title: "does not know the state of an unknown upload", as: "admin", path: unknown, expect: { code: 603 } },
  { title: "finishes no unknown upload", as: "admin", method: "PATCH", path: unknown, expect: { code: 603 } },
  { title: "cancels no unknown upload", as: "admin", method: "DELETE", path: unknown, expect: { code: 603 } },
  {
    title: "refuses bytes for an unknown upload",
    as: "admin",
    modes: inClear,
    method: "POST",
    path: unknown,
    headers: formType,
    body: form(part('name=""; filename="a.txt"')),
    expect: { code: 603 },
  },
  {
    title: "refuses a range without bytes",
    as: "admin",
    method: "PATCH",
    path: unknown,
    headers: { "content-range": "bytes 0-2/3" },
    expect: { code: 604 },
  },
  ...["bytes 0-2", "bytes a-b/c", "lines 0-2/3"].map(
    (range): Case => ({
      title: `refuses the range ${range}`,
      as: "admin",
      modes: inClear,
      method: "PATCH",
      path: unknown,
      headers: { ...octets, "content-range": range },
      body: "abc",
      expect: { code: 600 },
    }),
  ),
  {
    title: "refuses bytes without a range",
    as: "admin",
    modes: inClear,
    method: "PATCH",
    path: unknown,
    headers: octets,
    body: "abc",
    expect: { code: 600 },
  },
  {
    title: "refuses a chunk in JSON",
    as: "admin",
    modes: inClear,
    method: "PATCH",
    path: unknown,
    body: {},
    expect: { code: 207 },
  },
  {
    title: "refuses to replace what is not an id",
    as: "admin",
    method: "PATCH",
    path: `${unknown}?replaceOID=File`,
    expect: { code: 307 },
  },

  { title: "downloads no unknown object", as: "admin", path: "/v1/file/ZZZZZZZ", expect: { code: 304 } },
  { title: "downloads no class", as: "admin", path: "/v1/file/File", expect: { code: 304 } },
  {
    title: "downloads no object of another class",
    as: "admin",
    path: ({ customerId }) => `/v1/file/${customerId}`,
    expect: { code: 304 },
  },
  {
    title: "links to no unknown object",
    as: "admin",
    modes: inClear,
    method: "POST",
    path: "/v1/file/ZZZZZZZ/link",
    expect: { code: 304 },
  },
  {
    title: "links to no file for longer than an hour",
    as: "admin",
    modes: inClear,
    method: "POST",
    path: "/v1/file/ZZZZZZZ/link",
    body: { expiresIn: 3_601 },
    expect: { code: 307 },
  },
  {
    title: "gives nothing for a forged link",
    path: `/v1/link/${"a".repeat(43)}.${"a".repeat(99)}`,
    expect: { code: 304 },
  },
];
