import type { Case } from "./case.ts";

const good = { oldPassword: "demo", newPassword: "a password that is new" };
const digest = "0123456789abcdef0123456789abcdef";

const change = (title: string, body: unknown, code: number): Case => ({
  title,
  as: "demo",
  method: "POST",
  path: "/v1/changePassword",
  body,
  expect: { code },
});

const ask = (title: string, body: unknown, code: number): Case => ({
  title,
  method: "POST",
  path: "/v1/resetPassword",
  body,
  expect: { code },
});

const confirm = (title: string, body: unknown, code: number): Case => ({
  title,
  method: "POST",
  path: "/v1/confirmResetPassword",
  body,
  expect: { code, lacks: ["argon2"] },
});

const noTexts = [undefined, null, "", "  \t", 7, true, ["x"], { text: "x" }, "x".repeat(1_025)];
const named = (value: unknown) => (JSON.stringify(value) ?? "nothing").slice(0, 30);

/** Fields of changed and reset passwords; none of these cases changes anything. */
export const passwordCases: readonly Case[] = [
  {
    title: "refuses a password change without a session",
    method: "POST",
    path: "/v1/changePassword",
    body: good,
    expect: { code: 200 },
  },
  {
    title: "changes a password by POST only",
    as: "demo",
    path: "/v1/changePassword",
    expect: { code: 305, beforeSession: true },
  },
  ...noTexts.map((value) =>
    change(`refuses ${named(value)} as the old password`, { ...good, oldPassword: value }, 319),
  ),
  ...noTexts.map((value) =>
    change(`refuses ${named(value)} as the new password`, { ...good, newPassword: value }, 320),
  ),
  ...["true", 1, null, [], {}].map((encrypted) =>
    change(`refuses ${named(encrypted)} as the encrypted flag`, { ...good, encrypted }, 322),
  ),
  change("checks the encrypted flag, then the old password", { encrypted: 1 }, 322),
  change("checks the old password, then the new one", {}, 319),
  change("refuses a new password that is too short", { ...good, newPassword: "seven 7" }, 320),
  change("refuses a published password as the new one", { ...good, newPassword: "Password123" }, 320),
  change("refuses the MD5 of a published password", { ...good, newPassword: "25d55ad283aa400af464c76d713c07ad" }, 320),
  change(
    "checks the policy of the new password, then whether it equals the old one",
    { oldPassword: "demo", newPassword: "demo" },
    320,
  ),
  change("refuses the old password as the new one", { oldPassword: digest, newPassword: digest }, 321),
  change(
    "refuses the old password as the new one in another spelling",
    { oldPassword: digest, newPassword: digest.toUpperCase() },
    321,
  ),
  change(
    "checks whether both are the same, then whether the old one is right",
    { oldPassword: "never it was", newPassword: "never it was" },
    321,
  ),
  // Once only: it counts as a failed log-in.
  { ...change("refuses a wrong old password", { ...good, oldPassword: "wrong" }, 339), modes: ["session"] },
  change("refuses clear text declared as encrypted", { ...good, encrypted: true }, 319),
  change("refuses oversized cipher text", { ...good, encrypted: true, oldPassword: "A".repeat(11_000) }, 319),

  {
    title: "refuses to confirm a password without the mailed code",
    as: "demo",
    method: "POST",
    path: "/v1/auth/df/confirmChangePassword",
    body: {},
    expect: { code: 326 },
  },

  ...noTexts.map((user) => ask(`refuses a reset for the user ${named(user)}`, { user }, 325)),
  {
    title: "requires an app key to reset a password",
    method: "POST",
    path: "/v1/resetPassword",
    headers: { appkey: null },
    body: { user: "demo" },
    expect: { code: 100 },
  },

  ...noTexts.map((resetPasswordToken) =>
    confirm(`refuses ${named(resetPasswordToken)} as a reset token`, { ...good, resetPasswordToken }, 328),
  ),
  ...noTexts.map((newPassword) =>
    confirm(
      `refuses ${named(newPassword)} as the password of a reset`,
      { resetPasswordToken: "A".repeat(43), newPassword },
      320,
    ),
  ),
  confirm("checks the reset token, then the password", {}, 328),
  confirm("refuses an unknown token", { resetPasswordToken: "A".repeat(43), newPassword: good.newPassword }, 328),
  confirm("refuses a token with a zero character", { resetPasswordToken: "\0", newPassword: good.newPassword }, 328),
  confirm(
    "checks whether the token is valid, then the password",
    { resetPasswordToken: "A".repeat(43), newPassword: "short" },
    328,
  ),
];
