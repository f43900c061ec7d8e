import type { FilePolicy } from "@sallyport/core";
import { type FileStoreFault, fileStoreFaults } from "@sallyport/testing/faults";
import { field, form, formOf, formType, octets, part, type Sender } from "./file-sender.ts";

export type User = "demo" | "reader" | "admin";
type Request = Parameters<Sender>;

export interface FileCase {
  readonly title: string;
  readonly code: number;
  /** Default: `demo`. */
  readonly as?: User;
  /** Limits during the request. */
  readonly limits?: Partial<FilePolicy>;
  /** A call of the file store that fails during the request. */
  readonly fault?: readonly ["create" | "write" | "read" | "freeBytes", FileStoreFault];
  readonly request: Request | ((f: Prepared) => Promise<Request>);
}

/** Values for the requests of cases. */
export interface Prepared {
  readonly demo: Sender;
  readonly admin: Sender;
  readonly begin: (send?: Sender) => Promise<string>;
  /** An upload of `abc`. */
  readonly upload: (send?: Sender) => Promise<string>;
  /** An upload of `abc` without its last byte. */
  readonly gap: () => Promise<string>;
  /** An upload that another request is writing. */
  readonly busy: () => Promise<string>;
  readonly store: (send?: Sender) => Promise<string>;
  /** A class that `demo` may read only. */
  readonly fixed: string;
}

const unknown = "/v1/uploadFile/00000000-0000-4000-8000-000000000000";
const once = "/v1/uploadFile";
const ten = "0123456789";

const posting = (title: string, code: number, body?: Buffer | string, more: Partial<FileCase> = {}): FileCase[] => [
  { title: `one request: ${title}`, code, request: ["POST", once, body, formType], ...more },
  {
    title: `a whole upload: ${title}`,
    code,
    request: async ({ begin }) => ["POST", await begin(), body, formType],
    ...more,
  },
];

const ranged = (range: string, body = ten): Request => ["PATCH", "", body, { ...octets, "content-range": range }];
const chunk = (title: string, code: number, range: string, body?: string): FileCase => ({
  title: `a chunk: ${title}`,
  code,
  request: async ({ begin }) => withPath(await begin(), ranged(range, body)),
});
const withPath = (path: string, [method, , ...rest]: Request): Request => [method, path, ...rest];

const named = (filename: string): FileCase[] =>
  posting(`the name ${JSON.stringify(filename).slice(0, 30)}`, 502, form("abc", { filename }));

const many = (count: number, each: Buffer) => Array.from({ length: count }, () => each);

