import { DeliverLicenceMessages, licenceLimits, LicenceMessages, type LicenceSettings } from "@sallyport/core";
import type { Configuration } from "../../configuration/index.ts";
import { HttpLicenceReceiver } from "../../licences/http-licence-receiver.ts";
import { LicenceLog, licenceOutbox } from "../../licences/licence-outbox.ts";
import { OutboxNotifier, OutboxRelay } from "../../background/outbox-relay.ts";
import { classFactory, components, type Factories, functionFactory } from "../components.ts";
import type { Tuning } from "../tuning.ts";

const { configuration, digests, licenceDelivery, licenceMessages, licenceNotifier, licenceReceiver, ...others } =
  components;
const { logger, metrics, tuning } = others;

/** Messages about licence seats: queue, counts and delivery. */
export const licenceFactories = {
  licenceNotifier: classFactory(OutboxNotifier, []),
  licenceReceiver: functionFactory(
    ({ licences: { statistics } }, { licences: { timeout } }) => {
      const { url, secret } = statistics;
      return url === undefined || secret === undefined ? null : new HttpLicenceReceiver({ url, secret, timeout });
    },
    [configuration, tuning],
  ),
  licenceDelivery: functionFactory(
    (receiver, random) => (receiver === null ? null : new DeliverLicenceMessages(receiver, random)),
    [licenceReceiver, components.random],
  ),
  licenceMessages: functionFactory(
    (configured, tuned, delivery, notifier, ...[digest, random]) => {
      if (delivery === null) return new LicenceMessages(null);
      return new LicenceMessages({
        settings: settingsOf(configured, tuned),
        digests: digest,
        random,
        send: (database, message) => delivery.send(database, message),
        notify: (alias) => notifier.notify(alias),
      });
    },
    [configuration, tuning, licenceDelivery, licenceNotifier, digests, components.random],
  ),
  licenceRelay: functionFactory(
    ({ licences }, delivery, messages, notifier, log, measured) => {
      if (delivery === null) return null;
      const { lifetime, queueLimit } = licenceLimits;
      const outbox = licenceOutbox({
        delivery,
        messages,
        counts: { interval: licences.count, lifetime },
        queueLimit,
        interval: licences.poll,
        lease: leaseOf(licences),
        log: new LicenceLog(log, measured),
      });
      const relay = new OutboxRelay(outbox);
      notifier.subscribe((alias) => relay.notify(alias));
      return relay;
    },
    [tuning, licenceDelivery, licenceMessages, licenceNotifier, logger, metrics],
  ),
} satisfies Factories;

function settingsOf({ licences: { statistics } }: Configuration, { licences }: Tuning): LicenceSettings {
  return { ...licenceLimits, required: statistics.required, lease: leaseOf(licences) };
}

/** Milliseconds. The lease covers one attempt and the count of its seats. */
const leaseOf = ({ timeout }: Tuning["licences"]): number => timeout + 60_000;
