import { createHash, randomBytes, randomUUID } from "node:crypto";
import {
  identityLinkId,
  identityLinkKind,
  linkOwner,
  operatorEvent,
  OwnUnit,
  ProviderSealing,
  PutProvider,
} from "@sallyport/core";
import { AesGcmKeyWrapping, NodeDigests } from "@sallyport/crypto";
import { identityProviders, imitatedIssuer } from "@sallyport/identity-passport";
import { accountsOf, signIn } from "@sallyport/provider-imitation";
import { createPostgresKnex, KnexStorage } from "@sallyport/storage-knex";
import { compared, holdContest } from "../contest/hold-contest.ts";
import { LoadedServer } from "../contest/loaded-server.ts";
import { connections, type Scenario } from "../contest/stage.ts";
import { appName, type PreparedSchema, userNameOf } from "../database/prepare-schema.ts";
import type { LoadRequest } from "../processes/load-generator.ts";
import type { MeasuredProcess } from "../processes/measured-process.ts";
import { imitatedAccountCount, imitatedClient } from "../database/sample-data.ts";
import { masterKey } from "../processes/start-product.ts";

const { clientId, clientSecret } = imitatedClient;
const accountIds = accountsOf(imitatedAccountCount).map(({ id }) => id);
/** Who prepares log-ins does some at once. */
const atOnce = 16;
/** Times the usual warm-up: rounds are of few callbacks, and the code that they run is compiled as in a server that runs for days after thousands only. */
const longWarmUp = 6;
const form = { "content-type": "application/x-www-form-urlencoded" };

/**
 * Callbacks of log-ins at a provider, each with its session, ours and those of an application written by hand, and the token endpoint that each of
 * them asks. All are good once, and made before the clock runs: the seconds of a round say how many there are, not how long they take.
 */
export const providerScenario: Scenario = {
  name: "provider",
  async run(stage, plan) {
    const { address: imitation, process: provider } = await stage.runningLimit("imitated-provider");
    const { appKey, ...schema } = await stage.smallSchema();
    await registerProvider(stage.database.address, { appKey, ...schema });
    const product = await stage.startProduct({ "": "sallyport" }, { imitation });
    const { address: hand, process: written } = await stage.runningLimit("express-callback", imitation);
    const loaded = (
      name: string,
      process: MeasuredProcess,
      address: string,
      requests: (seconds: number) => Promise<LoadRequest[]>,
    ) =>
      new LoadedServer(name, process, { connections, once: true, address, requests }, stage.generator, stage.database);
    const callbacks = (start: string) => (seconds: number) =>
      several(seconds * 200, (account) => callback(start, account));
    const codes = (seconds: number) => several(seconds * 500, (account) => trade(imitation, account));
    const result = await holdContest(
      [
        loaded(
          "callback",
          product.process,
          product.address,
          callbacks(`${product.address}/v1/auth/google?appkey=${appKey}`),
        ),
        loaded("Express + pg, callback by hand", written, hand, callbacks(`${hand}/begin`)),
        loaded("token endpoint", provider, imitation, codes),
      ],
      { ...plan, warmUp: longWarmUp * plan.warmUp },
    );
    return [
      compared(result, {
        scenario: "callback of a provider",
        ours: "callback",
        limit: "token endpoint",
        bound: { direction: "atLeast", wanted: 0.5 },
      }),
      compared(result, {
        scenario: "callback of a provider",
        ours: "callback",
        limit: "Express + pg, callback by hand",
      }),
      compared(result, {
        scenario: "the same by hand",
        ours: "Express + pg, callback by hand",
        limit: "token endpoint",
      }),
    ];
  },
};

/** Begins a log-in and goes to the provider: what is left is to come back. */
async function callback(start: string, account: string): Promise<LoadRequest> {
  const begun = await fetch(start, { redirect: "manual" });
  await begun.arrayBuffer();
  const [cookie = ""] = begun.headers.get("set-cookie")?.split(";") ?? [];
  const { address, parameters } = await signIn(begun.headers.get("location") ?? "", account);
  return {
    method: "GET",
    path: `${new URL(address).pathname}?${new URLSearchParams([...parameters])}`,
    headers: cookie === "" ? {} : { cookie },
  };
}

/** A code that the product has nothing to do with. */
async function trade(imitation: string, account: string): Promise<LoadRequest> {
  const redirectUri = "http://127.0.0.1:9/callback";
  const verifier = randomBytes(32).toString("base64url");
  const challenge = {
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  const asked = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: "openid profile email",
    state: "bench",
    nonce: "bench",
    ...challenge,
  });
  const { parameters } = await signIn(`${imitation}/google/authorize?${asked}`, account);
  const fields = {
    grant_type: "authorization_code",
    code: parameters.get("code") ?? "",
    redirect_uri: redirectUri,
    client_id: clientId,
    client_secret: clientSecret,
    code_verifier: verifier,
  };
  return { method: "POST", path: "/google/token", headers: form, body: `${new URLSearchParams(fields)}` };
}

/** About so many, as many for each connection, in turn of all accounts. */
async function several<T>(count: number, make: (account: string) => Promise<T>): Promise<T[]> {
  const wanted = Math.ceil(count / connections) * connections;
  const made: T[] = [];
  let begun = 0;
  const makeSome = async () => {
    while (begun < wanted) {
      begun += 1;
      made.push(await make(accountIds[begun % accountIds.length] ?? ""));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, makeSome));
  return made;
}

/** Registers Google in a schema, and binds each account of the imitation to one of the users that were filled in. */
async function registerProvider(url: string, { schema }: PreparedSchema): Promise<void> {
  const pool = { max: 2, acquireTimeout: 5_000, maxPendingAcquires: 10 };
  const { knex, close } = createPostgresKnex({ url, pool, connectTimeout: 5_000, statementTimeout: 30_000 });
  const storage = new KnexStorage({ knex, schema, onClose: close });
  try {
    const provider = identityProviders({}).get(imitatedClient.provider);
    if (provider === undefined) throw new Error("There is no such provider.");
    const put = new PutProvider(new ProviderSealing(new AesGcmKeyWrapping(masterKey)));
    await put.run(
      { r: storage.repositories, unit: new OwnUnit(storage), eventOf: operatorEvent },
      { provider, data: { clientId, clientSecret }, name: "Google", defaultUserId: null, appNames: [appName] },
    );
    const { accounts, records } = storage.repositories;
    const users = new Map(
      (await accounts.list("database", null, 2 * imitatedAccountCount)).map(({ loginName, userId }) => [
        loginName,
        userId,
      ]),
    );
    for (const [index, { subject, email, name }] of accountsOf(imitatedAccountCount).entries()) {
      const userId = users.get(userNameOf(index + 1));
      if (userId === undefined) throw new Error("There are fewer users than accounts.");
      const identity = { provider: provider.type, issuer: imitatedIssuer(provider.type), subject };
      const link = { ...identity, id: randomUUID(), userId, shared: false, email, displayName: name };
      await records.put(identityLinkKind, identityLinkId(link, new NodeDigests()), link, { owner: linkOwner(userId) });
    }
  } finally {
    await storage.close();
  }
}
