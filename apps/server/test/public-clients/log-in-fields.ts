import { createHash } from "node:crypto";

export const md5 = (password: string): string => createHash("md5").update(password).digest("hex");

export const json = { "Content-Type": "application/json" };

export const logInFields = (user: string, more: object = {}): object => ({
  user,
  pass: md5(user),
  appNames: ["demo-app"],
  ...more,
});
