import type { NewIdentityLink, ProviderIdentity } from "./identity-link.ts";

/** Milliseconds for which an account of a provider can be bound after its owner came back from there. */
export const assignableLifetime = 900_000;

/** What a `dfUuid` stands for. */
export type AssignableIdentity = ProviderIdentity &
  Pick<NewIdentityLink, "provider" | "email" | "displayName"> & {
    /** Nobody with another app key can bind it. */
    readonly appKeyId: string;
  };
