import {
  AcceptProviderUser,
  AssignProviderUser,
  CallbackAddresses,
  EnterWithProvider,
  FinishProviderLogIn,
  type IdentityProvider,
  LinkNotice,
  ListOwnLinks,
  LogInLinking,
  type RecordRoom,
  ProviderSealing,
  type ProviderType,
  PutProvider,
  RegisteredProviders,
  RemoveOwnLinks,
  StartProviderLogIn,
  TradeReturnCode,
} from "@sallyport/core";
import { identityProviders } from "@sallyport/identity-passport";
import type { Container } from "inversify";
import type { Configuration } from "../../configuration/index.ts";
import { DemoProviderEntries } from "../storages/demo-data.ts";
import { publicAddress } from "../public-address.ts";
import { identifiers } from "../identifiers.ts";

/** Log-in with accounts of external providers. */
export function bindProviders(container: Container): void {
  const { configuration, keyWrapping, digests, random, objectHooks, gate, serializeOwnUser, enterWithPassword } =
    identifiers;
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
    .bind(identifiers.startProviderLogIn)
    .toResolvedValue(
      (configured, ...parts) => new StartProviderLogIn(...parts, roomOf(configured)),
      [configuration, registeredProviders, providerSealing, digests, random],
    );
  container.bind(identifiers.finishProviderLogIn).toResolvedValue(
    (configured, providers, sealing, entering, ...[digest, source]) =>
      new FinishProviderLogIn({
        providers,
        sealing,
        enterWithProvider: entering,
        digests: digest,
        random: source,
        room: roomOf(configured),
      }),
    [configuration, registeredProviders, providerSealing, enterWithProvider, digests, random],
  );
  container
    .bind(identifiers.tradeReturnCode)
    .toResolvedValue(
      (...parts) => new TradeReturnCode(...parts),
      [registeredProviders, providerSealing, enterWithProvider, digests],
    );
  container
    .bind(identifiers.logInLinking)
    .toResolvedValue(
      (order, { mail }, ...parts) => new LogInLinking(...parts, new LinkNotice(order, mail.language)),
      [identifiers.orderMail, configuration, enterWithPassword, digests, random],
    );
  container.bind(identifiers.listOwnLinks).toDynamicValue(() => new ListOwnLinks());
  container.bind(identifiers.removeOwnLinks).toDynamicValue(() => new RemoveOwnLinks());
  container.bind(identifiers.putProvider).toResolvedValue((sealing) => new PutProvider(sealing), [providerSealing]);
  container
    .bind(identifiers.demoProviderEntries)
    .toResolvedValue(
      (demoProviders, known, putProvider, sealing) =>
        demoProviders === null ? null : new DemoProviderEntries({ demoProviders, known, putProvider, sealing }),
      [identifiers.demoProviders, knownProviders, identifiers.putProvider, providerSealing],
    );
}

/** How many log-ins may be under way: away at a provider, or back with a code that is not traded yet. */
function roomOf({ providers: { underWayPerNetwork, underWay } }: Configuration): RecordRoom {
  return { ofOwner: underWayPerNetwork, inAll: underWay };
}

function switchedOn(
  known: ReadonlyMap<ProviderType, IdentityProvider>,
  wanted: readonly ProviderType[],
): ReadonlyMap<ProviderType, IdentityProvider> {
  return new Map([...known].filter(([type]) => wanted.includes(type)));
}
