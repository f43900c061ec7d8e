import type { ErrorCode } from "@sallyport/core/errors";
import { z } from "zod";
import { refusedWith } from "../fields/refused-with.ts";

const longestCredential = 1_024;
const mostAppNames = 100;

/** Characters; no list of tokens is longer. */
const longestToken = 1_024;

const isBlank = (text: string) => text.trim() === "";

/** Databases keep neither the zero character nor half of a surrogate pair. */
const isStorable = (text: string) => !/\0|\p{Surrogate}/u.test(text);

const credential = z
  .string(refusedWith(301))
  .max(longestCredential, refusedWith(301))
  .refine((text) => !isBlank(text), refusedWith(301));

const appName = z.string(refusedWith(208)).refine((text) => !isBlank(text), refusedWith(208));

const device = z
  .object({
    deviceId: z
      .string()
      .max(255)
      .refine(isStorable)
      .optional()
      .describe(
        "Sessions of one user on one device are limited: beyond that a log-in ends the least recently renewed one.",
      ),
    device: z.string().optional(),
    systemVersion: z.string().optional(),
    deviceType: z.string().optional(),
    systemType: z.string().optional(),
  })
  .catchall(z.string());

const credentials = {
  user: credential.describe("User name, compared exactly."),
  pass: credential.describe("The MD5 of the password in lower-case hexadecimal digits, or the password itself."),
  appNames: z
    .union([appName, z.array(appName).min(1, refusedWith(208)).max(mostAppNames, refusedWith(208))], {
      error: ({ input }) => (input === undefined ? "209" : "208"),
    })
    .transform((names) => (typeof names === "string" ? [names] : names))
    .describe("App names; a single text counts as one name."),
};

const options = {
  device: device.optional(),
  "2faToken": z
    .string()
    .max(longestToken)
    .optional()
    .describe(
      "Token of the second factor, or a recovery code; several app names that ask for one each take theirs with commas between them. Empty counts as absent.",
    ),
  "2faEnrol": z
    .boolean()
    .optional()
    .describe(
      "`true` asks for a session that is good for setting up a second factor alone, if one is demanded that is not there; instead of 340.",
    ),
  furtherencryption: z
    .unknown()
    .optional()
    .describe("In a secure log-in `false` asks for plain traffic afterwards, where the server allows it."),
};

/** Body of every log-in with a name and a password. */
export const logInRequest = z.object({ ...credentials, ...options }).meta({ id: "LogInRequest" });

/** The members of a log-in whose faults are answered first; the others stay as they are. */
export const logInCredentials = z.looseObject(credentials);

/** The other members of a log-in. */
export const logInOptions = z.object(options);

/** Which fault of a log-in body is answered when there are several. */
export const logInFaultOrder: readonly ErrorCode[] = [301, 209, 208, 210];

export type LogInRequest = z.input<typeof logInRequest>;
