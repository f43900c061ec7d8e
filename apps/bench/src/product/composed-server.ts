import { GetObject, Database, Gate, ListObjects, LogIn, LogOut, SerializeOwnUser, VerifyPassword } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests, NodeRandomSource } from "@sallyport/crypto";
import { createApplication, createServer, routeTable } from "@sallyport/http";
import { createPostgresKnex, KnexStorage } from "@sallyport/storage-knex";

const [port, url = "", ...schemas] = process.argv.slice(2);
const pool = { max: 10, acquireTimeout: 5_000, maxPendingAcquires: 500 };
const { knex } = createPostgresKnex({ url, pool, connectTimeout: 5_000, statementTimeout: 30_000 });
const throttle = { freeFailures: 10, firstDelay: 1000, longestDelay: 900_000, forgetAfter: 3_600_000 };
const policy = {
  sessions: { idleTimeout: 1_800_000, absoluteLifetime: 43_200_000, limit: 1_000_000, perUserLimit: 100_000 },
  throttle: { user: throttle, address: throttle },
  clientHash: "md5" as const,
  timeZone: "UTC",
};
const databases = new Map(
  schemas.map((schema, index) => {
    const alias = index === 0 ? "" : "large";
    return [alias, new Database({ alias, name: schema, policy, storage: new KnexStorage({ knex, schema }) })];
  }),
);
const digests = new NodeDigests();
const hasher = await Argon2PasswordHasher.create();
const logIn = new LogIn(new Gate(digests, new NodeRandomSource()), new VerifyPassword(hasher, digests), new SerializeOwnUser());
const routes = routeTable({ logIn, logOut: new LogOut(), getObject: new GetObject(), listObjects: new ListObjects() });
const application = createApplication({
  settings: { applicationName: "s", applicationVersion: "0", basePath: "", maxInFlight: 1000, debugMessages: false, missingCredential: 200, allowInsecureTransport: false, trustedProxies: [] },
  databases,
  routes,
  digests,
  operations: { readiness: async () => ({ ready: true, databases: {} }), metrics: async () => ({ contentType: "", text: "" }), metricsAccess: "off" },
  observer: { answered() {} },
});
createServer(application, { headers: 15_000, request: 30_000, keepAlive: 65_000 }, null).listen(Number(port), "127.0.0.1");
