import {
  AcceptProviderUser,
  AssignProviderUser,
  CallbackAddresses,
  EnterWithProvider,
  type IdentityProvider,
  ProviderSealing,
  type ProviderType,
  RegisteredProviders,
} from "@sallyport/core";
import { identityProviders } from "@sallyport/identity-passport";
import type { Container } from "inversify";
import { DemoProviderEntries } from "../storages/demo-data.ts";
import { publicAddress } from "../public-address.ts";
import { identifiers } from "../identifiers.ts";

/** Log-in with accounts of external providers. */
export function bindProviders(container: Container): void {
  const { configuration, keyWrapping, digests, random, objectHooks, gate, serializeOwnUser } = identifiers;
  const {
    knownProviders,
    providerSealing,
    callbackAddresses,
    registeredProviders,
    assignProviderUser,
    enterWithProvider,
  } = identifiers;
  container
    .bind(knownProviders)
    .toResolvedValue(
      ({ providers: { imitation = null, timeout, allowPrivateAddresses } }, demo) =>
        identityProviders({ timeout, allowPrivateAddresses, imitation: demo?.url ?? imitation }),
      [configuration, identifiers.demoProviders],
    );
  container.bind(providerSealing).toResolvedValue((wrapping) => new ProviderSealing(wrapping), [keyWrapping]);
  container
    .bind(callbackAddresses)
    .toResolvedValue((configured) => new CallbackAddresses(publicAddress(configured)), [configuration]);
  container
    .bind(registeredProviders)
    .toResolvedValue(
      ({ oAuthProviders }, known, ...parts) => new RegisteredProviders(switchedOn(known, oAuthProviders), ...parts),
      [configuration, knownProviders, providerSealing, callbackAddresses],
    );
  container
    .bind(assignProviderUser)
    .toResolvedValue(
      (hooks, ...parts) => new AssignProviderUser(hooks, new AcceptProviderUser(hooks), ...parts),
      [objectHooks, digests, random],
    );
  container
    .bind(enterWithProvider)
    .toResolvedValue(
      (...parts) => new EnterWithProvider(...parts),
      [gate, assignProviderUser, serializeOwnUser, digests, random],
    );
  container
    .bind(identifiers.demoProviderEntries)
    .toResolvedValue(
      (demoProviders, known, putProvider, sealing) =>
        demoProviders === null ? null : new DemoProviderEntries({ demoProviders, known, putProvider, sealing }),
      [identifiers.demoProviders, knownProviders, identifiers.putProvider, providerSealing],
    );
}

function switchedOn(
  known: ReadonlyMap<ProviderType, IdentityProvider>,
  wanted: readonly ProviderType[],
): ReadonlyMap<ProviderType, IdentityProvider> {
  return new Map([...known].filter(([type]) => wanted.includes(type)));
}
