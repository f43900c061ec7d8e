import type { z } from "zod";
import { choice, duration, text, wholeNumber } from "../field-kinds.ts";
import { factsOf, field, type FieldFacts, optionalField, optionalSection, section } from "../fields.ts";

const lifetime = duration("1s", "366d");
const anyNumber = wholeNumber(0, 10_000_000);
const clientHash = choice("md5", "none");

/** The fields of a section for one database. They override the server-wide values. */
export function ownSection<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) {
  const own = Object.entries(shape).map(([name, common]) => {
    const { kind, doc } = factsOf(common) as FieldFacts;
    return [name, optionalField(null, kind, { doc: `${doc} Overrides the server-wide value.` })] as const;
  });
  type Own = { readonly [Name in keyof Shape]: z.ZodOptional<z.ZodType<z.output<Shape[Name]>>> };
  return optionalSection(Object.fromEntries(own) as unknown as Own);
}

const sessions = {
  idleTimeout: field("SESSION_IDLE_TIMEOUT", lifetime, "30m", {
    doc: "Time without a request after which a session expires.",
  }),
  absoluteLifetime: field("SESSION_ABSOLUTE_LIFETIME", lifetime, "12h", {
    doc: "Maximum lifetime of a session from its log-in, however active it is.",
  }),
  limit: field("SESSION_LIMIT", anyNumber, 0, {
    doc: "Maximum number of active sessions in one database. Further log-ins fail with 315. 0 disables the limit.",
  }),
  perUserLimit: field("SESSION_PER_USER_LIMIT", anyNumber, 0, {
    doc: "Maximum number of active sessions of one user in one database. Further log-ins fail with 315. 0 disables the limit.",
  }),
  perDevice: field("SESSIONS_PER_DEVICE", wholeNumber(1, 10_000), 5, {
    doc: "Maximum number of active sessions of one user with the same app key and device id. A further log-in ends the least recently renewed session.",
  }),
};

/** Lifetime and number of sessions. */
export const sessionsSection = section(sessions);
export const ownSessionsSection = ownSection(sessions);

function rate(variable: string, whose: string) {
  return {
    perMinute: field(`RATE_${variable}_PER_MINUTE`, anyNumber, 0, {
      doc: `Maximum number of requests per minute ${whose}, by all servers together. Further requests fail with 800. 0 disables the limit.`,
    }),
    burst: field(`RATE_${variable}_BURST`, anyNumber, 0, {
      doc: `Maximum number of requests at once ${whose}, after a pause. 0 stands for \`perMinute\`.`,
    }),
  };
}

const rates = {
  address: rate("ADDRESS", "from one IPv4 address or IPv6 /64"),
  appKey: rate("APP_KEY", "with one app key"),
  session: rate("SESSION", "in one session"),
};

/** Rates of requests to one database. */
export const ratesSection = section({
  address: section(rates.address),
  appKey: section(rates.appKey),
  session: section(rates.session),
});
export const ownRatesSection = optionalSection({
  address: ownSection(rates.address),
  appKey: ownSection(rates.appKey),
  session: ownSection(rates.session),
});

const locks = {
  perSession: field("LOCKS_PER_SESSION", anyNumber, 1_000, {
    doc: "Maximum number of objects that one session can lock. 0 disables the limit.",
  }),
};

/** Limits of object locks. */
export const locksSection = section(locks);
export const ownLocksSection = ownSection(locks);

const objects = {
  recycleBinPerUser: field("RECYCLE_BIN_OBJECTS_PER_USER", anyNumber, 10_000, {
    doc: "Maximum number of objects that one user can have in the recycle bin. Further deletions into it fail with 718. 0 disables the limit.",
  }),
};

/** Limits of objects per user. */
export const objectsSection = section(objects);
export const ownObjectsSection = ownSection(objects);

const devices = {
  policy: field("DEVICES_POLICY", choice("open", "registered"), "open", {
    doc: "Devices from which users can log in: `open` admits every device and log-ins without one, `registered` only devices that an administrator has registered. Other log-ins fail with 318.",
  }),
};

/** The devices of users. */
export const devicesSection = section(devices);
export const ownDevicesSection = ownSection(devices);

