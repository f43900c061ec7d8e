import { randomBytes } from "node:crypto";
import {
  use,
  send,
  boundary,
  formType,
  part,
  field,
  form,
  file,
  whole,
  found,
  useFileServer,
  stateOf,
} from "./file-fixture.ts";

useFileServer();

describe("uploads", () => {
  test("begin, show their state, and end without a body", async () => {
    expect((await send("GET", "/v1/uploadFile")).data).toEqual({ ...stateOf(0), expiresAt: "time 1" });
    expect((await send("GET", whole)).data).toMatchObject({ size: 7 });
    expect((await send("DELETE", whole)).data).toEqual({});
    const finished = await send("PATCH", `${whole}?replaceOID=1AB`, undefined, { "content-type": "application/json" });
    expect(finished.data).toMatchObject({ replace: { kind: "id", id: "1AB" }, expectedVersions: null });
    expect(finished.headers.get("etag")).toBe('"3"');
    expect((await send("PATCH", `${whole}?replaceOID=File`)).code).toBe("307");
    const named = await send("PATCH", `${whole}?name=a%2Fb.txt&mediaType=text/plain`);
    expect(named.data).toMatchObject({ description: { name: "a/b.txt", mediaType: "text/plain" } });
    for (const method of ["PATCH", "DELETE"]) expect((await send(method, "/v1/uploadFile")).code).toBe("601");
    expect((await send("PATCH", "/v1/uploadFile", "a", { "content-type": "application/octet-stream" })).code).toBe(
      "601",
    );
  });

  test("leave out the hash on request", async () => {
    const chunk = { "content-range": "bytes 0-2/3", "content-type": "application/octet-stream" };
    const answers = async (query: string) => [
      await send("GET", whole + query),
      await send("PATCH", whole + query, "abc", chunk),
      await send("POST", whole + query, form(file()), formType),
    ];
    const has = async (query: string) => (await answers(query)).map(({ data }) => "hash" in data);
    expect(await has("?hash=false")).toEqual([false, false, false]);
    expect(await has("?hash=true")).toEqual([true, true, true]);
    expect((await send("GET", `${whole}?hash=no`)).code).toBe("307");
  });

  test.each([
    ["an empty field name", part('name=""; filename="a.txt"')],
    ["no field name", part('filename="a.txt"')],
    ["a field name", file()],
  ])("take a form with %s", async (_title, body) => {
    for (const path of [whole, "/v1/uploadFile"]) {
      use.received = null;
      expect((await send("POST", path, form(field("", "x"), body), formType)).code).toBe("0");
      expect(use.received).toMatchObject({
        range: null,
        name: "a.txt",
        mediaType: "text/plain",
        bytes: Buffer.from("abc"),
      });
    }
  });

  test.each([
    ["UTF-8", 'filename="größe ☃.txt"', "größe ☃.txt"],
    ["escapes of forms", 'filename="a%22b%0D%0Ac%41.txt"', 'a"b\r\nc%41.txt'],
    ["RFC 5987", "filename*=UTF-8''gr%C3%B6%C3%9Fe.txt", "größe.txt"],
    ["folders", 'filename="../a/b.txt"', "../a/b.txt"],
    ["none", "x=y", null],
  ])("pass the file name on: %s", async (_title, filename, name) => {
    const body = form(part(`name="f"; ${filename}`, "abc", "Content-Type: application/octet-stream\r\n"));
    await send("POST", whole, body, formType);
    expect(use.received?.name).toBe(name);
    if (name === null) return;
    expect((await send("POST", "/v1/uploadFile", body, formType)).code).toBe("0");
    expect(use.received?.name).toBe(name);
  });

  test.each([
    ["bytes 0-2/3", { first: 0, last: 2, total: 3 }],
    ["bytes  3-5/*", { first: 3, last: 5, total: null }],
    ["Bytes 9-1/2", { first: 9, last: 1, total: 2 }],
  ])("take a chunk with %s", async (header, range) => {
    const headers = { "content-range": header, "content-type": "application/octet-stream" };
    expect((await send("PATCH", whole, "abc", headers)).code).toBe("0");
    expect(use.received).toMatchObject({ range, name: null, mediaType: null, bytes: Buffer.from("abc") });
    await send("PATCH", whole, form(file("xyz")), { ...headers, ...formType });
    expect(use.received).toMatchObject({ range, name: "a.txt", bytes: Buffer.from("xyz") });
  });

  test.each([
    "",
    "bytes",
    "bytes a-b/3",
    "bytes 0-2",
    "bytes */3",
    "items 0-2/3",
    "bytes -1-2/3",
    "bytes 0-2/3, bytes 0-2/3",
  ])("refuse the range %j", async (header) => {
    const headers = { "content-range": header, "content-type": "application/octet-stream" };
    const answer = await send("PATCH", whole, "abc", headers);
    expect([answer.status, answer.code]).toEqual([416, "600"]);
  });

  test("refuse a range without bytes", async () => {
    expect((await send("PATCH", whole, undefined, { "content-range": "bytes 0-2/3" })).code).toBe("604");
  });

  test.each([
    ["no body", undefined, formType, "300"],
    ["no body and no type", undefined, {}, "207"],
    ["JSON", "{}", { "content-type": "application/json" }, "207"],
    ["bytes", "abc", { "content-type": "application/octet-stream" }, "207"],
    ["no boundary", "abc", { "content-type": "multipart/form-data" }, "207"],
    ["a long boundary", "abc", { "content-type": `multipart/form-data; boundary=${"x".repeat(71)}` }, "207"],
    ["another multipart type", form(file()), { "content-type": `multipart/mixed; boundary=${boundary}` }, "207"],
    ["compressed bytes", form(file()), { ...formType, "content-encoding": "gzip" }, "207"],
    ["a form without parts", form(), formType, "500"],
    ["a form with fields only", form(field("a", "b")), formType, "500"],
    ["two files", form(file(), file()), formType, "503"],
    ["10,000 files", form(...Array.from({ length: 10_000 }, () => file())), formType, "503"],
    ["10,000 fields", form(...Array.from({ length: 10_000 }, () => field("a", "b")), file()), formType, "307"],
    [
      "10,000 fields after the file",
      form(file(), ...Array.from({ length: 10_000 }, () => field("a", "b"))),
      formType,
      "307",
    ],
    ["no end boundary", file(), formType, "699"],
    ["no boundary in the body", "abc", formType, "699"],
    ["nothing but preamble", Buffer.alloc(2_000_000), formType, "699"],
    ["a truncated part", file().subarray(0, 40), formType, "699"],
    [
      "1 MiB of part headers",
      form(part('name="f"; filename="a"', "abc", `X: ${"y".repeat(1024 * 1024)}\r\n`)),
      formType,
      "699",
    ],
    ["a part header that is none", form(part('name="f"; filename="a"', "abc", "\u0000\r\n")), formType, "699"],
  ])("refuse %s", async (_title, body, headers, code) => {
    const answers = [await send("POST", whole, body, headers), await send("POST", "/v1/uploadFile", body, headers)];
    expect(answers.map((answer) => answer.code)).toEqual([code, code]);
    expect(use.received).toBeNull();
  });

  test.each(["x[4294967295]", "x[a][b]"])("of one request refuse the field %s", async (name) => {
    expect((await send("POST", "/v1/uploadFile", form(field(name, "1"), file()), formType)).code).toBe("307");
    expect((await send("POST", whole, form(field(name, "1"), file()), formType)).code).toBe("0");
  });

  test.each([
    ["a long value", [field("a", "x".repeat(4_097)), file()]],
    ["two values", [field("a", "b"), file(), field("a", "b")]],
  ])("refuse a field with %s", async (_title, parts) => {
    for (const path of [whole, "/v1/uploadFile"])
      expect((await send("POST", path, form(...parts), formType)).code).toBe("307");
  });

  test("of one request take fields before and after the file, also hostile ones", async () => {
    const body = form(field("path", "/a"), field("__proto__", "x"), file(), field("constructor", "y"));
    expect(await send("POST", "/v1/uploadFile", body, formType)).toMatchObject({ code: "0", data: found.object });
    expect(use.received?.fields["path"]).toBe("/a");
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  test.each([
    ["\0", "a\0b"],
    ["DEL", "a\u007fb"],
    ["a line break", "a\r\nb"],
    ["a line break at its end", "a.txt\n"],
    ["an escaped quote before", 'a\\"\u0001b'],
  ])("refuse a name with %s in a part header", async (_title, name) => {
    const body = form(field("a", "b"), part(`name="f"; filename="${name}"`));
    for (const path of [whole, "/v1/uploadFile"]) {
      expect((await send("POST", path, body, formType)).code).toBe("502");
      expect((await send("POST", path, form(part(`name="f"; filename=a\0b`)), formType)).code).toBe("502");
    }
  });

  test("pass large files on, byte by byte", async () => {
    const bytes = randomBytes(5_000_000);
    for (const path of [whole, "/v1/uploadFile"]) {
      expect((await send("POST", path, form(file(bytes)), formType)).code).toBe("0");
      expect(use.received?.bytes.equals(bytes)).toBe(true);
    }
  });

  test("work inside a multi request without bytes, and never with bytes", async () => {
    const items = [
      { method: "GET", path: "/v1/uploadFile" },
      { method: "GET", path: whole },
      { method: "PATCH", path: whole },
      { method: "POST", path: whole, data: {} },
      { method: "POST", path: "/v1/uploadFile", data: {} },
      { method: "GET", path: "/v1/file/1AB" },
    ];
    const answer = await send("POST", "/v1/multi", JSON.stringify(items), { "content-type": "application/json" });
    expect(answer).toMatchObject({ code: "0" });
    const codes = (answer.data as unknown as { result: { status: { internalStatus: string } } }[]).map(
      ({ result }) => result.status.internalStatus,
    );
    expect(codes).toEqual(["0", "0", "0", "307", "307", "307"]);
  });
});
