import { setTimeout as pause } from "node:timers/promises";
import * as core from "@sallyport/core";
import { ListedBreachedPasswords, OtplibTimeTokens } from "@sallyport/crypto";
import { classFactory, components, type Factories, functionFactory } from "../components.ts";

const { digests, factorSecrets, hasher, random } = components;

/** The log-in gate, authentication and passwords. */
export const userFactories = {
  gate: functionFactory(
    // No network takes more than half of the queue of password hashes.
    ({ passwords: { queueLimit } }) => new core.Gate(pause, Math.max(1, Math.ceil(queueLimit / 2))),
    [components.tuning],
  ),

  passwordPolicy: functionFactory(
    (...needs) => new core.PasswordPolicy(...needs, new ListedBreachedPasswords()),
    [hasher, digests],
  ),
  resetMail: classFactory(core.PrepareResetMail, [digests, random]),

  timeTokens: classFactory(OtplibTimeTokens, []),
  factorSecrets: classFactory(core.FactorSecrets, [components.keyWrapping, digests]),
  factorProofs: classFactory(core.FactorProofs, [factorSecrets, components.timeTokens, digests]),
} satisfies Factories;
