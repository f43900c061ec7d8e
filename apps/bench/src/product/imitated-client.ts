/** As whom the product is known at the imitation of Google. */
export const imitatedClient = { provider: "google", clientId: "bench.apps", clientSecret: "bench-secret" } as const;
