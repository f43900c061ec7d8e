import { objectIdOf, ProviderSealing, PutProvider } from "@sallyport/core";
import { AesGcmKeyWrapping } from "@sallyport/crypto";
import { identityProviders } from "@sallyport/identity-passport";
import { createPostgresKnex, KnexStorage } from "@sallyport/storage-knex";
import { imitatedClient } from "./imitated-client.ts";
import { appName, type PreparedSchema } from "./prepare-schema.ts";
import { masterKey } from "./start-product.ts";

/** Registers Google in a schema, with its first user for everybody who comes from there. */
export async function registerProvider(url: string, { schema, userId }: PreparedSchema): Promise<void> {
  const pool = { max: 2, acquireTimeout: 5_000, maxPendingAcquires: 10 };
  const { knex, close } = createPostgresKnex({ url, pool, connectTimeout: 5_000, statementTimeout: 30_000 });
  const storage = new KnexStorage({ knex, schema, onClose: close });
  try {
    const provider = identityProviders({}).get(imitatedClient.provider);
    if (provider === undefined) throw new Error("There is no such provider.");
    const { clientId, clientSecret } = imitatedClient;
    const put = new PutProvider(new ProviderSealing(new AesGcmKeyWrapping(masterKey)));
    await put.run({ storage }, { provider, data: { clientId, clientSecret }, name: "Google", defaultUserId: objectIdOf(userId), appNames: [appName] });
  } finally {
    await storage.close();
  }
}
