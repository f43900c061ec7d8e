/** As whom the product is known at the imitation of Google. */
export const imitatedClient = { provider: "google", clientId: "bench.apps", clientSecret: "bench-secret" } as const;

/** How many accounts there are at the imitation; each is bound to a user of its own. */
export const imitatedAccountCount = 100;
