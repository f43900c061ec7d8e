import { headerOf, modes } from "../modes.ts";
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

/** App key, credential headers and the routes around a session. */
export const sessionCases: readonly Case[] = [
  { title: "checks a session", as: "demo", path: check, expect: { code: 0, data: (data) => expect(data).toEqual({}) } },
  {
    title: "checks a session of the second database's own only",
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
    title: "does not mind a content type without a body",
    as: "demo",
    path: check,
    headers: { "content-type": "application/json" },
    expect: { code: 0 },
  },
  { title: "takes headers in any case", as: "demo", path: check, inCapitals: true, expect: { code: 0 } },

  refused("needs an app key", { appkey: null }, 100),
  refused("takes a blank app key for none", { appkey: " " }, 100),
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
  refused("looks at the app key before the session", { appkey: "x", sessionid: stranger }, 101),
  refused("needs a session", {}, 200),
  refused("asks an encrypted request for its token", { "content-type": "application/text" }, 202),
  refused("asks again for a blank session", { sessionid: "" }, 204),
  refused("asks again for a session of blanks", { sessionid: "  " }, 204),
  refused("asks again for a blank token", { "secure-token": "" }, 204),
  refused("asks again for a blank authorization", { authorization: "" }, 204),
  ...[stranger, "x", "x".repeat(44), "null", "undefined", "0", "'", "A".repeat(42) + "=", "A".repeat(10_000)].map(
    (sessionid) => refused(`refuses the session ${sessionid.slice(0, 20)} of ${sessionid.length}`, { sessionid }, 201),
  ),
  refused("refuses a token", { "secure-token": stranger }, 203),
  refused("refuses an authorization", { authorization: `Bearer ${stranger}` }, 203),
  refused("refuses two kinds of credentials", { authorization: "x", sessionid: stranger }, 203),
  ...(["session", "token", "secure"] as const).flatMap((mode) => [
    {
      title: `refuses a good credential beside another, of mode ${mode}`,
      as: "demo",
      modes: modes.filter((each) => headerOf[each] !== headerOf[mode]),
      path: check,
      headers: { [headerOf[mode]]: "x" },
      expect: { code: 203, beforeSession: true },
    } as const,
    {
      title: `does not mind a blank credential beside a good one, of mode ${mode}`,
      as: "demo",
      modes: modes.filter((each) => headerOf[each] !== headerOf[mode]),
      path: check,
      headers: { [headerOf[mode]]: "" },
      expect: { code: 0 },
    } as const,
  ]),
  { title: "needs a session to log out", method: "POST", path: "/v1/logout", expect: { code: 200 } },
  {
    title: "refuses to log out a stranger",
    method: "POST",
    path: "/v1/logout",
    headers: { sessionid: stranger },
    expect: { code: 201 },
  },
];
