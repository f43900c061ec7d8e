import { z } from "zod";
import { duration, field, flag, optionalField, providerName, section, text, wholeNumber } from "../fields/index.ts";
import { isLoopbackUrl } from "./network-texts.ts";

/** Which identity providers this server logs in with. What they know the service by is registered in the databases. */
export const oAuthProvidersSection = z
  .array(
    z.strictObject(
      {
        name: field(providerName(), {
          default: undefined,
          doc: "A provider with whose accounts log-ins are possible, in any case; `windowslive` and `appleid` are other names of `microsoft` and `apple`. It has to be registered in each database, too: `sallyport-server provider add`.",
        }),
      },
      { error: "must be an object" },
    ),
    { error: "must be a list" },
  )
  .optional();

/** How the server speaks to identity providers. */
export const providersSection = section({
  timeout: field(duration("100ms", "1m"), {
    env: "PROVIDERS_TIMEOUT",
    default: "5s",
    doc: "How long a provider may take for one answer; a log-in that waits longer is answered 706.",
  }),
  allowPrivateAddresses: field(flag(), {
    env: "PROVIDERS_ALLOW_PRIVATE_ADDRESSES",
    default: false,
    doc: "Whether providers may have addresses that are not public, such as those of a network of one's own.",
  }),
  underWayPerNetwork: field(wholeNumber(0, 10_000_000), {
    env: "PROVIDERS_UNDER_WAY_PER_NETWORK",
    default: 1_000,
    doc: "Most log-ins that may be under way at providers at once, in each database, from one network (an IPv4 address or an IPv6 /64); the next one is answered 706. One that is given up counts for ten minutes. 0 means any number.",
  }),
  underWay: field(wholeNumber(0, 10_000_000), {
    env: "PROVIDERS_UNDER_WAY",
    default: 20_000,
    doc: "Most log-ins that may be under way at providers at once in each database, whichever network they come from; the next one is answered 706. 0 means any number.",
  }),
  imitation: optionalField(
    text({ wanted: "an http address on this machine, such as http://127.0.0.1:9000", fits: isLoopbackUrl }),
    {
      env: "PROVIDERS_IMITATION",
      doc: "Address of an imitation of the providers on this machine, which is asked in their place: for trying log-ins out, never for real ones.",
    },
  ),
});
