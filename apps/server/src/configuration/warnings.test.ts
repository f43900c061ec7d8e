import { keyPath } from "@sallyport/test-kit/crypto/key-files";
import { embedded, masterKey, memory } from "../../test/configuration-file.ts";
import { loadConfiguration } from "./load-configuration.ts";

describe("warns", () => {
  const keyFile = keyPath("rsa-2048");
  const warnings = (content: object, environment: Record<string, string> = {}) =>
    loadConfiguration({ content: { databases: [embedded("x")], ...content }, environment }).warnings;

  test.each([
    [
      "about credentials that will be refused",
      { server: { host: "0.0.0.0" } },
      {},
      /refuses credentials of other machines/,
    ],
    [
      "about credentials in clear text",
      { server: { host: "0.0.0.0", allowInsecureTransport: true } },
      {},
      /over plain HTTP/,
    ],
    ["about a missing master key", {}, {}, /fail with 705/],
    [
      "about an RSA key for several databases",
      { encryption: { masterKey, rsaKeyFile: keyFile }, databases: [embedded("x"), { alias: "y", ...embedded("y") }] },
      {},
      /all databases share/,
    ],
    [
      "about plain traffic after a secure log-in",
      { compatibility: { plainAfterSecureLogin: true } },
      {},
      /turn off encryption/,
    ],
    ["about memory", { databases: [memory] }, {}, /is lost when the server stops/],
    ["about debug messages in production", { debugMessages: true }, { NODE_ENV: "production" }, /debugMessages/],
    [
      "about public metrics",
      { server: { host: "0.0.0.0", trustedProxies: ["10.0.0.1"] }, metrics: { access: "any" } },
      {},
      /metrics\.access/,
    ],
  ])("%s", (_title, content, environment, expected) => {
    expect(warnings(content, environment)).toContainEqual(expect.stringMatching(expected));
  });

  test("not about an RSA key for one database", () => {
    expect(warnings({ encryption: { masterKey, rsaKeyFile: keyFile } })).toEqual([]);
  });

  test.each([{}, { server: { host: "0.0.0.0", trustedProxies: ["10.0.0.1"] } }, { server: { host: "::1" } }])(
    "about nothing in %p",
    (content) => {
      expect(warnings({ encryption: { masterKey }, ...content })).toEqual([]);
    },
  );
});
