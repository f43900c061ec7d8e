import type { ErrorCode } from "@sallyport/core";

/** A test that provokes a code over HTTP. */
export interface ProvokingTest {
  /** Relative to this folder. */
  readonly file: string;
  readonly title: string;
}

const macros = (title: string): ProvokingTest => ({ file: "macro-suite.ts", title });
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

/** The test that provokes a code over HTTP, for every code that a route can give and that no case of `cases` proves enough for. */
export const provoked: ReadonlyMap<ErrorCode, ProvokingTest> = new Map<ErrorCode, ProvokingTest>([
  [205, secure("needs a public key")],
  [206, secure("needs credentials")],
  [309, secure("refuses a public key that is too small")],
  [310, secure("refuses credentials that cannot be opened")],
  [312, secure("refuses what is no message of this session")],
  [314, secure("answers 314 when the key of the session cannot be unwrapped")],
  [315, limits("of sessions in a database hold when many log in at once")],
  [326, customPasswords("a code is a text that was mailed for this account, tried five times at most")],
  [324, providerLinks("credentials are judged before the dfUuid, which only success spends")],
  [339, passwords("a wrong old password changes nothing, is audited, and counts as a failed log-in")],
  [340, secondFactors("that are forced are set up in a session that is good for nothing else")],
  [341, secondFactors("are asked for once they are confirmed, and each token is good once")],
  [342, secondFactors("are asked for once they are confirmed, and each token is good once")],
  [401, macros("are for those who have access, and their checkers have the last word")],
  [402, macros("are for those who have access, and their checkers have the last word")],
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
  [712, resets("is refused for everybody where mail is not configured")],
  [718, departures("refuses to delete what another session has locked, and ends the lock of what it deletes")],
  [799, sessions("are not opened when the audit cannot be written")],
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
