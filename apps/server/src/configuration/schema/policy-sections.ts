import type { z } from "zod";
import { choice, duration, text, wholeNumber } from "../field-kinds.ts";
import { factsOf, field, type FieldFacts, optionalField, optionalSection, section } from "../fields.ts";

const lifetime = duration("1s", "366d");
const anyNumber = wholeNumber(0, 10_000_000);
const clientHash = choice("md5", "none");

/** The fields of a section for one database, which go before the common values. */
function ownSection<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape) {
  const own = Object.entries(shape).map(([name, common]) => {
    const { kind, doc } = factsOf(common) as FieldFacts;
    return [name, optionalField(null, kind, { doc: `${doc} Instead of the common value.` })] as const;
  });
  type Own = { readonly [Name in keyof Shape]: z.ZodOptional<z.ZodType<z.output<Shape[Name]>>> };
  return optionalSection(Object.fromEntries(own) as unknown as Own);
}

const sessions = {
  idleTimeout: field("SESSION_IDLE_TIMEOUT", lifetime, "30m", {
    doc: "Time without a request after which a session expires.",
  }),
  absoluteLifetime: field("SESSION_ABSOLUTE_LIFETIME", lifetime, "12h", {
    doc: "Time after the log-in at which a session expires in any case.",
  }),
  limit: field("SESSION_LIMIT", anyNumber, 0, { doc: "Live sessions in one database; 0 means any number." }),
  perUserLimit: field("SESSION_PER_USER_LIMIT", anyNumber, 0, {
    doc: "Live sessions of one user in one database; 0 means any number.",
  }),
  perDevice: field("SESSIONS_PER_DEVICE", wholeNumber(1, 10_000), 5, {
    doc: "Live sessions of one user with one app key and one device id; a further one ends the least recently renewed of them.",
  }),
};

/** How long sessions live and how many there may be. */
export const sessionsSection = section({
  ...sessions,
  sweepInterval: field("SESSION_SWEEP_INTERVAL", duration("1s", "1d"), "1m", {
    doc: "How often what is over is removed from storage: sessions, failed log-ins, audit events beyond their retention.",
  }),
});
export const ownSessionsSection = ownSection(sessions);

const locks = {
  perSession: field("LOCKS_PER_SESSION", anyNumber, 1_000, {
    doc: "Objects that one session may have locked; 0 means any number.",
  }),
};

/** How much sessions may keep to themselves. */
export const locksSection = section(locks);
export const ownLocksSection = ownSection(locks);

const objects = {
  recycledPerUser: field("RECYCLED_OBJECTS_PER_USER", anyNumber, 10_000, {
    doc: "Objects that one user may have in the recycle bin; a deletion into it beyond that is refused with 718. 0 means any number.",
  }),
};

/** How much users may keep. */
export const objectsSection = section(objects);
export const ownObjectsSection = ownSection(objects);

const delay = duration("1ms", "7d");

function throttle(whom: string, free: number) {
  return {
    freeFailures: field(`THROTTLE_${whom}_FREE_FAILURES`, wholeNumber(0, 1_000_000), free, {
      doc: "Failures without consequence; 0 switches the throttle off.",
    }),
    firstDelay: field(`THROTTLE_${whom}_FIRST_DELAY`, delay, "1s", {
      doc: "Delay after the last free failure; doubled by every further one.",
    }),
    longestDelay: field(`THROTTLE_${whom}_LONGEST_DELAY`, delay, "15m", {
      doc: "The delay grows no further than this.",
    }),
    forgetAfter: field(`THROTTLE_${whom}_FORGET_AFTER`, delay, "1h", {
      doc: "Failures are forgotten after this long without another.",
    }),
  };
}

const [ofUser, ofAddress] = [throttle("USER", 10), throttle("ADDRESS", 100)];

/** Delays after failed log-ins, counted per user and per client address. Many users may share an address. */
export const throttleSection = section({ user: section(ofUser), address: section(ofAddress) });
export const ownThrottleSection = optionalSection({ user: ownSection(ofUser), address: ownSection(ofAddress) });

const audit = {
  retention: field("AUDIT_RETENTION", duration("0s", "36500d"), "400d", {
    doc: "How long the audit keeps its events; `0s` keeps them for ever.",
  }),
};

/** The record of who came in, who was refused and who left. */
export const auditSection = section(audit);
export const ownAuditSection = ownSection(audit);

const resetLink = text({
  wanted: "an http or https address with {token} in it, such as https://app.example/new-password#{token}",
  fits: isResetLink,
});

/** Passwords are kept as argon2id hashes. */
export const passwordsSection = section({
  clientHash: field("PASSWORD_CLIENT_HASH", clientHash, "md5", {
    doc: "How clients prepare a password: `md5` sends its MD5 in hexadecimal digits, `none` the text itself.",
  }),
  history: field("PASSWORD_HISTORY", wholeNumber(0, 24), 5, {
    doc: "How many of a user's former passwords are not taken again, besides the current one; 0: none.",
  }),
  customLength: field("PASSWORD_CUSTOM_LENGTH", wholeNumber(8, 128), 8, {
    doc: "Characters of a custom user's password at least, where it comes in clear.",
  }),
  resetsPerNetwork: field("PASSWORD_RESETS_PER_NETWORK", wholeNumber(0, 1_000_000), 50, {
    doc: "Resets that one IPv4 address or IPv6 /64 may ask for within an hour; more are answered 706, with delays from a minute to 15. 0: any number.",
  }),
  resetLink: optionalField("PASSWORD_RESET_LINK", resetLink, {
    doc: "The link in mails with which a new password can be set; `{token}` and `{alias}` are filled in. Unless given, mails hold the token alone.",
  }),
  argon2: section({
    memoryCost: field("ARGON2_MEMORY_COST", wholeNumber(8, 4_194_304), 19_456, { doc: "Memory of one hash in KiB." }),
    timeCost: field("ARGON2_TIME_COST", wholeNumber(1, 100), 2, { doc: "Passes over the memory." }),
    parallelism: field("ARGON2_PARALLELISM", wholeNumber(1, 64), 1, { doc: "Lanes of one hash." }),
  }),
  concurrency: optionalField("PASSWORD_CONCURRENCY", wholeNumber(1, 256), {
    doc: "Passwords hashed at once; unless given one per core, three at most.",
  }),
  queueLimit: field("PASSWORD_QUEUE_LIMIT", wholeNumber(0, 100_000), 256, {
    doc: "Passwords waiting to be hashed; more are answered 706.",
  }),
});

export const ownClientHash = optionalField(null, clientHash, {
  doc: "How the clients of this database prepare a password. Instead of the common value.",
});

/** Whether mails can lead to it: where it leads has to be clear before anything is filled in. */
function isResetLink(link: string): boolean {
  const [, host = ""] = /^https?:\/\/([^/?#]+)/i.exec(link) ?? [];
  return link.includes("{token}") && !/[{}]/.test(host) && URL.canParse(link.replaceAll(/\{(?:token|alias)\}/g, "x"));
}
