import {
  AcceptProviderUser,
  AssignProviderUser,
  CallbackAddresses,
  LogInWithProvider,
  type IdentityProvider,
  ProviderSealing,
  type ProviderType,
  RegisteredProviders,
} from "@sallyport/core";
import { identityProviders } from "@sallyport/identity-passport";
import { identifiers } from "../identifiers.ts";
import { by, of, parts, type Recipes } from "../parts.ts";
import { publicAddress } from "../public-address.ts";
import { DemoProviderEntries } from "../storages/demo-data.ts";

const { callbackAddresses, configuration, demoProviders, digests, supportedProviders, providerSealing, random } = parts;

/** Log-in with external providers. */
export const providerParts = {
  supportedProviders: by(
    ({ providers: { fakeUrl = null, timeout, allowPrivateAddresses } }, demo) =>
      identityProviders({ timeout, allowPrivateAddresses, fakeProviders: demo?.url ?? fakeUrl }),
    [configuration, demoProviders],
  ),
  providerSealing: of(ProviderSealing, [parts.keyWrapping]),
  callbackAddresses: by((configured) => new CallbackAddresses(publicAddress(configured)), [configuration]),
  registeredProviders: by(
    ({ oAuthProviders }, known, ...needs) => new RegisteredProviders(enabledProviders(known, oAuthProviders), ...needs),
    [configuration, supportedProviders, providerSealing, callbackAddresses],
  ),
  assignProviderUser: by(
    (hooks, ...needs) => new AssignProviderUser(hooks, new AcceptProviderUser(hooks), ...needs),
    [parts.objectHooks, digests, random],
  ),
  logInWithProvider: of(LogInWithProvider, [
    parts.gate,
    parts.assignProviderUser,
    parts.serializeOwnUser,
    digests,
    random,
  ]),
  demoProviderEntries: by(
    (demo, known, putProvider, sealing) =>
      demo === null ? null : new DemoProviderEntries({ demoProviders: demo, known, putProvider, sealing }),
    [demoProviders, supportedProviders, identifiers.putProvider, providerSealing],
  ),
} satisfies Recipes;

function enabledProviders(
  known: ReadonlyMap<ProviderType, IdentityProvider>,
  wanted: readonly ProviderType[],
): ReadonlyMap<ProviderType, IdentityProvider> {
  return new Map([...known].filter(([type]) => wanted.includes(type)));
}
