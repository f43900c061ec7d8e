import { randomUUID } from "node:crypto";
import { ProviderSealing, PutProvider } from "@sallyport/core";
import { AesGcmKeyWrapping } from "@sallyport/crypto";
import { identityProviders, imitatedIssuer } from "@sallyport/identity-passport";
import { accountsOf } from "@sallyport/provider-imitation";
import { createPostgresKnex, KnexStorage } from "@sallyport/storage-knex";
import { userNameOf } from "./fill-schema.ts";
import { imitatedAccountCount, imitatedClient } from "./imitated-client.ts";
import { appName, type PreparedSchema } from "./prepare-schema.ts";
import { masterKey } from "./start-product.ts";

/** Registers Google in a schema, and binds each account of the imitation to one of the users that were filled in. */
export async function registerProvider(url: string, { schema }: PreparedSchema): Promise<void> {
  const pool = { max: 2, acquireTimeout: 5_000, maxPendingAcquires: 10 };
  const { knex, close } = createPostgresKnex({ url, pool, connectTimeout: 5_000, statementTimeout: 30_000 });
  const storage = new KnexStorage({ knex, schema, onClose: close });
  try {
    const provider = identityProviders({}).get(imitatedClient.provider);
    if (provider === undefined) throw new Error("There is no such provider.");
    const { clientId, clientSecret } = imitatedClient;
    const put = new PutProvider(new ProviderSealing(new AesGcmKeyWrapping(masterKey)));
    await put.run(
      { storage },
      { provider, data: { clientId, clientSecret }, name: "Google", defaultUserId: null, appNames: [appName] },
    );
    const { accounts, identityLinks } = storage.repositories;
    const users = new Map(
      (await accounts.list(null, 2 * imitatedAccountCount)).map(({ loginName, userId }) => [loginName, userId]),
    );
    for (const [index, { subject, email, name }] of accountsOf(imitatedAccountCount).entries()) {
      const userId = users.get(userNameOf(index + 1));
      if (userId === undefined) throw new Error("There are fewer users than accounts.");
      const identity = { provider: provider.type, issuer: imitatedIssuer(provider.type), subject };
      await identityLinks.create({ ...identity, id: randomUUID(), userId, shared: false, email, displayName: name });
    }
  } finally {
    await storage.close();
  }
}
