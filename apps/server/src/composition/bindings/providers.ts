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

const { callbackAddresses, configuration, demoProviders, digests, knownProviders, providerSealing, random } = parts;

/** Log-in with external providers. */
export const providerParts = {
  knownProviders: by(
    ({ providers: { fakeUrl: imitation = null, timeout, allowPrivateAddresses } }, demo) =>
      identityProviders({ timeout, allowPrivateAddresses, fakeProviders: demo?.url ?? imitation }),
    [configuration, demoProviders],
  ),
  providerSealing: of(ProviderSealing, [parts.keyWrapping]),
  callbackAddresses: by((configured) => new CallbackAddresses(publicAddress(configured)), [configuration]),
  registeredProviders: by(
    ({ oAuthProviders }, known, ...needs) => new RegisteredProviders(switchedOn(known, oAuthProviders), ...needs),
    [configuration, knownProviders, providerSealing, callbackAddresses],
  ),
  assignProviderUser: by(
    (hooks, ...needs) => new AssignProviderUser(hooks, new AcceptProviderUser(hooks), ...needs),
    [parts.objectHooks, digests, random],
  ),
  enterWithProvider: of(LogInWithProvider, [
    parts.gate,
    parts.assignProviderUser,
    parts.serializeOwnUser,
    digests,
    random,
  ]),
  demoProviderEntries: by(
    (demo, known, putProvider, sealing) =>
      demo === null ? null : new DemoProviderEntries({ demoProviders: demo, known, putProvider, sealing }),
    [demoProviders, knownProviders, identifiers.putProvider, providerSealing],
  ),
} satisfies Recipes;

function switchedOn(
  known: ReadonlyMap<ProviderType, IdentityProvider>,
  wanted: readonly ProviderType[],
): ReadonlyMap<ProviderType, IdentityProvider> {
  return new Map([...known].filter(([type]) => wanted.includes(type)));
}
