import type { ProviderType } from "@sallyport/storage";
import { CallbackAddresses, type IdentityProvider, ProviderSealing, RegisteredProviders } from "@sallyport/core";
import { identityProviders } from "@sallyport/identity-passport";
import { classFactory, components, type Factories, functionFactory } from "../components.ts";
import { publicAddress } from "../public-address.ts";
import { DemoProviderEntries } from "../storages/demo-data.ts";

const { callbackAddresses, configuration, demoProviders, supportedProviders, providerSealing } = components;

/** Log-in with external providers. */
export const providerFactories = {
  supportedProviders: functionFactory(
    ({ providers: { fakeUrl = null, allowPrivateAddresses } }, { providers: { timeout } }, demo) =>
      identityProviders({ timeout, allowPrivateAddresses, fakeProviders: demo?.url ?? fakeUrl }),
    [configuration, components.tuning, demoProviders],
  ),
  providerSealing: classFactory(ProviderSealing, [components.keyWrapping]),
  callbackAddresses: functionFactory((configured) => new CallbackAddresses(publicAddress(configured)), [configuration]),
  registeredProviders: functionFactory(
    ({ oAuthProviders }, providers, ...needs) =>
      new RegisteredProviders(enabledProviders(providers, oAuthProviders), ...needs),
    [configuration, supportedProviders, providerSealing, callbackAddresses],
  ),
  demoProviderEntries: functionFactory(
    (demo, providers, sealing) =>
      demo === null ? null : new DemoProviderEntries({ demoProviders: demo, providers, sealing }),
    [demoProviders, supportedProviders, providerSealing],
  ),
} satisfies Factories;

function enabledProviders(
  providers: ReadonlyMap<ProviderType, IdentityProvider>,
  types: readonly ProviderType[],
): ReadonlyMap<ProviderType, IdentityProvider> {
  return new Map([...providers].filter(([type]) => types.includes(type)));
}