/** Each code of the routes of files, and the requests that provoke it. */
export const fileCodeCases: readonly FileCase[] = [
  { title: "begin: no right", code: 404, as: "reader", request: ["GET", once] },
  {
    title: "begin: too many",
    code: 706,
    limits: { maxOpenUploads: 1 },
    request: async ({ begin }) => {
      await begin();
      return ["GET", once];
    },
  },
  {
    title: "begin: no capacity",
    code: 702,
    limits: { maxBytes: 1 },
    request: async ({ upload }) => {
      await upload();
      return ["GET", once];
    },
  },
  {
    title: "begin: the store cannot create",
    code: 700,
    fault: ["create", fileStoreFaults.notCreatable],
    request: ["GET", once],
  },
  { title: "begin: the store is gone", code: 709, fault: ["freeBytes", fileStoreFaults.gone], request: ["GET", once] },
  { title: "begin: a forbidden name", code: 502, request: ["GET", `${once}?name=a%2Fb`] },
  { title: "begin: a malformed media type", code: 307, request: ["GET", `${once}?mediaType=text`] },

  { title: "no id: bytes", code: 601, request: ["PATCH", once, ten, octets] },
  { title: "no id: nothing", code: 601, request: ["PATCH", once] },
  { title: "no id: cancel", code: 601, request: ["DELETE", once] },
  { title: "no id: another type", code: 207, request: ["PATCH", once, ten, { "content-type": "image/png" }] },

  ...(["GET", "PATCH", "DELETE"] as const).flatMap((method): FileCase[] => [
    { title: `${method}: a malformed id`, code: 602, request: [method, "/v1/uploadFile/7"] },
    { title: `${method}: an id of 300 characters`, code: 602, request: [method, `/v1/uploadFile/${"a".repeat(300)}`] },
    { title: `${method}: an unknown id`, code: 603, request: [method, unknown] },
    {
      title: `${method}: another user's id`,
      code: 603,
      request: async ({ upload, admin }) => [method, await upload(admin)],
    },
  ]),
  { title: "whole: a malformed id", code: 602, request: ["POST", "/v1/uploadFile/7", form(), formType] },
  { title: "whole: an unknown id", code: 603, request: ["POST", unknown, form(), formType] },
  {
    title: "whole: another user's id",
    code: 603,
    request: async ({ upload, admin }) => ["POST", await upload(admin), form(), formType],
  },
  {
    title: "chunk: another user's id",
    code: 603,
    request: async ({ upload, admin }) => withPath(await upload(admin), ranged("bytes 0-9/10")),
  },

  ...posting("no body", 300),
  ...posting("no parts", 500, formOf()),
  ...posting("an empty file", 501, form("")),
  ...posting("fields only", 500, formOf(field("a", "b"))),
  ...posting("two files", 503, formOf(part('name="a"; filename="a"'), part('name="b"; filename="b"'))),
  ...posting("10,000 files", 503, formOf(...many(10_000, part('name="a"; filename="a"')))),
  ...posting("10,000 fields", 307, formOf(...many(10_000, field("a", "b")), part('name="a"; filename="a"'))),
  ...posting("no end boundary", 699, form().subarray(0, -12)),
  ...posting(
    "1 MiB of part headers",
    699,
    formOf(part('name="f"; filename="a"', "abc", `X: ${"y".repeat(2 ** 20)}\r\n`)),
  ),
  ...posting("too large", 801, form("x".repeat(300)), { limits: { maxSize: 299 } }),
  ...posting("no capacity", 702, form("x".repeat(300)), { limits: { maxBytes: 1 } }),
  ...posting("a refused extension", 502, form("abc", { filename: "a.exe" }), {
    limits: { forbiddenExtensions: ["exe"] },
  }),
  ...posting("the disk is full while it is written", 702, form("x".repeat(300)), {
    fault: ["write", fileStoreFaults.fullAfter(100)],
  }),
  ...posting("the folder is removed while it is written", 709, form("x".repeat(300)), {
    fault: ["write", fileStoreFaults.goneAfter(100)],
  }),
  ...posting("the store is gone", 709, form(), { fault: ["freeBytes", fileStoreFaults.gone] }),
  { title: "one request: another type", code: 207, request: ["POST", once, ten, octets] },
  { title: "one request: no right", code: 404, as: "reader", request: ["POST", once, form(), formType] },
  {
    title: "one request: an unknown folder",
    code: 304,
    request: ["POST", once, formOf(field("path", "../../etc"), part('name="f"; filename="a"')), formType],
  },
  {
    title: "one request: a hostile field",
    code: 307,
    request: ["POST", once, formOf(field("x[4294967295]", "a"), part('name="f"; filename="a"')), formType],
  },
  ...["__proto__", ""].flatMap((name) =>
    posting(`the field ${name}`, 0, formOf(field(name, "a"), part('name="f"; filename="a"'))),
  ),
  {
    title: "one request: the serialization is not JSON",
    code: 308,
    request: ["POST", `${once}?serialization={`, form(), formType],
  },
  {
    title: "one request: the store cannot create",
    code: 700,
    fault: ["create", fileStoreFaults.notCreatable],
    request: ["POST", once, form(), formType],
  },
  { title: "whole: another type", code: 207, request: async ({ begin }) => ["POST", await begin(), ten, octets] },
  {
    title: "whole: it is being written",
    code: 606,
    request: async ({ busy }) => ["POST", await busy(), form(), formType],
  },

  ...["../a", "a/b", "a\\b", "..", ".", " ", "x".repeat(300), "ö".repeat(150)].flatMap((name) => named(name)),
  ...["CON", "con.txt", "aux", "LPT1.pdf", "a.", "gnp\u202eexe.txt", "a\u2066b"].flatMap((name) => named(name)),
  ...["a\0b", "a\r\nb", "a\u0001b", "a\u007fb"].flatMap((name) => named(name)),
  ...["%00", "%01", "%7F", "%0A", "%C2%85"].flatMap((character) =>
    posting(`the encoded name a${character}b`, 502, formOf(part(`name="f"; filename*=UTF-8''a${character}b`))),
  ),

  chunk("no range", 600, ""),
  chunk("another unit", 600, "items 0-9/10"),
  chunk("two ranges", 600, "bytes 0-4/10, 5-9/10"),
  chunk("a reversed range", 600, "bytes 9-0/10"),
  chunk("a negative range", 600, "bytes -9-0/10"),
  chunk("a range beyond the total", 600, "bytes 1-10/10"),
  chunk("a total of 2^53+1", 600, "bytes 0-9/9007199254740993"),
  chunk("an offset of 2^53+1", 600, "bytes 9007199254740993-9007199254741002/*"),
  chunk("a body shorter than its range", 600, "bytes 0-99/100"),
  chunk("a body longer than its range", 600, "bytes 0-4/10"),
  chunk("an enormous total", 801, "bytes 0-9/999999999999999"),
  { title: "chunk: a malformed id", code: 602, request: withPath("/v1/uploadFile/7", ranged("bytes 0-9/10")) },
  {
    title: "chunk: another type",
    code: 207,
    request: async ({ begin }) => ["PATCH", await begin(), {}, { "content-range": "bytes 0-1/2" }],
  },
  {
    title: "chunk: no bytes",
    code: 604,
    request: async ({ begin }) => ["PATCH", await begin(), undefined, { "content-range": "bytes 0-2/3" }],
  },
  {
    title: "chunk: another total than before",
    code: 600,
    request: async ({ gap }) => withPath(await gap(), ranged("bytes 3-12/13")),
  },
  {
    title: "chunk: other bytes than before",
    code: 600,
    request: async ({ gap }) => withPath(await gap(), ranged("bytes 0-2/4", "xyz")),
  },
  {
    title: "chunk: the bytes to compare with are gone",
    code: 707,
    fault: ["read", fileStoreFaults.unreadable],
    request: async ({ gap }) => withPath(await gap(), ranged("bytes 0-2/4", "abc")),
  },
  {
    title: "chunk: two files",
    code: 503,
    request: async ({ begin }) => [
      "PATCH",
      await begin(),
      formOf(part('name="a"; filename="a"'), part('name="b"; filename="b"')),
      { ...formType, "content-range": "bytes 0-2/3" },
    ],
  },
  {
    title: "chunk: no file",
    code: 500,
    request: async ({ begin }) => ["PATCH", await begin(), formOf(), { ...formType, "content-range": "bytes 0-2/3" }],
  },
  {
    title: "chunk: a forbidden name",
    code: 502,
    request: async ({ begin }) => [
      "PATCH",
      await begin(),
      form("abc", { filename: "CON" }),
      { ...formType, "content-range": "bytes 0-2/3" },
    ],
  },
  {
    title: "chunk: no capacity",
    code: 702,
    limits: { maxBytes: 1 },
    request: async ({ begin }) => withPath(await begin(), ranged("bytes 0-9/10")),
  },
  {
    title: "chunk: the disk is full",
    code: 702,
    fault: ["write", fileStoreFaults.full],
    request: async ({ begin }) => withPath(await begin(), ranged("bytes 0-9/10")),
  },
  {
    title: "chunk: the store is gone",
    code: 709,
    fault: ["write", fileStoreFaults.gone],
    request: async ({ begin }) => withPath(await begin(), ranged("bytes 0-9/10")),
  },
  {
    title: "chunk: the upload is being written",
    code: 606,
    request: async ({ busy }) => withPath(await busy(), ranged("bytes 0-9/10")),
  },

  { title: "finish: nothing uploaded", code: 604, request: async ({ begin }) => ["PATCH", await begin()] },
  { title: "finish: a gap", code: 600, request: async ({ gap }) => ["PATCH", await gap()] },
  { title: "finish: the upload is being written", code: 606, request: async ({ busy }) => ["PATCH", await busy()] },
  {
    title: "finish: the name is not accepted any more",
    code: 502,
    limits: { allowedExtensions: ["txt"] },
    request: async ({ begin, demo }) => {
      const path = await begin();
      await demo("PATCH", path, ten, { ...octets, "content-range": "bytes 0-9/10" });
      return ["PATCH", path];
    },
  },
  { title: "finish: an empty name", code: 502, request: async ({ upload }) => ["PATCH", `${await upload()}?name=`] },
  {
    title: "finish: a malformed media type",
    code: 307,
    request: async ({ upload }) => ["PATCH", `${await upload()}?mediaType=`],
  },
  {
    title: "finish: no right to create",
    code: 404,
    request: async ({ upload, fixed }) => ["PATCH", `${await upload()}?className=${fixed}`],
  },
  {
    title: "finish: the serialization is not JSON",
    code: 308,
    request: async ({ upload }) => ["PATCH", `${await upload()}?serialization={`],
  },
  {
    title: "finish: an unknown member of the serialization",
    code: 307,
    request: async ({ upload }) => ["PATCH", `${await upload()}?serialization={"x":1}`],
  },
  {
    title: "replace: a class",
    code: 307,
    request: async ({ upload }) => ["PATCH", `${await upload()}?replaceOID=File`],
  },
  {
    title: "replace: an unknown object",
    code: 304,
    request: async ({ upload }) => ["PATCH", `${await upload()}?replaceOID=ZZZZZZ`],
  },
  {
    title: "replace: an object of a class without bytes",
    code: 304,
    request: async ({ upload, demo }) => {
      const { data } = await demo("POST", "/v1/object/Customer", { Name: "Ada" });
      return ["PATCH", `${await upload()}?replaceOID=${data["~ObjectID"]}`];
    },
  },
  {
    title: "replace: an invisible object",
    code: 304,
    request: async ({ upload, admin }) => {
      const { data } = await admin("POST", "/v1/uploadFile?className=Image", form(), formType);
      return ["PATCH", `${await upload()}?replaceOID=${data["~ObjectID"]}`];
    },
  },
  {
    title: "replace: no right to write",
    code: 404,
    request: async ({ upload, admin, fixed }) => {
      const { data } = await admin("POST", `/v1/uploadFile?className=${fixed}`, form(), formType);
      return ["PATCH", `${await upload()}?replaceOID=${data["~ObjectID"]}`];
    },
  },
  ...["", "?moveToRecycler=true"].map(
    (query): FileCase => ({
      title: `replace: a deleted object ${query}`,
      code: 610,
      request: async ({ upload, store, demo }) => {
        const id = await store();
        await demo("DELETE", `/v1/object/${id}${query}`);
        return ["PATCH", `${await upload()}?replaceOID=${id}`];
      },
    }),
  ),
  {
    title: "replace: another version",
    code: 713,
    request: async ({ upload, store }) => [
      "PATCH",
      `${await upload()}?replaceOID=${await store()}`,
      undefined,
      { "if-match": '"2"' },
    ],
  },
  {
    title: "replace: a lock of another session",
    code: 713,
    request: async ({ upload, store, admin }) => {
      const id = await store();
      await admin("POST", `/v1/lock/object/${id}`);
      return ["PATCH", `${await upload()}?replaceOID=${id}`];
    },
  },
  { title: "cancel: the upload is being written", code: 605, request: async ({ busy }) => ["DELETE", await busy()] },

  { title: "download: an unknown object", code: 304, request: ["GET", "/v1/file/ZZZZZZ"] },
  { title: "download: a class", code: 304, request: ["GET", "/v1/file/File"] },
  { title: "download: an unknown UUID", code: 304, request: ["GET", unknown.replace("uploadFile", "file")] },
  {
    title: "download: a deleted object",
    code: 609,
    request: async ({ store, demo }) => {
      const id = await store();
      await demo("DELETE", `/v1/object/${id}`);
      return ["GET", `/v1/file/${id}`];
    },
  },
  {
    title: "download: a range beyond the end",
    code: 600,
    request: async ({ store }) => ["GET", `/v1/file/${await store()}`, undefined, { range: "bytes=3-" }],
  },
  {
    title: "download: the bytes are gone",
    code: 707,
    fault: ["read", fileStoreFaults.unreadable],
    request: async ({ store }) => ["GET", `/v1/file/${await store()}`],
  },
];
