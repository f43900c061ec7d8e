import { isReturnAddress, listsReturnAddress, withParameter } from "./return-address.ts";

describe("return address", () => {
  const long = `https://app.example/${"a".repeat(2_048 - "https://app.example/".length)}`;

  test.each([
    "https://app.example",
    "https://app.example/",
    "https://app.example/back",
    "https://app.example:8443/back?from=provider&to=a%2Fb",
    "https://app.example/a@b/../c;d=e",
    "https://192.0.2.1:8443/back",
    "https://1.example-1.a1/back",
    "https://app.example/back?",
    "https://app.example/back?encode=1&errors=2",
    "http://localhost",
    "http://localhost/back",
    "http://localhost:5173/back",
    "http://127.0.0.1:65535/back?a",
    "http://[::1]/back",
    "http://localhost?@other.example/",
    "com.example.app:/back",
    "com.example.app:back",
    "com.example.app://back",
    "com.example.app://back:1/a?b=c",
    "com.example.app:///back",
    "a.b:c",
    long,
  ])("can list %s", (text) => expect(isReturnAddress(text)).toBe(true));

  test.each([
    "",
    "/back",
    "//app.example/back",
    "app.example/back",
    "https:",
    "https:app.example",
    "https:/app.example/back",
    "https://",
    "https:///back",
    "https://-/back",
    "https://a..b/back",
    "https://1.2.3/back",
    "https://1.2.3.256/back",
    "https://1.2.3.04/back",
    "https://app.example.80/back",
    "https://app.example.0x1/back",
    "https://[2001:db8::1]/back",
    "https://.app.example/back",
    "https://app.example./back",
    "https://app.example:0/back",
    "https://app.example:080/back",
    "https://app.example:65536/back",
    "https://app.example:/back",
    "https://APP.example/back",
    "HTTPS://app.example/back",
    "https://app.example/back#",
    "https://app.example/back#fragment",
    "https://user@app.example/back",
    "https://user:pass@app.example/back",
    "https://@app.example/back",
    "https://*.example/back",
    "https://app.example/*",
    "https://app.example/back?a=*",
    "https://app.example\\@other.example/",
    "https://app.example/\\other",
    "https://app.example/ back",
    " https://app.example/back",
    "https://app.example/back ",
    "https://app.example/back\n",
    "https://app.example/back\r\nSet-Cookie: a=b",
    "https://app.example/back\0",
    "https://\u00e4pp.example/back",
    "https://app.example/b\u00e4ck",
    "https://app.example/%2",
    "https://app.example/%zz",
    "https://app.example/back?%ff=1",
    "https://app.example/back?code=1",
    "https://app.example/back?a=1&error=2",
    "https://app.example/back?a=1&%63ode=2",
    "https://app.example/back?error",
    "https://app.example/<script>",
    'https://app.example/"',
    "http://app.example/back",
    "http://localhost.app.example/back",
    "http://localhost:80@app.example/back",
    "http://localhost:/back",
    "http://localhost:0/back",
    "http://localhost:99999/back",
    "http://localhost:123456/back",
    "http://127.0.0.1.app.example/",
    "http://127.0.0.2/back",
    "http://127.1/back",
    "http://2130706433/back",
    "http://0.0.0.0/back",
    "http://[::]/back",
    "http://[::ffff:127.0.0.1]/back",
    "http://user@localhost/back",
    "ftp://app.example/back",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "javascript://app.example/%0aalert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,a",
    "vbscript:a",
    "blob:https://app.example/a",
    "about:blank",
    "view-source:https://app.example",
    "mailto:a@app.example",
    "myapp:/back",
    "myapp://back",
    "Com.example.app:/back",
    ".example:/back",
    "1.example:/back",
    "com.example.app:",
    "com.example.app:/back#fragment",
    "com.example.app://user@back",
    "com.example.app:/*",
    "com.example.app:/back?code=1",
    `${long}a`,
  ])("cannot list %j", (text) => expect(isReturnAddress(text)).toBe(false));

  const listed = [
    "https://app.example/back",
    "https://app.example:8443/back",
    "http://localhost/back?a=1",
    "http://127.0.0.1:8000/back",
    "http://[::1]",
    "com.example.app:/back",
  ];

  test.each([
    ...listed,
    "http://localhost:1/back?a=1",
    "http://localhost:65535/back?a=1",
    "http://127.0.0.1/back",
    "http://127.0.0.1:9000/back",
    "http://[::1]:9000",
  ])("lists %s", (text) => expect(listsReturnAddress({ returnAddresses: listed }, text)).toBe(true));

  test.each([
    "https://app.example/back/",
    "https://app.example/back?",
    "https://app.example/back?a=1",
    "https://app.example/back#a",
    "https://app.example/bac",
    "https://app.example/Back",
    "https://app.example:443/back",
    "https://app.example:8444/back",
    "https://app.example",
    "https://other.example/back",
    "https://app.example.other.example/back",
    "http://app.example/back",
    "https://app.example/%62ack",
    "https://app.example/./back",
    "http://localhost:1/back",
    "http://localhost:1/back?a=2",
    "http://localhost:99999/back?a=1",
    "http://localhost:1:2/back?a=1",
    "http://localhost:/back?a=1",
    "http://localhost:1@app.example/back?a=1",
    "https://localhost/back?a=1",
    "http://[::1]/",
    "http://127.0.0.1/",
    "com.example.app:/back2",
    "com.example.app://back",
    "com.example.app2:/back",
    "COM.example.app:/back",
    "",
  ])("does not list %j", (text) => expect(listsReturnAddress({ returnAddresses: listed }, text)).toBe(false));

  test("never matches an invalid address, even if a dump or a storage lists it", () => {
    for (const text of ["javascript:alert(1)", "http://app.example/back", "*", "https://app.example/#a"])
      expect(listsReturnAddress({ returnAddresses: [text] }, text)).toBe(false);
    expect(listsReturnAddress({ returnAddresses: [] }, "https://app.example/back")).toBe(false);
  });

  test("a listed address admits no other address: the pattern agrees with a browser's parser", () => {
    const parts = [
      "https://",
      "http://",
      "com.a:",
      "//",
      "localhost",
      "127.0.0.1",
      "app.example",
      "@",
      ":",
      "80",
      "/",
      "\\",
      "?",
      "#",
      "%40",
      ".",
      "a=1",
      "&",
      "code=1",
      "*",
    ];
    const returnAddresses = ["https://app.example/a", "http://localhost/a", "com.a:/a"];
    let state = 1;
    const next = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
    const accepted = new Set<string>();
    for (let round = 0; round < 200_000; round += 1) {
      const text = Array.from({ length: 2 + next(5) }, () => parts[next(parts.length)]).join("");
      if (!isReturnAddress(text)) continue;
      accepted.add(text);
      const url = new URL(text);
      expect([text, url.username, url.password, url.hash, url.searchParams.has("code"), text.includes("*")]).toEqual([
        text,
        "",
        "",
        "",
        false,
        false,
      ]);
      if (url.protocol === "http:") expect(["localhost", "127.0.0.1"]).toContain(url.hostname);
      expect(url.protocol).toMatch(/^(?:https?:|.*\..*:)$/);
      if (listsReturnAddress({ returnAddresses }, text))
        expect(returnAddresses).toContain(text.replace(/^http:\/\/localhost:\d+/, "http://localhost"));
    }
    expect(accepted.size).toBeGreaterThan(100);
  });

  test.each([
    ["https://app.example", "https://app.example?code=a-b_c"],
    ["https://app.example/back", "https://app.example/back?code=a-b_c"],
    ["https://app.example/back?", "https://app.example/back?code=a-b_c"],
    ["https://app.example/back?a=1", "https://app.example/back?a=1&code=a-b_c"],
    ["https://app.example/back?a=1&", "https://app.example/back?a=1&code=a-b_c"],
    ["com.example.app:/back", "com.example.app:/back?code=a-b_c"],
    ["com.example.app:back", "com.example.app:back?code=a-b_c"],
  ])("adds the code to %s: %s", (address, expected) => {
    expect(withParameter(address, "code", "a-b_c")).toBe(expected);
    expect(new URL(expected).searchParams.get("code")).toBe("a-b_c");
  });
});
