export type { IdentityProvider } from "@sallyport/core";
