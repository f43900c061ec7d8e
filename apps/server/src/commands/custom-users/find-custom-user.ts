import { type CustomAccount, mailAddress, type ObjectId, type Repositories } from "@sallyport/core";
import { CommandError } from "../command-error.ts";

/** The custom user with this name, who must be there. */
export async function findCustomUser({ customAccounts }: Repositories, name: string): Promise<CustomAccount> {
  const { account } = await customAccounts.forProof(name.normalize("NFC"));
  if (account === null) throw new CommandError(`There is no custom user "${name}".`);
  return account;
}

/** The id of the database user with this name, who must be there. */
export async function findDatabaseUser({ accounts }: Repositories, name: string): Promise<ObjectId> {
  const { account } = await accounts.forProof(name.normalize("NFC"), []);
  if (account === null)
    throw new CommandError(
      `There is no user "${name}" in the database to map to. "sallyport-server user list" tells who there is.`,
    );
  return account.userId;
}

export function acceptEmail(text: string): string {
  const address = mailAddress(text);
  if (address === null)
    throw new CommandError(`"${text}" is no e-mail address: one bare address such as ada@example.com is expected.`);
  return address;
}
