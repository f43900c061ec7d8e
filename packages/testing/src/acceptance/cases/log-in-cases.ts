import { expect } from "../../matchers/expect.ts";
import type { Case, Expected } from "./case.ts";

/** MD5 of the password of `demo`, in the form of clients. */
const passwordDigest = "fe01ce2a7fbac8fafaed7c982a04e229";
const good = { user: "demo", pass: passwordDigest, appNames: ["demo-app"] };
const without = (name: keyof typeof good) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));

/** Whether a log-in fits into the blocks of a secure log-in, and depends on no header. */
const fitsEveryLogInForm = (body: unknown, { path, headers }: Partial<Pick<Case, "path" | "headers">>) =>
  typeof body === "object" && JSON.stringify(body).length < 3_000 && path === undefined && headers === undefined;

type More = Partial<Omit<Case, "expect">> & { readonly expect?: Partial<Expected> };

const logIn = (title: string, body: unknown, code: number, more: More = {}): Case => ({
  title,
  method: "POST",
  path: "/v1/login",
  body,
  ...(fitsEveryLogInForm(body, more) ? { isLogIn: true } : {}),
  ...more,
  expect: { code, lacks: code === 0 ? [] : ["sessionId", "argon2"], ...more.expect },
});

const logInSecurely = (title: string, body: object, code: number): Case =>
  logIn(title, body, code, { path: "/v2/login/secure" });

/** An RSA key of 2048 bits in Base64. No log-in with it is answered, so no one needs the private key. */
const publicKey = [
  "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAjvYTSVb3A4IQNubkgmCCyHgHiYhES4+gSMSk3StSMKWdBC9HxOCK5LU6",
  "YLDbKJJuGE5JvsUyiHMOeO66J8ufyYQefMUdhiLhRnPBxmGu+3je7lBap11eVGsA/wMarFSuTpG7eXxruUbkgfaHCjLQTL+1k3Nf",
  "GJM5AxCy3IdD1w3QirlmH4crOY1I/EpHEveJ3bAWh6vBGWSHtKEsSDyKGgQgSeFGEM/9UONKA+WA4Q6in/M8J/+oXZCJAJvNP3v+",
  "u+ta09OMuy372IumortaQH2GXioTf4eGKe4pt5hAZZCZTpT4+jPXhpAwYtzvnWsglNHK5fxb35h/NMIKkgdskQIDAQAB",
].join("");
/** As `publicKey`, of 1024 bits. */
const smallKey = [
  "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDZH73dDI9bmIFZIKmf3f/sk8zRVAlx5LxAe8aIGvrziiWnh+49g7X0/a8Cw5Bl",
  "wR5bemPhgIpWjAyvBF7oDop7I65IwBtSp1EZXNffHH+0u6I1AJqpVVehGaKd1eQ4gEkQKRSvnLeiOlXcTAl7N5HAsiW86lGWBU3u",
  "Twf8BayDmwIDAQAB",
].join("");
const noCredentials = Buffer.alloc(256, 1).toString("base64");

const metaFields = {
  "~ClassName": expect.stringMatching(/^[A-Z][A-Za-z]+$/),
  "~ObjectID": expect.stringMatching(/^[1-9A-Z][0-9A-Z]*$/),
  "~StoreTime": expect.stringMatching(/^\d{8}T\d{6}[+-]\d\d:\d\d$/),
};

/** With the names of the older service. */
const person = { Name1: expect.any(String), Name2: expect.any(String), Name3: expect.any(String), Bild: metaFields };

const wholeUser = (name: string) => ({
  databaseName: expect.any(String),
  user: {
    ...metaFields,
    "~ClassName": "User",
    Name: name,
    Description: expect.any(String),
    Groups: {
      "~Count": 1,
      "~UnfilteredCount": 1,
      "~Elements": [{ ...metaFields, Name: expect.any(String), Description: expect.any(String) }],
    },
    Employee: { ...metaFields, ...person, Mitarbeiteransprechpartner: { ...metaFields, ...person } },
  },
});

