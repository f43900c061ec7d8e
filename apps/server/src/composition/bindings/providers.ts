import type { ProviderType } from "@sallyport/storage";
import {
  AcceptProviderUser,
  AssignProviderUser,
  CallbackAddresses,
  LogInWithProvider,
  type IdentityProvider,
  ProviderSealing,
  RegisteredProviders,
} from "@sallyport/core";
import { identityProviders } from "@sallyport/identity-passport";
import { identifiers } from "../identifiers.ts";
import { classFactory, components, type Factories, functionFactory } from "../components.ts";
import { publicAddress } from "../public-address.ts";
import { DemoProviderEntries } from "../storages/demo-data.ts";

const { callbackAddresses, configuration, demoProviders, digests, supportedProviders, providerSealing, random } =
  components;

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
    ({ oAuthProviders }, known, ...needs) => new RegisteredProviders(enabledProviders(known, oAuthProviders), ...needs),
    [configuration, supportedProviders, providerSealing, callbackAddresses],
  ),
  assignProviderUser: functionFactory(
    (hooks, ...needs) => new AssignProviderUser(hooks, new AcceptProviderUser(hooks), ...needs),
    [components.objectHooks, digests, random],
  ),
  logInWithProvider: classFactory(LogInWithProvider, [
    components.gate,
    components.assignProviderUser,
    components.serializeOwnUser,
    digests,
    random,
  ]),
  demoProviderEntries: functionFactory(
    (demo, known, putProvider, sealing) =>
      demo === null ? null : new DemoProviderEntries({ demoProviders: demo, known, putProvider, sealing }),
    [demoProviders, supportedProviders, identifiers.putProvider, providerSealing],
  ),
} satisfies Factories;

function enabledProviders(
  known: ReadonlyMap<ProviderType, IdentityProvider>,
  wanted: readonly ProviderType[],
): ReadonlyMap<ProviderType, IdentityProvider> {
  return new Map([...known].filter(([type]) => wanted.includes(type)));
}
