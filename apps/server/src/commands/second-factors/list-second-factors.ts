import type { FactorSubject, Repositories, SecondFactor } from "@sallyport/core";
import type { Command } from "commander";
import type { OpenedDatabase } from "../databases/with-database.ts";
import { listCommand } from "../lists/list-command.ts";

const partSize = 500;

interface ListedFactor extends SecondFactor {
  /** Who has it, in words. */
  readonly whose: string;
}

/** `second-factor list`. */
export function listSecondFactorsCommand(): Command {
  return listCommand({
    plural: "second factors",
    read: readFactors,
    json: ({ subject, whose, appName, confirmed, recoveryCodes }) => ({
      subject,
      whose,
      appName,
      confirmed,
      recoveryCodesLeft: recoveryCodes.length,
    }),
    columns: {
      WHOSE: ({ whose }) => whose,
      "APP NAME": ({ appName }) => appName,
      STATE: ({ confirmed }) => (confirmed ? "confirmed" : "begun"),
      "RECOVERY CODES": ({ recoveryCodes }) => String(recoveryCodes.length),
    },
  });
}

async function readFactors({ database: { storage } }: OpenedDatabase): Promise<ListedFactor[]> {
  const { repositories: r } = storage;
  const all: ListedFactor[] = [];
  for (;;) {
    const part = await r.secondFactors.list(all.at(-1) ?? null, partSize);
    for (const factor of part) all.push({ ...factor, whose: await nameOf(r, factor.subject) });
    if (part.length < partSize) return all;
  }
}

async function nameOf(r: Repositories, subject: FactorSubject): Promise<string> {
  const [kind, id = ""] = subject.split(":");
  if (kind === "user") return (await r.accounts.byUser(id, [])).account?.loginName ?? subject;
  if (kind !== "custom") return subject;
  const account = await r.customAccounts.find(id);
  return account === null ? subject : `${account.loginName} (custom user)`;
}
