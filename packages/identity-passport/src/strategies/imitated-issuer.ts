import type { ProviderType } from "@sallyport/core";

/**
 * What an imitation signs as, wherever it listens: links to its accounts outlive it, and are good for nothing at the provider itself. Nobody
 * can have a name that ends in `.invalid`.
 */
export const imitatedIssuer = (type: ProviderType): string => `https://${type}.imitation.invalid`;
