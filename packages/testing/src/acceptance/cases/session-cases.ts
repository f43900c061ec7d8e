import { expect } from "../../matchers/expect.ts";
import { headerOf, logInModes } from "../../modes.ts";
import type { Case } from "./case.ts";

const check = "/_CheckSession";
const stranger = "A".repeat(43);

const refused = (title: string, headers: Case["headers"], code: number, more: Partial<Case> = {}): Case => ({
  title,
  path: check,
  headers: headers ?? {},
  expect: { code },
  ...more,
});

/** App key, credential headers and the routes of a session. */
export const sessionCases: readonly Case[] = [
  { title: "checks a session", as: "demo", path: check, expect: { code: 0, data: (data) => expect(data).toEqual({}) } },
  {
    title: "reserves an app name that the session has",
    as: "demo",
    method: "POST",
    path: "/v1/license/reserve",
    body: { appNames: "demo-app" },
    expect: { code: 0, data: (data) => expect(data).toEqual({}) },
  },
  {
    title: "releases no app name that the session lacks",
    as: "demo",
    method: "POST",
    path: "/v1/license/release",
    body: { appNames: ["demo-seats"] },
    expect: { code: 323 },
  },
  {
    title: "accepts a session in its own database only",
    as: "demo",
    path: `/second${check}`,
    expect: { code: 201, beforeSession: true },
  },
  {
    title: "checks the service without an app key",
    path: "/_CheckService",
    headers: { appkey: null },
    expect: {
      code: 0,
      data: (data) =>
        expect(data).toEqual({
          applicationName: expect.any(String),
          applicationVersion: expect.stringMatching(/^\d+\.\d+\.\d+/),
        }),
    },
  },
  {
    title: "checks the service of another database",
    path: "/second/_CheckService",
    headers: { appkey: null },
    expect: { code: 0 },
  },
  {
    title: "ignores a content type without a body",
    as: "demo",
    path: check,
    headers: { "content-type": "application/json" },
    expect: { code: 0 },
  },
  { title: "accepts headers in any case", as: "demo", path: check, inCapitals: true, expect: { code: 0 } },

  refused("requires an app key", { appkey: null }, 100),
  refused("treats a blank app key as missing", { appkey: " " }, 100),
  ...[
    "x",
    "Demo-App-Key",
    "demo-app-key ,demo-app-key",
    "'; drop table app_keys; --",
    "__proto__",
    "x".repeat(5_000),
  ].map((appkey) =>
    refused(`refuses the app key ${appkey.slice(0, 30)}`, { appkey }, 101, {
      expect: { code: 101, lacks: ["app_keys", "select"] },
    }),
  ),
  refused("checks the app key before the session", { appkey: "x", sessionid: stranger }, 101),
  refused("requires a session", {}, 200),
  refused("requires a token of an encrypted request", { "content-type": "application/text" }, 202),
  refused("answers a blank session with 204", { sessionid: "" }, 204),
  refused("answers a session of blanks with 204", { sessionid: "  " }, 204),
  refused("answers a blank token with 204", { "secure-token": "" }, 204),
  refused("answers a blank authorization with 204", { authorization: "" }, 204),
  ...[stranger, "x", "x".repeat(44), "null", "undefined", "0", "'", "A".repeat(42) + "=", "A".repeat(10_000)].map(
    (sessionid) => refused(`refuses the session ${sessionid.slice(0, 20)} of ${sessionid.length}`, { sessionid }, 201),
  ),
  refused("refuses an unknown token", { "secure-token": stranger }, 203),
  refused("refuses an unknown authorization", { authorization: `Bearer ${stranger}` }, 203),
  refused("refuses two kinds of credentials", { authorization: "x", sessionid: stranger }, 203),
  ...(["session", "token", "secure"] as const).flatMap((mode) => [
    {
      title: `refuses a valid credential beside another, of mode ${mode}`,
      as: "demo",
      modes: logInModes.filter((each) => headerOf[each] !== headerOf[mode]),
      path: check,
      headers: { [headerOf[mode]]: "x" },
      expect: { code: 203, beforeSession: true },
    } as const,
    {
      title: `ignores a blank credential beside a valid one, of mode ${mode}`,
      as: "demo",
      modes: logInModes.filter((each) => headerOf[each] !== headerOf[mode]),
      path: check,
      headers: { [headerOf[mode]]: "" },
      expect: { code: 0 },
    } as const,
  ]),
  { title: "requires a session to log out", method: "POST", path: "/v1/logout", expect: { code: 200 } },
  {
    title: "refuses a log-out of an unknown session",
    method: "POST",
    path: "/v1/logout",
    headers: { sessionid: stranger },
    expect: { code: 201 },
  },
];