const maxFailures = (variable: string, free: number) =>
  field(variable, wholeNumber(0, 1_000_000), free, {
    doc: "Maximum number of failed attempts without a delay. 0 disables throttling.",
  });

const ofUser = {
  maxFailures: maxFailures("THROTTLE_USER_MAX_FAILURES", 10),
  maxDelay: field("THROTTLE_USER_MAX_DELAY", duration("1ms", "7d"), "15m", {
    doc: "Upper bound of the delay, which begins with 1 second and doubles with each failure. After this time without a failure, but at least one hour, the counter is reset.",
  }),
};
const ofIp = { maxFailures: maxFailures("THROTTLE_IP_MAX_FAILURES", 100) };

/** Delays after failed log-ins, per user and per client address. Many users can share an address. */
export const throttleSection = section({ user: section(ofUser), ip: section(ofIp) });
export const ownThrottleSection = optionalSection({ user: ownSection(ofUser), ip: ownSection(ofIp) });

const audit = {
  retention: field("AUDIT_RETENTION", duration("0s", "36500d"), "400d", {
    doc: "Time that audit events are kept. `0s` keeps them forever.",
  }),
};

/** The audit log of security-relevant events. */
export const auditSection = section(audit);
export const ownAuditSection = ownSection(audit);

const explanations = {
  retention: field("EXPLANATIONS_RETENTION", duration("0s", "366d"), "7d", {
    doc: "Time that the server can explain a refused request. `0s` stores no explanations.",
  }),
};

/** Explanations of refused requests, for `sallyport --local why`. */
export const explanationsSection = section(explanations);
export const ownExplanationsSection = ownSection(explanations);

const sync = {
  tombstones: field("SYNC_TOMBSTONES", duration("0s", "36500d"), "90d", {
    doc: "Time that the server keeps tombstones of permanently deleted objects. Devices that synchronize less often start over. `0s` keeps them forever.",
  }),
};

/** Synchronization with devices. */
export const syncSection = section(sync);
export const ownSyncSection = ownSection(sync);

const resetLink = text({
  expected: "an http or https URL that contains {token}, such as https://app.example/new-password#{token}",
  fits: isResetLink,
});

/** Passwords are stored as argon2id hashes. */
export const passwordsSection = section({
  clientHash: field("PASSWORD_CLIENT_HASH", clientHash, "md5", {
    doc: "How clients transform a password before they send it: `md5` sends its hexadecimal MD5 digest, `none` the password itself.",
  }),
  history: field("PASSWORD_HISTORY", wholeNumber(0, 24), 5, {
    doc: "Number of previous passwords that a user cannot reuse, in addition to the current one.",
  }),
  customUserMinLength: field("PASSWORD_CUSTOM_USER_MIN_LENGTH", wholeNumber(8, 128), 8, {
    doc: "Minimum length of a custom user's password in characters. It is not checked when a client sends an MD5 digest.",
  }),
  resetsPerIp: field("PASSWORD_RESETS_PER_IP", wholeNumber(0, 1_000_000), 50, {
    doc: "Maximum number of password reset requests per hour from one IPv4 address or IPv6 /64. Further requests fail with 706 for 1 to 15 minutes. 0 disables the limit.",
  }),
  resetLink: optionalField("PASSWORD_RESET_LINK", resetLink, {
    doc: "URL in password reset mail. The server replaces `{token}` and `{alias}`. By default, the mail contains the token only.",
  }),
  argon2: section({
    memoryCost: field("ARGON2_MEMORY_COST", wholeNumber(8, 4_194_304), 19_456, {
      doc: "Memory of one argon2id hash in KiB.",
    }),
    timeCost: field("ARGON2_TIME_COST", wholeNumber(1, 100), 2, { doc: "Iterations of one argon2id hash." }),
  }),
});

export const ownClientHash = optionalField(null, clientHash, {
  doc: "How clients transform a password before they send it. Overrides the server-wide value `passwords.clientHash`.",
});

/** Whether the link is a valid reset link. Its host must not contain placeholders. */
function isResetLink(link: string): boolean {
  const [, host] = /^https?:\/\/([^/?#]+)/i.exec(link) ?? [];
  if (host === undefined || /[{}]/.test(host) || !link.includes("{token}")) return false;
  return URL.canParse(link.replaceAll(/\{(?:token|alias)\}/g, "x"));
}
