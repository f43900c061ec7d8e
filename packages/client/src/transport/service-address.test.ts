import { ServiceAddress } from "./service-address.ts";

test.each([
  ["http://127.0.0.1:8080", "", "/v1/login", "http://127.0.0.1:8080/v1/login"],
  ["http://127.0.0.1:8080/", "", "/_CheckService", "http://127.0.0.1:8080/_CheckService"],
  [
    "https://db.example/gate/",
    "archive",
    "/v1/objects/Customer",
    "https://db.example/gate/archive/v1/objects/Customer",
  ],
  ["https://db.example//", "archive", "/v1/login", "https://db.example/archive/v1/login"],
])("%s, alias %j", (baseUrl, alias, path, expected) => {
  expect(new ServiceAddress(baseUrl, alias).of(path)).toBe(expected);
});

test("query parameters are percent-encoded, objects as JSON, and what is undefined is left out", () => {
  const address = new ServiceAddress("https://db.example", "");
  const text = address.of("/v1/objects/Customer", {
    page: 0,
    query: { where: { Name: "a&b+c ü" } },
    serialization: undefined,
    full: true,
  });
  expect(text).not.toContain("serialization");
  const { searchParams } = new URL(text);
  expect([...searchParams]).toEqual([
    ["page", "0"],
    ["query", '{"where":{"Name":"a&b+c ü"}}'],
    ["full", "true"],
  ]);
});

test.each([
  "",
  "db.example",
  "ftp://db.example",
  "https://user@db.example",
  "https://:pw@db.example",
  "https://db.example?x=1",
  "https://db.example#x",
])("%j is no address of a server", (baseUrl) => {
  expect(() => new ServiceAddress(baseUrl, "")).toThrow(TypeError);
});

test.each(["A", "1a", "a/b", "..", "a".repeat(64)])("%j is no alias", (alias) => {
  expect(() => new ServiceAddress("https://db.example", alias)).toThrow(TypeError);
});

test.each(["v1/login", "/v1/login?x=1", "/v1/login#x"])("%j is no path", (path) => {
  expect(() => new ServiceAddress("https://db.example", "").of(path)).toThrow(TypeError);
});

test.each([
  ["https://db.example", true],
  ["http://localhost:8080", true],
  ["http://demo.localhost", true],
  ["http://127.0.0.1", true],
  ["http://127.9.9.9", true],
  ["http://[::1]:8080", true],
  ["http://db.example", false],
  ["http://localhost.example", false],
  ["http://127.0.0.1.example", false],
  ["http://10.0.0.1", false],
  ["http://mylocalhost", false],
])("%s is protected: %s", (baseUrl, isProtected) => {
  expect(new ServiceAddress(baseUrl, "").isProtected).toBe(isProtected);
});
