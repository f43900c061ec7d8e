import { DeliverLicenceMessages, LicenceMessages, type LicenceSettings } from "@sallyport/core";
import type { Configuration } from "../../configuration/index.ts";
import { HttpLicenceReceiver } from "../../licences/http-licence-receiver.ts";
import { LicenceLog, licenceOutbox } from "../../licences/licence-outbox.ts";
import { OutboxNotifier, OutboxRelay } from "../../operations/outbox-relay.ts";
import { classFactory, components, type Factories, functionFactory } from "../components.ts";

const { configuration, digests, licenceDelivery, licenceMessages, licenceNotifier, licenceReceiver, logger, metrics } =
  components;

/** Messages about licence seats: queue, counts and delivery. */
export const licenceFactories = {
  licenceNotifier: classFactory(OutboxNotifier, []),
  licenceReceiver: functionFactory(
    ({ licences: { statistics } }) => {
      const { url, secret, timeout } = statistics;
      return url === undefined || secret === undefined ? null : new HttpLicenceReceiver({ url, secret, timeout });
    },
    [configuration],
  ),
  licenceDelivery: functionFactory(
    (receiver, random) => (receiver === null ? null : new DeliverLicenceMessages(receiver, random)),
    [licenceReceiver, components.random],
  ),
  licenceMessages: functionFactory(
    (configured, delivery, notifier, digest, random) => {
      if (delivery === null) return new LicenceMessages(null);
      return new LicenceMessages({
        settings: settingsOf(configured),
        digests: digest,
        random,
        send: (database, message) => delivery.send(database, message),
        notify: (alias) => notifier.notify(alias),
      });
    },
    [configuration, licenceDelivery, licenceNotifier, digests, components.random],
  ),
  licenceRelay: functionFactory(
    (configured, delivery, messages, notifier, log, measured) => {
      if (delivery === null) return null;
      const { countInterval, lifetime, pollInterval: interval, queueLimit } = configured.licences.statistics;
      const outbox = licenceOutbox({
        delivery,
        messages,
        counts: { interval: countInterval, lifetime },
        queueLimit,
        interval,
        lease: settingsOf(configured).lease,
        log: new LicenceLog(log, measured),
      });
      const relay = new OutboxRelay(outbox);
      notifier.subscribe((alias) => relay.notify(alias));
      return relay;
    },
    [configuration, licenceDelivery, licenceMessages, licenceNotifier, logger, metrics],
  ),
} satisfies Factories;

/** The lease covers one attempt and the count of its seats. */
function settingsOf({ licences: { statistics } }: Configuration): LicenceSettings {
  const { required, lifetime, queueLimit, timeout } = statistics;
  return { required, lifetime, queueLimit, lease: timeout + 60_000 };
}
