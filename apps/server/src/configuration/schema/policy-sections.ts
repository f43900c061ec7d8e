import { choice, duration, type Kind, text, wholeNumber } from "../field-kinds.ts";
import { field, optionalField, optionalSection, section } from "../fields.ts";

const lifetime = duration("1s", "366d");
const anyNumber = wholeNumber(0, 10_000_000);
const perDevice = wholeNumber(1, 10_000);
const clientHash = choice("md5", "none");

const sessionDocs = {
  idleTimeout: "Time without a request after which a session expires.",
  absoluteLifetime: "Time after the log-in at which a session expires in any case.",
  limit: "Live sessions in one database; 0 means any number.",
  perUserLimit: "Live sessions of one user in one database; 0 means any number.",
  perDevice:
    "Live sessions of one user with one app key and one device id; a further one ends the least recently renewed of them.",
};

/** How long sessions live and how many there may be. */
export const sessionsSection = section({
  idleTimeout: field(lifetime, { env: "SESSION_IDLE_TIMEOUT", default: "30m", doc: sessionDocs.idleTimeout }),
  absoluteLifetime: field(lifetime, {
    env: "SESSION_ABSOLUTE_LIFETIME",
    default: "12h",
    doc: sessionDocs.absoluteLifetime,
  }),
  limit: field(anyNumber, { env: "SESSION_LIMIT", default: 0, doc: sessionDocs.limit }),
  perUserLimit: field(anyNumber, { env: "SESSION_PER_USER_LIMIT", default: 0, doc: sessionDocs.perUserLimit }),
  perDevice: field(perDevice, { env: "SESSIONS_PER_DEVICE", default: 5, doc: sessionDocs.perDevice }),
  sweepInterval: field(duration("1s", "1d"), {
    env: "SESSION_SWEEP_INTERVAL",
    default: "1m",
    doc: "How often what is over is removed from storage: sessions, failed log-ins, audit events beyond their retention.",
  }),
});

/** The same for one database, where it differs. */
export const ownSessionsSection = optionalSection({
  idleTimeout: own(lifetime, sessionDocs.idleTimeout),
  absoluteLifetime: own(lifetime, sessionDocs.absoluteLifetime),
  limit: own(anyNumber, sessionDocs.limit),
  perUserLimit: own(anyNumber, sessionDocs.perUserLimit),
  perDevice: own(perDevice, sessionDocs.perDevice),
});

const locksDoc = "Objects that one session may have locked; 0 means any number.";

/** How much sessions may keep to themselves. */
export const locksSection = section({
  perSession: field(anyNumber, { env: "LOCKS_PER_SESSION", default: 1_000, doc: locksDoc }),
});

/** The same for one database, where it differs. */
export const ownLocksSection = optionalSection({ perSession: own(anyNumber, locksDoc) });

const recycledDoc =
  "Objects that one user may have in the recycle bin; a deletion into it beyond that is refused with 718. 0 means any number.";

/** How much users may keep. */
export const objectsSection = section({
  recycledPerUser: field(anyNumber, { env: "RECYCLED_OBJECTS_PER_USER", default: 10_000, doc: recycledDoc }),
});

/** The same for one database, where it differs. */
export const ownObjectsSection = optionalSection({ recycledPerUser: own(anyNumber, recycledDoc) });

const failures = wholeNumber(0, 1_000_000);
const delay = duration("1ms", "7d");

const throttleDocs = {
  freeFailures: "Failures without consequence; 0 switches the throttle off.",
  firstDelay: "Delay after the last free failure; doubled by every further one.",
  longestDelay: "The delay grows no further than this.",
  forgetAfter: "Failures are forgotten after this long without another.",
};

/** Delays after failed log-ins, counted per user and per client address. Many users may share an address. */
export const throttleSection = section({ user: throttleRule("USER", 10), address: throttleRule("ADDRESS", 100) });

/** The same for one database, where it differs. */
export const ownThrottleSection = optionalSection({ user: ownThrottleRule(), address: ownThrottleRule() });