/** `POST /v1/login`: the body, the credentials, the app names. */
export const logInCases: readonly Case[] = [
  logIn("logs in with the MD5 of the password", good, 0, {
    expect: { data: (data) => expect(data).toEqual(wholeUser("demo")) },
  }),
  ...["demo", "reader", "admin"].map((user) =>
    logIn(`logs in ${user} with the plain password`, { ...good, user, pass: user }, 0, {
      expect: { data: (data) => expect(data).toEqual(wholeUser(user)) },
    }),
  ),
  logIn("accepts the MD5 in capitals", { ...good, pass: passwordDigest.toUpperCase() }, 0),
  logIn("accepts a single app name as a text", { ...good, appNames: "demo-app" }, 0),
  logIn("accepts several app names", { ...good, appNames: ["demo-app", "demo-2fa"] }, 0),
  logIn("ignores unknown members", { ...good, surprise: { deep: [1] } }, 0),
  logIn("treats an empty second factor as missing", { ...good, "2faToken": "" }, 0),
  logIn("accepts a device", { ...good, device: { deviceId: "d-1", device: "phone", systemType: "any" } }, 0),
  logIn("accepts a charset in the content type", good, 0, {
    headers: { "content-type": 'application/json; charset="UTF-8"' },
  }),
  logIn("ignores an empty sessionId header", good, 0, { headers: { sessionid: "" } }),
  logIn("ignores an old sessionId", good, 0, { headers: { sessionid: "x".repeat(43) } }),

  logIn("requires a user", without("user"), 301),
  logIn("requires a password", without("pass"), 301),
  ...[null, 1, true, ["demo"], { a: 1 }, "", " \t", "x".repeat(1025)].flatMap((value) => [
    logIn(`refuses the user ${JSON.stringify(value)?.slice(0, 20)}`, { ...good, user: value }, 301),
    logIn(`refuses the password ${JSON.stringify(value)?.slice(0, 20)}`, { ...good, pass: value }, 301),
  ]),
  logIn("requires app names", without("appNames"), 209),
  ...[
    null,
    5,
    "",
    " ",
    [],
    [""],
    [" "],
    [null],
    [1],
    [["demo-app"]],
    {},
    ["unknown"],
    "unknown",
    ["demo-app", "unknown"],
  ].map((appNames) => logIn(`refuses the app names ${JSON.stringify(appNames)}`, { ...good, appNames }, 208)),
  logIn("refuses app names in another case", { ...good, appNames: ["Demo-App"] }, 208),
  logIn("refuses a duplicate app name", { ...good, appNames: ["demo-app", "demo-app"] }, 210),
  logIn("reports an unknown app name before a duplicate one", { ...good, appNames: ["unknown", "unknown"] }, 208),
  logIn("reports a missing password before missing app names", { user: "demo" }, 301),
  logIn("reports missing app names before wrong credentials", { user: "demo", pass: "wrong" }, 209),
  logIn("reports unknown app names before wrong credentials", { ...good, pass: "wrong", appNames: "x" }, 208),
  ...(
    [
      [{ user: "" }, 301],
      [{ appNames: undefined }, 209],
      [{ appNames: ["nowhere"] }, 208],
      [{ appNames: ["demo-app", "demo-app"] }, 210],
    ] as const
  ).flatMap(([fault, code]) =>
    [{ device: 5 }, { "2faToken": 5 }].map((other) =>
      logIn(
        `answers ${code} before an error in another member: ${JSON.stringify({ ...fault, ...other })}`,
        { ...good, ...fault, ...other },
        code,
      ),
    ),
  ),
  ...[5, "phone", [], { deviceId: 5 }, { deviceId: "d", systemType: null }].map((device) =>
    logIn(`refuses the device ${JSON.stringify(device)}`, { ...good, device }, 307),
  ),

  logIn("refuses a wrong password", { ...good, pass: "wrong" }, 302),
  logIn("refuses an unknown user with the same answer", { ...good, user: "nobody-here" }, 302),
  logIn("compares user names exactly", { ...good, user: "Demo" }, 302),
  logIn("does not trim user names", { ...good, user: " demo" }, 302),
  ...["' OR '1'='1", "demo'--", "demo\u0000", "__proto__", "${7*7}", "\ud800"].map((user) =>
    logIn(`refuses the user ${JSON.stringify(user)}`, { ...good, user }, 302),
  ),

  logInSecurely("requires a public key for a secure log-in", { credentials: noCredentials }, 205),
  logInSecurely("requires credentials for a secure log-in", { publicKey }, 206),
  logInSecurely("refuses a public key that is too small", { credentials: noCredentials, publicKey: smallKey }, 309),
  logInSecurely("refuses credentials that cannot be decrypted", { credentials: noCredentials, publicKey }, 310),

  logIn("refuses to link an account by an unknown dfUuid", { ...good, dfUuid: "nothing" }, 324, {
    path: "/v1/extLogin",
  }),
  { title: "refuses an unknown provider", path: "/v1/auth/nobody", expect: { code: 698 } },

  logIn("requires a body", undefined, 300, { headers: { "content-type": "application/json" } }),
  logIn("requires a content type", "{}", 207, { headers: { "content-type": null } }),
  logIn("checks the content type before the body", undefined, 207),
  ...[
    "text/plain",
    "application/text",
    "application/jsonx",
    "application/json; charset=latin1",
    "multipart/form-data",
  ].map((type) =>
    logIn(`refuses the content type ${type}`, JSON.stringify(good), 207, { headers: { "content-type": type } }),
  ),
  logIn("refuses a compressed body", JSON.stringify(good), 207, {
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
  }),
  ...["{", "nonsense", '{"user":}', "{'user':'demo'}", " ", '{"a":1}{"b":2}', "\ufeff{", "NaN", '{"a":01}'].map(
    (body) =>
      logIn(`refuses the body ${JSON.stringify(body)}`, body, 311, { headers: { "content-type": "application/json" } }),
  ),
  ...["[]", "null", "5", '"text"', "true"].map((body) =>
    logIn(`refuses a body that is ${body}`, body, 307, { headers: { "content-type": "application/json" } }),
  ),
  ...["__proto__", "constructor", "prototype"].flatMap((name) => [
    logIn(`refuses the member ${name}`, `{"user":"demo","pass":"demo","appNames":"demo-app","${name}":{"a":1}}`, 307, {
      headers: { "content-type": "application/json" },
    }),
    logIn(`refuses the nested member ${name}`, `{"user":"demo","x":[{"${name}":1}]}`, 307, {
      headers: { "content-type": "application/json" },
    }),
  ]),
  logIn("refuses 10,000 levels", `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`, 307, {
    headers: { "content-type": "application/json" },
  }),
  logIn("refuses 33 levels", `{"a":${"[".repeat(32)}${"]".repeat(32)}}`, 307, {
    headers: { "content-type": "application/json" },
  }),
  logIn("accepts 32 levels", { ...good, a: JSON.parse(`${"[".repeat(31)}${"]".repeat(31)}`) }, 0),
  logIn("refuses 10,001 elements", { ...good, a: Array(10_001).fill(0) }, 307),
  logIn("accepts 10,000 elements", { ...good, a: Array(10_000).fill(0) }, 0),
  logIn(
    "refuses 1,001 members",
    { ...good, a: Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`m${n}`, n])) },
    307,
  ),
  logIn("accepts up to 64 KiB", { ...good, a: "x".repeat(65_400) }, 0),
  logIn("refuses more than 64 KiB", { ...good, a: "x".repeat(64 * 1024) }, 801),
  logIn("refuses 5 MiB, and the answer can be read", { ...good, a: "x".repeat(5 * 1024 * 1024) }, 801),
  logIn("requires an app key first", good, 100, { headers: { appkey: null } }),
  logIn("checks the app key first", {}, 101, { headers: { appkey: "unknown" } }),
];
