import type { ErrorCode } from "@sallyport/core";

/** A test that provokes a code over HTTP. */
export interface ProvokingTest {
  /** Relative to this folder. */
  readonly file: string;
  readonly title: string;
}

const logIn = (title: string): ProvokingTest => ({ file: "cases/log-in-cases.ts", title });
const session = (title: string): ProvokingTest => ({ file: "cases/session-cases.ts", title });
const transport = (title: string): ProvokingTest => ({ file: "cases/transport-cases.ts", title });
const write = (title: string): ProvokingTest => ({ file: "cases/write-cases.ts", title });
const macro = (title: string): ProvokingTest => ({ file: "cases/macro-cases.ts", title });
const macros = (title: string): ProvokingTest => ({ file: "macro-suite.ts", title });
const object = (title: string): ProvokingTest => ({ file: "cases/object-cases.ts", title });
const query = (title: string): ProvokingTest => ({ file: "cases/query-cases.ts", title });
const password = (title: string): ProvokingTest => ({ file: "cases/password-cases.ts", title });
const passwords = (title: string): ProvokingTest => ({ file: "password-suite.ts", title });
const customPasswords = (title: string): ProvokingTest => ({ file: "custom-password-suite.ts", title });
const resets = (title: string): ProvokingTest => ({ file: "reset-mail.test.ts", title });
const rawHttp = (title: string): ProvokingTest => ({ file: "raw-http-suite.ts", title });
const sessions = (title: string): ProvokingTest => ({ file: "sessions.test.ts", title });
const departures = (title: string): ProvokingTest => ({ file: "departure-suite.ts", title });
const limits = (title: string): ProvokingTest => ({ file: "limits.test.ts", title });
const secure = (title: string): ProvokingTest => ({ file: "secure-mode.test.ts", title });
const secondFactors = (title: string): ProvokingTest => ({ file: "second-factor-suite.ts", title });
const providers = (title: string): ProvokingTest => ({ file: "providers/provider-suite.ts", title });
const providerLinks = (title: string): ProvokingTest => ({ file: "providers/provider-link-suite.ts", title });
const databases = (title: string): ProvokingTest => ({ file: "databases.test.ts", title });

/** The test that provokes a code over HTTP, for every code that a route can give. */
export const provoked: ReadonlyMap<ErrorCode, ProvokingTest> = new Map<ErrorCode, ProvokingTest>([
  [100, session("needs an app key")],
  [101, session("refuses the app key x")],
  [200, session("needs a session")],
  [201, session("refuses to log out a stranger")],
  [202, session("asks an encrypted request for its token")],
  [203, session("refuses a token")],
  [204, session("asks again for a blank session")],
  [205, secure("needs a public key")],
  [206, secure("needs credentials")],
  [207, logIn("needs a content type")],
  [208, logIn('refuses the app names ["unknown"]')],
  [209, logIn("needs app names")],
  [210, logIn("refuses an app name twice")],
  [300, logIn("needs a body")],
  [301, logIn("needs a user")],
  [302, logIn("refuses a wrong password")],
  [304, transport("nothing answers to /v1/nothing")],
  [305, transport("refuses GET where only POST goes")],
  [307, object("refuses the page -1")],
  [308, query("refuses the query where")],
  [309, secure("refuses a public key that is too small")],
  [310, secure("refuses credentials that cannot be opened")],
  [311, logIn('refuses the body "{"')],
  [312, secure("refuses what is no message of this session")],
  [314, secure("answers 314 when the key of the session cannot be unwrapped")],
  [315, limits("of sessions in a database hold when many log in at once")],
  [319, password("refuses clear text that is said to be encrypted")],
  [320, password("refuses a new password that is too short")],
  [321, password("refuses the old password as the new one")],
  [322, password("looks at whether they are encrypted, then at the old password")],
  [325, password('resets no password of ""')],
  [326, customPasswords("a code is a text that was mailed for this account, tried five times at most")],
  [328, password("refuses a token that nobody gave out")],
  [324, providerLinks("credentials are judged before the dfUuid, which only success spends")],
  [329, query("refuses the query []")],
  [329, object("refuses the query []")],
  [339, passwords("a wrong old password changes nothing, is audited, and counts as a failed log-in")],
  [340, secondFactors("that are forced are set up in a session that is good for nothing else")],
  [341, secondFactors("are asked for once they are confirmed, and each token is good once")],
  [342, secondFactors("are asked for once they are confirmed, and each token is good once")],
  [400, macro("refuses a-b as the name of a macro")],
  [401, macros("are for those who have access, and their checkers have the last word")],
  [402, macros("are for those who have access, and their checkers have the last word")],
  [404, write("lets nobody create who may only read")],
  [607, databases("one whose connections are all taken answers 607")],
  [608, providers("a provider that %s is answered %s")],
  [609, departures("deletes an object for good, and tells everybody who could read it")],
  [610, departures("deletes an object for good, and tells everybody who could read it")],
  [698, providers("a provider that is %s is refused")],
  [699, rawHttp("rubbish")],
  [703, sessions("are unchanged when the log-out fails in storage")],
  [704, databases("the one that goes away answers 704 and comes back by itself")],
  [705, databases("the one that is %s answers %i/%s on every route and leaves the others working")],
  [706, databases("one in maintenance answers 706 with the time to come back")],
  [710, macro("finds no macro NoSuchMacro")],
  [712, resets("is refused for everybody where mail is not configured")],
  [713, write('changes no customer if it matches "77"')],
  [718, departures("refuses to delete what another session has locked, and ends the lock of what it deletes")],
  [799, sessions("are not opened when the audit cannot be written")],
  [801, logIn("refuses more than 64 KiB")],
]);

/** The codes that nothing answers yet. */
export const notYetReachable: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...([306, 318, 323] as const),
  ...([330, 332, 333, 334, 335, 336, 338] as const),
  ...([403, 500, 501, 502, 503] as const),
  ...([600, 601, 602, 603, 604, 605, 606, 611] as const),
  ...([700, 702, 707, 708, 709, 711, 714, 716, 717, 719, 720, 721] as const),
  800,
]);
