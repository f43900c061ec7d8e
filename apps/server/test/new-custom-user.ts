import type { Account } from "@sallyport/storage";
import { createAccount } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests, NodeRandomSource } from "@sallyport/crypto";
import type { RunningServer } from "../src/index.ts";
import { repositoriesOf } from "./repositories-of.ts";
import { MailFolder } from "./mail/mail-folder.ts";
import { storedServerKeys } from "./secure/stored-keys.ts";

/** Mail to custom users. */
export const customUserMail = new MailFolder();

/** Settings of the server: the tests send wrong passwords, and read mail. */
export const customUserEnvironment: Readonly<Record<string, string>> = {
  ...storedServerKeys,
  MAIL_DIR: customUserMail.path,
  THROTTLE_IP_MAX_FAILURES: "1000",
  THROTTLE_USER_MAX_FAILURES: "10",
};

let users = 0;

export interface NewCustomUser {
  readonly password: string;
  readonly alias?: string;
  readonly hasAddress?: boolean;
  /** The mapped user. */
  readonly user?: string;
}

/** A new custom user, by default mapped to `reader`. */
export async function newCustomUser(
  server: RunningServer,
  { password, alias = "", hasAddress = true, user = "reader" }: NewCustomUser,
): Promise<Account> {
  users += 1;
  const { accounts } = repositoriesOf(server, alias);
  const creating = {
    database: { digests: new NodeDigests() },
    services: {
      hasher: await Argon2PasswordHasher.create({ memoryCost: 8, timeCost: 1 }),
      random: new NodeRandomSource(),
    },
  };
  const { account } = await accounts.find({ realm: "database", loginName: user }, []);
  const email = hasAddress ? `custom-${process.pid}-${users}@mail.example` : null;
  const id = await createAccount(creating, accounts, {
    realm: "custom",
    loginName: `custom ${process.pid} ${users}`,
    password,
    userId: account?.userId ?? "",
    email,
    clientHash: "md5",
  });
  return (await accounts.find({ id }, [])).account as Account;
}