function throttleRule(whom: string, free: number) {
  return section({
    freeFailures: field(failures, {
      env: `THROTTLE_${whom}_FREE_FAILURES`,
      default: free,
      doc: throttleDocs.freeFailures,
    }),
    firstDelay: field(delay, { env: `THROTTLE_${whom}_FIRST_DELAY`, default: "1s", doc: throttleDocs.firstDelay }),
    longestDelay: field(delay, {
      env: `THROTTLE_${whom}_LONGEST_DELAY`,
      default: "15m",
      doc: throttleDocs.longestDelay,
    }),
    forgetAfter: field(delay, { env: `THROTTLE_${whom}_FORGET_AFTER`, default: "1h", doc: throttleDocs.forgetAfter }),
  });
}

function ownThrottleRule() {
  return optionalSection({
    freeFailures: own(failures, throttleDocs.freeFailures),
    firstDelay: own(delay, throttleDocs.firstDelay),
    longestDelay: own(delay, throttleDocs.longestDelay),
    forgetAfter: own(delay, throttleDocs.forgetAfter),
  });
}

const retention = duration("0s", "36500d");
const retentionDoc = "How long the audit keeps its events; `0s` keeps them for ever.";

/** The record of who came in, who was refused and who left. */
export const auditSection = section({
  retention: field(retention, { env: "AUDIT_RETENTION", default: "400d", doc: retentionDoc }),
});

/** The same for one database, where it differs. */
export const ownAuditSection = optionalSection({ retention: own(retention, retentionDoc) });

const resetLink = text({
  wanted: "an http or https address with {token} in it, such as https://app.example/new-password#{token}",
  fits: isResetLink,
});

/** Passwords are kept as argon2id hashes. */
export const passwordsSection = section({
  clientHash: field(clientHash, {
    env: "PASSWORD_CLIENT_HASH",
    default: "md5",
    doc: "How clients prepare a password: `md5` sends its MD5 in hexadecimal digits, `none` the text itself.",
  }),
  history: field(wholeNumber(0, 24), {
    env: "PASSWORD_HISTORY",
    default: 5,
    doc: "How many of a user's former passwords are not taken again, besides the current one; 0: none.",
  }),
  customLength: field(wholeNumber(8, 128), {
    env: "PASSWORD_CUSTOM_LENGTH",
    default: 8,
    doc: "Characters of a custom user's password at least, where it comes in clear.",
  }),
  resetsPerNetwork: field(wholeNumber(0, 1_000_000), {
    env: "PASSWORD_RESETS_PER_NETWORK",
    default: 50,
    doc: "Resets that one IPv4 address or IPv6 /64 may ask for within an hour; more are answered 706, with delays from a minute to 15. 0: any number.",
  }),
  resetLink: optionalField(resetLink, {
    env: "PASSWORD_RESET_LINK",
    doc: "The link in mails with which a new password can be set; `{token}` and `{alias}` are filled in. Unless given, mails hold the token alone.",
  }),
  argon2: section({
    memoryCost: field(wholeNumber(8, 4_194_304), {
      env: "ARGON2_MEMORY_COST",
      default: 19_456,
      doc: "Memory of one hash in KiB.",
    }),
    timeCost: field(wholeNumber(1, 100), { env: "ARGON2_TIME_COST", default: 2, doc: "Passes over the memory." }),
    parallelism: field(wholeNumber(1, 64), { env: "ARGON2_PARALLELISM", default: 1, doc: "Lanes of one hash." }),
  }),
  concurrency: optionalField(wholeNumber(1, 256), {
    env: "PASSWORD_CONCURRENCY",
    doc: "Passwords hashed at once; unless given one per core, three at most.",
  }),
  queueLimit: field(wholeNumber(0, 100_000), {
    env: "PASSWORD_QUEUE_LIMIT",
    default: 256,
    doc: "Passwords waiting to be hashed; more are answered 706.",
  }),
});

export const ownClientHash = own(clientHash, "How the clients of this database prepare a password.");

function own<Out>(kind: Kind<Out>, doc: string) {
  return optionalField(kind, { doc: `${doc} Instead of the common value.` });
}

/** Whether mails can lead to it: where it leads has to be clear before anything is filled in. */
function isResetLink(link: string): boolean {
  const [, host = ""] = /^https?:\/\/([^/?#]+)/i.exec(link) ?? [];
  return link.includes("{token}") && !/[{}]/.test(host) && URL.canParse(link.replaceAll(/\{(?:token|alias)\}/g, "x"));
}
