import type { ProviderType } from "@sallyport/storage";
import type { IdentityProvider } from "@sallyport/core";
import { appleProvider } from "./apple-provider.ts";
import { FacebookProvider } from "./facebook-provider.ts";
import { googleProvider, microsoftProvider } from "./client-secret-providers.ts";
import { GuardedClient } from "./guarded-client.ts";
import { isLoopbackAddress, type Resolve, resolveBySystem } from "./public-address.ts";
import type { ProviderEnvironment } from "./provider-data.ts";

export interface IdentityProvidersOptions {
  /** Base address of the fake providers, for tests and the demo: `http://127.0.0.1:4010`. Only loopback is accepted. */
  readonly fakeProviders?: string | null;
  /** Milliseconds for all provider requests of one callback. Default: 5000. */
  readonly timeout?: number | undefined;
  /** Whether providers can have private addresses. Default: false. */
  readonly allowPrivateAddresses?: boolean;
  /** Minimum milliseconds between requests for the keys of a provider that unknown keys cause. Default: 30,000. */
  readonly unknownKeyPause?: number;
  /** Host name resolver. Default: the system's. */
  readonly resolve?: Resolve;
}

/** All identity providers, with shared connections. An invalid `fakeProviders` throws `TypeError`. */
export function identityProviders(options: IdentityProvidersOptions = {}): ReadonlyMap<ProviderType, IdentityProvider> {
  const { allowPrivateAddresses = false, resolve = resolveBySystem, timeout = 5_000 } = options;
  const { unknownKeyPause = 30_000 } = options;
  const fakeProviders = fakeProvidersAt(options.fakeProviders ?? null);
  const client = new GuardedClient({ fakeProviders, allowPrivateAddresses, resolve });
  const environment: ProviderEnvironment = { client, timeout, fakeProviders, unknownKeyPause };
  const providers: readonly IdentityProvider[] = [
    googleProvider(environment),
    new FacebookProvider(environment),
    microsoftProvider(environment),
    appleProvider(environment),
  ];
  return new Map(providers.map((provider) => [provider.type, provider]));
}

function fakeProvidersAt(base: string | null): string | null {
  if (base === null) return null;
  const { protocol, hostname, pathname, origin } = new URL(base);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (!/^https?:$/.test(protocol) || !(host === "localhost" || isLoopbackAddress(host)))
    throw new TypeError("fake providers must have a loopback address");
  return `${origin}${pathname}`.replace(/\/$/, "");
}
